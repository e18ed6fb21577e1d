"""What ARCHITECTURE.md promises: a benchmark or a verb is one new file, nothing else edited."""

import json
from pathlib import Path

import pytest

from support.command_line import rankwise
from support.mpis import FOUND

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]

BENCHMARK = """
#include "kernel.h"

static void run(Cell *c)
{
    MPI_Barrier(c->comm);
    MPI_Barrier(c->comm);
}

KERNEL(double_barrier) = {
    .category = COLLECTIVE,
    .description = "two barriers, one after the other",
    .run = run,
    .unsized = true,
};
"""

VERB = """
import click

@click.command(name="greet")
def command() -> None:
    '''Say hello.'''
    click.echo("hello from a plug-in")
"""


def test_a_benchmark_is_one_new_file(tmp_path: Path) -> None:
    kernels = tmp_path / "plugins" / "csrc" / "kernels"
    kernels.mkdir(parents=True)
    (kernels / "double_barrier.c").write_text(BENCHMARK)
    words = ["bench", "double_barrier", "--mpi", FOUND[0].id, "-n", "2", "--launches", "1", "--format", "json"]
    done = rankwise(*words, home=tmp_path, RANKWISE_PLUGINS=str(tmp_path / "plugins"))
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["cells"]
    assert row["benchmark"] == "double_barrier"
    assert row["median_seconds"] > 0


def test_a_verb_is_one_new_file(tmp_path: Path) -> None:
    (tmp_path / "cli").mkdir()
    (tmp_path / "cli" / "greet.py").write_text(VERB)
    assert rankwise("greet", home=tmp_path, RANKWISE_PLUGINS=str(tmp_path)).stdout == "hello from a plug-in\n"
    assert "Say hello." in rankwise("--help", home=tmp_path, RANKWISE_PLUGINS=str(tmp_path)).stdout
