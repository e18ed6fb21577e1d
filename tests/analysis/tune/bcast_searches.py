"""Searches for algorithms of bcast on a made-up machine, whose best choice at each size is known."""

from __future__ import annotations

from analysis.tune.simulated import IMPLEMENTATION
from rankwise.analysis.tune.algorithm_search import AlgorithmSearch
from rankwise.analysis.tunings import choice_at
from rankwise.core.records import Cell
from rankwise.core.tuning import Choice, Tuning

BCAST = Cell(IMPLEMENTATION, "bcast", 0, 6, testbed="lab")
SIZES = (64, 4096, 262_144, 4 << 20)
NAMES = ("binomial", "linear", "ring", "chain")
LAW = {
    "": (20e-6, 3.0e-10),
    "binomial": (10e-6, 5.0e-10),
    "ring": (50e-6, 2.0e-10),
    "linear": (40e-6, 6.0e-10),
    "chain": (60e-6, 2.6e-10),
}
"""Latency in seconds, seconds a byte: binomial wins up to 50 kB, then the default, ring from 300 kB on."""


def law(tuning: Tuning, cell: Cell) -> float:
    latency, per_byte = LAW[choice_at(tuning, cell).algorithm]
    return latency + per_byte * cell.size_bytes


def all_alike(_tuning: Tuning, cell: Cell) -> float:
    return 20e-6 + 3e-10 * cell.size_bytes


def bcast_search(
    sizes: tuple[int, ...] = SIZES, names: tuple[str, ...] = NAMES, **more: object
) -> AlgorithmSearch:
    return AlgorithmSearch(BCAST, [Choice(name) for name in names], sizes, **more)  # type: ignore[arg-type]
