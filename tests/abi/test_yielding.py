"""More ranks than cores give up the core while they wait, whoever carries out the calls of the standard ABI."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.abi import compiled, native, needs_compiler
from support.command_line import rankwise
from support.mpis import FOUND

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(900)]
CORES = os.cpu_count() or 1
MPICH = [one.id for one in FOUND if one.family == "mpich"]


def require_yields(program: Path, home: Path, *options: str) -> None:
    """Rank 0 keeps the others waiting until each has given up the core."""
    line = ["-q", "-n", str(CORES + 2), *options, "--limit", "280s", "--", str(program), str(home)]
    done = rankwise("run", *line, home=home, timeout=300)
    assert done.returncode == 0 and "all yield" in done.stdout.splitlines(), done.stdout + done.stderr


@pytest.mark.parametrize("implementation_id", MPICH)
def test_ranks_of_the_standard_abi_yield(implementation_id: str, tmp_path: Path) -> None:
    require_yields(compiled("yielding", "-rdynamic"), tmp_path, "--mpi", implementation_id)


@pytest.mark.parametrize("own", ["openmpi-5", "mpich-5"])
def test_ranks_of_another_mpi_s_program_yield(own: str, tmp_path: Path) -> None:
    program = native("yielding", next(one.id for one in FOUND if one.id.startswith(own)), "-rdynamic")
    require_yields(program, tmp_path, "--mpi", MPICH[-1], "--abi")
