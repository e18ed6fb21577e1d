"""The installed command compares, reports, benches, shows and exports with real implementations."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from support.command_line import rankwise
from support.mpis import FOUND

TWO = [one.id for one in FOUND if one.family in ("mpich", "openmpi")][:2]
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(len(TWO) < 2, reason="needs two MPIs")]

VERDICT_KEYS = {
    "benchmark", "size_bytes", "ranks", "baseline", "candidate", "ratio", "ratio_low", "ratio_high", "verdict"
}  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def answer(home: Path) -> dict[str, Any]:
    words = ["--bench", "pingpong,barrier,iallreduce,memcpy", "--sizes", "1:64K:16", "--time", "5s", "--json"]
    done = rankwise("compare", *TWO, *words, home=home)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_cell_has_a_verdict_with_its_interval(answer: dict[str, Any]) -> None:
    assert all(set(verdict) >= VERDICT_KEYS for verdict in answer["verdicts"])
    cells = {(one["benchmark"], one["size_bytes"]) for one in answer["verdicts"]}
    smallest = {"pingpong": 1, "iallreduce": 4}  # a reduction moves whole numbers
    assert cells == {("barrier", 0)} | {
        (name, size) for name, least in smallest.items() for size in (least, 16, 256, 4096, 65536)
    }
    for one in answer["verdicts"]:
        assert one["baseline"] == TWO[0]
        if one["ratio_low"] is not None:  # there was time for more than one launch
            assert one["ratio_low"] <= one["ratio"] <= one["ratio_high"]
        assert one["verdict"].removeprefix("probably ") in ("faster", "slower", "equivalent", "undecided")


def test_the_summary_covers_both_and_the_baseline_is_one(answer: dict[str, Any]) -> None:
    assert {row["implementation"] for row in answer["summary"]} == set(TWO)
    assert all(row["ratio"] == 1 for row in answer["summary"] if row["implementation"] == TWO[0])


def test_the_report_stands_alone(answer: dict[str, Any]) -> None:
    page = Path(answer["report"]).read_text()
    assert all(name in page for name in TWO)
    assert "rankwise compare" in page
    assert " --verify " not in page, "the launch lines shown are of launches that timed something"
    assert 'src="http' not in page
    assert 'href="http' not in page.partition("<script")[0]


def test_a_stored_run_gives_the_same_answer_again(answer: dict[str, Any], home: Path) -> None:
    again = json.loads(rankwise("report", "--json", home=home).stdout)
    assert again["verdicts"] == answer["verdicts"]


def test_another_baseline_inverts_the_ratios(answer: dict[str, Any], home: Path) -> None:
    other = json.loads(rankwise("report", "--json", "--baseline", TWO[1], home=home).stdout)
    ratios = {(one["benchmark"], one["size_bytes"]): one["ratio"] for one in answer["verdicts"]}
    for one in other["verdicts"]:
        assert one["ratio"] == pytest.approx(1 / ratios[one["benchmark"], one["size_bytes"]])


def test_the_terminal_answer_fits_80_columns(answer: dict[str, Any], home: Path) -> None:
    done = rankwise("report", home=home)
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert TWO[1].split("-")[0] in done.stdout


def test_what_was_stored_can_be_shown_and_exported(answer: dict[str, Any], home: Path) -> None:
    assert TWO[0] in rankwise("show", home=home).stdout
    rows = list(csv.DictReader(io.StringIO(rankwise("export", "--format", "csv", home=home).stdout)))
    assert {row["implementation"] for row in rows} == set(TWO)
    assert {row["quantity"] for row in rows} == {"time", "compute", "total"}
    assert all(float(row["seconds"]) > 0 for row in rows if row["benchmark"] == "pingpong")


def test_each_mpi_has_told_what_carried_its_messages(answer: dict[str, Any], home: Path) -> None:
    shown = json.loads(rankwise("show", "1", "--json", home=home).stdout)
    told = {one["implementation"]: one["transports"] for one in shown["launches"] if one["verifying"]}
    assert set(told) == set(TWO) and all(told.values()), told
    assert not any(one["transports"] for one in shown["launches"] if not one["verifying"])


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        ("table", ["median", "p99", "bandwidth"]),
        ("imb", ["#bytes", "#repetitions", "t[usec]", "Mbytes/sec"]),
        ("osu", ["# Size", "Avg Latency(us)", "P99 Tail Lat(us)"]),
    ],
)
def test_bench_prints_the_layout_asked_for(layout: str, words: list[str], tmp_path: Path) -> None:
    quick = ["--sizes", "1,1K", "--launches", "1", "--per-cell", "5ms", "--format", layout]
    done = rankwise("bench", "pingpong", "--mpi", TWO[0], *quick, home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert all(word in done.stdout for word in words)


def test_fail_on_slower_says_no_by_its_exit_code(tmp_path: Path) -> None:
    """Whatever this machine's verdict is, the exit code must agree with it."""
    words = ["--bench", "pingpong", "--sizes", "64K", "--time", "3s", "-q", "--fail-on", "different"]
    done = rankwise("compare", *TWO, *words, "--delta", "0.0001", home=tmp_path)
    verdict = json.loads(rankwise("report", "--json", "--delta", "0.0001", home=tmp_path).stdout)["verdicts"][0]
    assert done.returncode == (1 if verdict["verdict"] in ("faster", "slower") else 0)


def test_words_after_the_dashes_reach_mpiexec(tmp_path: Path) -> None:
    done = rankwise(
        "bench", "pingpong", "--mpi", TWO[0], "--sizes", "1", "--launcher=--no-such-flag", home=tmp_path
    )
    assert done.returncode == 3
    assert "no cell gave a result" in done.stderr
    assert "no-such-flag" in rankwise("show", "--json", home=tmp_path).stdout
