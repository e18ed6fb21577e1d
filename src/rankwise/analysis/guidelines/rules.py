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
    replacement: str
    """What a program can do in place of the operation where the guideline is violated, as half a sentence."""
    algorithms: tuple[frozenset[str], ...] = ()
    """Words in the name of an implementation's own algorithm that works as the mock-up does, best first."""
    layouts: tuple[str, ...] = CONTIGUOUS
    sources: tuple[str, ...] = (TRAEFF_2010, HUNOLD_2018)


GUIDELINES = (
    Guideline(
        "allreduce", "allreduce_as_reduce_bcast", "reduce + bcast", "call MPI_Reduce to one rank, then MPI_Bcast",
        (frozenset({"reduce", "bcast"}), frozenset({"nonoverlapping"}), frozenset({"non", "overlapping"})),
    ),
    Guideline(
        "allreduce", "allreduce_as_reduce_scatter_allgather", "reduce_scatter + allgather",
        "call MPI_Reduce_scatter, then MPI_Allgather of the parts",
        (frozenset({"rabenseifner"}), frozenset({"reduce", "scatter", "allgather"})),
    ),
    Guideline(
        "bcast", "bcast_as_scatter_allgather", "scatter + allgather",
        "call MPI_Scatter of the message's parts, then MPI_Allgather", (frozenset({"scatter", "allgather"}),),
    ),
    Guideline(
        "gather", "gather_as_allgather", "allgather",
        "call MPI_Allgather, and ignore the result on all but the root",
    ),
    Guideline(
        "scatter", "scatter_as_bcast", "bcast", "call MPI_Bcast of all blocks, and keep each rank's own",
    ),
    Guideline(
        "allgather", "allgather_as_alltoall", "alltoall", "call MPI_Alltoall of copies of the block",
    ),
    Guideline(
        "allgather", "allgather_as_gather_bcast", "gather + bcast", "call MPI_Gather to one rank, then MPI_Bcast",
        (frozenset({"gather", "bcast"}), frozenset({"gatherv", "bcast"}), frozenset({"linear"})),
    ),
    Guideline(
        "reduce", "reduce_as_allreduce", "allreduce",
        "call MPI_Allreduce, and ignore the result on all but the root",
    ),
    Guideline(
        "reduce_scatter", "reduce_scatter_as_reduce_scatterv", "reduce + scatterv",
        "call MPI_Reduce to one rank, then MPI_Scatterv",
        (frozenset({"reduce", "scatterv"}), frozenset({"nonoverlapping"}), frozenset({"non", "overlapping"})),
    ),
    Guideline(
        "pingpong", "pingpong_as_pack_send_unpack", "pack + send + unpack",
        "call MPI_Pack, send MPI_PACKED, and call MPI_Unpack",
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
    """The guidelines for these operations, or all of them."""
    return tuple(one for one in GUIDELINES if not operations or one.operation in operations)


def operations() -> tuple[str, ...]:
    """Every operation that has a guideline, each once."""
    return tuple(dict.fromkeys(one.operation for one in GUIDELINES))


def benchmarks(guidelines: Collection[Guideline]) -> tuple[str, ...]:
    """What has to be measured for them: operations and mock-ups, each once."""
    return tuple(dict.fromkeys(name for one in guidelines for name in (one.operation, one.mockup)))


def is_needed(cell: Cell) -> bool:
    """Whether any guideline speaks of the cell's benchmark in its layout: mock-ups only in their own ones, and
    derived datatypes only where there is a mock-up without them."""
    layout = cell.options.layout
    named = [one for one in GUIDELINES if cell.benchmark in (one.operation, one.mockup)]
    wanted = {name for one in named for name in one.layouts}
    as_operation = any(cell.benchmark == one.operation for one in named)
    return layout in wanted or (layout in CONTIGUOUS and as_operation)


def sources(guideline: str) -> tuple[str, ...]:
    """Who stated it: by the mock-up's name, `split` or `monotony`."""
    return next((one.sources for one in GUIDELINES if one.mockup == guideline), SIZE_SOURCES)
