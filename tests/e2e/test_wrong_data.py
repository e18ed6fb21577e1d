"""An MPI that is fast and wrong does not win: data are checked before they are timed, and the answer says so."""

import json
from pathlib import Path

import pytest

from rankwise.store.store import Store
from support.command_line import rankwise
from support.mpis import FOUND

ONE_OF_EACH = {one.family: one.id for one in FOUND if one.family in ("openmpi", "mpich")}
WRONG_IN_OPEN_MPI = """
#include "kernel.h"

/* With Open MPI nothing is sent, which is fast. */
static void run(Cell *c)
{
#ifndef OPEN_MPI
    MPI_Bcast(c->rank == c->root ? c->send : c->receive, c->count, c->type, c->root, c->comm);
#else
    (void)c;
#endif
}

KERNEL(hasty_bcast) = {
    .category = COLLECTIVE,
    .description = "bcast that Open MPI does not do",
    .data = &broadcast_data,
    .run = run,
};
"""

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(len(ONE_OF_EACH) < 2, reason="needs Open MPI and MPICH")]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    kernels = tmp_path / "plugins" / "csrc" / "kernels"
    kernels.mkdir(parents=True)
    (kernels / "hasty_bcast.c").write_text(WRONG_IN_OPEN_MPI)
    return tmp_path


def compared(home: Path, *words: str) -> tuple[int, str]:
    done = rankwise(
        "compare", *ONE_OF_EACH.values(), "--bench", "hasty_bcast,bcast", "--sizes", "64", "-n", "2",
        "--time", "3s", "--report", str(home / "report.html"), "--store", str(home / "store.sqlite"), *words,
        home=home, RANKWISE_PLUGINS=str(home / "plugins"),
    )  # fmt: skip
    assert done.stdout, done.stderr
    return done.returncode, done.stdout


def test_wrong_data_come_first_cost_the_verdict_and_the_exit_code(home: Path) -> None:
    code, text = compared(home, "--json")
    said = json.loads(text)
    assert code == 1
    assert next(iter(said)) == "wrong_data"
    (wrong,) = said["wrong_data"]
    assert (wrong["cell"]["implementation"], wrong["cell"]["benchmark"]) == (ONE_OF_EACH["openmpi"], "hasty_bcast")
    assert "is 0xa5" in wrong["reason"]
    assert said["notices"][0]["kind"] == "wrong-data"
    assert {verdict["benchmark"] for verdict in said["verdicts"]} == {"bcast"}
    assert (home / "report.html").read_text().index("WRONG DATA") > 0
    with Store(home / "store.sqlite") as store:
        launches = store.launches(1)
    assert [launch.verifying for launch in launches[:2]] == [True, True]
    assert not any(launch.verifying for launch in launches[2:])
    own = [launch for launch in launches if launch.implementation == ONE_OF_EACH["openmpi"]]
    assert {series.cell.benchmark for launch in own for series in launch.series} == {"bcast"}


def test_the_terminal_says_it_in_its_first_line(home: Path) -> None:
    code, text = compared(home)
    assert code == 1
    assert "WRONG DATA" in text.splitlines()[0]


@pytest.mark.nightly
def test_who_does_not_want_the_check_leaves_it_out(home: Path) -> None:
    code, text = compared(home, "--no-verify", "--json")
    said = json.loads(text)
    assert code == 0
    assert said["wrong_data"] == []
    assert {verdict["benchmark"] for verdict in said["verdicts"]} == {"hasty_bcast", "bcast"}
    with Store(home / "store.sqlite") as store:
        assert not any(launch.verifying for launch in store.launches(1))
