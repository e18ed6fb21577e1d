"""Simulated runs: launches with a known truth, interleaved in rounds as a real run does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from rankwise.core.records import Benchmark, Category, Cell, Launch, Segment, Series
from rankwise.stats.intervals import relative_half_width

SIZES = (1, 64, 1024, 16384, 65536, 1 << 20)


def benchmarks(**categories: Category) -> dict[str, Benchmark]:
    return {name: Benchmark(name, category, "simulated") for name, category in categories.items()}


def smooth_seconds(size_bytes: int) -> float:
    return 1e-6 + size_bytes * 1e-10


def launch(
    implementation: str,
    samples: Mapping[tuple[str, int], Sequence[float]],
    started_at: float = 0.0,
    **more: object,
) -> Launch:
    """A launch on 2 ranks with these samples by benchmark and size."""
    series = tuple(
        Series(Cell(implementation, benchmark, size, 2), "time", np.array(values, dtype=np.float64), float(size))
        for (benchmark, size), values in samples.items()
    )
    return Launch((Segment(implementation, 2),), "finished", "", (), started_at, 1.0, series, **more)  # type: ignore[arg-type]


def run(
    generator: np.random.Generator,
    implementations: Sequence[str],
    names: Sequence[str],
    rounds: int,
    *,
    factor: Callable[[str, str, int], float] = lambda _name, _benchmark, _size: 1.0,
    sizes: Sequence[int] = SIZES,
    repetitions: int = 15,
    launch_effect: float = 0.02,
    drift: float = 0.0,
    stop_early: bool = False,
) -> list[Launch]:
    """Launch effects shared by all cells of a launch, effects of a cell in a launch, heavy-tailed repetitions.

    `drift` is the relative slow-down from the first round to the last, hitting all alike. With `stop_early` a
    cell that is known to 2 % after 10 launches is measured no more, as in a real run.
    """
    found: list[Launch] = []
    medians: dict[tuple[str, str, int], list[float]] = {}
    for round_ in range(rounds):
        machine = 1 + drift * round_ / rounds
        for name in generator.permutation(np.array(implementations)):
            common = machine * np.exp(launch_effect * generator.standard_normal())
            samples = {}
            for key in ((benchmark, size) for benchmark in names for size in sizes):
                known = medians.setdefault((name, *key), [])
                if stop_early and len(known) >= 10 and relative_half_width(np.array(known)) <= 0.02:
                    continue
                centre = common * smooth_seconds(key[1]) * factor(str(name), *key)
                centre *= np.exp(launch_effect / 2 * generator.standard_normal())
                noise = 0.03 * np.abs(generator.standard_t(2, repetitions))
                samples[key] = centre * (1 + noise)
                known.append(float(np.median(samples[key])))
            if samples:
                found.append(launch(str(name), samples, started_at=float(len(found))))
    return found
