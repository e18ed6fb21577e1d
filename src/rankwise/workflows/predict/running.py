"""Many simulations at a time, on all cores, none of which is left running."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from functools import partial
from typing import TypeVar

from rankwise.core.platform import Platform
from rankwise.core.process import end_processes, own_descendants
from rankwise.platforms.simulator_json import simulator_json
from rankwise.simulation.results import Simulation
from rankwise.simulation.simulator import Bounds, Detail, SimulatorJob, simulate

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Is told how many of how many are done."""


def no_progress(_done: int, _all: int) -> None:
    """Ignore it."""


def each(work: Sequence[Callable[[], T]], at_once: int, progress: Progress = no_progress) -> list[T]:
    """Return what each piece of work returns, in their order; an error or an interruption ends all of them."""
    pool = ThreadPoolExecutor(max(1, min(at_once, len(work))))
    try:
        futures = [pool.submit(task) for task in work]
        for done, finished in enumerate(as_completed(futures), 1):
            finished.result()
            progress(done, len(work))
        return [future.result() for future in futures]
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        end_processes(own_descendants())
        raise
    finally:
        pool.shutdown()


def simulate_each(
    platforms: Sequence[Platform], jobs: Sequence[SimulatorJob], model: str, bounds: Bounds, detail: Detail,
    *, tolerance: float | None = None, progress: Progress = no_progress,
) -> list[Simulation]:  # fmt: skip
    """Return the simulation of the same jobs on each of these platforms."""
    texts = [simulator_json(platform, model, tolerance) for platform in platforms]
    own = replace(bounds, at_once=max(1, min(bounds.at_once, len(texts))))
    return each([partial(simulate, text, jobs, own, detail) for text in texts], own.at_once, progress)
