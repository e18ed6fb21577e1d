"""The options of jobs over several sites: of verbs that start one, and of those that measure some as variants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.core import ParameterSource

from rankwise.cli.options import Parsed
from rankwise.core.errors import InputError
from rankwise.workflows.joined import JoinRequest, parts_of
from rankwise.workflows.testbeds import testbed_of

_SINGLE = {
    "ranks": "-n", "mpi": "--mpi", "placement": "--placement", "overlay": "--overlay",
    "reproducible": "--reproducible", "congestion_control": "--congestion-control", "profile": "--profile",
    "force": "--force",
}  # fmt: skip
"""Options that a joined job does not take."""
_VARIANTS = (
    click.option("--join", "joined", type=Parsed("sites", parts_of), multiple=True,
                 metavar="SITE=MPI:RANKS,...",
                 help="One more variant: a job over several sites with an MPI of its own on each, as with "
                      "`rankwise run --join` (repeatable)."),
    click.option("--relay", "relayed", is_flag=True,
                 help="With --join: connect the sites through an encrypted relay on the first host of each."),
)  # fmt: skip
_JOB = (
    click.option("--join", "parts", type=Parsed("sites", parts_of), metavar="SITE=MPI:RANKS,...",
                 help="Run one job over several sites, with an MPI of its own on each. The names are the "
                      "testbed's sites, or any names without one. Other joined jobs can join it."),
    click.option("--relay", "relayed", is_flag=True,
                 help="With --join: connect the sites through an encrypted relay on the first host of each, which "
                      "needs a single port.  [default: hosts connect directly]"),
    click.option("--progress-thread", is_flag=True,
                 help="With --join: messages make progress while the program computes, by a thread in each "
                      "process."),
)  # fmt: skip


def join_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add those of a verb that measures joined jobs as variants."""
    for option in reversed(_VARIANTS):
        function = option(function)
    return function


def job_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add those of a verb that starts one job."""
    for option in reversed(_JOB):
        function = option(function)
    return function


def check_relay(asked: dict[str, Any]) -> None:
    """Raise InputError for relays without sites."""
    if asked["relayed"] and not asked["joined"]:
        raise InputError("--relay is for a job over several sites", "say with --join which MPI runs where")


def join_request(context: click.Context, asked: dict[str, Any]) -> JoinRequest | None:
    """Return what is asked of a joined job, None for a job of one MPI. Raises InputError for the other's words."""
    if not asked["parts"]:
        for name, option in (("progress_thread", "--progress-thread"), ("relayed", "--relay")):
            if asked[name]:
                raise InputError(
                    f"{option} is for a job over several sites", "say with --join which MPI runs where"
                )
        return None
    for name, option in _SINGLE.items():
        if name in asked and context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise InputError(f"{option} is for a job of one MPI", "leave it out: --join says it for each site")
    return JoinRequest(
        context.obj, asked["parts"], testbed_of(asked["testbed"], asked["hostfile"]), asked["launcher"],
        asked["limit"], asked["prefixes"], asked["standard_abi"], prefixed=not asked["quiet"],
        linked_to=asked["linked_to"], relayed=asked["relayed"],
        progress_thread=asked["progress_thread"],
    )  # fmt: skip
