"""Predictions for a mapping: what a traced program takes on a platform with its ranks placed so."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from rankwise.analysis.map.by_time import SwapEffort, Timed, place_by_time
from rankwise.analysis.map.cost import IntArray
from rankwise.analysis.map.gain import Gain, gain
from rankwise.analysis.map.placing import NOW, Placed, Problem
from rankwise.analysis.predict.band import moved_platforms
from rankwise.analysis.trace.reading import Trace
from rankwise.core.errors import InputError
from rankwise.core.platform import Platform
from rankwise.core.records import Notice
from rankwise.platforms.simulator_json import model_of, simulator_json
from rankwise.simulation.simulator import Bounds, Detail, SimulatorJob, simulate
from rankwise.workflows.predict import platforms
from rankwise.workflows.predict.predictor import LONG_SECONDS
from rankwise.workflows.predict.running import each
from rankwise.workflows.trace import write

Simulate = Callable[[str, Sequence[IntArray]], list[float]]
"""The seconds of placements, the node of each rank, on a platform as the simulator reads it."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """Placements by their predicted time, the shortest first; the gain of the first that may be taken."""

    timed: tuple[Timed, ...]
    chosen: Timed
    gain: Gain
    notices: tuple[str, ...]
    """What is to be said of the platform, and of what is not predicted."""


def map_by_time(
    problem: Problem, starts: Sequence[Placed], trace: Trace, platform_file: Path | None, testbed: str,
    seconds: float,
) -> Predicted:  # fmt: skip
    """Look for the placement with the shortest predicted time.

    Raises InputError for a platform without these hosts.
    """
    named = platforms.find(platform_file, testbed)
    model = model_of(named.platform, "").name
    text = simulator_json(named.platform, model)
    at_once = len(os.sched_getaffinity(0))
    with _simulating(trace, _numbers(named.platform, problem.machine.names), at_once) as (simulated, left_out):

        def predict(placements: Sequence[IntArray]) -> list[float]:
            return simulated(
                text, [problem.machine.node_of[placement[: len(problem.now)]] for placement in placements]
            )

        timed = place_by_time(problem, starts, predict, SwapEffort(seconds, at_once))
        chosen = next(placement for placement in timed if problem.obeyed_by(placement.slots))
        now = next((placement for placement in timed if placement.start == NOW), chosen)
        nodes = [problem.machine.node_of[placement.slots[: len(problem.now)]] for placement in (now, chosen)]
        gained = _gain(named.platform, model, (now.seconds, chosen.seconds), nodes, simulated)
    return Predicted(tuple(timed), chosen, gained, tuple(map(str, (*named.notices, *left_out))))


@contextmanager
def _simulating(
    trace: Trace, numbers: Sequence[int], at_once: int
) -> Iterator[tuple[Simulate, tuple[Notice, ...]]]:
    bounds = replace(Bounds(), at_once=at_once)
    with tempfile.TemporaryDirectory(prefix="rankwise-map-") as folder:
        goal = Path(folder) / "program.goal"
        said = write(trace, "goal", goal).notices

        def simulated(text: str, placements: Sequence[IntArray]) -> list[float]:
            jobs = [
                SimulatorJob("program", goal, nodes=tuple(numbers[node] for node in placement))
                for placement in placements
            ]
            done = each([partial(simulate, text, [job], bounds, Detail()) for job in jobs], at_once)
            return [simulation.total_seconds for simulation in done]

        yield simulated, said


def _gain(
    platform: Platform, model: str, seconds: tuple[float, float], nodes: Sequence[IntArray], simulated: Simulate
) -> Gain:
    """From now to as mapped, with what the intervals of the platform's parameters come to."""
    error = model_of(platform, model).relative_error
    if error is None:
        return gain(*seconds, None, [], f"the error of {model} on this platform is not known")
    began = time.monotonic()
    simulated(simulator_json(platform, model), nodes)
    took = time.monotonic() - began
    if took > LONG_SECONDS:
        why = f"without the uncertainty of the parameters: a simulation takes {took:.0f} s"
        return gain(*seconds, error, [], why)
    moved = [
        simulated(simulator_json(moved_platform, model), nodes)
        for moved_platform in moved_platforms(platform, model)
    ]
    return gain(*seconds, error, [(now, mapped) for now, mapped in moved], "")


def _numbers(platform: Platform, hosts: Sequence[str]) -> list[int]:
    """The platform's number of each host."""
    names = [node for site in platform.sites for node in site.nodes]
    missing = [host for host in hosts if host not in names]
    if missing:
        raise InputError(
            f"the platform has no node {missing[0]}: it is of other hosts than the testbed",
            "give the platform of this testbed, or leave --platform out",
        )
    return [names.index(host) for host in hosts]
