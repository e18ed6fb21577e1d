"""The measuring harness under the MPI in PATH; conformance/ has every implementation."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from rankwise.core.records import Category
from rankwise.core.schedule_names import is_schedule
from support.real_harness import (
    CSRC,
    LAUNCH_ENVIRONMENT,
    PLUG_INS,
    SANITIZED,
    build,
    launched,
    listed,
    records,
    samples,
)

CATEGORIES = set(get_args(Category)) - {"program", "pattern"}  # those are not in the list
Launch = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.mpi


def test_list_has_every_kernel_file_without_a_launcher(harness: Path) -> None:
    benchmarks = listed(harness)
    files = {path.stem for path in CSRC.glob("kernels/*.c")}
    assert {name for name in benchmarks if not is_schedule(name)} == files - {"pattern"} | set(PLUG_INS)
    assert {benchmark["category"] for benchmark in benchmarks.values()} == CATEGORIES
    assert all(benchmark["description"] for benchmark in benchmarks.values())
    assert not benchmarks["barrier"]["sized"]
    assert benchmarks["pingpong"]["min_ranks"] == 2
    assert not benchmarks["allreduce"]["derived_types"]


def test_series_come_in_the_order_of_the_cells_between_begin_and_end(launch: Launch) -> None:
    done = launch("--max-repetitions", "20", "pingpong:64", "barrier:0", "allreduce:4", "pingpong:0")
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"rankwise":')]
    assert done.returncode == 0, done.stderr
    assert [line["rankwise"] for line in lines] == ["begin", *["series"] * 4, "end"]
    assert lines[0]["ranks"] == len(lines[0]["hosts"]) == 2
    assert lines[0]["clock"] == "shared"
    cells = [(line["benchmark"], line["size_bytes"]) for line in lines[1:-1]]
    assert cells == [("pingpong", 64), ("barrier", 0), ("allreduce", 4), ("pingpong", 0)]
    for line in lines[1:-1]:
        assert line["quantity"] == "time"
        assert 5 <= len(line["samples_seconds"]) <= 20
        assert all(sample > 0 for sample in line["samples_seconds"])
    assert lines[1]["bytes_per_sample"] == 64
    assert lines[3]["datatype"] == "float"


def test_nonblocking_gives_three_series(harness: Path, launch: Launch) -> None:
    if not listed(harness)["iallreduce"]["supported"]:
        pytest.skip("this MPI has no nonblocking collectives")
    done = launch("--max-repetitions", "10", "iallreduce:1024")
    assert [series["quantity"] for series in records(done, "series")] == ["time", "compute", "total"]


def test_a_size_is_rounded_up_to_whole_elements(launch: Launch) -> None:
    done = launch("--max-repetitions", "5", "--datatype", "double", "--layout", "vector", "bcast:33")
    (series,) = records(done, "series")
    assert (series["size_bytes"], series["payload_bytes"]) == (33, 64)


@pytest.mark.parametrize(
    "layout",
    ["contiguous", *(pytest.param(one, marks=pytest.mark.nightly) for one in ("vector", "indexed")), "struct"],
)
def test_every_kernel_delivers_the_right_data(harness: Path, launch: Launch, layout: str) -> None:
    usable = {
        name: benchmark
        for name, benchmark in listed(harness).items()
        if benchmark["supported"]
        and name not in PLUG_INS
        and (layout == "contiguous" or benchmark["derived_types"])
    }
    cells = [
        f"{name}:{size}" for name, about in usable.items() for size in ((1, 4000) if about["sized"] else (0,))
    ]
    done = launch("--verify", "--layout", layout, "--root", "rotate", *cells)
    verified = [f"{line['benchmark']}:{line['size_bytes']}" for line in records(done, "verified")]
    assert verified == cells, records(done, "failure")


def test_wrong_data_is_found_and_named(launch: Launch) -> None:
    done = launch("--verify", "spoiling:64", "bcast:64")
    (failure,) = records(done, "failure")
    assert failure["benchmark"] == "spoiling"
    assert failure["kind"] == "wrong data"
    assert "on rank 1 in repetition 2: byte 5 of 64 from rank 0" in failure["reason"]
    assert [line["benchmark"] for line in records(done, "verified")] == ["bcast"]


def test_what_cannot_run_is_reported_and_the_rest_goes_on(launch: Launch) -> None:
    cells = ["pingpong:8", "refusing:0", f"bcast:{3 << 30}", "barrier:8", "bcast:8"]
    done = launch("--max-repetitions", "5", *cells)
    failures = records(done, "failure")
    assert [failure["kind"] for failure in failures] == ["failed", "failed", "unsupported"]
    assert failures[0]["reason"] == "rank 1 has no such device"
    assert "int counts" in failures[1]["reason"]
    assert [series["benchmark"] for series in records(done, "series")] == ["pingpong", "bcast"]
    assert records(done, "end")


def test_one_rank_has_no_partner(launch: Launch) -> None:
    done = launch("--max-repetitions", "5", "pingpong:8", "allreduce:8", ranks=1)
    (failure,) = records(done, "failure")
    assert (failure["kind"], failure["reason"]) == ("unsupported", "needs at least 2 ranks, not 1")
    assert len(records(done, "series")) == 1


def test_buffers_beyond_the_free_memory_fail_the_cell_with_the_amount(launch: Launch) -> None:
    done = launch("--datatype", "double", "alltoall:16000000000", "bcast:8", "--max-repetitions", "5")
    (failure,) = records(done, "failure")
    assert "MiB that are free" in failure["reason"]
    assert len(records(done, "series")) == 1


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["bogus:1"], "bogus"),
        (["bcast"], "BENCHMARK:SIZE_BYTES"),
        (["bcast:-1"], "bcast:-1"),
        (["--seconds", "soon", "bcast:1"], "soon"),
        (["--messages", "0", "stream:1"], "--messages"),
        (["--idle", "long", "stream:1"], "long"),
        (["--layout", "spiral", "bcast:1"], "contiguous|vector|indexed|struct"),
        (["--frobnicate", "bcast:1"], "frobnicate"),
        (["bcast:99999999999999999999"], "BENCHMARK:SIZE_BYTES"),
        (["bcast:1@99999999999999999999"], "BENCHMARK:SIZE_BYTES"),
        (["bcast:1@99999999999"], "of 0"),
        (["--messages", "99999999999999999999", "stream:1"], "--messages"),
        (["--window", "100000001", "bandwidth:1"], "--window"),
        (["--seconds", "nan", "bcast:1"], "nan"),
        (["--seconds", "inf", "bcast:1"], "inf"),
        (["--seconds", "1e400", "bcast:1"], "1e400"),
        (["--delay", "99999999999:1:1", "bcast:1"], "RANK:SECONDS:FRACTION"),
        (["--delay", "0:1:nan", "bcast:1"], "RANK:SECONDS:FRACTION"),
        (["pattern:0-99999999:1"], "pattern"),
        (["pattern:0-1-99999999999999999999:1"], "pattern"),
        ([], "nothing to measure"),
    ],
)
def test_a_wrong_command_line_exits_2_and_says_why(harness: Path, arguments: list[str], word: str) -> None:
    done = subprocess.run([harness, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert word in done.stderr
    assert not done.stdout


@pytest.mark.nightly
def test_a_rank_late_in_a_twentieth_of_repetitions_shows_in_the_99th_percentile(launch: Launch) -> None:
    arguments = ["--seconds", "5", "--min-repetitions", "200", "--max-repetitions", "200"]
    late = samples(launch(*arguments, "--delay", "1:0.001:0.05", "bcast:8"))
    assert np.quantile(late, 0.99, method="lower") >= 1e-3
    assert np.count_nonzero(late >= 1e-3) >= 5
    assert np.median(late) < 1e-3


@pytest.mark.nightly
def test_a_repetition_before_which_a_rank_overslept_is_thrown_away(harness: Path) -> None:
    program = build(Path(__file__).with_name("dozing.c"))
    (series,) = records(
        launched(
            program, "--min-repetitions", "80", "--seconds", "10", "--max-repetitions", "80", "dozing:8", ranks=2
        ),
        "series",
    )
    assert series["discarded"] > 0
    assert max(series["samples_seconds"]) < 0.04


@pytest.mark.parametrize(("brief", "tried"), [(True, 3), (False, 11)])
def test_over_a_long_link_late_starts_are_kept_after_a_few_trials(brief: bool, tried: int) -> None:
    """Else the series would start on leaving a barrier, where ranks are a delay of the network apart."""
    program = build(Path(__file__).with_name("far_and_late.c"))
    how = ["--min-repetitions", "6", "--max-repetitions", "6", "--seconds", "0.01", *["--min-warmup", "1"] * brief]
    (series,) = records(launched(program, *how, "far_and_late:8", ranks=2), "series")
    assert series["start"] == "agreed"
    assert (len(series["samples_seconds"]), series["discarded"]) == (6, tried)


def test_what_one_rank_times_alone_is_told(harness: Path) -> None:
    one_clock = {name for name, about in listed(harness).items() if about["one_clock"]}
    assert {"pingpong", "bandwidth", "bibandwidth", "put", "get", "late_receiver", "stream"} <= one_clock
    others = {"sendrecv", "exchange", "pingping", "message_rate", "multi_bandwidth", "bcast", "barrier"}
    assert not others & one_clock


def test_the_computation_is_not_shorter_than_the_operation(harness: Path, launch: Launch) -> None:
    if not listed(harness)["iallreduce"]["supported"]:
        pytest.skip("this MPI has no nonblocking collectives")
    for polls in ("0", "16"):
        done = launch("--seconds", "0.2", "--polls", polls, "iallreduce:400000")
        found = {one["quantity"]: one["samples_seconds"] for one in records(done, "series")}
        assert min(found["compute"]) > 0.3 * np.median(found["time"])  # a busy host may make it longer


def test_the_target_of_a_put_may_compute(harness: Path, launch: Launch) -> None:
    if not listed(harness)["put"]["supported"]:
        pytest.skip("this MPI has no passive target")
    done = launch(
        "--max-repetitions", "50", "--target", "computes", "put:64", "get:64", "iallreduce:8", "pingpong:8"
    )
    assert not records(done, "failure")
    assert [one["benchmark"] for one in records(done, "series")][:2] == ["put", "get"]


def test_a_window_as_large_as_the_buffers_counts_as_memory(launch: Launch) -> None:
    """Two thirds of what a cell may have are too much for one-sided operations, which need it twice."""
    available = 1024 * int(re.search(r"MemAvailable:\s+(\d+)", Path("/proc/meminfo").read_text())[1])  # type: ignore[index]
    size = available // 12  # two buffers on each of two ranks, of half the memory: two thirds
    done = launch("--verify", f"put:{min(size, (1 << 31) - 4096)}")
    reasons = [failure["reason"] for failure in records(done, "failure")]
    if size < (1 << 31) - 4096:
        assert "MiB that are free" in reasons[0]


def test_synchronised_clocks_undo_a_known_skew(launch: Launch) -> None:
    """What remains of half a second is within the error that is stated, however busy the processors are."""
    skew_seconds = 0.5
    arguments = ["--clock", "synchronised", "--clock-skew", f"{skew_seconds}:1e-4", "--start", "barrier"]
    done = launch(*arguments, "--min-repetitions", "50", "bcast:8")
    (begin,) = records(done, "begin")
    assert begin["clock"] == "synchronised"
    assert 0 < begin["clock_error_seconds"] < skew_seconds / 10
    assert samples(done).min() > -begin["clock_error_seconds"]  # nothing ends before it begins
    assert np.median(samples(done)) < skew_seconds / 10


def test_without_synchronisation_the_skew_would_show(launch: Launch) -> None:
    arguments = ["--clock", "shared", "--clock-skew", "0.5:0", "--start", "barrier"]
    assert np.median(samples(launch(*arguments, "--min-repetitions", "50", "bcast:8"))) > 0.4


def run_alone(harness: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    argv = [str(harness), *arguments]
    environment = {**os.environ, **LAUNCH_ENVIRONMENT}
    return subprocess.run(argv, capture_output=True, text=True, check=False, env=environment, timeout=60)


def test_a_hanging_rank_ends_itself_and_names_the_cell(harness: Path) -> None:
    done = run_alone(harness, "--limit", "6", "hanging:8")
    assert done.returncode == 124
    assert "time limit, hanging:8" in done.stderr
    assert records(done, "begin")


def test_an_error_inside_the_library_becomes_the_failure_of_the_cell(harness: Path) -> None:
    done = run_alone(harness, "--limit", "60", "erring:8", "bcast:8")
    (failure,) = records(done, "failure")
    assert (failure["benchmark"], failure["kind"]) == ("erring", "failed")
    assert "rank" in failure["reason"]
    assert done.returncode != 0
    assert not records(done, "end")


@pytest.mark.skipif(not shutil.which("mpicc.openmpi"), reason="Debian's Open MPI is not here")
@pytest.mark.parametrize(
    ("ranks", "sizes", "arguments"),
    [
        pytest.param(2, (0, 1, 1000), ("--verify",), marks=pytest.mark.nightly),
        (3, (1, 1000), ("--verify", "--root", "rotate")),
        pytest.param(
            2,
            (1000,),
            ("--verify", "--datatype", "double", "--layout", "struct", "--window", "3", "--cold-cache"),
            marks=pytest.mark.nightly,
        ),
        pytest.param(2, (1000,), ("--max-repetitions", "5", "--messages", "5"), marks=pytest.mark.nightly),
        pytest.param(
            3,
            (8,),
            ("--max-repetitions", "5", "--messages", "5", "--clock", "synchronised", "--start", "barrier"),
            marks=pytest.mark.nightly,
        ),
    ],
)
def test_sanitizers_find_nothing(
    monkeypatch: pytest.MonkeyPatch, ranks: int, sizes: tuple[int, ...], arguments: tuple[str, ...]
) -> None:
    # the library's own leaks at exit are not ours to mend
    monkeypatch.setenv("ASAN_OPTIONS", "detect_leaks=0")
    program = build(compiler="mpicc.openmpi", flags=SANITIZED)
    known = {
        name: about
        for name, about in listed(program).items()
        if about["supported"] and (ranks % 2 == 0 or not about["even_ranks"])
    }
    cells = [f"{name}:{size}" for name in known for size in (sizes if known[name]["sized"] else (0,))]
    argv = ["mpiexec.openmpi", "-n", str(ranks), str(program), "--yield", "--limit", "80", *arguments, *cells]
    environment = {**os.environ, **LAUNCH_ENVIRONMENT}
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=environment, timeout=100)
    assert done.returncode == 0, done.stderr[-3000:]
    refused = {failure["reason"] for failure in records(done, "failure")}
    assert refused <= {"takes contiguous data only, not the layout struct"}
    done_well = records(done, "verified" if "--verify" in arguments else "series")
    assert len({line["benchmark"] for line in done_well}) > (20 if refused else len(known) - 1)
    assert records(done, "end")
