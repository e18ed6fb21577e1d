"""The paper's numbers, whose descendants are set beside them, and how near to a number counts as the same."""

from __future__ import annotations

from rankwise.studies.hablot2007.plan import CLUSTER, TUNED
from rankwise.studies.papers import paper

PAPER = paper("hablot2007")
REACHES = 0.98
"""Of a maximum that was printed with two or three digits."""
NEAR = 0.05
"""What a bandwidth may be off and still be "around" another."""
FACTOR = 2.0
"""The same for sizes, which a ping-pong doubles from one to the next, and for seconds read off a drawing."""
MORE_TIME = 1.1
_FAMILIES = {"mpich": "MPICH2", "openmpi": "OpenMPI"}


def ancestor(name: str) -> str:
    """Return what this implementation of today was in the paper; '' if the paper did not have it."""
    return _FAMILIES.get(name.partition("-")[0], "")


def ancestors() -> tuple[str, ...]:
    """Return those of the paper that have descendants."""
    return tuple(_FAMILIES.values())


def threshold_seen_bytes() -> tuple[int, int]:
    """Return where the paper saw its curves jump, with what counts as near."""
    seen_at = PAPER["bandwidth_Mbps"]["threshold_seen_at_bytes"]
    return round(seen_at / FACTOR), round(seen_at * FACTOR)


def published_overheads_us() -> dict[str, dict[str, float]]:
    """Return network -> implementation of the paper -> microseconds more than TCP, from table 4."""
    table = PAPER["table4_latency_us"]
    tcp = table["TCP"]
    return {
        net: {name: row[column] - tcp[column] for name, row in table.items() if name != "TCP"}
        for column, net in enumerate((CLUSTER, TUNED))
    }
