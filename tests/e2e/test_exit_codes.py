"""Exit codes of partial failures are those of docs/exit-codes.md."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankwise.cli.answer import code_of_check
from rankwise.core import errors
from rankwise.core.apps import AppResult, exit_code
from rankwise.core.records import CellFailure, Notice
from rankwise.core.tuning import Native, Tuning
from rankwise.profiles.writing import write
from rankwise.workflows import guidelines
from rankwise.workflows.installations import require_one
from support.command_line import rankwise
from support.mpis import FOUND
from support.profiles import part, profile
from support.stored import CELLS, OPENMPI

PAGE = Path(__file__).parents[2] / "docs" / "exit-codes.md"
IDS = {one.family: one.id for one in FOUND if one.family in ("openmpi", "mpich")}
FRAGILE = """
#include "kernel.h"
#include <stdlib.h>

/* With MPICH it crashes. */
static void run(Cell *c)
{
#ifndef OPEN_MPI
    (void)c;
    abort();
#else
    MPI_Bcast(c->rank == c->root ? c->send : c->receive, c->count, c->type, c->root, c->comm);
#endif
}

KERNEL(fragile) = {
    .category = COLLECTIVE,
    .description = "bcast that MPICH does not survive",
    .data = &broadcast_data,
    .run = run,
};
"""

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(len(IDS) < 2, reason="needs Open MPI and MPICH")]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("home")
    kernels = path / "plugins" / "csrc" / "kernels"
    kernels.mkdir(parents=True)
    (kernels / "fragile.c").write_text(FRAGILE)
    write(profile(part(IDS["mpich"], Native(), Tuning()), name="empty"), path / "profiles")
    return path


def run(home: Path, *words: str) -> tuple[int, str]:
    done = rankwise(*words, home=home, RANKWISE_PLUGINS=str(home / "plugins"))
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def compared(home: Path, names: str, benchmarks: str, *words: str) -> tuple[int, str]:
    mpis = [IDS[name] for name in names.split(",")]
    return run(home, "compare", *mpis, "--bench", benchmarks, "--sizes", "64", "-n", "2", "--time", "4s", *words)


BOTH = "openmpi,mpich"
GATE = ("--fail-on", "slower")


@pytest.mark.parametrize(
    ("names", "benchmarks", "words", "code"),
    [
        (BOTH, "fragile", (), 1),
        (BOTH, "fragile", GATE, 1),
        (BOTH, "fragile,bcast", (), 0),
        (BOTH, "fragile,bcast", GATE, 1),
        ("mpich", "bcast", (), 0),
        ("mpich", "bcast", GATE, 1),
        ("mpich", "fragile", (), 3),
    ],
)
def test_a_comparison_with_an_mpi_that_crashes(
    home: Path, names: str, benchmarks: str, words: tuple[str, ...], code: int
) -> None:
    found, said = compared(home, names, benchmarks, *words)
    assert found == code, said
    assert ("check failed: " in said) == (code == 1)
    assert "result: ;" not in said


def test_benchmarks_with_an_mpi_that_crashes(home: Path) -> None:
    words = ("bench", "fragile", "-n", "2", "--sizes", "64", "--launches", "1", "--mpi")
    found, said = run(home, *words, f"{IDS['openmpi']},{IDS['mpich']}")
    assert found == 1 and f"check failed: {IDS['mpich']}" in said
    assert run(home, *words, IDS["openmpi"])[0] == 0
    assert run(home, *words, IDS["mpich"])[0] == 3


def test_a_profile_that_changes_nothing_is_not_compared_with_the_default(home: Path) -> None:
    profiles = ("--profile", "default", "--profile", "empty")
    found, said = compared(home, "mpich", "bcast", *profiles)
    assert found == 2 and "empty" in said and IDS["mpich"] in said


def test_an_import_of_several_files_is_all_or_nothing(home: Path) -> None:
    (home / "good.log").write_text(
        "# OSU MPI Allreduce Latency Test v7.5\n# Size       Avg Latency(us)\n4  2.00\n"
    )
    assert run(home, "import", "good.log", "missing.log", "--store", "imported.sqlite")[0] == 2
    assert not (home / "imported.sqlite").exists()


GOOD = AppResult("ep", "S", "a-1", 2, "", "", seconds=1.0, verified=True)
FAILED = replace(GOOD, seconds=math.nan, verified=None)
WRONG = replace(GOOD, verified=False)


@pytest.mark.parametrize(
    ("results", "code"),
    [([GOOD, GOOD], 0), ([GOOD, FAILED], 1), ([GOOD, WRONG], 1), ([FAILED, FAILED], 3), ([FAILED, WRONG], 1)],
)
def test_applications(results: list[AppResult], code: int) -> None:
    assert exit_code(results) == code


def answered(**changes: Any) -> guidelines.GuidelinesResult:
    return replace(guidelines.GuidelinesResult(1, 0.05, (), {}, {}, {}, (), (), Path()), **changes)


def test_guidelines() -> None:
    missing = answered(notices=(Notice("no-result", "mpich-5 gave no result: signal 11"),))
    failed = answered(failures=(CellFailure(CELLS[0], "signal 11"),))
    for found, gate, code in ((answered(), True, 0), (missing, False, 1), (failed, False, 0), (failed, True, 1)):
        assert code_of_check(found.objections(fail_on_violation=gate)) == code


def test_listing_implementations() -> None:
    require_one([OPENMPI, replace(OPENMPI, status="broken")])
    with pytest.raises(errors.HostError) as caught:
        require_one([replace(OPENMPI, status="broken")])
    assert caught.value.exit_code == 3


def test_the_page_has_a_code_for_every_verb_that_measures() -> None:
    rows = re.findall(r"^\| (`.*?) \| .* \| (\d+) \|$", PAGE.read_text(), re.MULTILINE)
    named = {word for words, _ in rows for word in re.findall(r"`(\w+)", words)}
    measuring = {"compare", "bench", "guidelines", "study", "npb", "ray2mesh", "coupled", "tune", "fit", "mpis"}
    assert measuring | {"import", "profile"} <= named
    assert {int(code) for _, code in rows} <= {0, 1, 2, 3}
