"""`rankwise run`: one job of the user's own, by any implementation, on any testbed."""

from __future__ import annotations

from typing import Any

import click

from rankwise.cli.abi_options import abi_options
from rankwise.cli.join_options import job_options, join_request
from rankwise.cli.options import DURATION, Ranks, prefix_option
from rankwise.cli.profile_options import profile_options
from rankwise.cli.program_arguments import TakesProgram, launcher_option
from rankwise.cli.screen import Screen
from rankwise.cli.testbed_options import where_options
from rankwise.core.errors import InputError
from rankwise.workflows.configurations import choose
from rankwise.workflows.joined import run_joined
from rankwise.workflows.overlay import DEFAULT_TABLE, OverlayChoice
from rankwise.workflows.run import RunRequest, run
from rankwise.workflows.testbeds import testbed_of

SECTION = "Measure"


@click.command(
    name="run",
    short_help="Run an MPI program, on any testbed.",
    cls=TakesProgram,
    epilog="\b\nExamples:\n"
    "  rankwise run -n 4 -- ./app input.txt           with its own MPI\n"
    "  rankwise run -n 4 --testbed grid5000-2007 --mpi mpich -- ./app\n"
    "  rankwise run -n 8 --hostfile hosts --placement cyclic -- ./app\n"
    "  rankwise run -n 4 --testbed grid5000-2007 --profile wan -- ./app\n"
    "  rankwise run -n 8 --testbed grid5000-2007 --overlay -- ./app\n"
    "  rankwise run --hostfile hosts --overlay --congestion-control bbr -- ./app\n"
    "  rankwise run -n 4 --mpi any -- ./abi-app       compiled by mpicc_abi\n"
    "  rankwise run -n 4 --mpi mpich-5 -- ./app       linked to Open MPI\n"
    "  rankwise run --join rennes=openmpi-5:4,nancy=mpich-5:4 -- ./abi-app\n"
    "                                                 an MPI of its own on each\n"
    "  rankwise run --join a=openmpi-5:4,b=mpich-5:4 --encrypt -- ./abi-app\n"
    "  rankwise run -n 2 --mpi openmpi --launcher '--mca btl tcp,self' -- ./app",
)
@click.option(
    "-n",
    "ranks",
    type=Ranks(),
    help="Number of ranks; more than cores are oversubscribed.  [default: every slot of the testbed]",
)
@click.option(
    "--mpi", default="", metavar="MPI|any",
    help="Implementation to use, or `any` for the first that can run the program.  [default: the one that it "
         "is linked with]",
)  # fmt: skip
@job_options
@abi_options
@click.option("--placement", default="block", show_default=True, metavar="NAME|FILE",
              help="block, cyclic, one-per-node, across-sites, or a rankfile.")  # fmt: skip
@launcher_option
@click.option("--limit", type=DURATION, default="24h", show_default=True, help="Time limit of the job.")
@prefix_option
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but the program's output.")
@click.option("--overlay", default="", is_flag=False, flag_value=DEFAULT_TABLE, metavar="[TABLE]",
              help="Use Rankwise's collective algorithms as this decision table selects. Without a "
                   "table: those across sites.")  # fmt: skip
@click.option("--reproducible", is_flag=True,
              help="With --overlay: sums do not depend on which ranks run in which site.")  # fmt: skip
@click.option("--congestion-control", default="", metavar="NAME",
              help="With --overlay: congestion control of the job's TCP connections, such as bbr where links lose "
                   "packets.  [default: that of the hosts]")  # fmt: skip
@profile_options
@where_options
@click.pass_context
def command(context: click.Context, /, **options: Any) -> int:
    """Run your own MPI program: what follows `--` is the program and its arguments.

    Standard input, output and error are passed through, and the program's exit code is returned.
    """
    if joined := join_request(context, options):
        return run_joined(joined, Screen(quiet=options["quiet"]))
    request = RunRequest(
        context.obj, options["ranks"] or 0, options["mpi"], testbed_of(options["testbed"], options["hostfile"]),
        options["placement"], choose(options["profile"]), _overlay(options),
        options["force"], options["launcher"], options["limit"], options["prefixes"], options["standard_abi"],
        options["linked_to"],
    )  # fmt: skip
    return run(request, Screen(quiet=options["quiet"]))


def _overlay(options: dict[str, Any]) -> OverlayChoice:
    chosen = OverlayChoice(options["overlay"], options["reproducible"], options["congestion_control"])
    for name in ("reproducible", "congestion_control"):
        if options[name] and not chosen.table:
            raise InputError(f"--{name.replace('_', '-')} needs --overlay", "add --overlay")
    return chosen
