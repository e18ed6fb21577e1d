"""`rankwise import`: results of other benchmarks are stored, and stand beside ours without verdicts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rankwise.cli import export, importing, report
from rankwise.core.errors import InputError
from rankwise.store import logs
from rankwise.store.store import Store
from rankwise.workflows import answer
from support import stored

LOG = """\
# OSU MPI Allreduce Latency Test v7.5
# Size       Avg Latency(us)
4                       2.00
16                      3.00
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "cluster-2019.log"
    path.write_text(LOG)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        stored.measured(store, launches=2)
    return path


def test_a_log_becomes_a_run_of_its_own_kind(log: Path, path: Path) -> None:
    done = CliRunner().invoke(importing.command, [str(log), "-n", "8", "--json", "--store", str(path)])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {"run": 2, "results": 2}
    with Store(path) as store:
        assert (store.run(2).kind, store.run(2).status) == ("import", "complete")
        (launch,) = store.launches(2)
    assert [(one.cell.implementation, one.cell.ranks) for one in launch.series] == [("cluster-2019.log", 8)] * 2
    assert [one.samples_seconds.tolist() for one in launch.series] == [[2e-6], [3e-6]]


def test_beside_another_run_it_is_a_curve_and_no_verdict(log: Path, path: Path) -> None:
    CliRunner().invoke(importing.command, [str(log), "--name", "2019", "--store", str(path)])
    with Store(path) as store:
        alone, beside = answer.compare_run(store, 1), answer.compare_run(store, 1, beside=(2,))
        imported = answer.compare_run(store, 2)
    measured, shown = ({curve.implementation for curve in one.curves} for one in (alone, beside))
    assert shown - measured == {"2019"}
    assert beside.verdicts == alone.verdicts
    assert [point.median_seconds for curve in imported.curves for point in curve.points] == [2e-6, 3e-6]
    assert not imported.verdicts
    page = path.with_name("page.html")
    done = CliRunner().invoke(report.command, ["1", "--beside", "2", "-o", str(page), "--store", str(path)])
    assert done.exit_code == 0, done.output
    assert "2019" in page.read_text()


def test_a_run_that_was_measured_here_is_not_put_beside(path: Path) -> None:
    with Store(path) as store:
        stored.measured(store, launches=1)
        with pytest.raises(InputError, match="was not imported"):
            answer.compare_run(store, 1, beside=(2,))


def test_a_file_without_results_is_refused(tmp_path: Path, path: Path) -> None:
    empty = tmp_path / "notes.txt"
    empty.write_text("nothing here")
    done = CliRunner().invoke(importing.command, [str(empty), "--store", str(path)])
    assert isinstance(done.exception, InputError)
    assert "holds no results" in str(done.exception)
    with Store(path) as store:
        assert len(store.runs()) == 1


@pytest.mark.parametrize("layout", ["osu", "imb"])
def test_what_is_exported_as_a_log_is_read_again(path: Path, layout: str) -> None:
    with Store(path) as store:
        launch = stored.make_launch()
        parts = [replace(launch.series[0], quantity=quantity, samples_seconds=np.full(3, seconds))
                 for quantity, seconds in (("time", 4e-6), ("compute", 5e-6), ("total", 7e-6))]  # fmt: skip
        run_id = stored.begin(store)
        store.add_launch(run_id, replace(launch, series=(*launch.series[1:], *parts)))
    done = CliRunner().invoke(export.command, ["--format", layout, "--store", str(path)])
    assert done.exit_code == 0, done.output
    found = {(one.size_bytes, one.quantity): one.seconds for one in logs.read(done.stdout)}
    assert {found[1, quantity] for quantity in ("time", "compute", "total")} == {4e-6, 5e-6, 7e-6}
    with pytest.raises(InputError, match="no links"):
        CliRunner().invoke(
            export.command, ["--format", layout, "--rows", "links", "--store", str(path)], catch_exceptions=False
        )
