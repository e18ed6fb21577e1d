"""The guidelines as data: which operation must not be slower than which other way to the same end.

A mock-up is a benchmark of the category `guideline`; it delivers the same data as the operation does, so that a
program could put it in the operation's place. Split and monotony compare an operation with itself at another size
and need no mock-up.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from rankwise.core.records import Cell

TRAEFF_2010 = "Träff, Gropp, Thakur 2010, Self-consistent MPI performance guidelines"
HUNOLD_2018 = "Hunold, Carpen-Amarie 2018, Autotuning MPI collectives using performance guidelines"
GROPP_2011 = (
    "Gropp, Hoefler, Thakur, Träff 2011, Performance expectations and guidelines for MPI derived datatypes"
)

DERIVED_LAYOUTS = ("vector", "indexed", "struct")
CONTIGUOUS = ("contiguous",)


@dataclass(frozen=True, slots=True)
class Guideline:
    """`operation` is never slower than `mockup`, at any size."""

    operation: str
    mockup: str
    """The benchmark's name, and the guideline's."""
    other: str
    """What the mock-up does, in short: `reduce + bcast`."""
    instead: str
    """The calls that do its work, and what call they stand for: `MPI_Reduce + MPI_Bcast instead of ...`."""
    replacement: str
    """How a program calls them where the guideline is violated, as half a sentence."""
    algorithms: tuple[frozenset[str], ...] = ()
    """Words in the name of an implementation's own algorithm that works as the mock-up does, best first."""
    layouts: tuple[str, ...] = CONTIGUOUS
    sources: tuple[str, ...] = (TRAEFF_2010, HUNOLD_2018)


GUIDELINES = (
    Guideline(
        "allreduce", "allreduce_as_reduce_bcast", "reduce + bcast",
        "MPI_Reduce + MPI_Bcast instead of MPI_Allreduce", "reduce to one rank, and broadcast from there",
        (frozenset({"reduce", "bcast"}), frozenset({"nonoverlapping"}), frozenset({"non", "overlapping"})),
    ),
    Guideline(
        "allreduce", "allreduce_as_reduce_scatter_allgather", "reduce_scatter + allgather",
        "MPI_Reduce_scatter + MPI_Allgather instead of MPI_Allreduce", "reduce in parts, and gather these",
        (frozenset({"rabenseifner"}), frozenset({"reduce", "scatter", "allgather"})),
    ),
    Guideline(
        "bcast", "bcast_as_scatter_allgather", "scatter + allgather",
        "MPI_Scatter + MPI_Allgather instead of MPI_Bcast", "scatter the message's parts, and gather these",
        (frozenset({"scatter", "allgather"}),),
    ),
    Guideline(
        "gather", "gather_as_allgather", "allgather",
        "MPI_Allgather instead of MPI_Gather", "ignore the result on all but the root",
    ),
    Guideline(
        "scatter", "scatter_as_bcast", "bcast",
        "MPI_Bcast instead of MPI_Scatter", "broadcast all blocks, and keep each rank's own",
    ),
    Guideline(
        "allgather", "allgather_as_alltoall", "alltoall",
        "MPI_Alltoall instead of MPI_Allgather", "send each rank a copy of the block",
    ),
    Guideline(
        "allgather", "allgather_as_gather_bcast", "gather + bcast",
        "MPI_Gather + MPI_Bcast instead of MPI_Allgather", "gather on one rank, and broadcast from there",
        (frozenset({"gather", "bcast"}), frozenset({"gatherv", "bcast"}), frozenset({"linear"})),
    ),
    Guideline(
        "reduce", "reduce_as_allreduce", "allreduce",
        "MPI_Allreduce instead of MPI_Reduce", "ignore the result on all but the root",
    ),
    Guideline(
        "reduce_scatter", "reduce_scatter_as_reduce_scatterv", "reduce + scatterv",
        "MPI_Reduce + MPI_Scatterv instead of MPI_Reduce_scatter", "reduce to one rank, and scatter from there",
        (frozenset({"reduce", "scatterv"}), frozenset({"nonoverlapping"}), frozenset({"non", "overlapping"})),
    ),
    Guideline(
        "pingpong", "pingpong_as_pack_send_unpack", "pack + send + unpack",
        "MPI_Pack, MPI_Send, MPI_Recv, MPI_Unpack instead of a derived datatype",
        "send and receive MPI_PACKED",
        layouts=DERIVED_LAYOUTS, sources=(GROPP_2011,),
    ),
)  # fmt: skip

SPLIT = "split"
"""Sending a message in parts, one after the other, is never faster than sending it whole."""
MONOTONY = "monotony"
"""A smaller message is not slower than a larger one."""
SIZE_SOURCES = (TRAEFF_2010,)
SIZED_OPERATIONS = frozenset(
    {
        "pingpong", "sendrecv", "exchange", "bcast", "reduce", "allreduce", "reduce_scatter", "scan", "allgather",
        "alltoall", "gather", "scatter", "allgatherv", "alltoallv", "gatherv", "scatterv",
    }
)  # fmt: skip
"""Benchmarks whose time is that of one message or one collective: split and monotony hold for these."""
MOST_PARTS = 16
"""That a message beats more parts than these says little: coarser steps of size are not checked for split."""


def chosen(operations: Collection[str] = ()) -> tuple[Guideline, ...]:
    """Return the guidelines for these operations, or all of them."""
    return tuple(one for one in GUIDELINES if not operations or one.operation in operations)


def operations() -> tuple[str, ...]:
    """Return every operation that has a guideline, each once."""
    return tuple(dict.fromkeys(one.operation for one in GUIDELINES))


def benchmarks(guidelines: Collection[Guideline]) -> tuple[str, ...]:
    """Return what has to be measured for them: operations and mock-ups, each once."""
    return tuple(dict.fromkeys(name for one in guidelines for name in (one.operation, one.mockup)))


def is_needed(cell: Cell) -> bool:
    """Return whether any guideline is about the cell's benchmark in its layout.

    Mock-ups are needed in their own layouts only, derived datatypes only where a mock-up does without them."""
    layout = cell.options.layout
    named = [one for one in GUIDELINES if cell.benchmark in (one.operation, one.mockup)]
    wanted = {name for one in named for name in one.layouts}
    as_operation = any(cell.benchmark == one.operation for one in named)
    return layout in wanted or (layout in CONTIGUOUS and as_operation)


def priority(cell: Cell) -> int:
    """Return what a short run measures first: collectives and plain messages, then one layout after the other."""
    layout = cell.options.layout
    return 0 if layout in CONTIGUOUS else 1 + DERIVED_LAYOUTS.index(layout)


def sources(guideline: str) -> tuple[str, ...]:
    """Return who stated it, by the mock-up's name, `split` or `monotony`."""
    return next((one.sources for one in GUIDELINES if one.mockup == guideline), SIZE_SOURCES)
