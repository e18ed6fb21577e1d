"""Kernel settings of nodes while they run: set for one launch, put back, and read as provenance."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from rankwise.core import process
from rankwise.core.errors import HostError
from rankwise.core.host_settings import CATALOGUE, CONGESTION_CONTROL
from rankwise.core.jobs import Outcome
from rankwise.core.network import Settings
from rankwise.core.records import Fact

_ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
_AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
_LIMIT_SECONDS = 10.0
_LACKING = "use a newer kernel, or remove it from the description"

_OF_NODES = tuple(setting for setting in CATALOGUE if setting.of_nodes)
"""What `facts` reads back from every node."""


def allow_congestion_controls(settings: Iterable[tuple[str, str]]) -> None:
    """Let nodes choose the congestion controls among these settings: only those that this host allows can be.

    As root they are added to the host's list. Without the right to, the node's own refusal says what is in force.
    """
    for key, name in settings:
        if key != CONGESTION_CONTROL or os.geteuid() != 0:
            continue
        with contextlib.suppress(OSError):
            allowed = _ALLOWED.read_text().split()
            if name not in allowed and name in _AVAILABLE.read_text().split():
                _ALLOWED.write_text(" ".join([*allowed, name]))


def allowed_congestion_controls() -> str:
    """Return the congestion controls that nodes may choose."""
    try:
        return _ALLOWED.read_text().strip()
    except OSError:
        return ""


class NodeSettings:
    """Node settings are those of the nodes behind one remote shell."""

    def __init__(self, shell: Path) -> None:
        self._shell = str(shell)

    def read(self, node: str, key: str) -> str:
        """Return what is in force, by sysctl's name or as the NIC's MTU; '' where the kernel does not know it.

        Raises HostError if the node is gone.
        """
        return self._ask(node, key).stdout.strip()

    def write(self, node: str, key: str, value: str) -> None:
        """Set it on the node. Raises HostError if the kernel refuses, with what is in force."""
        self._ask(node, key, *value.split())

    def write_each(self, key: str, values: Mapping[str, str]) -> None:
        """Set the value of each of these nodes, by one process of this host. Raises HostError."""
        lines = (shlex.join([self._shell, "-s", node, key, *value.split()]) for node, value in values.items())
        argv = ["sh", "-c", " && ".join(lines)]
        outcome = process.run(argv, _LIMIT_SECONDS, mark=process.new_mark())
        if outcome.returncode != 0:
            raise HostError(f"cannot set {key} of {', '.join(values)}: {outcome.stderr.strip()}")

    @contextlib.contextmanager
    def temporarily(self, nodes: Sequence[str], settings: Settings) -> Iterator[None]:
        """Have them in force on all of these nodes within, and then what was before. Raises HostError."""
        allow_congestion_controls(settings)
        with contextlib.ExitStack() as undo:
            for node in nodes:
                for key, value in settings:
                    before = self.read(node, key)
                    if not before:
                        raise HostError(f"the kernel of node {node} has no setting {key}", _LACKING)
                    undo.callback(self._put_back, node, key, before)
                    self.write(node, key, value)
            yield

    def facts(self, nodes: Sequence[str]) -> Iterator[Fact]:
        """Yield one fact a setting; where nodes differ, who has what."""
        values = {node: self._read_all(node) for node in nodes}
        for key in (setting.name for setting in _OF_NODES):
            by_value: dict[str, list[str]] = {}
            for node in nodes:
                by_value.setdefault(values[node].get(key, ""), []).append(node)
            texts = [
                f"{value} ({' '.join(names)})" if len(by_value) > 1 else value for value, names in by_value.items()
            ]
            if any(by_value):
                yield Fact(f"node_{key.rpartition('.')[2]}", "; ".join(texts))

    def _read_all(self, node: str) -> dict[str, str]:
        paths = [setting.path for setting in _OF_NODES]
        outcome = self._run("-e", node, "grep", "-H", "", *paths)  # not all of them are in every kernel
        pairs = (line.partition(":") for line in outcome.stdout.splitlines())
        return {path[len("/proc/sys/") :].replace("/", "."): " ".join(value.split()) for path, _, value in pairs}

    def _put_back(self, node: str, key: str, value: str) -> None:
        with contextlib.suppress(HostError):  # a node that is gone has nothing to put back
            self.write(node, key, value)

    def _ask(self, node: str, key: str, *value: str) -> Outcome:
        outcome = self._run("-s", node, key, *value)
        if outcome.returncode != 0:
            lines = outcome.stderr.strip().splitlines() or [f"node {node} did not answer"]
            raise HostError(lines[0], _remedy(key, value))
        return outcome

    def _run(self, *arguments: str) -> Outcome:
        # with a mark of its own it would look for descendants, of which there are none
        return process.run((self._shell, *arguments), _LIMIT_SECONDS, mark=process.new_mark())


def _remedy(key: str, value: Sequence[str]) -> str:
    if key == CONGESTION_CONTROL and value:
        return f'as root: sysctl -w net.ipv4.tcp_allowed_congestion_control="$(cat {_ALLOWED}) {value[0]}"'
    return ""
