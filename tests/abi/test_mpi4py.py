"""mpi4py, built once for the standard ABI, passes its own tests on every implementation through the table."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path

import pytest

from rankwise.core import paths
from support.abi import IDS, needs_compiler
from support.command_line import rankwise
from support.mpis import FOUND

pytest.importorskip("mpi4py", reason="mpi4py is among the packages for development")
pytestmark = [pytest.mark.mpi, pytest.mark.timeout(1800), needs_compiler]
COLLECTIVES = "test_cco|test_comm|test_op"
BY_DAY = "test_op|test_cco_buf"
WHOLE = 699
"""Tests that COLLECTIVES chooses on a library that lacks none of what they need."""
NOT_HERE = "test_spawn|test_dynproc|test_ulfm|test_util_pool|test_mpiabi|test_mpiapi"
"""Start further jobs, or look at mpi4py itself."""
FAILING = {
    "openmpi-5": {"testBuffering", "testGetName"},
    "openmpi-4": {
        "testBuffering",
        "testGetName",
        "testHalf",
        "testPair",
        "test_cco_pr_buf",
        "test_cco_pr_ngh_buf",
        "test_cco_pr_vec",
    },
    "mpich-4": {"testBuffering", "testGetName", "testReduce"},
}
"""Tests of collectives and communicators that need what the library itself lacks or does otherwise."""

BESIDES = "test_(?!cco|comm|op|io|file|rma|win|util)"
"""Messages, requests, datatypes and objects of all kinds: all but collectives, files and windows."""
BESIDES_COUNT = {"openmpi-4": 771}
"""How many tests that are where modules cannot be loaded; 844 elsewhere."""
_OF_MPI_4_1 = {
    "testAddErrorClass", "testAddErrorClassCodeString", "testAddErrorCode", "testBuffering",
    "testGetHWResourceInfo", "testGetName", "testGetSetName", "testGetValueIndex", "testValueIndex",
}  # fmt: skip
"""What libraries of MPI-4.0 and before lack, and the name of a null datatype, which they refuse."""
_SESSIONS = {"testCall", "testCreate", "testErrorsFatal", "testErrorsReturn", "testGetFree"}
_OF_MPI_4_0 = {
    *_SESSIONS, "testISendrecv", "testISendrecvReplace", "testProcNullISendrecv",
    "testCreateEnv", "testCreateEnvType", "testDup", "testGet", "testGetSetDelete", "testPickle", "testPyMethods",
    "testSafeFreeCreated", "test_exceptions", "test_p2p_buf_part", "test_session",
}  # fmt: skip
"""Session_*, Isendrecv*, Info_create_env, Info_get_string; modules that cannot be loaded without some of them."""
BESIDES_FAILING: dict[str, set[str]] = {
    "mpich-5": set(),
    "intelmpi": set(),
    "openmpi-5": {*_OF_MPI_4_1, "testContiguousBigMPI"},
    "mpich-4": _OF_MPI_4_1,
    "openmpi-4": {*_OF_MPI_4_1, *_OF_MPI_4_0, "testContiguousBigMPI"},
}
"""The tests of BESIDES that fail; Open MPI has no contiguous type of more than 2³¹-1 elements."""

SITES = (("rennes", "openmpi-5", 2), ("nancy", "mpich-5", 1), ("sophia", "intelmpi", 1))
OVER_THREE = {
    "test_op": 11,
    "test_cco_buf": 72,
    "test_comm": 101,
    "test_p2p_buf": 52,
    "test_cco_nb_buf": 70,
    "test_cco_buf_inter": 16,
    "test_p2p_obj": 92,
    "test_request": 12,
    "test_cco_obj": 40,
    "test_cco_obj_inter": 24,
    "test_cco_vec": 62,
    "test_cco_ngh_buf": 16,
    "test_cco_ngh_obj": 8,
    "test_comm_topo": 32,
    "test_group": 52,
}
"""Modules that run on a world of these three, and how many tests they have."""


@pytest.fixture(scope="session")
def suite() -> tuple[Path, Path]:
    """Where mpi4py of the standard ABI is, and its tests."""
    number = version("mpi4py")
    folder = paths.cache_folder() / "mpi4py"
    built, source = folder / f"abi-{number}", folder / f"mpi4py-{number}"
    pip = [sys.executable, "-m", "pip"]
    options = ["-q", "--no-deps", "--no-binary", "mpi4py"]
    if not (source / "test" / "main.py").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([*pip, "download", *options, "-d", folder, f"mpi4py=={number}"], check=True, timeout=600)
        with tarfile.open(folder / f"mpi4py-{number}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
    if not built.exists():
        compiler = next(Path(one.mpicc).with_name("mpicc_abi") for one in FOUND if one.id.startswith("mpich-5"))
        subprocess.run(
            [*pip, "install", *options, "--target", built, f"mpi4py=={number}"],
            env={**os.environ, "MPICC": str(compiler), "CFLAGS": "-O0"}, check=True, timeout=900,
        )  # fmt: skip
    return built, source / "test" / "main.py"


def failing(  # noqa: PLR0917
    implementation_id: str,
    ranks: int,
    home: Path,
    suite: tuple[Path, Path],
    chosen: str,
    least: int,
    linked_to: str = "",
    *,
    exactly: bool = False,
) -> set[str]:
    """Return the names of the tests that fail; asserts that each rank has gone through `least`, or more.

    `linked_to`: not mpi4py of the standard ABI, but its wheel that has loaded this MPI.
    """
    job = ["-n", str(ranks), "--mpi", implementation_id]
    how = ["--linked-to", linked_to] if linked_to else ["--abi"]
    return failing_in([*job, *how], ranks, home, suite, chosen, least, exactly=exactly)


def failing_in(  # noqa: PLR0917
    job: list[str], ranks: int, home: Path, suite: tuple[Path, Path], chosen: str, least: int, *,
    exactly: bool = False,
) -> set[str]:  # fmt: skip
    """Do the same in the job that these options of `rankwise run` start."""
    built, main = suite
    program = [sys.executable, "-W", "ignore", "-B", str(main), "-q", "-i", chosen, "-e", NOT_HERE]
    done = rankwise(
        "run", "-q", *job, "--", *program, home=home, timeout=1700,
        PYTHONPATH="" if "--linked-to" in job else str(built),
    )  # fmt: skip
    said = done.stdout + done.stderr
    # Not only at the start of a line: ranks write at the same time.
    counts = [int(number) for number in re.findall(r"Ran (\d+) tests", said)]
    assert len(counts) == ranks and min(counts) >= least, said[-4000:]
    assert not exactly or max(counts) == least
    return set(re.findall(r"\b(?:ERROR|FAIL): (\w+)", said))


def known(implementation_id: str) -> set[str]:
    return next((names for start, names in FAILING.items() if implementation_id.startswith(start)), set())


def id_of(start: str) -> str:
    return next(one for one in IDS if one.startswith(start))


@pytest.mark.parametrize(
    ("start", "ranks"),
    [
        pytest.param(start, ranks, marks=[] if (start, ranks) == ("intelmpi", 2) else pytest.mark.nightly)
        for start in ("mpich-5", "intelmpi")
        for ranks in (1, 2, 3)
    ],
)
def test_all_collectives(start: str, ranks: int, tmp_path: Path, suite: tuple[Path, Path]) -> None:
    assert failing(id_of(start), ranks, tmp_path, suite, COLLECTIVES, WHOLE, exactly=True) == set()


def test_a_part_by_day(tmp_path: Path, suite: tuple[Path, Path]) -> None:
    assert failing(id_of("openmpi-5"), 2, tmp_path, suite, BY_DAY, 90) <= known("openmpi-5")


@pytest.mark.nightly
@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("implementation_id", [one for one in IDS if one.startswith(tuple(FAILING))])
def test_collectives_by_night(
    implementation_id: str, ranks: int, tmp_path: Path, suite: tuple[Path, Path]
) -> None:
    assert failing(implementation_id, ranks, tmp_path, suite, COLLECTIVES, 550) <= known(implementation_id)


@pytest.mark.nightly
@pytest.mark.parametrize("start", list(BESIDES_FAILING))
def test_all_else_by_night(start: str, tmp_path: Path, suite: tuple[Path, Path]) -> None:
    found = failing(id_of(start), 2, tmp_path, suite, BESIDES, BESIDES_COUNT.get(start, 844), exactly=True)
    assert found == BESIDES_FAILING[start]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("own", "other"), [("openmpi-5", "mpich-5"), ("mpich-5", "openmpi-5"), ("openmpi-4", "intelmpi")]
)
def test_the_wheel_on_another_mpi_than_it_has_loaded(
    own: str, other: str, tmp_path: Path, suite: tuple[Path, Path]
) -> None:
    assert failing(id_of(other), 2, tmp_path, suite, BY_DAY, 90, id_of(own)) <= known(other)


@pytest.mark.nightly
@pytest.mark.parametrize(("module", "count"), list(OVER_THREE.items()))
def test_a_world_of_three_implementations(
    module: str, count: int, tmp_path: Path, suite: tuple[Path, Path]
) -> None:
    """Two ranks on Open MPI, whose lacks are all that may fail, one on MPICH and one on Intel MPI."""
    sites = ",".join(f"{site}={id_of(start)}:{ranks}" for site, start, ranks in SITES)
    job = ["--abi", "--join", sites, "--limit", "1500s"]
    found = failing_in(job, 4, tmp_path, suite, rf"{module}\.py", count, exactly=True)
    assert found - {"PMIX_ERR_UNREACH"} <= FAILING["openmpi-5"]  # which prterun says where a rank has failed
