"""Where ranks are, as a few characters say it: `2x8`, `2x4x2`, `3,2,1`."""

from __future__ import annotations

import re

from rankwise.core.errors import InputError
from rankwise.core.limits import MOST_RANKS
from rankwise.schedules.model import Network, grouped


def parse_sites(text: str) -> Network:
    """Return `2x8` as 2 sites of 8 ranks, `2x4x2` as 2 sites of 4 nodes of 2 ranks, `3,2,1` as three sites.

    A rank has a node of its own unless nodes are given; parts of a list may have nodes too: `2x2,3`. Raises
    InputError.
    """
    sizes: list[list[int]] = []
    alone = re.fullmatch(r"(\d{1,7})x(\d{1,7}(?:x\d{1,7})?)", text)
    parts = [alone[2]] * min(int(alone[1]), MOST_RANKS) if alone else text.split(",")
    for part in parts:
        match = re.fullmatch(r"(\d{1,7})(?:x(\d{1,7}))?", part)
        nodes, ranks = (int(match[1]), int(match[2] or 1)) if match else (0, 0)
        if not nodes or not ranks or nodes * ranks * len(parts) > MOST_RANKS:
            raise InputError(
                f"'{text[:40]}' is not a layout of ranks",
                "write sites x ranks (2x8), sites x nodes x ranks (2x4x2), or a list of sites (3,2,1)",
            )
        sizes.append([ranks] * nodes)
    if not sizes:
        raise InputError("no sites given", "write sites x ranks: 2x8")
    return grouped(sizes)
