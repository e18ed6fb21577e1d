"""rankwise-link by itself: network namespaces made here, sockets inside them, no nodes and no agents."""

import ctypes
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from rankwise.core.native_programs import program

_libc = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNET = 0x40000000
LIMIT_SECONDS = 20.0

needs_tap = pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/dev/net/tun").exists(),
    reason="makes network namespaces and TAPs: needs root and /dev/net/tun",
)


class Namespace:
    """A network namespace as long as its process lives; the process is ended on leaving."""

    def __enter__(self) -> Self:
        self._holder = subprocess.Popen(["unshare", "--net", "sleep", "600"])
        self.path = f"/proc/{self._holder.pid}/ns/net"
        wait_until(lambda: Path(self.path).readlink() != Path("/proc/self/ns/net").readlink())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._holder.kill()
        self._holder.wait(LIMIT_SECONDS)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """This thread is in the namespace; sockets made meanwhile stay in it."""
        home = os.open("/proc/self/ns/net", os.O_RDONLY)
        there = os.open(self.path, os.O_RDONLY)
        try:
            _enter(there)
            yield
        finally:
            _enter(home)
            os.close(there)
            os.close(home)

    def socket(self, kind: socket.SocketKind, address: tuple[str, int] = ("", 0)) -> socket.socket:
        """A bound IPv4 socket in the namespace."""
        with self.entered():
            one = socket.socket(socket.AF_INET, kind)
        one.settimeout(LIMIT_SECONDS)
        one.bind(address)
        return one

    def ip(self, *words: str) -> Any:
        """What `ip -json -details WORDS...` says inside."""
        argv = ["nsenter", f"--net={self.path}", "ip", "-json", "-details", *words]
        return json.loads(subprocess.run(argv, check=True, capture_output=True, timeout=LIMIT_SECONDS).stdout)


def _enter(namespace: int) -> None:
    if _libc.setns(namespace, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def wait_until(holds: Callable[[], bool]) -> None:
    """Returns when it holds; raises TimeoutError if it does not within LIMIT_SECONDS."""
    end = time.monotonic() + LIMIT_SECONDS
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError("what was waited for did not happen")
        time.sleep(0.01)


def star(nodes: int, out: str, into: str, options: str = "") -> str:
    """Nodes n1, n2... with addresses 10.9.0.1... on one switch; `out`, `into`: what follows a link's name."""
    lines = [options, "route here here"]
    for number in range(1, nodes + 1):
        lines += [
            f"link n{number}.out {out}",
            f"link n{number}.in {into}",
            f"node n{number} here 10.9.0.{number}/24 n{number}.out n{number}.in",
        ]
    return "\n".join(lines) + "\n"


class BareLink:
    """A running rankwise-link with a namespace for each node."""

    def __init__(self, folder: Path, nodes: int, description: str) -> None:
        self._folder = folder
        self._count = nodes
        self._description = description

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.nodes = [stack.enter_context(Namespace()) for _ in range(self._count)]
            self.control = self._folder / "control"
            self.process = stack.enter_context(self._start())
            stack.callback(self.process.kill)
            assert self.process.stdout is not None
            assert "ready\n" in iter(self.process.stdout.readline, ""), self.complaint()  # warnings come before
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def _start(self) -> subprocess.Popen[str]:
        network = self._folder / "network.txt"
        network.write_text(self._description)
        return subprocess.Popen(
            [*command(network, self.nodes), "--control", str(self.control)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def complaint(self) -> str:
        """What it says on standard error, when it has ended."""
        return self.process.communicate(timeout=LIMIT_SECONDS)[1]

    def ask(self, command: str) -> str:
        """The answer to a command on the control socket."""
        with socket.socket(socket.AF_UNIX) as one:
            one.settimeout(LIMIT_SECONDS)
            one.connect(str(self.control))
            one.sendall(f"{command}\n".encode())
            with one.makefile() as lines:
                return lines.readline().rstrip("\n")

    def counters(self) -> dict[str, Any]:
        """All that it counts."""
        found: dict[str, Any] = json.loads(self.ask("counters"))
        return found

    def link(self, name: str) -> dict[str, Any]:
        """The counters of one link."""
        found: dict[str, Any] = next(one for one in self.counters()["links"] if one["link"] == name)
        return found

    def end(self) -> int:
        """SIGTERM; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(LIMIT_SECONDS)


def command(network: Path, nodes: Sequence[Namespace]) -> list[str]:
    """The command line for nodes n1, n2..."""
    where = [f"n{number}={node.path}" for number, node in enumerate(nodes, 1)]
    return [str(program("rankwise-link")), str(network), "--namespace", *where]
