"""Starts `rankwise-sim`: a platform and jobs in, what they would take out."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import psutil

from rankwise.core.errors import EXIT_HOST, EXIT_INPUT, HostError, InputError
from rankwise.core.native_programs import program
from rankwise.core.process import run
from rankwise.core.units import format_duration
from rankwise.simulation.results import Simulation, read_simulation
from rankwise.simulation.timeline import Timeline, read_timeline

LIMIT_SECONDS = 600.0
_SHARE_OF_MEMORY = 0.8


@dataclass(frozen=True, slots=True)
class SimulatorJob:
    """A program to simulate: a file that exists, or a text that the simulator reads like one."""

    name: str
    file: Path | None = None
    text: str = ""
    nodes: tuple[int, ...] = ()
    """The numbers of the nodes that it fills in equal blocks of ranks; none: all."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a simulation may take: processors' time, memory, simulations at a time."""

    seconds: float = LIMIT_SECONDS
    memory_bytes: int = 0
    """0: most of what this machine has to spare."""
    at_once: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))

    def memory_of_each(self) -> int:
        """Return the bytes that one of the simulations at a time may take."""
        spare = int(_SHARE_OF_MEMORY * psutil.virtual_memory().available)
        return max(1, (self.memory_bytes or spare) // self.at_once)


@dataclass(frozen=True, slots=True)
class Detail:
    """What is wanted beside the times."""

    critical_path: bool = False
    timeline: bool = False
    derivatives: Literal["", "any", "left", "right"] = ""
    """Of the total by each parameter; at a kink one of them, or those towards smaller or larger values."""
    algorithms: tuple[tuple[str, str], ...] = ()
    """What a trace's collective operations are made of: (operation, algorithm)."""
    seeds: int = 0
    """Run so many times more with noise."""
    noise: float = 0.0
    """Of computations and latencies: standard deviation of the logarithm."""
    trace_file: Path | None = None
    """Keep the timeline there, as Perfetto reads it."""


def simulate(
    platform_json: str, jobs: Sequence[SimulatorJob], bounds: Bounds, detail: Detail = Detail()
) -> Simulation:
    """Simulate the jobs at the same time on one platform.

    Raises InputError for a file that is wrong and for a deadlock, which says who waits for whom; HostError where
    the time or the memory does not suffice.
    """
    return simulate_and_trace(platform_json, jobs, bounds, detail)[0]


def simulate_and_trace(
    platform_json: str, jobs: Sequence[SimulatorJob], bounds: Bounds, detail: Detail
) -> tuple[Simulation, Timeline | None]:
    """Return also the timeline, if `detail` wants it."""
    with tempfile.TemporaryDirectory(prefix="rankwise-sim-") as name:
        folder = Path(name)
        (folder / "platform.json").write_text(platform_json, encoding="utf-8")
        arguments = [str(program("rankwise-sim")), "--platform", str(folder / "platform.json")]
        arguments += ["--memory", str(bounds.memory_of_each())]
        shown = {}
        for number, job in enumerate(jobs):
            path = job.file.absolute() if job.file else folder / f"job{number}"
            if not job.file:
                path.write_text(job.text, encoding="utf-8")
            shown[str(path)] = job.name
            arguments += ["--job", str(path) + (f"@nodes={_ranges(job.nodes)}" if job.nodes else "")]
        arguments += [word for pair in detail.algorithms for word in ("--algorithm", "=".join(pair))]
        trace = detail.trace_file.absolute() if detail.trace_file else folder / "trace.json"
        arguments += ["--critical-path"] * detail.critical_path
        arguments += ["--derivatives", detail.derivatives] if detail.derivatives else []
        arguments += ["--trace", str(trace)] if detail.timeline or detail.trace_file else []
        arguments += ["--seeds", str(detail.seeds), "--noise", f"{detail.noise:.6g}"] if detail.seeds else []
        said = _run(arguments, bounds, shown)
        simulation = read_simulation(said)
        named = tuple(
            replace(simulated, name=job.name) for simulated, job in zip(simulation.jobs, jobs, strict=True)
        )
        simulation = replace(simulation, jobs=named)
        if not detail.timeline:
            return simulation, None
        ranks = tuple(len(simulated.finish_seconds) for simulated in simulation.jobs)
        return simulation, read_timeline(trace.read_text(encoding="utf-8"), ranks)


def _run(arguments: Sequence[str], bounds: Bounds, shown: dict[str, str]) -> str:
    done = run(arguments, bounds.seconds)
    if done.timed_out:
        raise HostError(
            f"the simulation was ended after {format_duration(bounds.seconds)}",
            "give it longer with --limit, or predict fewer ranks, messages or rounds",
        )
    if done.returncode == 0:
        return done.stdout
    message, _, remedy = done.stderr.strip().removeprefix("rankwise-sim: ").partition("\ntry: ")
    for path, name in shown.items():
        message = message.replace(path, name)
    if done.returncode == EXIT_INPUT:
        raise InputError(message, remedy or _remedy(message))
    if done.returncode == EXIT_HOST:
        raise HostError(message, remedy)
    raise HostError(f"rankwise-sim ended with {done.returncode}: {message}", "check that there is enough memory")


def _remedy(message: str) -> str:
    """What to do about a file that cannot be read."""
    if "the file ends" in message or "is empty" in message:
        return "write the file again: it is not whole"
    if re.search(r":\d+: ", message):
        return "correct that line; --help of the verb describes the format"
    return ""


def _ranges(nodes: Sequence[int]) -> str:
    """`0-3,8` for 0, 1, 2, 3, 8: a node may come again, for several ranks."""
    parts: list[list[int]] = []
    for node in nodes:
        if parts and node == parts[-1][1] + 1:
            parts[-1][1] = node
        else:
            parts.append([node, node])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in parts)
