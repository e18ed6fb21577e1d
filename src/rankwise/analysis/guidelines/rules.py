"""The guidelines as data: which operation must not be slower than which other way to the same end.

A mock-up delivers the same data as the operation does, so that a program could put it in the operation's place. Of
an operation that can be done by several others (allreduce by reduce and bcast) it is a schedule over the same
library's messages: a violation says that the library's choice of algorithm is beaten by that one
on its own point-to-point layer.
Where one call does all that another one does (MPI_Allreduce for MPI_Reduce) it is that call, a benchmark of the
category `guideline`: a violation says that the library contradicts itself. Split and monotony compare an operation
with itself at another size and need no mock-up.
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

OVERLAY = "rankwise run --overlay puts schedules in the place of calls"
"""How a program gets a schedule without a change."""
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
    """What does its work, and what call that stands for: `MPI_Allreduce instead of MPI_Reduce`."""
    replacement: str
    """How a program gets that where the guideline is violated, as half a sentence."""
    algorithms: tuple[frozenset[str], ...] = ()
    """Words in the name of an implementation's own algorithm that works as the mock-up does, best first."""
    layouts: tuple[str, ...] = CONTIGUOUS
    sources: tuple[str, ...] = (TRAEFF_2010, HUNOLD_2018)


GUIDELINES = (
    Guideline(
        "allreduce", "allreduce.reduce_bcast", "reduce + bcast by messages",
        "reduce + bcast by messages instead of MPI_Allreduce", OVERLAY,
        (frozenset({"reduce", "bcast"}), frozenset({"nonoverlapping"}), frozenset({"non", "overlapping"})),
    ),
    Guideline(
        "allreduce", "allreduce.rabenseifner", "reduce_scatter + allgather by messages",
        "reduce_scatter + allgather by messages instead of MPI_Allreduce", OVERLAY,
        (frozenset({"rabenseifner"}), frozenset({"reduce", "scatter", "allgather"})),
    ),
    Guideline(
        "bcast", "bcast.scatter_allgather_ring", "scatter + allgather by messages",
        "scatter + allgather by messages instead of MPI_Bcast", OVERLAY,
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
        "allgather", "allgather.linear", "a message to each rank",
        "a message to each rank instead of MPI_Allgather", OVERLAY,
        (frozenset({"linear"}),),
    ),
    Guideline(
        "allgather", "allgather.gather_bcast", "gather + bcast by messages",
        "gather + bcast by messages instead of MPI_Allgather", OVERLAY,
        (frozenset({"gather", "bcast"}), frozenset({"gatherv", "bcast"})),
    ),
    Guideline(
        "reduce", "reduce_as_allreduce", "allreduce",
        "MPI_Allreduce instead of MPI_Reduce", "ignore the result on all but the root",
    ),
    Guideline(
        "reduce_scatter", "reduce_scatter.reduce_scatterv", "reduce + scatterv by messages",
        "reduce + scatterv by messages instead of MPI_Reduce_scatter", OVERLAY,
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
    return tuple(guideline for guideline in GUIDELINES if not operations or guideline.operation in operations)


def operations() -> tuple[str, ...]:
    """Return every operation that has a guideline, each once."""
    return tuple(dict.fromkeys(guideline.operation for guideline in GUIDELINES))


def benchmarks(guidelines: Collection[Guideline]) -> tuple[str, ...]:
    """Return what has to be measured for them: operations and mock-ups, each once."""
    return tuple(
        dict.fromkeys(name for guideline in guidelines for name in (guideline.operation, guideline.mockup))
    )


def is_needed(cell: Cell) -> bool:
    """Return whether any guideline is about the cell's benchmark in its layout.

    Mock-ups are needed in their own layouts only, derived datatypes only where a mock-up does without them."""
    layout = cell.options.layout
    named = [guideline for guideline in GUIDELINES if cell.benchmark in (guideline.operation, guideline.mockup)]
    wanted = {name for guideline in named for name in guideline.layouts}
    as_operation = any(cell.benchmark == guideline.operation for guideline in named)
    return layout in wanted or (layout in CONTIGUOUS and as_operation)


def priority(cell: Cell) -> int:
    """Return what a short run measures first: collectives and plain messages, then one layout after the other."""
    layout = cell.options.layout
    return 0 if layout in CONTIGUOUS else 1 + DERIVED_LAYOUTS.index(layout)


def sources(guideline: str) -> tuple[str, ...]:
    """Return who stated it, by the mock-up's name, `split` or `monotony`."""
    return next((rule.sources for rule in GUIDELINES if rule.mockup == guideline), SIZE_SOURCES)
