"""One launch measures candidates beside the default; one that fails, or cannot be switched to, harms no other."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rankwise.artifacts.harness import build
from rankwise.core import process
from rankwise.core.jobs import Job
from rankwise.measurement.launch import list_benchmarks
from rankwise.mpi.family import FamilyLauncher, family_named
from rankwise.mpi.openmpi.parameters import installation
from support.mpis import FOUND, harness, working
from support.real_harness import launched, records

pytestmark = pytest.mark.mpi

SWITCHING = [one.id for one in FOUND if one.family in ("openmpi", "mpich")]
LACKING = [one.id for one in FOUND if one.family == "lammpi"]
VARIABLES = {"openmpi": "coll_tuned_bcast_algorithm", "mpich": "MPIR_CVAR_BCAST_INTRA_ALGORITHM"}
OTHERS = {"openmpi": "coll_tuned_allgather_algorithm", "mpich": "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM"}
ERRING = """
#include "kernel.h"
static void run(Cell *c)
{
    if (c->rank == 1)
        MPI_Send(c->send, c->count, c->type, c->ranks + 5, TAG, c->comm);
    else if (c->rank == 0 && c->size_bytes > 8)
        MPI_Recv(c->receive, c->count, c->type, 1, TAG, c->comm, MPI_STATUS_IGNORE);
}
KERNEL(erring_there) = {
    .category = COLLECTIVE, .description = "fails on rank 1; above 8 bytes rank 0 waits for it for ever",
    .data = &broadcast_data, .run = run};
