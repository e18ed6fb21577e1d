"""Jobs over several sites, and what the programs of tests/abi say in them."""

from __future__ import annotations

import re

PROGRAMS = ("joined_messages", "joined_groups", "joined_topologies", "joined_intercommunicators", "joined_limits")
LEAST = {"joined_limits": 80}
"""Checks that the short ones among them make at least."""


def join(*implementations: str, ranks: tuple[int, ...] = (2, 2, 1)) -> str:
    """Return the sites for `--join`, one for each implementation."""
    sites = zip(("rennes", "nancy", "sophia"), implementations, ranks, strict=False)
    return ",".join(f"{site}={implementation}:{count}" for site, implementation, count in sites)


def assert_right(said: str, least: int, *, lacking: bool = False) -> None:
    """Fail unless a program has made at least so many checks, and found nothing wrong."""
    counts = re.search(r"checked (\d+) lacking (\d+) wrong 0$", said, re.MULTILINE)
    assert counts and int(counts[1]) >= least, said
    assert lacking or int(counts[2]) == 0
