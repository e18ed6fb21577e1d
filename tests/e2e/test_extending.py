"""A benchmark, a verb or an MPI family is one new file, and is used like ours with nothing else edited."""

import json
from pathlib import Path

import pytest

from support.bare_host import script
from support.command_line import rankwise
from support.mpis import FOUND, working

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

FAMILY = '''
import re
from rankwise.mpi.mpich.family import Mpich


class SiteMpi(Mpich):
    """MPICH as a site has renamed it."""

    name, title, compilers, launchers = "sitempi", "Site MPI", ("sitecc",), ("siterun",)

    def identify(self, compiler, ask):
        match = re.search(r"Site MPI (.+)", ask(compiler, "--site-version"))
        return match[1] if match else ""
'''
COMPILER = """
[ "$1" = --site-version ] && { echo "Site MPI 3.1"; exit; }
[ "$1" = -v ] && exit 1
exec MPICC "$@"
"""
MPICH = [one.id for one in FOUND if (one.family, one.source) == ("mpich", "pypi")]


def test_a_benchmark_is_one_new_file(tmp_path: Path) -> None:
    kernels = tmp_path / "plugins" / "csrc" / "kernels"
    kernels.mkdir(parents=True)
    (kernels / "double_barrier.c").write_text(BENCHMARK)
    words = ["bench", "double_barrier", "--mpi", FOUND[0].id, "-n", "2", "--launches", "1", "--json"]
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


@pytest.mark.skipif(not MPICH, reason="needs the MPICH of PyPI")
@pytest.mark.nightly
def test_an_mpi_family_is_one_new_file(tmp_path: Path) -> None:
    real, bin_folder = working(MPICH[0]), tmp_path / "site" / "bin"
    script(bin_folder / "sitecc", COMPILER.replace("MPICC", real.mpicc))
    script(bin_folder / "siterun", f'exec {real.mpiexec} "$@"\n')
    (tmp_path / "mpi").mkdir()
    (tmp_path / "mpi" / "sitempi.py").write_text(FAMILY)
    words = ["bench", "pingpong", "--mpi", "sitempi", "--prefix", str(tmp_path / "site"), "--sizes", "8"]
    quick = ["--launches", "1", "--per-cell", "5ms", "--json"]
    own = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    # there MPICH itself is not found, whose library this is, and nothing is left in the user's cache
    unknown = rankwise(*words, *quick, home=tmp_path, **own)
    assert unknown.returncode == 2 and "no MPI under" in unknown.stderr
    done = rankwise(*words, *quick, home=tmp_path, **own, RANKWISE_PLUGINS=str(tmp_path))
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["cells"]
    assert row["implementation"] == "sitempi-3.1"
    assert row["median_seconds"] > 0
    shown = json.loads(rankwise("show", "--json", home=tmp_path).stdout)
    assert str(bin_folder / "siterun") in shown["launches"][0]["command"]
