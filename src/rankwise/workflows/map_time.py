"""Predictions for a mapping: what a traced program takes on a platform with its ranks placed so."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from rankwise.analysis.map.by_time import Search, Timed, place_by_time
from rankwise.analysis.map.cost import IntArray
from rankwise.analysis.map.placing import Placed, Problem
from rankwise.core.errors import InputError
from rankwise.core.platform import Platform
from rankwise.platforms.simulator_json import model_of, simulator_json
from rankwise.simulation.simulator import Bounds, Detail, Job, simulate
from rankwise.workflows.predict import platforms
from rankwise.workflows.predict.running import each
from rankwise.workflows.trace import export


def map_by_time(
    problem: Problem, starts: Sequence[Placed], trace: Path, platform_file: Path | None, testbed: str,
    seconds: float,
) -> tuple[list[Timed], tuple[str, ...]]:  # fmt: skip
    """Return placements by their predicted time, the shortest first, and what is to be said of the platform.

    Raises InputError for a matrix, which does not tell who waits for whom, and for a platform without these hosts.
    """
    if not trace.is_dir():
        raise InputError(
            f"{trace} is a matrix: it does not tell who waits for whom, nor when",
            "record the program: rankwise trace -- ./app; or leave out --objective time",
        )
    found = platforms.find(platform_file, testbed)
    numbers = _numbers(found.platform, problem.machine.names)
    text = simulator_json(found.platform, model_of(found.platform, "").name)
    at_once = len(os.sched_getaffinity(0))
    bounds = replace(Bounds(), at_once=at_once)
    with tempfile.TemporaryDirectory(prefix="rankwise-map-") as folder:
        goal = Path(folder) / "program.goal"
        export(trace, "goal", goal)

        def predict(placements: Sequence[IntArray]) -> list[float]:
            nodes = [problem.machine.node_of[one[: len(problem.now)]] for one in placements]
            jobs = [Job(trace.name, goal, nodes=tuple(numbers[node] for node in one)) for one in nodes]
            done = each([partial(simulate, text, [job], bounds, Detail()) for job in jobs], at_once)
            return [one.total_seconds for one in done]

        timed = place_by_time(problem, starts, predict, Search(seconds, at_once))
    return timed, tuple(f"{one.message}; {one.remedy}" for one in found.notices)


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
