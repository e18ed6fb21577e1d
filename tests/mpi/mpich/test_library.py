"""Every installed MPICH tells its default, names and variables, and one that tells nothing is said to."""

from pathlib import Path

import pytest

from rankwise.core.errors import HostError
from rankwise.core.records import Implementation
from rankwise.mpi.mpich.library import elf_file, library
from rankwise.mpi.mpich.selection import Tree
from support.mpis import FOUND

INSTALLED = [one for one in FOUND if one.family == "mpich"]


@pytest.mark.parametrize("implementation", INSTALLED, ids=lambda one: one.id)
def test_the_library_carries_its_default_and_names_for_all_of_it(implementation: Implementation) -> None:
    found = library(implementation)
    assert "collective=bcast" in found.selection
    assert "collective=bcast" in found.composition
    leaves = {key.partition("=")[2] for key in keys(found.selection) if key.startswith("algorithm=")}
    assert "MPIR_Bcast_intra_binomial" in leaves
    assert leaves <= found.algorithms
    parts = {key.partition("=")[2] for key in keys(found.composition) if key.startswith("composition=")}
    assert parts
    assert parts <= found.compositions


@pytest.mark.parametrize("implementation", INSTALLED, ids=lambda one: one.id)
def test_its_variables_and_networks_are_read(implementation: Implementation) -> None:
    found = library(implementation)
    assert found.netmods[0] in {"ucx", "ofi"}
    assert found.variables["MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE"].isdecimal()
    assert "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE" in found.variables


def keys(tree: Tree) -> set[str]:
    return set(tree).union(*(keys(below) for below in tree.values()))


def test_a_linker_script_leads_to_the_library(tmp_path: Path) -> None:
    script, real = tmp_path / "libmpi.so", tmp_path / "libmpi.so.12"
    script.write_text("INPUT(libmpi.so.12)\n")
    real.write_bytes(b"\x7fELF, and INPUT(nothing)")
    assert elf_file(script) == real
    assert elf_file(real) == real


def test_an_installation_without_a_library_is_told_to_be_so(tmp_path: Path) -> None:
    compiler = tmp_path / "mpicc"
    one = Implementation("mpich-9", "mpich", "9", str(tmp_path), str(compiler), "", "path")
    with pytest.raises(HostError, match="mpicc"):
        library(one)
    compiler.write_text(f"#!/bin/sh\necho gcc -L{tmp_path} -lmpi\n")
    compiler.chmod(0o755)
    with pytest.raises(HostError, match="no MPI library"):
        library(one)
    (tmp_path / "libmpi.so").write_bytes(b"\x7fELF of something else")
    compiler.touch()
    assert not library(one).algorithms
    assert not library(one).selection
    assert not library(one).netmods
