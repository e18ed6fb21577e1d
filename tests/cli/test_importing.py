"""`rankwise import`: results of other benchmarks are stored, compared by launches, and stand beside ours."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rankwise.cli import export, importing, report
from rankwise.core.errors import InputError
from rankwise.core.records import Launch
from rankwise.core.results import Comparison
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
    assert json.loads(done.stdout) == {"run": 2, "results": 2, "launches": 1, "notices": []}
    with Store(path) as store:
        assert (store.run(2).kind, store.run(2).status) == ("import", "complete")
        (launch,) = store.launches(2)
    assert [(one.cell.implementation, one.cell.ranks) for one in launch.series] == [("cluster-2019.log", 8)] * 2
    assert [one.samples_seconds.tolist() for one in launch.series] == [[2e-6], [3e-6]]


def test_beside_another_run_it_is_a_curve_and_no_verdict(log: Path, path: Path) -> None:
    CliRunner().invoke(importing.command, [str(log), "--name", "2019", "-n", "2", "--store", str(path)])
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
    assert f"{empty}:1" in str(done.exception)
    with Store(path) as store:
        assert len(store.runs()) == 1


def imported(tmp_path: Path, *words: str) -> tuple[Comparison, list[Launch]]:
    """What a report of these logs finds, and their launches."""
    path = tmp_path / "imported.sqlite"
    done = CliRunner().invoke(importing.command, [*words, "--store", str(path)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    with Store(path) as store:
        return answer.compare_run(store, 1), store.launches(1)


def runs(tmp_path: Path, name: str, times: Iterable[float]) -> str:
    """A log of one run a time."""
    path = tmp_path / name
    title = "srun -n 16 osu_allreduce\n# OSU MPI Allreduce Latency Test v7.5\n# Size  Avg Latency(us)\n"
    path.write_text("".join(f"{title}4  {time:.2f}\n" for time in times))
    return str(path)


def test_runs_are_launches_and_get_verdicts(tmp_path: Path) -> None:
    slow = runs(tmp_path, "slow.log", (20 + n / 10 for n in range(20)))
    fast = runs(tmp_path, "fast.log", (10 + n / 10 for n in range(20)))
    found, launches = imported(tmp_path, slow, fast)
    assert len(launches) == 40
    assert {one.ranks for one in launches} == {16}
    assert [(one.baseline, one.candidate, one.verdict) for one in found.verdicts] == [
        ("fast.log", "slow.log", "slower")
    ]


def test_files_of_one_name_are_launches_too(tmp_path: Path) -> None:
    words = [f"mpich={runs(tmp_path, f'{n}.log', [20.0 + n])}" for n in range(5)]
    found, launches = imported(tmp_path, *words, runs(tmp_path, "other.log", [7.0]))
    assert sorted(one.implementation for one in launches) == [*["mpich"] * 5, "other.log"]
    (verdict,) = found.verdicts
    assert (verdict.verdict, verdict.baseline, verdict.launches) == ("undecided", "other.log", (1, 1))


def test_one_log_for_each_mpi_is_a_comparison_and_its_baseline_can_be_chosen(tmp_path: Path) -> None:
    words = [runs(tmp_path, f"{name}.log", [time]) for name, time in (("mpich", 20), ("openmpi", 10))]
    found, _ = imported(tmp_path, *words)
    assert [(one.baseline, one.ratio, one.verdict) for one in found.verdicts] == [("openmpi.log", 2, "undecided")]
    assert all(math.isnan(point.low_seconds) for curve in found.curves for point in curve.points)
    with Store(tmp_path / "imported.sqlite") as store:
        assert answer.compare_run(store, 1, "mpich.log").baseline == "mpich.log"


def test_two_files_of_one_name_in_two_folders_are_both_there(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    words = [runs(tmp_path, f"{name}/osu.log", [time]) for name, time in (("a", 1.1), ("b", 7.7))]
    found, _ = imported(tmp_path, *words)
    assert {curve.implementation: curve.points[0].median_seconds for curve in found.curves} == {
        "a/osu.log": pytest.approx(1.1e-6), "b/osu.log": pytest.approx(7.7e-6)
    }  # fmt: skip
    with pytest.raises(InputError, match="twice"):
        imported(tmp_path, words[0], words[0])


def test_wrong_data_are_a_failure_and_no_time(tmp_path: Path, path: Path) -> None:
    log = tmp_path / "checked.log"
    log.write_text(
        "# OSU MPI Latency Test v7.5\n# Size  Avg Latency(us)  Validation\n4  1.00  Pass\n8  1.00  Fail\n"
    )
    done = CliRunner().invoke(importing.command, [str(log), "--json", "--store", str(path)])
    assert json.loads(done.stdout)["results"] == 1
    assert [one["kind"] for one in json.loads(done.stdout)["notices"]] == ["import-wrong"]
    with Store(path) as store:
        (launch,) = store.launches(2)
    assert [(one.cell.size_bytes, one.kind) for one in launch.failures] == [(8, "wrong data")]
    assert [one.cell.size_bytes for one in launch.series] == [4]


def test_ranks_that_nothing_gives_are_asked_for(log: Path, path: Path) -> None:
    done = CliRunner().invoke(importing.command, [str(log), "--store", str(path)])
    assert isinstance(done.exception, InputError)
    assert (f"{log}:3" in str(done.exception), done.exception.remedy) == (True, "give it with -n")


@pytest.mark.parametrize(
    "content",
    [b"", b"\x1f\x8b" + bytes(100), b"x" * 100_000, b"<?xml version='1.0'?>", b"1 2 3\n", LOG.encode()[:40]],
)
def test_what_is_no_log_is_refused_with_its_name(content: bytes, tmp_path: Path, path: Path) -> None:
    file = tmp_path / "some.log"
    file.write_bytes(content)
    done = CliRunner().invoke(importing.command, [str(file), "-n", "2", "--store", str(path)])
    assert isinstance(done.exception, InputError)
    assert f"{file}:1" in str(done.exception)


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
    results = logs.read(io.StringIO(done.stdout)).results
    assert all(one.variant for one in results)
    found = {(one.size_bytes, one.quantity): one.seconds for one in results}
    assert {found[1, quantity] for quantity in ("time", "compute", "total")} == {4e-6, 5e-6, 7e-6}
    with pytest.raises(InputError, match="no links"):
        CliRunner().invoke(
            export.command, ["--format", layout, "--rows", "links", "--store", str(path)], catch_exceptions=False
        )
