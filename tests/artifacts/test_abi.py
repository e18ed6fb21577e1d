"""The generator of the standard ABI knows every function, and treats each parameter as its meaning asks for."""

from __future__ import annotations

import re

import pytest

from rankwise.artifacts.abi import lengths, table
from rankwise.artifacts.abi.conversion import body
from rankwise.artifacts.abi.standard import KINDS, Standard, standard
from rankwise.artifacts.declarations import Function, read
from rankwise.core.errors import HostError
from support.mpis import FOUND

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]


@pytest.fixture(scope="module")
def known() -> Standard:
    return standard(FOUND)


def declared(line: str) -> Function:
    name = line.partition("(")[0].removeprefix("int ")
    return read(f"{line}; {line.replace(name, 'P' + name)};")[name]


def test_all_functions_of_the_standard_are_in_the_table(known: Standard) -> None:
    assert len(known.functions) == 611 and len(known.tools) == 51
    text = table.front_end(known)
    for name in ("MPI_Init", "PMPI_Init", "MPI_Ineighbor_alltoallw_init_c", "PMPI_T_init_thread"):
        assert (f"PUBLIC int {name}(" in text) == (name != "MPI_Ineighbor_alltoallw_init_c"), name


def test_every_kind_of_handle_has_its_null(known: Standard) -> None:
    assert all(known.handles(kind)[0] == f"{kind.upper()}_NULL" for kind in KINDS)
    assert set(re.findall(r"\bMPI_\w+", known.renamed)) == {"MPI_SOURCE", "MPI_TAG", "MPI_ERROR"}


def test_an_implementation_without_anything_lacks_all_but_what_needs_none(known: Standard) -> None:
    lacking = table.missing(known, table.Native({}, frozenset()))
    assert {"Send", "Bcast_c", "Comm_idup", "Grequest_start"} <= set(lacking)
    assert not {"Aint_add", "Status_get_source", "Comm_toint", "Error_string"} & set(lacking)


def test_a_large_count_becomes_a_larger_type_or_an_error(known: Standard) -> None:
    small = declared(
        "int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)"
    )
    text = body(known.functions["Send_c"], small)
    assert "counted(count, to_Datatype(datatype))" in text
    assert (
        "PMPI_Send(to_buffer(buf), c_count.count, c_count.type, to_rank(dest), to_tag(tag), to_Comm(comm))" in text
    )
    sums = known.functions["Allreduce"]
    assert "refuse_Comm(ABI_ERR_VALUE_TOO_LARGE, to_Comm(comm))" in body(known.functions["Allreduce_c"], sums)
    assert "counted" not in body(known.functions["Allreduce_c"], sums)


def test_arrays_of_a_request_outlive_the_call(known: Standard) -> None:
    for name, kept in (("Alltoallw", False), ("Ialltoallw", True), ("Alltoallw_init", True)):
        text = body(known.functions[name], known.functions[name])
        assert ("scratch_keep(&scratch, HANDLE_BITS(x_request))" in text) == kept, name
        assert f"sizeof *x_sendtypes, {str(kept).lower()})" in text, name


def test_a_missing_in_place_is_refused(known: Standard) -> None:
    call = known.functions["Allgather"]
    assert "MISSING_IN_PLACE" in body(call, call, in_place=False)
    assert "IN_PLACE" not in body(call, call)


@pytest.mark.parametrize(
    ("function", "array", "names", "length"),
    [
        ("Alltoallv", "recvcounts", ["sendbuf", "comm"], "peers(to_Comm(comm))"),
        ("Alltoallv", "sdispls", ["sendbuf", "comm"], "sendbuf == ABI_IN_PLACE ? 0 : peers(to_Comm(comm))"),
        (
            "Gatherv",
            "displs",
            ["sendbuf", "root", "comm"],
            "is_root(root, to_Comm(comm)) ? peers(to_Comm(comm)) : 0",
        ),
        ("Neighbor_alltoallv", "sdispls", ["comm"], "neighbours(to_Comm(comm), false)"),
        ("Neighbor_allgatherv", "displs", ["comm"], "neighbours(to_Comm(comm), true)"),
        ("Reduce_scatter", "recvcounts", ["comm"], "own_size(to_Comm(comm))"),
        ("Waitsome", "array_of_requests", ["incount"], "incount"),
    ],
)
def test_lengths_of_arrays(function: str, array: str, names: list[str], length: str) -> None:
    assert lengths.of(function, array, names) == length


def test_a_length_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(KeyError):
        lengths.of("New", "array_of_things", ["things"])


def test_without_any_header_of_the_standard_there_is_a_remedy() -> None:
    with pytest.raises(HostError) as raised:
        standard([])
    assert "rankwise mpis install mpich" in raised.value.remedy
