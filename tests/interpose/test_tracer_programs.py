"""What is recorded of real programs: how much room it takes, how much memory, and the parts that they mark."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankwise.analysis.trace.matrix import communication_matrix
from rankwise.analysis.trace.reading import read
from rankwise.artifacts import apps, builder
from rankwise.artifacts.builder import Artifact
from rankwise.artifacts.tracer import SOURCES
from support.command_line import rankwise
from support.mpis import FOUND, working
from support.traces import calls, open_folder, record, recorded

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]
ONE = next((one.id for one in FOUND if one.id.startswith("mpich-5")), "")

_MARKED = """
#include "rankwise_trace.h"
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        rankwise_region_begin("solver");
        MPI_Barrier(MPI_COMM_WORLD);
        rankwise_region_begin("inner");
        MPI_Barrier(MPI_COMM_WORLD);
        rankwise_region_end("inner");
        rankwise_region_end("solver");
    }
    MPI_Finalize();
    return 0;
}
"""
_PAUSED = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Pcontrol(0);
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(100000);
    if (rank == 0)
        MPI_Pcontrol(1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""
_MANY = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
int main(int argc, char **argv)
{
    int x = 0;
    struct rusage used;
    MPI_Init(&argc, &argv);
    for (long i = 0; i < 3000000; i++)
        MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    getrusage(RUSAGE_SELF, &used);
    printf("peak %ld KiB\\n", used.ru_maxrss);
    MPI_Finalize();
    return 0;
}
"""
_HPL = """HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out
1            # of problems sizes (N)
64           Ns
1            # of NBs
16           NBs
0            PMAP process mapping
1            # of process grids (P x Q)
1            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs
1            # of recursive stopping criterium
4            NBMINs
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs
1            # of broadcast
1            BCASTs
1            # of lookahead depth
1            DEPTHs
2            SWAP
64           swapping threshold
0            L1 in transposed form
0            U in transposed form
1            Equilibration
8            memory alignment in double
"""


@pytest.fixture
def open_source() -> Iterator[Path]:
    with open_folder() as folder:
        yield folder


def compiled(name: str, text: str, folder: Path) -> Path:
    source = folder / f"{name}.c"
    source.write_text(text)
    flags = ("-std=gnu99", "-O1")
    return builder.build(
        Artifact(name, (source,), "program", (SOURCES / "tracer",), flags, ("-ldl",)), working(ONE)
    )


def cg_of(iterations: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """CG whose class S has so many iterations: its result is another one then, and is said to be wrong."""
    changed = shutil.copytree(apps.SOURCES, folder / str(iterations))
    file = changed / "cg.c"
    text = file.read_text()
    wanted = text.replace("{{1400, 7, 15,", f"{{{{1400, 7, {iterations},")
    assert text.count("{{1400, 7, 15,") == 1
    file.write_text(wanted)
    monkeypatch.setattr(apps, "SOURCES", changed)
    return apps.build(working(ONE))


def test_ten_times_the_iterations_of_cg_take_no_more_room(
    open_source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, many = (
        recorded(ONE, 2, [cg_of(count, open_source, monkeypatch), "cg", "--class", "S"], code=None)
        for count in (15, 150)
    )
    for one, other in zip(few.ranks, many.ranks, strict=True):
        assert other.structure_bytes < 1.1 * one.structure_bytes
        short = [one.signatures[number] for number in one.order.tolist()]
        long = [other.signatures[number] for number in other.order.tolist()]
        body = (len(long) - len(short)) // 135  # calls of an iteration
        start = next(at for at in range(len(short)) if short[at : at + body] == short[at + body : at + 2 * body])
        before, after = short[:start], short[start + 15 * body :]
        assert long == before + 150 * short[start : start + body] + after and 15 * body > 0.8 * len(short)


def test_regions_of_the_header_are_recorded(open_source: Path) -> None:
    trace = recorded(ONE, 2, [compiled("marked", _MARKED, open_source)])
    for one in trace.ranks:
        assert calls(one) == Counter({"region": 12, "MPI_Barrier": 6})
        assert sorted(one.regions.values()) == ["inner", "solver"]


def test_after_a_pause_times_are_those_of_the_other_ranks(open_source: Path) -> None:
    """Nobody leaves the last barrier before all have come to it."""
    paused, other = recorded(ONE, 2, [compiled("paused", _PAUSED, open_source)]).ranks
    assert calls(paused) == Counter({"MPI_Barrier": 2}) and calls(other) == Counter({"MPI_Barrier": 3})
    entered, left = (max(one.entry[-1] for one in (paused, other)), min(one.exit[-1] for one in (paused, other)))
    assert entered <= left
    assert paused.entry[1] - paused.exit[0] > 100e6, "what is not recorded counts as computing"


def peak(done: subprocess.CompletedProcess[str]) -> int:
    assert done.returncode == 0, done.stderr
    found = re.search(r"peak (\d+) KiB", done.stdout)
    assert found, done.stdout
    return int(found[1])


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("words", "most"), [([], 6 * 3_000_000), (["--summary-only"], 20_000)], ids=["all", "short"]
)
def test_millions_of_calls_take_bounded_memory(words: list[str], most: int, open_source: Path) -> None:
    program = compiled("many", _MANY, open_source)
    bare = peak(rankwise("run", "-q", "-n", "1", "--mpi", ONE, "--", str(program), home=open_source))
    with open_folder() as folder:
        traced = peak(record(folder / "t", ONE, 1, [program], *words))
        size = sum(file.stat().st_size for file in (folder / "t").iterdir())
        (trace,) = read(folder / "t").ranks
    assert calls(trace) == Counter({"MPI_Send": 3_000_000})
    assert size < most and traced - bare < 30_000, (size, bare, traced)


@pytest.mark.nightly
@pytest.mark.timeout(240)
@pytest.mark.skipif(not shutil.which("hpcc"), reason="no HPL here (Debian: hpcc)")
def test_hpl_is_recorded_replayed_and_mapped() -> None:
    """Debian's hpcc runs HPL among others, linked to Debian's Open MPI. Two ranks of two sites belong into one."""
    open_mpi = next(one.id for one in FOUND if one.id.startswith("openmpi-4"))
    with open_folder() as home:
        (home / "hpccinf.txt").write_text(_HPL)
        words = ("-n", "2", "--mpi", open_mpi, "-o", "t", "--", "hpcc")
        done = rankwise("trace", *words, home=home, timeout=150)  # it polls, and waits for others' time slices
        assert done.returncode == 0, done.stderr
        said = (home / "hpccoutf.txt").read_text()
        assert re.search(r"^WR11C2R4 +64 +16 +1 +2 ", said, re.MULTILINE) and "Success=1" in said
        trace = read(home / "t")
        assert not trace.problems
        of_pairs = int(communication_matrix(trace).messages.sum())
        predicted = rankwise("predict", "trace", "t", "--testbed", "two-clusters", "--json", home=home)
        assert predicted.returncode == 0, predicted.stderr
        assert of_pairs < json.loads(predicted.stdout)["messages"] < 1.5 * of_pairs  # those of collectives too
        words = ("t", "--testbed", "two-clusters", "--placement", "across-sites", "--json")
        mapped = json.loads(rankwise("map", *words, home=home).stdout)
    assert mapped["now"] == ["north-1", "south-1"] and mapped["hosts"] == ["north-1", "north-2"]
    assert mapped["cost"] == pytest.approx(mapped["cost_now"] / 10)
