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

_IN_JOIN = {"ranks": "-n", "mpi": "--mpi"}
"""Options that a joined job does not take, since --join says it for each site."""
_SINGLE = {
    "placement": "--placement", "overlay": "--overlay", "reproducible": "--reproducible",
    "congestion_control": "--congestion-control", "profile": "--profile", "force": "--any-version",
}  # fmt: skip
"""Further ones that it does not take."""
_WAYS = {
    "progress_thread": "--progress-thread", "relayed": "--relay", "encrypted": "--encrypt",
    "representation": "--representation",
}  # fmt: skip
"""Those that only a joined job takes."""
_ENCRYPT = click.option(
    "--encrypt", "encrypted", is_flag=True,
    help="With --join: encrypt what goes between sites that connect directly (TLS 1.3, a new key for each job).",
)  # fmt: skip
VARIANT_OPTIONS = (
    click.option("--join", "joined", type=Parsed("sites", parts_of), multiple=True,
                 metavar="SITE=MPI:RANKS,...",
                 help="One more variant: a job over several sites with an MPI of its own on each, as with "
                      "`rankwise run --join` (repeatable)."),
    click.option("--relay", "relayed", is_flag=True,
                 help="With --join: connect the sites through an encrypted relay on the first host of each."),
    _ENCRYPT,
)  # fmt: skip
"""Those of a verb that measures joined jobs as variants."""
_JOB = (
    click.option("--join", "parts", type=Parsed("sites", parts_of), metavar="SITE=MPI:RANKS,...",
                 help="Run one job over several sites, with an MPI of its own on each. The names are the "
                      "testbed's sites, or any names without one. Other joined jobs can connect to it."),
    click.option("--relay", "relayed", is_flag=True,
                 help="With --join: connect the sites through an encrypted relay on the first host of each, which "
                      "needs a single port. Other jobs that connect to it need --relay as well.  [default: hosts "
                      "connect directly]"),
    _ENCRYPT,
    click.option("--progress-thread", is_flag=True,
                 help="With --join: a thread in each process makes progress on messages while the program "
                      "computes."),
    click.option("--representation", type=click.Choice(("auto", "native", "external32")),
                 help="With --join: how data are represented between sites. auto: as external32 between hosts "
                      "that differ, say in byte order; external32: always, to test that or see what it costs; "
                      "native: never converted, and hosts that differ are refused.  [default: auto]"),
)  # fmt: skip


def job_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add those of a verb that starts one job."""
    for option in reversed(_JOB):
        function = option(function)
    return function


def check_joined(options: dict[str, Any]) -> None:
    """Raise InputError for relays or encryption without sites, and for both."""
    _check_ways(options, ("relayed", "encrypted"), bool(options["joined"]))


def _check_ways(options: dict[str, Any], names: tuple[str, ...], has_sites: bool) -> None:
    for name in names:
        if options[name] and not has_sites:
            raise InputError(
                f"{_WAYS[name]} is for a job over several sites", "give the MPI of each site with --join"
            )
    if options["relayed"] and options["encrypted"]:
        raise InputError(
            "--encrypt is for sites that connect directly: relays encrypt what goes between sites already",
            "leave one of them out; with --relay what ranks send to the relay of their own site stays unencrypted",
        )


def join_request(context: click.Context, options: dict[str, Any]) -> JoinRequest | None:
    """Return what is asked of a joined job, None for a job of one MPI. Raises InputError for the other's words."""
    _check_ways(options, tuple(_WAYS), bool(options["parts"]))
    if not options["parts"]:
        return None
    for name, option in {**_IN_JOIN, **_SINGLE}.items():
        if name in options and context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            why = ": --join gives it for each site" if name in _IN_JOIN else ""
            raise InputError(f"{option} is for a job of one MPI", f"leave it out{why}")
    return JoinRequest(
        context.obj, options["parts"], testbed_of(options["testbed"], options["hostfile"]), options["launcher"],
        options["limit"], options["prefixes"], options["standard_abi"], prefixed=not options["quiet"],
        linked_to=options["linked_to"], relayed=options["relayed"], encrypted=options["encrypted"],
        progress_thread=options["progress_thread"], representation=options["representation"] or "",
    )  # fmt: skip
