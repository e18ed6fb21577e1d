"""A run of a study starts all its applications in each launch, and the store has their figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.errors import HostError
from rankwise.core.programs import stored_program
from rankwise.store.store import Store
from rankwise.studies.base import Application, Applications, Effort, StudyRun
from rankwise.testbeds import description
from rankwise.testbeds.base import make
from rankwise.workflows import measure
from rankwise.workflows.events import Silent
from rankwise.workflows.study_applications import measure_applications
from rankwise.workflows.study_further import with_further
from support.emulated import needs_emulation
from support.mpis import FOUND

MPI = next((one.id for one in FOUND if one.id.startswith(("mpich-5", "openmpi-5"))), "")
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not MPI, reason="no MPI here")]
HOW = measure.Request(
    "rankwise study", implementations=(MPI,), ranks=(2,), placements=("block",), min_launches=2, max_launches=2,
    parent=7,
)  # fmt: skip
FIGURES = (
    ("cg seconds", r'"app": "cg".*?"seconds": ([0-9.e+-]+)'),
    ("ep seconds", r'"app": "ep".*?"seconds": ([0-9.e+-]+)'),
    ("ep Allreduce 80", r'"messages_of": "ep".*?"number": ([0-9.e+-]+), "smallest": \d+, "largest": 80}'),
)


def test_each_launch_gives_the_figures_of_all(tmp_path: Path) -> None:
    both = (Application("cg", "S"), Application("ep", "S", computing_seconds=(0.005,)))
    with Store(tmp_path / "results.sqlite") as store:
        run_id = measure_applications(
            Applications(both, FIGURES[:2], no_compute=True, messages=FIGURES[2:]), HOW, store, Silent()
        )
        assert (store.run(run_id).kind, store.run(run_id).parent) == ("program", 7)
        launches = store.launches(run_id)
        arguments = stored_program(store.request(run_id)).program.arguments
    assert [launch.status for launch in launches] == ["finished"] * 2
    for launch in launches:
        found = {series.cell.benchmark: float(series.samples_seconds[0]) for series in launch.series}
        assert found.keys() == {name for name, _ in FIGURES}
        assert found["ep Allreduce 80"] == 2
        assert found["ep seconds"] >= 0.25, "it waits as long as it was told to"
    assert arguments[:4] == ("rankwise-apps", "cg", "--class", "S")
    assert arguments[arguments.index("then") + 1] == "ep"
    assert float(arguments[arguments.index("--computing") + 1].split(",")[0]) > 0, "timed on this host"


def test_one_that_does_not_run_here_cannot_be_waited_for(tmp_path: Path) -> None:
    odd = measure.Request("rankwise study", implementations=(MPI,), ranks=(3,), placements=("block",))
    with (
        Store(tmp_path / "results.sqlite") as store,
        pytest.raises(HostError, match="cg does not run on this host"),
    ):
        measure_applications(
            Applications((Application("cg", "S"),), FIGURES, no_compute=True), odd, store, Silent()
        )


def far_apart(placement: str) -> StudyRun:
    """CG between two sites, beside the overlay and where its four ranks cost least."""
    return StudyRun(
        "far", "CG", "two-clusters", (), Effort((), 1, 60, 0.0), None, placement, 4,
        applications=Applications((Application("cg", "S"),), FIGURES[:1]), further=("overlay", "mapping"),
    )  # fmt: skip


@needs_emulation
def test_the_overlay_and_a_mapping_are_measured_beside_the_default(tmp_path: Path) -> None:
    """CG's pairs are ranks 0 and 1, 2 and 3: here each is in both sites."""
    run = far_apart("hosts=north-1+south-1+north-2+south-2")
    how = replace(
        HOW, ranks=(4,), placements=(run.placement,), min_launches=1, max_launches=1,
        testbed=make(description.load(run.testbed)),
    )  # fmt: skip
    assert run.applications
    asked, notices = with_further(how, run, run.applications, (), Silent())
    assert [one.kind for one in notices] == ["mapped"]
    with Store(tmp_path / "results.sqlite") as store:
        launches = store.launches(measure_applications(run.applications, asked, store, Silent()))
    assert [launch.status for launch in launches] == ["finished"] * 3
    found = {
        launch.series[0].cell.label: launch
        for launch in launches
        if launch.series[0].cell.placement == run.placement
    }
    assert found.keys() == {"default", "overlay"}
    assert (
        "RANKWISE_OVERLAY" in dict(found["overlay"].environment) or "RANKWISE_OVERLAY" in found["overlay"].command
    )
    assert "RANKWISE_OVERLAY" not in f"{found['default'].environment} {found['default'].command}"
    (mapped,) = (launch for launch in launches if launch.series[0].cell.placement != run.placement)
    hosts = mapped.series[0].cell.placement.removeprefix("hosts=").split("+")
    assert hosts[0][0] == hosts[1][0] != hosts[2][0] == hosts[3][0], "each pair in one site"


def test_where_ranks_are_well_placed_nothing_is_mapped_and_that_is_told() -> None:
    run = far_apart("block")
    how = replace(HOW, ranks=(4,), testbed=make(description.load(run.testbed)))
    assert run.applications
    asked, notices = with_further(how, run, run.applications, (), Silent())
    assert asked.placements == ("block",)
    assert [one.kind for one in notices] == ["not-mapped"] and "no placement was found" in notices[0].message
