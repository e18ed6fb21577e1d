"""What is recorded of real programs: how much room it takes, how much memory, and the parts that they mark."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

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
