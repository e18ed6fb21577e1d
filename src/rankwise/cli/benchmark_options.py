"""The options of the benchmarks themselves: what a message is made of, and what goes on beside it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import click

from rankwise.cli.options import NAMES, Parsed
from rankwise.core.errors import InputError
from rankwise.core.limits import MOST_RANKS
from rankwise.core.records import Options
from rankwise.core.units import short, whole_number

DATATYPES = ("byte", "int", "float", "double")
LAYOUTS = ("contiguous", "vector", "indexed", "struct")
OPERATIONS = ("sum", "max", "min", "prod")
TARGETS = ("polls", "computes")
SYNCS = ("flush", "flush-local", "lock", "fence", "pscw")
TOPOLOGIES = ("cartesian", "graph")
MOST_THREADS = 64
"""As many as the harness has room for."""


def _thread_counts(text: str) -> tuple[int, ...]:
    counts = tuple(whole_number(part) or 0 for part in text.split(","))
    if not all(1 <= count <= MOST_THREADS for count in counts):
        raise InputError(f"'{short(text)}' is not a number of threads", f"write 2, or 2,4; at most {MOST_THREADS}")
    return tuple(dict.fromkeys(counts))


def _root(text: str) -> str:
    if text != "rotate" and whole_number(text) is None:
        raise InputError(f"'{short(text)}' is not a root", "write a rank, or rotate")
    return text


def _one_of(known: tuple[str, ...]) -> Callable[[str], tuple[str, ...]]:
    def parse(text: str) -> tuple[str, ...]:
        names = tuple(dict.fromkeys(text.split(",")))
        unknown = [word for word in names if word not in known]
        if unknown:
            raise InputError(
                f"'{unknown[0]}' is not one of {', '.join(known)}", "write one or several, with commas"
            )
        return names

    return parse


LAYOUT_NAMES = Parsed("layouts", _one_of(LAYOUTS))
"""Layouts of derived datatypes, with commas."""

BENCHMARK_OPTIONS = (
    click.option("--datatype", type=Parsed("types", _one_of(DATATYPES)), default="byte", show_default=True,
                 help=f"One or several of {', '.join(DATATYPES)}."),
    click.option("--layout", type=LAYOUT_NAMES, default="contiguous", show_default=True,
                 help=f"Derived datatypes: one or several of {', '.join(LAYOUTS)}."),
    click.option("--operation", type=click.Choice(OPERATIONS), default="sum", show_default=True,
                 help="Operator of the reductions."),
    click.option("--root", type=Parsed("root", _root), default="0", show_default=True,
                 help="Root rank, or `rotate` for another one in each repetition."),
    click.option("--cold-cache", is_flag=True, help="Use other buffers in each repetition, so that none is in "
                                                    "the cache."),
    click.option("--window", type=click.IntRange(1, 1024), default=64, show_default=True,
                 help="Messages in flight in the bandwidth benchmarks."),
    click.option("--polls", type=click.IntRange(0, 10_000), default=16, show_default=True,
                 help="Number of MPI_Test calls during the computation that overlaps a nonblocking operation."),
    click.option("--target", type=click.Choice(TARGETS), default="polls", show_default=True,
                 help="What the target of one-sided operations does: wait inside MPI, or compute."),
    click.option("--in-place", is_flag=True, help="Call collectives with MPI_IN_PLACE."),
    click.option("--groups", type=click.IntRange(1, MOST_RANKS), default=1, show_default=True,
                 help="Run each operation in this many groups of ranks at once."),
    click.option("--threads", type=Parsed("numbers", _thread_counts), default="1", show_default=True,
                 help="Threads of each rank in pingpong_threads, one or several numbers: 2,4. Above 1 "
                      "everything is measured with MPI_THREAD_MULTIPLE."),
    click.option("--sync", type=Parsed("names", _one_of(SYNCS)), default="flush", show_default=True,
                 help=f"Of one-sided operations: one or several of {', '.join(SYNCS)}."),
    click.option("--topology", type=click.Choice(TOPOLOGIES), default="cartesian", show_default=True,
                 help="Topology of neighbourhood collectives."),
    click.option("--folder", default="", metavar="DIR",
                 help="Folder for the files of MPI-IO, on every host.  [default: TMPDIR, or /tmp]"),
    click.option("--congestion-control", type=NAMES, default="",
                 help="Congestion control of TCP on emulated nodes, one or several: cubic,bbr.  [default: the "
                      "testbed's]"),
    click.option("--messages", type=click.IntRange(2, 100_000), default=200, show_default=True,
                 help="Number of messages in the benchmarks stream and tcp_stream."),
)  # fmt: skip
"""In the order in which help shows them; `variants` makes `Options` of what they pass."""


def variants(options: dict[str, Any]) -> tuple[Options, ...]:
    """Return every combination of the options that may have several values, the others as they are."""
    return tuple(
        Options(
            datatype, layout, options["operation"], options["root"], options["cold_cache"], options["window"],
            congestion_control=control, messages=options["messages"], polls=options["polls"],
            target=options["target"], in_place=options["in_place"], groups=options["groups"], threads=threads,
            sync=sync, topology=options["topology"], folder=options["folder"],
        )
        for datatype, layout, control, threads, sync in itertools.product(
            options["datatype"], options["layout"], options["congestion_control"], options["threads"],
            options["sync"]
        )
    )  # fmt: skip
