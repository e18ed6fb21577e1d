"""A run of a study starts all its applications in each launch, and the store has their figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.core.errors import HostError
from rankwise.core.programs import stored_program
from rankwise.store.store import Store
from rankwise.studies.base import Application, Applications
from rankwise.workflows import measure
from rankwise.workflows.events import Silent
from rankwise.workflows.study_applications import measure_applications
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
    both = (Application("cg", "S"), Application("ep", "S", computing_seconds=(0.25,)))
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
