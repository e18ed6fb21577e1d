"""A process that has every verb loaded, and forks itself for each command line that it is given on a socket.

An interpreter takes half a second to load them, and tests run hundreds of command lines.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import pickle
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rankwise.cli import main
from rankwise.mpi.family import families

AT_START = dict(os.environ)
"""Before any test has changed a variable."""
LOADING = ("PYTHON", "LD_")
"""Variables that begin so change what an interpreter loads when it starts."""
LENGTH = struct.Struct("!I")


class Forking:
    """The client's side; the process is started at the first command line, and ends with this one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._channel, self._theirs = socket.socketpair()

    def can_run(self, environment: Mapping[str, str]) -> bool:
        """Whether these variables load what is loaded."""
        return all(
            AT_START.get(name) == environment.get(name)
            for name in {*AT_START, *environment}
            if name.startswith(LOADING)
        )

    def run(
        self, argv: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Run the command line to its end. Raises TimeoutExpired, as subprocess.run does."""
        if not self._process:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(self._theirs.fileno())], env=AT_START, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, pass_fds=[self._theirs.fileno()],
            )  # fmt: skip
            self._theirs.close()
            atexit.register(self.close)
        variables = {name: os.fspath(value) for name, value in environment.items()}
        asked = pickle.dumps((list(argv), str(folder), variables))
        pipes = [os.pipe() for _ in range(2)]
        socket.send_fds(self._channel, [LENGTH.pack(len(asked))], [write for _, write in pipes])
        self._channel.sendall(asked)
        for _, write in pipes:
            os.close(write)
        pid = _received(self._channel)
        try:
            out, err = _read([read for read, _ in pipes], time.monotonic() + timeout)
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            _received(self._channel)
            raise subprocess.TimeoutExpired(list(argv), timeout) from None
        finally:
            for read, _ in pipes:
                os.close(read)
        return subprocess.CompletedProcess(list(argv), _received(self._channel), out, err)

    def close(self) -> None:
        """End the process."""
        self._channel.close()
        if self._process:
            self._process.wait(10)


def _read(pipes: Sequence[int], deadline: float) -> list[str]:
    """All that comes through each of these until nobody can write there any more."""
    found = {pipe: bytearray() for pipe in pipes}
    with selectors.DefaultSelector() as selector:
        for pipe in pipes:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                if data := os.read(key.fd, 1 << 16):
                    found[key.fd] += data
                else:
                    selector.unregister(key.fd)
    return [data.decode().replace("\r\n", "\n") for data in found.values()]


def _exactly(channel: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        data = channel.recv(size - len(found))
        if not data:
            raise EOFError("the process that runs command lines has ended")
        found += data
    return found


def _received(channel: socket.socket) -> int:
    (number,) = struct.unpack("!i", _exactly(channel, 4))
    return int(number)


def serve(channel: socket.socket) -> None:
    """Fork for each request until nobody asks any more."""
    families()  # their modules stay loaded, as do those that commands load only when they calculate
    for name in ("optimize", "sparse", "special", "stats"):
        importlib.import_module(f"scipy.{name}")
    for name in main.rankwise.list_commands(None):  # type: ignore[arg-type]
        main.rankwise.get_command(None, name)  # type: ignore[arg-type]
    while True:
        head, pipes, _, _ = socket.recv_fds(channel, LENGTH.size, 2)
        if not head:
            return
        asked = pickle.loads(_exactly(channel, LENGTH.unpack(head)[0]))
        pid = os.fork()
        if not pid:
            channel.close()
            _become(pipes, *asked)
        for pipe in pipes:
            os.close(pipe)
        channel.sendall(struct.pack("!i", pid))
        _, status = os.waitpid(pid, 0)
        channel.sendall(struct.pack("!i", os.waitstatus_to_exitcode(status)))


def _become(pipes: Sequence[int], argv: list[str], folder: str, environment: dict[str, str]) -> Any:
    """Be a command that was just started so, to its end."""
    code: Any = 1
    try:
        for number, pipe in enumerate(pipes, 1):
            os.dup2(pipe, number)
            os.close(pipe)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = argv
        try:
            main.main()
        except SystemExit as end:
            code = end.code
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
