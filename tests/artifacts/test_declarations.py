"""Every function that an mpi.h declares is found with its parameters, whatever the header's style."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.artifacts import overlay
from rankwise.artifacts.collective_calls import CALLS, taken_over
from rankwise.artifacts.declarations import Function, Parameter, declared, read
from rankwise.artifacts.overlay import wrapper_source
from support.mpis import FOUND, working

_NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,12}", fullmatch=True).filter(
    lambda name: name not in {"int", "char", "long", "double", "void", "unsigned", "const"}
)
_TYPES = st.sampled_from(["int", "const int", "void *", "const void *", "MPI_Comm", "MPI_Request *"])


@given(st.lists(st.tuples(_TYPES, _NAMES, st.sampled_from(["", "[]", "[][3]"])), max_size=9), st.booleans())
def test_what_is_written_is_read(parameters: list[tuple[str, str, str]], decorated: bool) -> None:
    signature = ", ".join(f"{kind} {name}{array}" for kind, name, array in parameters) or "void"
    before, behind = ("extern ", ' __attribute__((visibility("default"), nonnull(1)))') if decorated else ("", "")
    names = ("MPI_Some", "PMPI_Some", "MPI_Alone")
    text = "".join(f"{before}int {name}({signature}){behind};\n" for name in names)
    wanted = tuple(Parameter(kind, name, array) for kind, name, array in parameters)
    assert read(text) == {"MPI_Some": Function("MPI_Some", "int", wanted)}


def test_parameters_without_names_are_numbered() -> None:
    found = read("int MPI_A (void *, int, MPI_Comm, int [][3], int, ...); int PMPI_A (void);")["MPI_A"]
    assert found.signature == "void *argument0, int argument1, MPI_Comm argument2, int argument3[][3], " \
                              "int argument4, ..."  # fmt: skip


@pytest.mark.mpi
@pytest.mark.parametrize("implementation_id", [one.id for one in FOUND])
def test_each_collective_that_the_library_has_is_wrapped(implementation_id: str) -> None:
    functions = declared(working(implementation_id))
    assert len(functions) > 250
    wrapped = {call.function.name for call in taken_over(functions)}
    names = {f"MPI_{name}" for name in CALLS} | {f"MPI_I{name.lower()}" for name in CALLS}
    assert wrapped == {name for name in functions if name.removesuffix("_c") in names}
    source = wrapper_source(functions)
    assert set(re.findall(r"\bint (MPI_\w+)\(", source)) >= wrapped


@pytest.mark.mpi
@pytest.mark.parametrize("implementation_id", [one.id for one in FOUND])
def test_nothing_but_names_that_are_taken_over_can_be_seen(implementation_id: str) -> None:
    library: Path = overlay.build(working(implementation_id))
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    names = {line.split()[-1] for line in listed.stdout.splitlines()}
    names -= {"__bss_start", "_edata", "_end"}  # of the linker (Intel MPI's options)
    fortran = {
        name for name in names if re.fullmatch(r"mpi_[a-z_0-9]+_", name)
    }  # where Fortran calls no function of C's
    of_c = names - fortran - {"socket"}  # of libc: where the congestion control of connections is set
    assert of_c and all(name.startswith("MPI_") for name in of_c)
