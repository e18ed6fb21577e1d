"""Lines of the suite's lists, as `testlist.py` reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mpich_suite.testlist import LONGEST, MOST_RANKS, SuiteTest, listed, read


def read_line(tmp_path: Path, line: str) -> list[SuiteTest]:
    folder = tmp_path / "coll"
    folder.mkdir()
    (folder / "testlist").write_text(f"{line}\n")
    return list(read(folder, tmp_path))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("allred 4", SuiteTest("coll", "allred", 4)),
        ("allred 4 arg=-count=10 arg=x", SuiteTest("coll", "allred", 4, ("-count=10", "x"))),
        ("ibarrier 2 timeLimit=30", SuiteTest("coll", "ibarrier", 2, limit_seconds=30)),
        ("exitst1 2 resultTest=TestStatus", SuiteTest("coll", "exitst1", 2, fails=True, prints=False)),
        ("errfatal 1 resultTest=TestErrFatal", SuiteTest("coll", "errfatal", 1, fails=True, prints=False)),
        ("@namepub_tests@namepub 2", SuiteTest("coll", "namepub", 2)),
        ("mprobe 2 env=MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE=16384", SuiteTest("coll", "mprobe", 2)),
        ("sendself 1 test/mpi/pt2pt/sendself arg=-seed=47", SuiteTest("coll", "sendself", 1, ("-seed=47",))),
        ("p_order 2 strict=false", SuiteTest("coll", "p_order", 2)),
    ],
)
def test_a_line_is_a_test(line: str, expected: SuiteTest, tmp_path: Path) -> None:
    assert read_line(tmp_path, line) == [expected]


@pytest.mark.parametrize(
    "line",
    [
        "# allred 4",
        "",
        "coll",
        "@iodir@",
        "scancel 2 xfail=ticket2266",
        f"ic2 {MOST_RANKS + 1}",
        "large_type_sendrec 2 arg=33 mem=17.2",
        "subcomm_abort 4 mpiexecarg=-disable-auto-cleanup",
        "pt2ptf1 4 env=MPIEXEC_ALLOW_FAULT=YES",
    ],
)
def test_what_is_left_out(line: str, tmp_path: Path) -> None:
    assert read_line(tmp_path, line) == []


def test_templates_stand_where_there_is_no_list_and_repeated_lines_are_one_test(tmp_path: Path) -> None:
    for folder, name in (("coll", "testlist.in"), ("f08/pt2pt", "testlist"), ("coll/cxx", "testlist")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / name).write_text("one 2\none 2 env=MPIR_CVAR_X=1\none 3\n")
    found = listed(tmp_path)
    assert [test.id for test in found] == ["coll/one 2", "coll/one 3", "f08/pt2pt/one 2", "f08/pt2pt/one 3"]
    assert [test.fortran for test in found] == [False, False, True, True]
    assert {test.root for test in found} == {"coll", "f08"} and all(one.limit_seconds == LONGEST for one in found)
