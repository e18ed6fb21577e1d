"""`rankwise guidelines`: is an MPI slower at an operation than at doing the same by other operations?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankwise.cli.answer import code_of_check, print_result
from rankwise.cli.benchmark_options import LAYOUT_NAMES
from rankwise.cli.measuring_options import RANKS, command_line, verify_first_option
from rankwise.cli.options import (
    DURATION,
    NAMES,
    RUN,
    SEED,
    SIZES,
    Share,
    json_option,
    names_of,
    prefix_option,
    quiet_option,
    store_option,
)
from rankwise.cli.program_arguments import TakesNoProgram, launcher_option
from rankwise.cli.screen import Screen
from rankwise.cli.testbed_options import where_options
from rankwise.core import errors
from rankwise.workflows import guidelines, resuming
from rankwise.workflows.measure import Request
from rankwise.workflows.testbeds import testbed_of

DEFAULT_SIZES = "8,1K,2K,32K,64K,512K,1M"
"""Pairs of which one is twice the other, so that split is checked at its strictest."""


SECTION = "Measure"


@click.command(
    name="guidelines",
    short_help="Check each MPI against itself for slow operations.",
    cls=TakesNoProgram,
    epilog="\b\nExamples:\n"
    "  rankwise guidelines                       every MPI that works\n"
    "  rankwise guidelines openmpi -n 4 --bench allreduce,bcast --sizes 1K:1M:2\n"
    "  rankwise guidelines --testbed two-clusters --time 10m\n"
    "  rankwise guidelines --from 12             a stored run, of any verb\n"
    "  rankwise guidelines --from 12 --report consistency.html\n"
    "  rankwise guidelines mpich --fail-on violation --json",
)
@click.argument("mpi", nargs=-1)
@click.option("--bench", multiple=True, metavar="NAMES",
              help=f"Operations, with commas: {', '.join(guidelines.OPERATIONS)}.  [default: all]")  # fmt: skip
@click.option("--sizes", type=SIZES, default=DEFAULT_SIZES, show_default=True,
              help="Message sizes. The guideline `split` needs sizes that are small multiples of one "
                   "another.")  # fmt: skip
@click.option("-n", "ranks", type=RANKS, default=(), help="Number of ranks: 4, or 2,4,8.  [default: every core]")
@click.option("--layout", type=LAYOUT_NAMES, default=",".join(guidelines.LAYOUTS), show_default=True,
              help="Derived datatypes to compare with pack + send + unpack.")  # fmt: skip
@click.option("--time", "budget", type=DURATION, default=0.0,
              help="Time budget of the whole run.  [default: what a verdict needs]")  # fmt: skip
@click.option("--delta", type=Share(0, 1), default=0.05, show_default=True,
              help="Tolerance: differences up to this share are not violations.")  # fmt: skip
@click.option("--from", "stored", type=RUN, metavar="RUN",
              help="Use this stored run instead of measuring.")  # fmt: skip
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write an HTML page with a heat map of guidelines and sizes for each MPI.")  # fmt: skip
@click.option("--resume", type=RUN, metavar="RUN", help="Continue an interrupted run.")
@click.option("--fail-on", type=click.Choice(["violation"]),
              help="Exit with 1 if any guideline is violated, or any cell failed.")  # fmt: skip
@verify_first_option
@click.option("--placement", type=NAMES, default=(), metavar="NAMES|FILE",
              help="Placement of the ranks: block, cyclic, one-per-node, across-sites, or a "
                   "rankfile.")  # fmt: skip
@prefix_option
@launcher_option
@click.option("--limit", type=DURATION, default="120s", show_default=True, help="Time limit of a launch.")
@click.option("--seed", type=SEED, help="Seed for the order of launches and cells, to repeat a plan.")
@quiet_option
@where_options
@store_option
@json_option
def command(mpi: tuple[str, ...], store: Path, as_json: bool, **options: Any) -> int:
    """Check each MPI against itself: no operation should be slower than other calls that do the same.

    Allreduce against reduce and then bcast, a datatype against packing by hand, a message against its halves, and
    so on. A violation is reported with its size, its interval, and a remedy. It has passed a rank test on launches
    that is corrected for the number of checks.
    """
    screen = Screen(quiet=options["quiet"])
    result = _answer(mpi, store, options, screen)
    print_result(result, screen, options["report"], as_json=as_json, run=result.run_id)
    return code_of_check(result.objections(fail_on_violation=bool(options["fail_on"])))


def _answer(
    mpi: tuple[str, ...], store: Path, options: dict[str, Any], screen: Screen
) -> guidelines.GuidelinesResult:
    """What a run says, which is measured now unless it is stored."""
    if options["stored"] and options["resume"]:
        raise errors.InputError("--from and --resume are mutually exclusive", "give one of them")
    if options["stored"]:
        return guidelines.load(options["stored"], store, mpi, delta=options["delta"])
    if options["resume"]:
        run_id = resuming.resume_run(options["resume"], store, screen, kind="guidelines")
        return guidelines.load(run_id, store, delta=options["delta"])
    request = Request(
        command_line=command_line(), sizes_bytes=options["sizes"], time_budget_seconds=options["budget"],
        implementations=mpi, prefixes=options["prefixes"], ranks=options["ranks"], seed=options["seed"],
        launch_limit_seconds=options["limit"], launcher_arguments=options["launcher"],
        verify_first=options["verify_first"],
        testbed=testbed_of(options["testbed"], options["hostfile"]), placements=options["placement"],
    )  # fmt: skip
    request = guidelines.request_for(names_of(options["bench"]), options["layout"], request)
    return guidelines.guidelines(request, store, screen, delta=options["delta"])
