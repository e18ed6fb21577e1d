"""A stored run of `rankwise fit` with made-up times: two sites of two nodes with one slot each."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rankwise.analysis.fit.curves import KERNELS
from rankwise.analysis.fit.point_to_point import predicted_seconds
from rankwise.core.platform import CostRange, PairClass
from rankwise.core.records import Cell, Launch, Options, Plan, Segment, Series
from rankwise.store.store import Store
from support.emulated import two_sites
from support.stored import OPENMPI

SIZES = (1, 4, 16, 64, *(1 << k for k in range(8, 21)))
PAIRS = {"hosts=a1+a2": 5e-5, "hosts=b1+b2": 5e-5, "hosts=a1+b1": 2.05e-3}
"""Placements, and the latency of each."""
BYTE_SECONDS = 8e-8
SEND, RECEIVE, GAP = 2e-6, 3e-6, 4e-6
MESSAGES = 8


def costs(latency: float) -> PairClass:
    small = CostRange(65535, latency, SEND, 0.0, RECEIVE, 0.0, GAP, BYTE_SECONDS)
    return PairClass("", (small, CostRange(None, latency, SEND, 0.0, 0.0, 0.0, GAP, BYTE_SECONDS)), 65536)


def seconds(benchmark: str, size: int, latency: float) -> float:
    """What a benchmark's sample would be; of `bandwidth` one message's share."""
    pairs = costs(latency)
    one_way, back = predicted_seconds(pairs, np.array([float(size), 0.0]))
    burst = one_way + back + (MESSAGES - 1) * (GAP + BYTE_SECONDS * size)
    waits = size >= pairs.eager_below_bytes
    return {
        "pingpong": one_way, "prtt": one_way + back, "bandwidth": burst / MESSAGES, "send_overhead": SEND,
        "receive_overhead": one_way if waits else RECEIVE,
        "sender_wait": 1e-3 + 2 * one_way if waits else SEND,
    }[benchmark]  # fmt: skip


def store_fit(path: Path, launches: int = 8, noise: float = 0.01) -> int:
    """Store such a run and return its id."""
    generator = np.random.default_rng(1)
    cells = {
        place: [
            Cell("openmpi-5.0.11", name, size, 2, Options(window=MESSAGES), testbed="duo", placement=place)
            for name in KERNELS
            for size in SIZES
        ]
        for place in PAIRS
    }
    with Store(path) as store:
        plan = Plan(tuple(one for own in cells.values() for one in own), 1, 60.0)
        run_id = store.begin_run(
            "rankwise fit", "duo", plan, kind="fit", implementations=[OPENMPI], topology=two_sites()
        )
        for _ in range(launches):
            for place, own in cells.items():
                series = tuple(
                    Series(
                        cell, "time",
                        np.full(3, seconds(cell.benchmark, cell.size_bytes, PAIRS[place]))
                        * np.exp(noise * generator.standard_normal()),
                    )
                    for cell in own
                )  # fmt: skip
                segments = (Segment("openmpi-5.0.11", 2),)
                store.add_launch(run_id, Launch(segments, "finished", "", (), 0.0, 1.0, series))
        store.finish_run(run_id, "complete", "precise")
    return run_id
