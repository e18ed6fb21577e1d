"""Two relays on loopback for tests: what processes say to them, and a link between them that can be cut."""

from __future__ import annotations

import contextlib
import secrets
import select
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rankwise.core.native_programs import program

JOB_KEY = "of the job"
LISTENS, CONNECT, LET_IN, VISIT = 1, 2, 3, 4


def call(
    wish: int, site: int, rank: int, port: int = 0, *, key: str = JOB_KEY, version: int = 2, port_key: str = "",
    address: str = "0.0.0.0",
) -> bytes:  # fmt: skip
    """What a process says to its relay."""
    words = (b"rankgate", version, wish, site, rank, 0, port, key.encode(), port_key.encode())
    return struct.pack("!8s6I40s40s4s", *words, socket.inet_aton(address))


class Relay:
    """A relay that listens, at a port that was nobody else's, and all that it has said."""

    def __init__(
        self, site: int, key: Path, *words: str, around: tuple[str, ...] = (), sites: str = "rennes,nancy"
    ) -> None:
        line = [*around, str(program("rankwise-relay")), "--sites", sites, "--site", str(site)]
        self.process = subprocess.Popen(
            [*line, "--port", "0", "--key", str(key), *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert said.startswith("listens at port "), self.process.communicate(timeout=20)
        self.port = int(said.split()[-1])

    def listens(self, rank: int, port: int) -> None:
        """A process of this site says where it listens."""
        with self.guest() as one:
            one.sendall(call(LISTENS, 0, rank, port))
            assert one.recv(1) == b"y"

    def let_in(self, rank: int, port: int, port_key: str) -> None:
        """A process of this site lets other jobs in, or no longer (port 0)."""
        with self.guest() as one:
            one.sendall(call(LET_IN, 0, rank, port, port_key=port_key))
            assert one.recv(1) == b"y"

    def visit(self, other: int, rank: int, port_key: str) -> socket.socket:
        """A process of this site is connected to one of another job, whose relay is at this port."""
        return self._asked(call(VISIT, 0, rank, other, port_key=port_key, address="127.0.0.1"))

    def connect(self, site: int, rank: int) -> socket.socket:
        """A process of this site is connected to one of another site."""
        return self._asked(call(CONNECT, site, rank))

    def _asked(self, words: bytes) -> socket.socket:
        one = self.guest()
        one.sendall(words)
        answer = one.recv(1)
        if answer != b"y":
            said = (answer + one.recv(1000)).decode()
            one.close()
            raise ConnectionError(said)
        return one

    def guest(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), 40)

    def end(self) -> tuple[str, str]:
        """What it has said in the end, and before."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.communicate(timeout=20)


@dataclass
class CutLink:
    """A way to a port that can be cut and mended; `carried` counts what has gone there."""

    to: int
    carried: int = 0

    def __post_init__(self) -> None:
        self._up, self._stalled, self._over = True, False, False
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def cut(self) -> None:
        """All connections break, and no new one comes about."""
        self._up = False

    def stall(self) -> None:
        """Nothing goes through, and nobody is told."""
        self._stalled = True

    def mend(self) -> None:
        self._up, self._stalled = True, False

    def close(self) -> None:
        self._over = True
        self._thread.join()

    def _run(self) -> None:
        while not self._over:
            if not self._up:
                self._drop(list(self._pairs))
            sockets = [] if self._stalled else [one for pair in self._pairs for one in pair]
            ready, _, _ = select.select([self._listener, *sockets], [], [], 0.02)
            for one in ready:
                if one is self._listener:
                    self._accept()
                elif any(one in pair for pair in self._pairs):
                    self._carry(one)
        self._drop(list(self._pairs))
        self._listener.close()

    def _accept(self) -> None:
        here, _ = self._listener.accept()
        if not self._up:
            here.close()
            return
        try:
            self._pairs.append((here, socket.create_connection(("127.0.0.1", self.to), 5)))
        except OSError:
            here.close()

    def _carry(self, one: socket.socket) -> None:
        pair = next(pair for pair in self._pairs if one in pair)
        other = pair[1] if one is pair[0] else pair[0]
        try:
            data = one.recv(1 << 16)
            other.sendall(data)
        except OSError:
            data = b""
        self.carried += len(data)
        if not data:
            self._drop([pair])

    def _drop(self, pairs: list[tuple[socket.socket, socket.socket]]) -> None:
        for pair in pairs:
            self._pairs.remove(pair)
            for one in pair:
                one.close()


def key_file(folder: Path, name: str = "key", key: str = "") -> Path:
    """A key of the relays and one of the job."""
    file = folder / name
    file.write_text(f"{key or secrets.token_hex(32)}\n{JOB_KEY}\n")
    return file


@contextlib.contextmanager
def two_relays(folder: Path, *words: str) -> Iterator[tuple[Relay, Relay, CutLink]]:
    """Those of rennes and nancy, which calls the former through the link."""
    key = key_file(folder)
    with contextlib.ExitStack() as stack:
        rennes = Relay(0, key, *words)
        stack.callback(rennes.end)
        link = CutLink(rennes.port)
        stack.callback(link.close)
        nancy = Relay(1, key, "--peer", f"0=127.0.0.1:{link.port}", *words)
        stack.callback(nancy.end)
        yield rennes, nancy, link


@contextlib.contextmanager
def joined_pair(rennes: Relay, nancy: Relay, rank: int = 0) -> Iterator[tuple[socket.socket, socket.socket]]:
    """A connection through both: the end of a process of rennes, and that of one of nancy."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(40)
        rennes.listens(rank, listener.getsockname()[1])
        with nancy.connect(0, rank) as far:
            near, _ = listener.accept()
            with near:
                near.settimeout(40)
                yield near, far
