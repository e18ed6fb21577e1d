"""The options that measuring verbs share, and the Request that is made of them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from rankwise.cli.benchmark_options import BENCHMARK_OPTIONS, variants
from rankwise.cli.options import DURATION, NAMES, SIZES, rank_counts
from rankwise.cli.program_arguments import launcher_option
from rankwise.cli.testbed_options import where_options
from rankwise.workflows.measure import Request
from rankwise.workflows.testbeds import testbed_of

RANKS = rank_counts(1, "4, or 2,4,8")
"""Numbers of ranks: `4` or `2,4,8`."""


_OPTIONS = (
    click.option("--sizes", type=SIZES, default="1:4M", show_default=True,
                 help="Message sizes: 1:4M, 1:1M:2, 8,64K."),
    click.option("-n", "ranks", type=RANKS, default=(),
                 help="Number of ranks: 4, or 2,4,8.  [default: 2 for point-to-point, every core for "
                      "collectives]"),
    *BENCHMARK_OPTIONS,
    click.option("--placement", type=NAMES, default=(), metavar="WORDS|FILE",
                 help="Placement of the ranks: one or several of block, cyclic, one-per-node, across-sites, or "
                      "a rankfile.  [default: block; pairs across sites]"),
    click.option("--prefix", "prefixes", multiple=True, metavar="DIR",
                 type=click.Path(path_type=Path), help="Also look for an MPI in this prefix."),
    launcher_option,
    click.option("--limit", type=DURATION, default="120s", show_default=True,
                 help="Time limit of a launch."),
    click.option("--seed", type=int, help="Seed for the order of launches and cells, to repeat a plan."),
    click.option("-q", "--quiet", is_flag=True, help="No progress, no messages."),
)  # fmt: skip


verify_first_option = click.option(
    "--verify/--no-verify", "verify_first", default=True, show_default=True,
    help="Check the data of every operation once before it is timed; wrong ones are not compared.",
)  # fmt: skip


schedule_option = click.option(
    "--schedule", "schedules", multiple=True, metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="Measure this algorithm of your own too, beside the operation that it does: Python, JSON or MSCCL's XML.",
)  # fmt: skip


def measuring_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what to measure."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return where_options(function)


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
