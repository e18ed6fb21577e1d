"""Jobs over several sites, and what the programs of tests/abi say in them."""

from __future__ import annotations

import re
import struct
import sys

PROGRAMS = (
    "joined_messages", "joined_requests", "joined_groups", "joined_topologies", "joined_intercommunicators",
    "joined_limits", "joined_under_way",
)  # fmt: skip
LEAST = {"joined_limits": 80, "joined_requests": 150, "joined_under_way": 150}
"""Checks that the short ones among them make at least."""
OTHER_ORDER = ">" if sys.byteorder == "little" else "<"


def join(*implementations: str, ranks: tuple[int, ...] = (2, 2, 1)) -> str:
    """Return the sites for `--join`, one for each implementation."""
    sites = zip(("rennes", "nancy", "sophia"), implementations, ranks, strict=False)
    return ",".join(f"{site}={implementation}:{count}" for site, implementation, count in sites)


def assert_right(said: str, least: int, *, lacking: bool = False) -> None:
    """Fail unless a program has made at least so many checks, and found nothing wrong."""
    counts = re.search(r"checked (\d+) lacking (\d+) wrong 0$", said, re.MULTILINE)
    assert counts and int(counts[1]) >= least, said
    assert lacking or int(counts[2]) == 0


def hello(key: str, *, order: str = "=", protocol: int = 5, rank: int = 1, representation: int = 0) -> bytes:
    """Return what a process says first to one of another site, or of another job."""
    words = (b"rankwise", 0x01020304, protocol, key.encode(), rank, 32767, 0, 0, representation)
    return struct.pack(f"{order}8sII40siiHHI", *words)
