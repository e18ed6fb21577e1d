"""`rankwise npb`: kernels of the NAS Parallel Benchmarks, which check their own results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import DURATION, Ranks, json_option, mpi_option, names_of, prefix_option
from rankwise.cli.program_arguments import launcher_option
from rankwise.cli.screen import Screen
from rankwise.cli.testbed_options import where_options
from rankwise.core.apps import exit_code
from rankwise.report.apps_view import apps_parts
from rankwise.workflows.apps import CLASSES, AppsRequest, run_apps
from rankwise.workflows.testbeds import testbed_of

SECTION = "Research"


@click.command(
    name="npb",
    short_help="Run the NAS Parallel Benchmarks.",
    epilog="\b\nExamples:\n"
    "  rankwise npb                              all kernels, all MPIs, class S\n"
    "  rankwise npb lu bt --class W --mpi mpich -n 4\n"
    "  rankwise npb ft --class A -n 8 --testbed grid5000-2007 --mpi openmpi\n"
    "  rankwise npb cg --class B -n 16 --testbed grid5000-2007-npb --no-compute\n"
    "  rankwise npb --count -n 4 --mpi mpich     number and sizes of messages too\n"
    "  rankwise npb lu --source NPB3.4-MPI       the official one, built here",
)
@click.argument("kernels", nargs=-1, metavar="[KERNEL]...")
@click.option("--class", "class_name", type=click.Choice(CLASSES, case_sensitive=False), default=CLASSES[0],
              metavar="|".join(CLASSES), show_default=True, help="Problem class, the smallest first.")  # fmt: skip
@mpi_option
@click.option("-n", "ranks", type=Ranks(), help="Number of ranks.  [default: every slot of the testbed]")
@click.option("--count", is_flag=True, help="Also count messages by size.")
@click.option("--no-compute", is_flag=True,
              help="Wait instead of computing, for as long as the computation took on this host: for networks "
                   "emulated on few cores. The results are not verified then.")  # fmt: skip
@click.option("--source", metavar="DIR", type=click.Path(path_type=Path, file_okay=False, exists=True),
              help="Build and run the official benchmarks instead, from the MPI source tree in "
                   "this folder.")  # fmt: skip
@click.option("--placement", default="block", show_default=True, metavar="NAME|FILE",
              help="block, cyclic, one-per-node, across-sites, or a rankfile.")  # fmt: skip
@launcher_option
@click.option("--limit", type=DURATION, default="10m", show_default=True, help="Time limit of a run.")
@prefix_option
@json_option
@where_options
def command(**options: Any) -> int:
    """Run the NAS Parallel Benchmarks and check their results against the published ones.

    The kernels are ep, is, cg, mg, ft, lu, sp and bt, in Rankwise's own C from their published definition; their
    times are not official NPB results. Without names, all that can run on this number of ranks. Exit code 1 if a
    result is wrong or a run failed, 3 if all runs failed.
    """
    if options["source"] and (options["count"] or options["no_compute"]):
        raise click.UsageError(
            "--count and --no-compute work with Rankwise's own kernels alone, not with --source; the messages of "
            "the official ones: rankwise trace -- PROGRAM (--json has its path)"
        )
    request = AppsRequest(
        options["kernels"], options["class_name"], (), names_of(options["mpi"]), options["ranks"] or 0,
        testbed_of(options["testbed"], options["hostfile"]), options["placement"], options["count"],
        options["no_compute"], options["limit"], options["launcher"], options["prefixes"], options["source"],
    )  # fmt: skip
    results = run_apps(request, Screen())
    print_answer(results, apps_parts(results), as_json=options["as_json"])
    return exit_code(results)
