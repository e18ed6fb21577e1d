"""What a kind of testbed is, and the register of kinds: one file each in this package.

A new kind is a concrete subclass of `TestbedKind` in a new file here, or in `testbed/` of a plug-in folder.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import ClassVar, Self

from rankwise.core import registry
from rankwise.core.errors import UnknownNameError
from rankwise.core.network import Topology
from rankwise.core.records import Fact, Host, LaunchSteps, LocalStart, Outcome, ProcessStart, RemoteShellStart


class TestbedKind(ABC):
    """`core.interfaces.Testbed` with what most kinds share; as a context manager it is up within."""

    __test__ = False  # not a test, whatever pytest thinks of its name
    kind: ClassVar[str]

    def __init__(self, topology: Topology) -> None:
        self.name = topology.name
        self._topology = topology

    def up(self) -> None:  # noqa: B027 - not every kind has something to do
        """Nothing needs to be brought up."""

    def down(self) -> None:  # noqa: B027
        """Nothing is left behind."""

    def hosts(self) -> tuple[Host, ...]:
        """The nodes of the description."""
        return tuple(Host(node.name, node.cores, node.site) for node in self._topology.nodes)

    def process_start(self) -> ProcessStart:
        """Return how a launcher starts processes here: by itself, since all is on this host."""
        return LocalStart()

    def remote_shell(self) -> str:
        """Return the program called like ssh that starts processes, '' where there is none."""
        start = self.process_start()
        return start.program if isinstance(start, RemoteShellStart) else ""

    def topology(self) -> Topology | None:
        """The description it was made from."""
        return self._topology

    def oversubscribed(self, hosts: Sequence[str]) -> bool:
        """More ranks than slots on any host; `hosts` has one entry a rank."""
        slots = {host.name: host.slots for host in self.hosts()}
        return any(hosts.count(name) > slots[name] for name in set(hosts))

    @abstractmethod
    def facts(self) -> tuple[Fact, ...]:
        """Provenance of the hosts, read now."""

    @abstractmethod
    def run(self, steps: LaunchSteps, hosts: Sequence[str], limit_seconds: float, end_marker: str = "") -> Outcome:
        """See `core.interfaces.Testbed.run`."""

    def __enter__(self) -> Self:
        self.up()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.down()


def kinds() -> dict[str, type[TestbedKind]]:
    """Every known kind by name; a plug-in of the same name replaces ours."""
    found: dict[str, type[TestbedKind]] = {}
    for module in registry.modules_of("rankwise.testbed", "testbed"):
        for value in vars(module).values():
            if (
                inspect.isclass(value)
                and issubclass(value, TestbedKind)
                and not inspect.isabstract(value)
                and value.__module__ == module.__name__
            ):
                found[value.kind] = value
    return found


def make(topology: Topology) -> TestbedKind:
    """The testbed of this description, not yet up. Raises UnknownNameError for its kind."""
    known = kinds()
    if topology.kind not in known:
        raise UnknownNameError("kind of testbed", topology.kind, known)
    return known[topology.kind](topology)
