"""Processes that have no key and connect to a port as fast as they can, in the ways that cost its owner most."""

from __future__ import annotations

import contextlib
import multiprocessing
import socket
import time
from collections.abc import Iterator, Sequence

_CLIENT_HELLO = bytes.fromhex("16030102000100")
SAY = {
    "silent": b"",
    "call": b"rankga",
    "tls": _CLIENT_HELLO,
    "damaged": _CLIENT_HELLO + bytes(600),
}
"""What a stranger of this kind says: nothing, a part of what is expected, or what is wrong."""
_HELD = 900


def connect_again_and_again(where: tuple[str, int], words: bytes, until: float) -> int:
    """Keep the newest connections open, and return how many there were; `until` is monotonic."""
    held: list[socket.socket] = []
    count = 0
    while time.monotonic() < until:
        try:
            stranger = socket.create_connection(where, 0.3)
        except OSError:
            time.sleep(0.002)
            continue
        held.append(stranger)
        count += 1
        with contextlib.suppress(OSError):
            stranger.send(words)
        if len(held) > _HELD:
            for stranger in held[:100]:
                stranger.close()
            del held[:100]
    for stranger in held:
        stranger.close()
    return count


@contextlib.contextmanager
def strangers(where: tuple[str, int], kinds: Sequence[str], seconds: float) -> Iterator[list[int]]:
    """So many processes connect meanwhile, a name of `SAY` each; the number of connections is there in the end."""
    made: list[int] = []
    until = time.monotonic() + seconds
    with multiprocessing.get_context("spawn").Pool(len(kinds)) as pool:
        counts = [pool.apply_async(connect_again_and_again, (where, SAY[kind], until)) for kind in kinds]
        yield made
        made.extend(one.get(seconds + 60) for one in counts)
