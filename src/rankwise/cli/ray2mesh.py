"""`rankwise ray2mesh`: a master that hands out work, and a merge of all to all."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from rankwise.cli.options import DURATION, SIZE, Ranks, echo_json, json_option, print_parts
from rankwise.cli.program_arguments import launcher_option
from rankwise.cli.screen import Screen
from rankwise.cli.testbed_options import where_options
from rankwise.core.errors import EXIT_ANSWER_IS_NO, EXIT_HOST, EXIT_OK
from rankwise.report.apps_view import master_worker_parts
from rankwise.workflows.apps import AppsRequest, run_apps
from rankwise.workflows.testbeds import testbed_of


@click.command(
    name="ray2mesh",
    epilog="\b\nExamples:\n"
    "  rankwise ray2mesh -n 4 --mpi mpich\n"
    "  rankwise ray2mesh -n 4 --rays 1000000 --testbed two-clusters --mpi openmpi",
)
@click.option("--rays", type=click.IntRange(1), default=100000, show_default=True, help="Number of rays.")
@click.option("--set", "together", type=click.IntRange(1, 20_000_000), default=1000, show_default=True,
              help="Rays in a set, which is handed out as one message; a ray has 69 bytes.")  # fmt: skip
@click.option(
    "--mesh", type=SIZE, default="8M", show_default=True, help="Size of a rank's mesh, which is merged at the end."
)
@click.option("--mpi", "implementations", multiple=True, metavar="MPI",
              help="Implementation to use (repeatable).  [default: every one that works]")  # fmt: skip
@click.option("-n", "ranks", type=Ranks(2), help="Number of ranks.  [default: every slot of the testbed]")
@click.option("--no-compute", is_flag=True,
              help="Wait instead of computing, for as long as the computation took on this host: for networks "
                   "emulated on few cores.")  # fmt: skip
@click.option("--placement", default="block", show_default=True, metavar="NAME|FILE",
              help="block, cyclic, one-per-node, across-sites, or a rankfile; rank 0 is the master.")  # fmt: skip
@launcher_option
@click.option("--limit", type=DURATION, default="10m", show_default=True, help="Time limit of a run.")
@click.option("--prefix", "prefixes", multiple=True, metavar="DIR", type=click.Path(path_type=Path),
              help="Also look for an MPI in this prefix.")  # fmt: skip
@json_option
@where_options
def command(**asked: Any) -> int:
    """Trace seismic rays through a layered Earth: rank 0 hands out sets of rays to idle workers.

    Then the meshes of all ranks are merged. Exit code 1 if a result is wrong, 3 if a run has failed.
    """
    options = (f"rays={asked['rays']}", f"set={asked['together']}", f"mesh_bytes={asked['mesh']}")
    request = AppsRequest(
        ("ray2mesh",), "", options, asked["implementations"], asked["ranks"] or 0,
        testbed_of(asked["testbed"], asked["hostfile"]), asked["placement"],
        no_compute=asked["no_compute"], limit_seconds=asked["limit"], launcher_arguments=asked["launcher"],
        prefixes=asked["prefixes"],
    )  # fmt: skip
    results = run_apps(request, Screen())
    if asked["as_json"]:
        echo_json([asdict(one) for one in results])
    else:
        print_parts(master_worker_parts(results))
    if any(one.verified is False for one in results):
        return EXIT_ANSWER_IS_NO
    return EXIT_OK if all(one.has_ended for one in results) else EXIT_HOST