"""
Record = dict[str, Any]


def told(
    implementation_id: str, *arguments: str, ranks: int = 2, program: Path | None = None
) -> tuple[list[Record], int]:
    """The records of a launch on this host that can switch, and its exit code."""
    one = working(implementation_id)
    words = ("--yield", "--limit", "50", "--max-repetitions", "5", *arguments)
    job = Job(
        (str(program or harness(implementation_id)), *words), ranks, oversubscribed=ranks > 1,
        environment=family_named(one.family).switching(one).environment,
    )  # fmt: skip
    outcome = process.run_steps(FamilyLauncher().steps(one, job), 60, '{"rankwise":"end"')
    lines = [
        json.loads(line)
        for line in outcome.stdout.splitlines()
        if line.startswith('{"rankwise":') and line.endswith("}")
    ]
    assert lines, outcome.stderr
    return lines, outcome.returncode


def of_kind(lines: list[Record], kind: str) -> list[Record]:
    return [line for line in lines if line["rankwise"] == kind]


@pytest.fixture(params=SWITCHING)
def implementation_id(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def variable(implementation_id: str, value: object, names: dict[str, str] = VARIABLES) -> str:
    return f"{names[working(implementation_id).family]}={value}"


@pytest.mark.parametrize(
    "ranks", [2, *(pytest.param(number, marks=pytest.mark.nightly) for number in (1, 3, 4, 5, 8))]
)
@pytest.mark.parametrize("verifying", [False, True], ids=["timed", "verified"])
def test_cells_are_measured_in_their_order_and_say_their_candidate(
    implementation_id: str, ranks: int, verifying: bool
) -> None:
    cells = ["bcast:64@1", "bcast:64", "bcast:64@2", "allgather:64@1", "bcast:64@1", "bcast:64@0", "bcast:64@3"]
    lines, _ = told(
        implementation_id, *(["--verify"] if verifying else []),
        "--candidate", f"{variable(implementation_id, 1)},{variable(implementation_id, 1, OTHERS)}",
        "--candidate", variable(implementation_id, 5), "--candidate", "", *cells, ranks=ranks,
    )  # fmt: skip
    assert [line["rankwise"] for line in lines[1:-1]] == ["verified" if verifying else "series"] * len(cells)
    assert [line.get("candidate") for line in lines[1:-1]] == [1, None, 2, 1, 1, None, 3]
    assert [line["benchmark"] for line in lines[3:5]] == ["bcast", "allgather"]


def test_nonblocking_and_persistent_operations_take_candidates_too(implementation_id: str) -> None:
    lines, _ = told(implementation_id, "--candidate", variable(implementation_id, 1), "ibcast:64@1", "barrier:0@1")
    assert [(line["quantity"], line["candidate"]) for line in of_kind(lines, "series")] == [
        ("time", 1), ("compute", 1), ("total", 1), ("time", 1),
    ]  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("ranks", "verifying"),
    [
        pytest.param(ranks, verifying, marks=pytest.mark.nightly if verifying == (ranks == 2) else ())
        for ranks in (2, 4)
        for verifying in (False, True)
    ],
)
def test_every_benchmark_can_be_a_candidates_cell(implementation_id: str, ranks: int, verifying: bool) -> None:
    known = list_benchmarks(working(implementation_id), harness(implementation_id))
    cells = [
        f"{one.name}:{4000 if one.sized else 0}@1" for one in known if one.supported and one.category != "baseline"
    ]
    lines, _ = told(
        implementation_id, *(["--verify"] if verifying else ["--messages", "5", "--idle", "0"]),
        "--candidate", variable(implementation_id, 1), *cells, ranks=ranks,
    )  # fmt: skip
    assert of_kind(lines, "failure") == []
    said = of_kind(lines, "verified" if verifying else "series")
    assert (
        list(dict.fromkeys(f"{line['benchmark']}:{line['size_bytes']}@{line['candidate']}" for line in said))
        == cells
    )
    assert of_kind(lines, "end")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("no_such_variable=1", "no_such_variable is no control variable of this library"),
        ("{first}=many", "does not take this value"),
        pytest.param("{first}=99999999999", "does not take this value", marks=pytest.mark.nightly),
        pytest.param(
            "{first}=1,no_such_variable=1",
            "no_such_variable is no control variable of this library",
            marks=pytest.mark.nightly,
        ),
    ],
)
def test_what_cannot_be_written_fails_its_cells_and_the_launch_goes_on(
    implementation_id: str, asked: str, words: str
) -> None:
    first = VARIABLES[working(implementation_id).family]
    lines, _ = told(
        implementation_id, "--candidate", asked.format(first=first), "--candidate", f"{first}=1",
        "bcast:64@1", "bcast:64@2", "bcast:64", "allgather:64@1", "bcast:64@2",
    )  # fmt: skip
    failures = of_kind(lines, "failure")
    assert [(line["benchmark"], line["candidate"], line["kind"]) for line in failures] == [
        ("bcast", 1, "failed"), ("allgather", 1, "failed"),
    ]  # fmt: skip
    assert all(words in line["reason"] for line in failures)
    assert [line.get("candidate") for line in of_kind(lines, "series")] == [2, None, 2]
    assert of_kind(lines, "end")


OPEN_MPI = [one.id for one in FOUND if one.family == "openmpi"]


@pytest.mark.parametrize("implementation_id", [one.id for one in FOUND if one.id == "openmpi-4.1.4"])
@pytest.mark.nightly
def test_what_is_read_only_is_said_to_be(implementation_id: str) -> None:
    lines, _ = told(implementation_id, "--candidate", "coll_tuned_priority=1", "bcast:64@1", "bcast:64")
    (failure,) = of_kind(lines, "failure")
    assert failure["reason"] == "coll_tuned_priority=1: coll_tuned_priority cannot be written at run time"
    assert len(of_kind(lines, "series")) == 1


@pytest.mark.parametrize("implementation_id", OPEN_MPI)
@pytest.mark.parametrize("verifying", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_an_algorithm_that_fails_fails_its_cell_alone(implementation_id: str, verifying: bool) -> None:
    """Open MPI's algorithm for two ranks, on four of them."""
    choices = installation(working(implementation_id)).parameters["coll_tuned_allgather_algorithm"].choices
    number = next(number for number, name in choices if name == "two_proc")
    lines, _ = told(
        implementation_id, *(["--verify"] if verifying else []),
        "--candidate", variable(implementation_id, number, OTHERS),
        "--candidate", variable(implementation_id, 1, OTHERS),
        "allgather:64@2", "allgather:64@1", "allgather:64", "bcast:64@1", "allgather:64@1", "allgather:64@2",
        ranks=4,
    )  # fmt: skip
    failures = of_kind(lines, "failure")
    assert [(line["benchmark"], line["candidate"], line["kind"]) for line in failures] == [
        ("allgather", 1, "failed"), ("allgather", 1, "failed"),
    ]  # fmt: skip
    assert all("MPI_ERR_UNSUPPORTED_OPERATION" in line["reason"] for line in failures)
    good = of_kind(lines, "verified" if verifying else "series")
    assert [(line["benchmark"], line.get("candidate")) for line in good] == [
        ("allgather", 2), ("allgather", None), ("bcast", 1), ("allgather", 2),
    ]  # fmt: skip
    assert of_kind(lines, "end")


