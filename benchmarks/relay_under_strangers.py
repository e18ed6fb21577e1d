"""How long strangers who connect to a relay delay a connection between two sites that is there already.

Two relays on loopback carry one byte back and forth; meanwhile processes without a key connect to one of them as
fast as they can, in the ways that cost a relay most. The same strangers at a port of no relay show what the load
alone does.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import resource
import socket
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.relays import Relay, joined_pair, key_file
from support.strangers import strangers

_PAUSE_SECONDS = 0.001
_ALONE_SECONDS = 10.0


@dataclass(frozen=True)
class Delays:
    typical: float
    worst: float


def _round_trips(near: socket.socket, far: socket.socket, seconds: float) -> Delays:
    took = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        begun = time.monotonic()
        near.sendall(b"x")
        far.recv(1)
        far.sendall(b"y")
        near.recv(1)
        took.append(time.monotonic() - begun)
        time.sleep(_PAUSE_SECONDS)
    return Delays(sorted(took)[len(took) // 2], max(took))


def _swallow(listener: socket.socket) -> None:
    """Accept whoever comes, and close."""
    while True:
        listener.accept()[0].close()


def _among_strangers(
    pair: tuple[socket.socket, socket.socket], where: tuple[str, int], kinds: Sequence[str], seconds: float
) -> tuple[Delays, int]:
    with strangers(where, kinds, seconds) as made:
        delays = _round_trips(*pair, seconds)
    return delays, sum(made)


def _run_case(folder: Path, kinds: Sequence[str], seconds: float) -> None:
    with contextlib.ExitStack() as stack:
        first = Relay(0, key := key_file(folder))
        stack.callback(first.end)
        other = Relay(1, key, "--peer", f"0=127.0.0.1:{first.port}")
        stack.callback(other.end)
        pair = stack.enter_context(joined_pair(first, other))
        for end in pair:
            end.settimeout(None)
        process = psutil.Process(first.process.pid)

        def tell(name: str, delays: Delays, made: int) -> None:
            memory = process.memory_info().rss / 1e6
            row = f"{name:>28} {made:11} {1e3 * delays.typical:9.2f} {1e3 * delays.worst:9.1f} {memory:5.1f}"
            print(row, flush=True)

        tell("none", _round_trips(*pair, min(seconds, _ALONE_SECONDS)), 0)
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=4096))
        elsewhere = multiprocessing.Process(target=_swallow, args=(listener,))
        elsewhere.start()
        tell("elsewhere", *_among_strangers(pair, listener.getsockname(), kinds, seconds))
        elsewhere.terminate()
        elsewhere.join()
        tell(",".join(kinds), *_among_strangers(pair, ("127.0.0.1", first.port), kinds, seconds))
        _, words = first.end()
        broken = [line for line in words.splitlines() if "refus" not in line]
        print("\n".join(broken) or "no link was broken", flush=True)


@click.command()
@click.option("--seconds", default=60.0, show_default=True, help="Of strangers, in each case.")
@click.option(
    "--kinds", default="silent,silent,silent,silent;silent,call,tls,damaged", show_default=True,
    help="The strangers of each case; a case is between semicolons.",
)  # fmt: skip
def main(seconds: float, kinds: str) -> None:
    """Time round trips by two relays without strangers, with strangers elsewhere, and at a relay."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    print(f"{'strangers':>28} {'connections':>11} {'median ms':>9} {'worst ms':>9} {'MB':>5}")
    for case in kinds.split(";"):
        with tempfile.TemporaryDirectory() as folder:
            _run_case(Path(folder), case.split(","), seconds)


if __name__ == "__main__":
    main()
