"""Schedules are carried out to their end in any order, and an error of MPI ends the job with its words."""

from pathlib import Path

import pytest

from support.real_harness import SANITIZED, build, launched, records

BACKWARDS = """
#include "algorithm.h"
/* The last part is sent first and received last: with a fixed bound on either side nobody would go on. */
static void generate(Schedule *s, const Problem *p)
{
    enum { PARTS = 600 };
    const Place at = broadcast_place(p);
    for (int i = 0; i < PARTS; i++) {
        const int part = p->rank == p->root ? PARTS - 1 - i : i;
        const Place here = beyond(at, part_start(p->count, PARTS, part));
        const int64_t length = part_length(p->count, PARTS, part);
        if (p->rank != p->root)
            add_receive(s, p->root, part, here, length, NO_STEP);
        for (int r = 0; r < p->ranks && p->rank == p->root; r++)
            if (r != p->root)
                add_send(s, r, part, here, length, NO_STEP);
    }
}
ALGORITHM(backwards, BCAST) = {.description = "in parts, the last one first", .generate = generate};
"""
NOBODY = """
#include "algorithm.h"
static void generate(Schedule *s, const Problem *p)
{
    add_send(s, p->ranks + 3, 0, place(INPUT_MEMORY, 0), p->count, NO_STEP);
}
ALGORITHM(to_nobody, BCAST) = {.description = "sends to a rank that is not there", .generate = generate};
"""
PART_BYTES = 16384  # beyond what MPIs send before the receiver has asked for it

pytestmark = pytest.mark.mpi


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("execution")
    sources = {"bcast_backwards.c": BACKWARDS, "bcast_to_nobody.c": NOBODY}
    for name, text in sources.items():
        (folder / name).write_text(text)
    return build(*(folder / name for name in sources))


def test_a_schedule_that_needs_more_messages_under_way_than_the_bound_ends(program: Path) -> None:
    done = launched(program, "--verify", f"bcast.backwards:{600 * PART_BYTES}", ranks=2)
    assert done.returncode == 0, done.stderr
    assert len(records(done, "verified")) == 1


def test_an_error_of_mpi_comes_through(program: Path) -> None:
    done = launched(program, "--verify", "bcast.to_nobody:64", ranks=2)
    assert done.returncode != 0
    failures = records(done, "failure")
    assert failures
    assert all("rank" in failure["reason"].lower() for failure in failures)


@pytest.mark.nightly
def test_nothing_is_read_or_written_that_is_not_its_own(tmp_path: Path) -> None:
    names = ("bcast.chain:segment=64", "allreduce.ring", "alltoall.bruck", "scan.linear")
    cells = [f"{name}:4099" for name in names]
    done = launched(build(flags=SANITIZED), "--verify", "--root", "rotate", *cells, ranks=3)
    assert done.returncode == 0, done.stderr
    assert len(records(done, "verified")) == len(cells)
