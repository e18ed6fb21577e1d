"""`rankwise ray2mesh`: a master that hands out work, and a merge of all to all."""

from __future__ import annotations

from typing import Any

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import DURATION, SIZE, Ranks, json_option, mpi_option, names_of, prefix_option
from rankwise.cli.program_arguments import launcher_option
from rankwise.cli.screen import Screen
from rankwise.cli.testbed_options import where_options
from rankwise.core.apps import exit_code
from rankwise.report.apps_view import master_worker_parts
from rankwise.workflows.apps import AppsRequest, run_apps
from rankwise.workflows.testbeds import testbed_of

SECTION = "Research"


@click.command(
    name="ray2mesh",
    short_help="Run a master and its workers: seismic rays.",
    epilog="\b\nExamples:\n"
    "  rankwise ray2mesh -n 4 --mpi mpich\n"
    "  rankwise ray2mesh -n 4 --rays 1000000 --testbed two-clusters --mpi openmpi",
)
@click.option("--rays", type=click.IntRange(1, (1 << 31) - 1), default=100000, show_default=True,
              help="Number of rays.")  # fmt: skip
@click.option("--set", "together", type=click.IntRange(1, 20_000_000), default=1000, show_default=True,
              help="Rays in a set, which is handed out as one message; a ray has 69 bytes.")  # fmt: skip
@click.option(
    "--mesh", type=SIZE, default="8M", show_default=True, help="Size of a rank's mesh, which is merged at the end."
)
@mpi_option
@click.option("-n", "ranks", type=Ranks(2), help="Number of ranks.  [default: every slot of the testbed]")
@click.option("--no-compute", is_flag=True,
              help="Wait instead of computing, for as long as the computation took on this host: for networks "
                   "emulated on few cores.")  # fmt: skip
@click.option("--placement", default="block", show_default=True, metavar="NAME|FILE",
              help="block, cyclic, one-per-node, across-sites, or a rankfile; rank 0 is the master.")  # fmt: skip
@launcher_option
@click.option("--limit", type=DURATION, default="10m", show_default=True, help="Time limit of a run.")
@prefix_option
@json_option
@where_options
def command(**parameters: Any) -> int:
    """Trace seismic rays through a layered Earth: rank 0 hands out sets of rays to idle workers.

    Then the meshes of all ranks are merged. Exit code 1 if a result is wrong or a run failed, 3 if
    all runs failed.
    """
    options = (f"rays={parameters['rays']}", f"set={parameters['together']}", f"mesh_bytes={parameters['mesh']}")
    request = AppsRequest(
        ("ray2mesh",), "", options, names_of(parameters["mpi"]), parameters["ranks"] or 0,
        testbed_of(parameters["testbed"], parameters["hostfile"]), parameters["placement"],
        no_compute=parameters["no_compute"], limit_seconds=parameters["limit"],
        launcher_arguments=parameters["launcher"], prefixes=parameters["prefixes"],
    )  # fmt: skip
    results = run_apps(request, Screen())
    print_answer(results, master_worker_parts(results), as_json=parameters["as_json"])
    return exit_code(results)
