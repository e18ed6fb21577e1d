"""A source tree of the NAS Parallel Benchmarks is built with an MPI's own compilers, and stays as it is."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from rankwise.artifacts import npb_tree
from rankwise.cli.npb import command
from rankwise.core import paths
from rankwise.core.errors import HostError, InputError
from rankwise.core.records import Implementation
from rankwise.workflows import official_npb
from support.mpis import FOUND


def _has_fortran(implementation: Implementation) -> bool:
    try:
        return bool(npb_tree.fortran_of(implementation))
    except HostError:
        return False


WITH = [one.id for one in FOUND if _has_fortran(one)]
WITHOUT = [one.id for one in FOUND if one.id not in WITH]
needs_fortran = [pytest.mark.mpi, pytest.mark.skipif(not WITH, reason="no MPI with Fortran here")]

_RESULT = """
 Time in seconds =             %12.2f
 Mop/s total     =             %12.2f
 Verification    =             %12s
"""
_FORTRAN = """
      program small
      implicit none
      include 'mpif.h'
      integer rank, ranks, total, error
      call MPI_Init(error)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
      call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
      call MPI_Allreduce(1, total, 1, MPI_INTEGER, MPI_SUM,
     >                   MPI_COMM_WORLD, error)
      if (rank .eq. 0) then
        write(*, '(a,f12.2)') ' Time in seconds = ', 0.25d0
        write(*, '(a,i12,a)') ' Mop/s total     = ', 10 * total, '.00'
        write(*, '(a,a)') ' Verification    = ', '{verdict}'
      endif
      call MPI_Finalize(error)
      end
"""
_MAKEFILE = """
include config/make.def
.PHONY: lu mg ep
lu mg ep:
\tcd $@; $(MPIF77) -c $(FFLAGS) $@.f
\tcd $@; $(FLINK) $(FLINKFLAGS) -o $(BINDIR)/$@.$(CLASS).$(NPROCS) $@.o $(FMPI_LIB)
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One as small as can be: lu is right, mg wrong, and ep cannot be compiled."""
    ours = paths.cache_folder()
    cache = tmp_path / "cache" / "rankwise"
    cache.mkdir(parents=True)
    for name in ("builds", "objects"):
        (ours / name).mkdir(parents=True, exist_ok=True)
        (cache / name).symlink_to(ours / name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))
    top = tmp_path / "NPB3.9-MPI"
    files = {
        "Makefile": _MAKEFILE, "config/make.def": "$(error not this one)\n", "sys/setparams.c": "",
        "lu/lu.f": _FORTRAN.format(verdict="SUCCESSFUL"), "mg/mg.f": _FORTRAN.format(verdict="UNSUCCESSFUL"),
        "ep/ep.f": "      program broken\n      call\n", "lu/lu.o": "of another MPI",
    }  # fmt: skip
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    return top


def _content(folder: Path) -> dict[Path, str]:
    return {path: path.read_text() for path in folder.rglob("*") if path.is_file()}


def _run(*words: str) -> tuple[int, list[dict[str, object]], str]:
    done = CliRunner().invoke(command, [*words, "--json"], standalone_mode=False)
    assert not done.exception, done.exception
    return done.return_value, json.loads(done.stdout), done.stderr


class TestRuns:
    """With an MPI that has Fortran."""

    pytestmark = needs_fortran

    def test_a_kernel_is_built_and_run_and_the_tree_stays_as_it_is(self, tree: Path) -> None:
        before = _content(tree)
        code, (one,), _ = _run("lu", "--source", str(tree.parent), "--mpi", WITH[0], "-n", "2")
        assert code == 0
        assert (one["seconds"], one["mops"], one["verified"], one["remark"]) == (0.25, 20.0, True, "")
        assert str(one["program"]).endswith("/bin/lu.S.2") and Path(str(one["program"])).is_file()
        assert _content(tree) == before
        (tree / "lu" / "lu.f").write_text(_FORTRAN.format(verdict="SUCCESSFUL").replace("10 *", "11 *"))
        assert _run("lu", "--source", str(tree), "--mpi", WITH[0], "-n", "2")[1][0]["mops"] == 22.0

    def test_a_wrong_result_and_a_kernel_that_cannot_be_built_are_told(self, tree: Path) -> None:
        code, (ep, lu, mg), _ = _run("ep", "lu", "mg", "--source", str(tree), "--mpi", WITH[0], "-n", "1")
        assert code == 1
        assert (ep["verified"], lu["verified"], mg["verified"]) == (None, True, False)
        assert str(ep["remark"]).startswith("not built: Error:")
        assert "make -C" in str(ep["remark"]) and "ep CLASS=S NPROCS=1" in str(ep["remark"])

    @pytest.mark.skipif(not WITHOUT, reason="every MPI has Fortran here")
    def test_an_mpi_without_fortran_is_left_out(self, tree: Path) -> None:
        asked = ["--mpi", WITH[0], "--mpi", WITHOUT[0]]
        _, results, said = _run("lu", "--source", str(tree), *asked, "-n", "1")
        assert [one["implementation"] for one in results] == [WITH[0]]
        assert f"left out: {WITHOUT[0]} has no mpif77" in " ".join(said.split())
        with pytest.raises(HostError, match="has no mpif77"):
            command.main(["lu", "--source", str(tree), "--mpi", WITHOUT[0], "-n", "1"], standalone_mode=False)


def test_a_folder_that_is_no_such_tree_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a source tree") as caught:
        npb_tree.find(tmp_path)
    assert caught.value.remedy


def test_what_only_our_kernels_can_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["--count", "--source", str(tmp_path)])
    assert done.exit_code == 2 and "rankwise trace" in done.output


@given(
    st.integers(0, 10**8), st.integers(0, 10**8), st.sampled_from(["SUCCESSFUL", "UNSUCCESSFUL", "NOT PERFORMED"])
)
def test_results_are_read_as_they_are_printed(hundredths: int, rate: int, verdict: str) -> None:
    text = "before\n" + _RESULT % (hundredths / 100, rate / 100, verdict)
    found = official_npb.read_result(text)
    assert found is not None
    assert math.isclose(found["seconds"], hundredths / 100) and math.isclose(found["mops"], rate / 100)
    assert found["verified"] is {"SUCCESSFUL": True, "UNSUCCESSFUL": False}.get(verdict)
    assert bool(found["remark"]) is (verdict == "UNSUCCESSFUL")
    assert official_npb.read_result(text[: text.index("Verification")]) is None
