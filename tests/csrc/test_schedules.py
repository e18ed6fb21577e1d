"""Making schedules touches no memory that is not theirs, leaks none, and does nothing undefined."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support.real_harness import CSRC, SANITIZED, WARNINGS

DRIVER = Path(__file__).with_name("make_schedules.c")
FAULTY = """
#include "algorithm.h"
#include <stdlib.h>
static void generate(Schedule *s, const Problem *p)
{
    int *ranks = malloc((size_t)p->ranks * sizeof *ranks);
    ranks[p->ranks] = p->rank;
    add_send(s, ranks[0], 0, place(INPUT_MEMORY, 0), p->count, NO_STEP);
    free(ranks);
}
ALGORITHM(faulty, BCAST) = {.description = "writes beyond its memory", .generate = generate};
"""

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")


def carried_out(folder: Path, ranks: int, *more: Path) -> "subprocess.CompletedProcess[str]":
    sources = [DRIVER, *sorted(CSRC.glob("schedules/*.c")), *more]
    program = folder / "make_schedules"
    argv = ["cc", *WARNINGS, *SANITIZED, f"-I{CSRC / 'schedules'}", *map(str, sources), "-lm", "-o", str(program)]
    subprocess.run(argv, check=True, timeout=200)
    return subprocess.run([program, str(ranks)], capture_output=True, text=True, check=False, timeout=200)


@pytest.mark.timeout(400)
@pytest.mark.parametrize("ranks", [9, *(pytest.param(ranks, marks=pytest.mark.nightly) for ranks in (17, 33))])
def test_schedules_of_up_to_so_many_ranks(tmp_path: Path, ranks: int) -> None:
    done = carried_out(tmp_path, ranks)
    assert done.returncode == 0, done.stderr
    made, refused = map(int, done.stdout.split())
    assert made > 100 * refused


@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_a_fault_is_seen(tmp_path: Path) -> None:
    faulty = tmp_path / "bcast_faulty.c"
    faulty.write_text(FAULTY)
    done = carried_out(tmp_path, 3, faulty)
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr
