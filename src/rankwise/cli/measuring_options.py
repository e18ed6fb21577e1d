"""The options that measuring verbs share, and the Request that is made of them."""

from __future__ import annotations

import itertools
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from rankwise.cli.options import DURATION, SIZES, Parsed
from rankwise.cli.testbed_options import where_options
from rankwise.core.errors import InputError
from rankwise.core.records import Options
from rankwise.workflows.measure import Request
from rankwise.workflows.testbeds import testbed_of

DATATYPES = ("byte", "int", "float", "double")
LAYOUTS = ("contiguous", "vector", "indexed", "struct")
OPERATIONS = ("sum", "max", "min", "prod")
TARGETS = ("polls", "computes")
SYNCS = ("flush", "flush-local", "lock", "fence", "pscw")
TOPOLOGIES = ("cartesian", "graph")
MOST_THREADS = 64
"""As many as the harness has room for."""


class TakesProgram(click.Command):
    """A verb that takes a program of the user's: what stands after `--`, which the verb finds in `ctx.obj`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Cut the line at the first `--`."""
        ctx.obj = ()
        if "--" in args:
            cut = args.index("--")
            ctx.obj, args = tuple(args[cut + 1 :]), args[:cut]
            refuse_launcher_arguments(ctx.obj)
        return super().parse_args(ctx, args)


class TakesNoProgram(TakesProgram):
    """A verb that measures our benchmarks alone: anything after `--` is refused."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse a program. Raises InputError."""
        rest = super().parse_args(ctx, args)
        if ctx.obj:
            raise InputError(
                f"`rankwise {self.name}` measures Rankwise's own benchmarks, not a program such as {ctx.obj[0]}",
                f"compare MPIs with it: rankwise compare -- {shlex.join(ctx.obj)}",
            )
        return rest


def refuse_launcher_arguments(words: tuple[str, ...]) -> None:
    """Raise InputError for arguments of mpiexec after `--`, where a program stands; the remedy is the new line."""
    if words and words[0].startswith("-"):
        before = sys.argv[1 : sys.argv.index("--")] if "--" in sys.argv else []
        line = shlex.join(["rankwise", *before, "--launcher", shlex.join(words)])
        raise InputError(f"a program of yours stands after `--`, not arguments for mpiexec: {words[0]}", line)


def _rank_counts(text: str) -> tuple[int, ...]:
    try:
        counts = tuple(int(part) for part in text.split(","))
    except ValueError:
        counts = (0,)
    if min(counts) < 1:
        raise InputError(f"'{text}' is not a number of ranks", "write 4, or 2,4,8")
    return counts


def _thread_counts(text: str) -> tuple[int, ...]:
    counts = tuple(int(part) if part.isdecimal() else 0 for part in text.split(","))
    if not all(1 <= count <= MOST_THREADS for count in counts):
        raise InputError(f"'{text}' is not a number of threads", f"write 2, or 2,4; at most {MOST_THREADS}")
    return tuple(dict.fromkeys(counts))


def _root(text: str) -> str:
    if text != "rotate" and not text.isdigit():
        raise InputError(f"'{text}' is not a root", "write a rank, or rotate")
    return text


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split(",")))


def _one_of(known: tuple[str, ...]) -> Callable[[str], tuple[str, ...]]:
    def parse(text: str) -> tuple[str, ...]:
        words = tuple(dict.fromkeys(text.split(",")))
        unknown = [word for word in words if word not in known]
        if unknown:
            raise InputError(f"'{unknown[0]}' is none of {', '.join(known)}", "write one or several, with commas")
        return words

    return parse


RANKS = Parsed("ranks", _rank_counts)
"""Numbers of ranks: `4` or `2,4,8`."""

NAMES = Parsed("names", _names)
"""Words with commas between them, each once."""

LAYOUT_NAMES = Parsed("layouts", _one_of(LAYOUTS))
"""Layouts of derived datatypes, with commas."""


def _launcher_arguments(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise InputError(f"{text!r} are no arguments: {error}", "close every quotation mark") from error


launcher_option = click.option(
    "--launcher", type=Parsed("arguments", _launcher_arguments), default="", metavar="ARGUMENTS",
    help="Further arguments for mpiexec, as one: --launcher '--mca btl tcp,self'.",
)  # fmt: skip
"""Passes `launcher`, the arguments one by one."""

_OPTIONS = (
    click.option("--sizes", type=SIZES, default="1:4M", show_default=True,
                 help="Message sizes: 1:4M, 1:1M:2, 8,64K."),
    click.option("-n", "ranks", type=RANKS, default=(),
                 help="Ranks: 4, or 2,4,8.  [default: 2 for point-to-point, every core for collectives]"),
    click.option("--datatype", type=Parsed("types", _one_of(DATATYPES)), default="byte", show_default=True,
                 help=f"One or several of {', '.join(DATATYPES)}."),
    click.option("--layout", type=LAYOUT_NAMES, default="contiguous", show_default=True,
                 help=f"Derived datatypes: one or several of {', '.join(LAYOUTS)}."),
    click.option("--operation", type=click.Choice(OPERATIONS), default="sum", show_default=True,
                 help="Of the reductions."),
    click.option("--root", type=Parsed("root", _root), default="0", show_default=True,
                 help="A rank, or rotate: another one each repetition."),
    click.option("--cold-cache", is_flag=True, help="Other buffers each repetition, so that none is in cache."),
    click.option("--window", type=click.IntRange(1, 1024), default=64, show_default=True,
                 help="Messages in flight in the bandwidth benchmarks."),
    click.option("--polls", type=click.IntRange(0, 10_000), default=16, show_default=True,
                 help="MPI_Test during the computation beside a nonblocking operation."),
    click.option("--target", type=click.Choice(TARGETS), default="polls", show_default=True,
                 help="What the other rank does during one-sided operations: waits inside MPI, or computes."),
    click.option("--in-place", is_flag=True, help="Collectives with MPI_IN_PLACE."),
    click.option("--groups", type=click.IntRange(1), default=1, show_default=True,
                 help="Of ranks, with each operation on all of them at once."),
    click.option("--threads", type=Parsed("numbers", _thread_counts), default="1", show_default=True,
                 help="Of each rank in pingpong_threads, one or several numbers: 2,4; above 1 everything is "
                 "measured with MPI_THREAD_MULTIPLE."),
    click.option("--sync", type=Parsed("names", _one_of(SYNCS)), default="flush", show_default=True,
                 help=f"Of one-sided operations: one or several of {', '.join(SYNCS)}."),
    click.option("--topology", type=click.Choice(TOPOLOGIES), default="cartesian", show_default=True,
                 help="Of neighbourhood collectives."),
    click.option("--folder", default="", metavar="DIR",
                 help="For the files of MPI-IO, on every host.  [default: TMPDIR, or /tmp]"),
    click.option("--placement", type=Parsed("placements", _names), default=(), metavar="WORDS|FILE",
                 help="Where ranks go: one or several of block, cyclic, one-per-node, across-sites, or a "
                 "rankfile.  [default: block; pairs across sites]"),
    click.option("--congestion-control", type=Parsed("names", _names), default="",
                 help="Of TCP on emulated nodes, one or several: cubic,bbr.  [default: the testbed's]"),
    click.option("--messages", type=click.IntRange(2, 100_000), default=200, show_default=True,
                 help="In the benchmarks stream and tcp_stream."),
    click.option("--prefix", "prefixes", multiple=True, metavar="DIR",
                 type=click.Path(path_type=Path), help="Look for an MPI here too."),
    launcher_option,
    click.option("--limit", type=DURATION, default="120s", show_default=True,
                 help="End a launch that takes longer."),
    click.option("--seed", type=int, help="Of the order of launches and cells, to repeat a plan."),
    click.option("-q", "--quiet", is_flag=True, help="No progress, no messages."),
)  # fmt: skip


verify_first_option = click.option(
    "--verify/--no-verify", "verify_first", default=True, show_default=True,
    help="Check the data of every operation once before it is timed; wrong ones are not compared.",
)  # fmt: skip


def measuring_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what to measure."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return where_options(function)


def variants(asked: dict[str, Any]) -> tuple[Options, ...]:
    """Return every combination of the options that may have several values, the others as they are."""
    return tuple(
        Options(
            datatype, layout, asked["operation"], asked["root"], asked["cold_cache"], asked["window"],
            congestion_control=control, messages=asked["messages"], polls=asked["polls"], target=asked["target"],
            in_place=asked["in_place"], groups=asked["groups"], threads=threads, sync=sync,
            topology=asked["topology"], folder=asked["folder"],
        )
        for datatype, layout, control, threads, sync in itertools.product(
            asked["datatype"], asked["layout"], asked["congestion_control"], asked["threads"], asked["sync"]
        )
    )  # fmt: skip


def names_of(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return `--bench a,b --bench c` as a, b, c."""
    return tuple(name for text in texts for name in text.split(",") if name)


def command_line() -> str:
    """Return the rankwise line as it was typed."""
    return shlex.join(["rankwise", *sys.argv[1:]])


def request_of(asked: dict[str, Any], **more: Any) -> Request:
    """Return the request that the options of `measuring_options` make, with these further fields."""
    own = {
        "command_line": command_line(), "sizes_bytes": asked["sizes"], "prefixes": asked["prefixes"],
        "ranks": asked["ranks"], "options": variants(asked), "seed": asked["seed"],
        "launch_limit_seconds": asked["limit"], "launcher_arguments": asked["launcher"],
        "placements": asked["placement"], "testbed": testbed_of(asked["testbed"], asked["hostfile"]),
    }  # fmt: skip
    return Request(**(own | more))
