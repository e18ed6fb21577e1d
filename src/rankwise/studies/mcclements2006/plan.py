"""What is measured, where, and for how long: nine benchmarks, and the collectives by the same algorithms."""

from __future__ import annotations

from rankwise.core.units import parse_sizes_bytes
from rankwise.studies.base import Effort, StudyRun
from rankwise.studies.papers import paper

PAPER = paper("mcclements2006")
LOCAL, CLUSTER = "local", "cluster"
"""For the paper's shared memory machine Lomond, and for its clusters eScience and Scaliwag."""
PLACES = (LOCAL, CLUSTER)
RANKS: tuple[int, ...] = tuple(PAPER["process_counts"])
PAIRS = ("pingpong", "pingping")
"""Between two ranks; all others take any number."""
OPERATIONS = ("reduce", "reduce_scatter", "gather", "allgather", "bcast")
ALL_RANKS = ("sendrecv", "exchange", *OPERATIONS)
COPY = "memcpy"
"""The yardstick: a copy in memory, without MPI."""

_BETWEEN_TWO = (
    "reduce.binomial", "reduce_scatter.recursive_halving", "gather.binomial", "allgather.recursive_doubling",
    "bcast.binomial",
)  # fmt: skip
"""On two ranks one of each does: they all are one message there, or one each way."""
_ON_FOUR = (
    "reduce.linear", "reduce.binomial", "reduce.chain:segment=64K", "reduce.rabenseifner",
    "reduce_scatter.recursive_halving", "reduce_scatter.pairwise", "reduce_scatter.reduce_scatterv",
    "gather.linear", "gather.binomial",
    "allgather.gather_bcast", "allgather.linear", "allgather.recursive_doubling", "allgather.ring",
    "bcast.linear", "bcast.binomial", "bcast.chain:segment=64K", "bcast.scatter_allgather_doubling",
    "bcast.scatter_allgather_ring",
)  # fmt: skip
_ON_MORE = (
    *_ON_FOUR, "reduce.binary", "allgather.bruck", "allgather.neighbor_exchange", "bcast.binary", "bcast.knomial"
)  # fmt: skip
"""On four ranks these send what one of the others sends, in the same rounds: no curve could tell them apart."""

_FULL_PAIRS = parse_sizes_bytes("1:4M:2")
_FULL = parse_sizes_bytes("1:1M:4,512K")
# Sizes below, at and above where the paper has LAM/MPI change its algorithm, and few on the network, where they
# take long. Four launches, for an interval of a ratio.
_QUICK_CURVE = (1, 16, 128, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 256 << 10, 512 << 10, 4 << 20)
_QUICK = (8, 1 << 10, 32 << 10, 512 << 10)
_QUICK_SIZES = {(LOCAL, 2): _QUICK_CURVE, (CLUSTER, 2): (*_QUICK, 4 << 20)}
_QUICK_SECONDS = {(LOCAL, 2): 100.0, (LOCAL, 4): 100.0, (CLUSTER, 2): 160.0, (CLUSTER, 4): 240.0}
PLACE_TITLES = {LOCAL: "on this host", CLUSTER: "on four nodes with Gigabit Ethernet"}


def label(place: str, ranks: int) -> str:
    """Return what the run of so many ranks at this place is called."""
    return f"{place}-{ranks}"


def schedules(ranks: int) -> tuple[str, ...]:
    """Return the benchmarks of the same algorithm on every core that can be told apart on so many ranks."""
    return _BETWEEN_TWO if ranks == 2 else _ON_FOUR if ranks == 4 else _ON_MORE


def _run(place: str, ranks: int) -> StudyRun:
    pairs = ranks == 2
    benchmarks = (*(PAIRS if pairs else ()), *ALL_RANKS, *schedules(ranks), COPY)
    quick = _QUICK_SECONDS.get((place, ranks))
    return StudyRun(
        label(place, ranks), f"{ranks} ranks {PLACE_TITLES[place]}", place, benchmarks, ranks=ranks,
        full=Effort(_FULL_PAIRS if pairs else _FULL, 10, 300.0 + 150 * ranks, 0.02),
        quick=Effort(_QUICK_SIZES.get((place, ranks), _QUICK), 4, quick, 0.005) if quick else None,
        placement="one-per-node" if place == CLUSTER and ranks <= 4 else "block",
    )  # fmt: skip


RUNS = tuple(_run(place, ranks) for place in PLACES for ranks in RANKS)
