"""An outside client's ping-pong takes what ours takes, over every MPI: we measure what users get."""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.core.configuration import Configuration
from rankwise.core.programs import Metric, Program
from rankwise.core.records import Cell, Implementation, Launch, Plan
from rankwise.core.tuning import Loaded
from rankwise.measurement.launch import Launching
from rankwise.measurement.program import WholeProgram
from rankwise.mpi import clients
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds import description
from rankwise.testbeds.base import TestbedKind, make
from rankwise.workflows.configurations import seen_on
from support.mpis import FOUND, harness, working

pytestmark = [pytest.mark.mpi, pytest.mark.nightly, pytest.mark.timeout(900)]

SOURCE = Path(__file__).with_name("pingpong_client.c")
SIZES_BYTES = (1, 65536, 1 << 20)
ROUNDS = 7
AGREE_WITHIN = 0.10
PLAN = Plan((), 0, 1.0, seconds_per_cell=0.3, launch_limit_seconds=60.0)


@pytest.fixture(scope="module")
def testbed() -> Iterator[TestbedKind]:
    with make(description.load("two-clusters")) as found:
        yield found


def cells(one: Implementation, names: dict[int, str]) -> list[Cell]:
    return [Cell(one.id, name, size, 2, placement="across-sites") for size, name in names.items()]


def in_microseconds(launch: Launch) -> list[float]:
    assert launch.status == "finished" and not launch.failures, (
        launch.reason,
        launch.failures,
        launch.stderr,
    )
    return [
        float(np.median(one.samples_seconds)) * (1 if one.quantity == "metric" else 1e6) for one in launch.series
    ]


def ratios(one: Implementation, program: Path, told: Program, testbed: TestbedKind) -> dict[int, float]:
    """Ours over theirs, by size in bytes: a launch's median, of the quietest of several that take turns."""
    around = Loaded(environment=clients.surroundings(one, os.environ).environment)

    def load(_: Configuration) -> Loaded:
        return around

    seen = seen_on(testbed)
    theirs = Launching(FamilyLauncher(), testbed, PLAN, load=load, workload=WholeProgram(told), seen=seen)
    ours = Launching(FamilyLauncher(), testbed, PLAN, seen=seen)
    taken: defaultdict[int, list[list[float]]] = defaultdict(lambda: [[], []])
    outside = [
        replace(cell, size_bytes=0) for cell in cells(one, dict(zip(SIZES_BYTES, _names(told), strict=True)))
    ]
    for _ in range(ROUNDS):
        both = (
            ours.launch(one, harness(one.id), cells(one, dict.fromkeys(SIZES_BYTES, "pingpong"))),
            theirs.launch(one, program, outside),
        )
        for whose, launch in enumerate(both):
            for size, value in zip(SIZES_BYTES, in_microseconds(launch), strict=True):
                taken[size][whose].append(value)
    for size, (our, their) in taken.items():
        print(f"{one.id}, {size} B: ours {[round(us) for us in our]} us, theirs {[round(us) for us in their]} us")
    return {size: min(our) / min(their) for size, (our, their) in taken.items()}


def _names(told: Program) -> list[str]:
    return [one.name for one in told.metrics]


@pytest.mark.parametrize("name", [one.id for one in FOUND])
def test_a_plain_ping_pong_takes_what_ours_takes(name: str, testbed: TestbedKind, tmp_path: Path) -> None:
    one = working(name)
    program = tmp_path / "client"
    subprocess.run(
        [one.mpicc, "-O2", "-std=gnu99", str(SOURCE), "-o", str(program)], check=True,
        env={**os.environ, **dict(one.environment)},
    )  # fmt: skip
    for folder in (program, *program.parents[:3]):
        folder.chmod(0o755)  # LAM/MPI's ranks are another user's
    metrics = tuple(Metric(str(size), rf"^bytes {size} took (\S+) us") for size in SIZES_BYTES)
    told = Program((str(program), *map(str, SIZES_BYTES)), metrics)
    found = ratios(one, program, told, testbed)
    print(f"{name}: ours over the client's {found}")
    assert all(abs(ratio - 1) <= AGREE_WITHIN for ratio in found.values()), found


@pytest.mark.parametrize("name", [one.id for one in FOUND if one.family == "intelmpi"])
def test_intels_own_benchmark_takes_what_ours_takes(name: str, testbed: TestbedKind, tmp_path: Path) -> None:
    one = working(name)
    program = Path(one.prefix, "bin", "IMB-MPI1")
    lengths = tmp_path / "lengths"
    lengths.write_text("".join(f"{size}\n" for size in SIZES_BYTES))
    metrics = tuple(Metric(str(size), rf"^ +{size} +\d+ +(\S+)") for size in SIZES_BYTES)
    words = ("pingpong", "-msglen", str(lengths), "-iter", "300", "-time", "2")
    found = ratios(one, program, Program((str(program), *words), metrics), testbed)
    print(f"{name}: ours over IMB's {found}")
    assert all(abs(ratio - 1) <= AGREE_WITHIN for ratio in found.values()), found
