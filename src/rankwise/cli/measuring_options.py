"""The options that measuring verbs share, and the Request that is made of them."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from rankwise.cli.benchmark_options import variants
from rankwise.cli.join_options import VARIANT_OPTIONS
from rankwise.cli.options import DURATION, NAMES, SEED, SIZES, prefix_option, rank_counts
from rankwise.cli.program_arguments import launcher_option
from rankwise.cli.testbed_options import WHERE_OPTIONS
from rankwise.workflows.measure import Request
from rankwise.workflows.testbeds import testbed_of

RANKS = rank_counts(1, "4, or 2,4,8")
"""Numbers of ranks: `4` or `2,4,8`."""


verify_first_option = click.option(
    "--verify/--no-verify", "verify_first", default=True, show_default=True,
    help="Check the data of every operation once before it is timed; wrong ones are not compared.",
)  # fmt: skip

WHAT_OPTIONS = (
    click.option("--sizes", type=SIZES, default="1:4M", show_default=True,
                 help="Message sizes: 1:4M, 1:1M:2, 8,64K."),
    click.option("-n", "ranks", type=RANKS, default=(),
                 help="Number of ranks: 4, or 2,4,8; more than cores are oversubscribed.  [default: 2 for "
                      "point-to-point, every core for collectives]"),
    click.option(
        "--schedule", "schedules", multiple=True, metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
        help="Measure this algorithm of your own too, beside the operation that it does: Python, JSON or MSCCL's "
             "XML."),
)  # fmt: skip

PLACE_OPTIONS = (
    *WHERE_OPTIONS,
    click.option("--placement", type=NAMES, default=(), metavar="NAMES|FILE",
                 help="Placement (mapping) of the ranks: one or several of block, cyclic, one-per-node, "
                      "across-sites, or a rankfile.  [default: block; pairs across sites]"),
    prefix_option,
    launcher_option,
    *VARIANT_OPTIONS,
)  # fmt: skip

PLAN_OPTIONS = (
    click.option("--limit", type=DURATION, default="120s", show_default=True,
                 help="Time limit of a launch."),
    click.option("--seed", type=SEED, help="Seed for the order of launches and cells, to repeat a plan."),
)  # fmt: skip


def command_line() -> str:
    """Return the rankwise line as it was typed."""
    return shlex.join(["rankwise", *sys.argv[1:]])


def request_of(options: dict[str, Any], **more: Any) -> Request:
    """Return the request that these options make, with these further fields."""
    own = {
        "command_line": command_line(), "sizes_bytes": options["sizes"], "prefixes": options["prefixes"],
        "ranks": options["ranks"], "options": variants(options), "seed": options["seed"],
        "launch_limit_seconds": options["limit"], "launcher_arguments": options["launcher"],
        "placements": options["placement"], "testbed": testbed_of(options["testbed"], options["hostfile"]),
    }  # fmt: skip
    return Request(**(own | more))