@cache
def with_erring(implementation_id: str, folder: Path) -> Path:
    source = folder / "erring_there.c"
    source.write_text(ERRING)
    return build(working(implementation_id), source)


def test_an_error_on_one_rank_is_the_failure_of_the_cell_on_all(
    implementation_id: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = with_erring(implementation_id, tmp_path_factory.getbasetemp())
    lines, _ = told(
        implementation_id, "--candidate", variable(implementation_id, 1),
        "erring_there:8@1", "bcast:64@1", "bcast:64", ranks=3, program=program,
    )  # fmt: skip
    (failure,) = of_kind(lines, "failure")
    assert (failure["benchmark"], failure["candidate"]) == ("erring_there", 1)
    assert "rank" in failure["reason"].lower()
    assert [line.get("candidate") for line in of_kind(lines, "series")] == [1, None]


@pytest.mark.nightly
def test_ranks_that_wait_for_one_that_has_failed_do_not_hang(
    implementation_id: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = with_erring(implementation_id, tmp_path_factory.getbasetemp())
    lines, code = told(
        implementation_id, "--candidate", variable(implementation_id, 1),
        "bcast:64@1", "erring_there:64@1", "bcast:64", ranks=3, program=program,
    )  # fmt: skip
    assert code != 0
    failures = [(line["benchmark"], line["candidate"]) for line in of_kind(lines, "failure")]
    assert failures in ([], [("erring_there", 1)])  # a launcher may lose the last line of a job that is aborted
    assert len(of_kind(lines, "series")) == 1


@pytest.mark.parametrize("implementation_id", LACKING)
def test_a_library_without_control_variables_says_so_for_each_cell(implementation_id: str) -> None:
    lines, _ = told(implementation_id, "--candidate", "a=1", "bcast:64@1", "bcast:64", "barrier:0@1")
    failures = of_kind(lines, "failure")
    assert [(line["kind"], line["candidate"]) for line in failures] == [("unsupported", 1), ("unsupported", 1)]
    assert all("control variables of MPI 3.0" in line["reason"] for line in failures)
    assert [line.get("candidate") for line in of_kind(lines, "series")] == [None]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["bcast:1@1"], "candidate 1 of 0"),
        (["--candidate", "a=1", "bcast:1@2"], "candidate 2 of 1"),
        (["--candidate", "a=1", "bcast:1@"], "bcast:1@"),
        (["--candidate", "a=1", "bcast:1@one"], "bcast:1@one"),
        (["--candidate", "a=1", "bcast@1"], "BENCHMARK:SIZE_BYTES[@CANDIDATE]"),
        (["--candidate", "a", "bcast:1"], "NAME=VALUE"),
        (["--candidate", "=1", "bcast:1"], "NAME=VALUE"),
        (["--candidate", "a=1,,b=2", "bcast:1"], "NAME=VALUE"),
        (["--candidate", ",".join(f"v{number}=1" for number in range(9)), "bcast:1"], "at most 8"),
        (["--candidate", "n" * 200 + "=1", "bcast:1"], "NAME=VALUE"),
    ],
)
def test_candidates_that_make_no_sense_are_refused(harness: Path, arguments: list[str], word: str) -> None:
    done = launched(harness, *arguments, ranks=1)
    assert done.returncode != 0
    assert word in done.stderr
    assert not records(done, "begin")
