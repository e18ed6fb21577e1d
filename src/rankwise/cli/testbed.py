"""`rankwise testbed`: networks emulated here, or real hosts: look at them, start, check, take them down."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import NoReturn

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rankwise.cli.options import echo_json, json_option
from rankwise.cli.screen import Screen
from rankwise.core import errors
from rankwise.core.errors import HostError, InputError
from rankwise.core.network import Topology
from rankwise.core.units import format_duration
from rankwise.report.drawing import topology_svg
from rankwise.report.path_table import path_table
from rankwise.report.terminal_drawing import topology_drawing
from rankwise.testbed import description, running
from rankwise.testbed.base import make
from rankwise.testbed.check import PathCheck, checks
from rankwise.workflows import testbeds
from rankwise.workflows.testbeds import complete_any, complete_nodes, complete_up

_EXAMPLES = """\b
Examples:
  rankwise testbed list
  rankwise testbed show grid5000-2007
  rankwise testbed up grid5000-2007
  rankwise testbed exec rennes-1 -- ping -c 3 nancy-1
  rankwise testbed check grid5000-2007
  rankwise testbed down grid5000-2007
  rankwise compare --testbed grid5000-2007 -n 4      brings one up for itself
"""

name_argument = click.argument("name", metavar="NAME|FILE", shell_complete=complete_any)


@click.group("testbed", epilog=_EXAMPLES)
def command() -> None:
    """Look at networks to measure on: emulated on this machine, or real hosts.

    A testbed is a preset, or a TOML file that describes sites, nodes and links; `show` draws it. Verbs that
    measure bring it up for themselves; one that was brought up by `up` stays until `down`.
    """
    running.clear_left_over()


@command.command("list", epilog="\b\nExamples:\n  rankwise testbed list\n  rankwise testbed list --json")
@json_option
def list_command(as_json: bool) -> None:
    """List the presets, and the testbeds that are up."""
    presets = {name: description.read(file) for name, file in description.presets().items()}
    up = testbeds.everything_up()
    if as_json:
        echo_json({
            "presets": [{"name": name, "description": one.description, "sites": one.sites, "nodes": len(one.nodes)}
                        for name, one in presets.items()],
            "up": [{"name": one.name, "nodes": one.nodes, "started_at": one.started_at, "of_a_run": one.attached,
                    "folder": one.folder} for one in up],
        })  # fmt: skip
        return
    console = Console(highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("preset", no_wrap=True)
    table.add_column("nodes", justify="right")
    table.add_column("what it is")
    for name, one in presets.items():
        table.add_row(name, str(len(one.nodes)), Text(one.description))
    console.print(table)
    for running_one in up:
        since = format_duration(time.time() - running_one.started_at)
        whose = " by a command that is running" if running_one.attached else ""
        console.print(Text(f"\n{running_one.name} is up for {since}{whose}: {', '.join(running_one.nodes)}"))


@command.command(
    "show",
    epilog="\b\nExamples:\n  rankwise testbed show two-clusters\n  rankwise testbed show my.toml --svg my.svg",
)
@name_argument
@json_option
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), help="Draw it into this file.")
def show_command(name: str, as_json: bool, svg: Path | None) -> None:
    """Draw a testbed: its sites, nodes, links and TCP settings, with everything spelt out."""
    topology = testbeds.topology_of(name)
    if svg is not None:
        try:
            svg.write_text(topology_svg(topology, alone=True), encoding="utf-8")
        except OSError as error:
            raise HostError(f"cannot write {svg}: {error.strerror}", "give another place for it") from error
    if as_json:
        echo_json(topology)
    elif svg is None:
        Console(highlight=False).print(topology_drawing(topology))


@command.command(
    "up",
    epilog="\b\nExamples:\n  rankwise testbed up cluster\n  rankwise testbed up my.toml --name mine",
)
@name_argument
@click.option("--name", "own_name", default="", metavar="NAME", help="Call it so.  [default: its own name]")
def up_command(name: str, own_name: str) -> None:
    """Bring an emulated testbed up; it stays until `rankwise testbed down`."""
    topology = description.load(name)
    if own_name:
        topology = replace(topology, name=own_name)
    with Screen().busy(f"bringing up {topology.name}"):
        warnings = testbeds.bring_up(topology)
    for line in warnings:
        click.echo(f"warning: {line}", err=True)
    click.echo(f"{topology.name} is up: {', '.join(node.name for node in topology.nodes)}")


@command.command("down", epilog="\b\nExamples:\n  rankwise testbed down cluster\n  rankwise testbed down --all")
@click.argument("names", nargs=-1, metavar="NAME|FILE...", shell_complete=complete_up)
@click.option("--all", "everything", is_flag=True, help="All that `testbed up` has brought up.")
def down_command(names: tuple[str, ...], everything: bool) -> None:
    """Take testbeds down; nothing of them is left."""
    if bool(names) == everything:
        raise InputError("which testbed is to be taken down?", "name it, or say --all")
    chosen = testbeds.lasting().values() if everything else map(testbeds.the_one, names)
    for one in {one.name: one for one in chosen}.values():
        testbeds.take_down(one)
        click.echo(f"{one.name} is down")


@command.command(
    "exec",
    epilog="\b\nExamples:\n  rankwise testbed exec rennes-1 -- hostname\n"
    "  rankwise testbed exec rennes-1 -- sh -c 'ping -c 3 nancy-1'\n"
    "  rankwise testbed exec a-1 --testbed mine -- cat < local-file",
)
@click.argument("node", shell_complete=complete_nodes)
@click.argument("arguments", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD...")
@click.option("--testbed", "name", default="", metavar="NAME|FILE", shell_complete=complete_any,
              help="Where the node is.  [default: the testbed that is up and has it]")  # fmt: skip
def exec_command(node: str, arguments: tuple[str, ...], name: str) -> NoReturn:
    """Run a command on a NODE: input, output and exit code are the command's own."""
    argv = testbeds.command_on(node, arguments, name)
    sys.stdout.flush()
    try:
        os.execvp(argv[0], argv)
    except OSError as error:
        raise HostError(f"cannot start {argv[0]}: {error.strerror}", "is it installed?") from error


@command.command(
    "check",
    epilog="\b\nExamples:\n  rankwise testbed check grid5000-2007\n  rankwise testbed check my.toml --json",
)
@name_argument
@click.option("--quick", is_flag=True, help="Under a second a path: no loss, and no verdicts.")
@json_option
def check_command(name: str, quick: bool, as_json: bool) -> int:
    """Measure delay, rate and loss of the paths between sites and within, and compare with what was asked for.

    The testbed is brought up for it if it is not up. Exit code 1 if a path is out of tolerance.
    """
    topology = testbeds.topology_of(name)
    found = list(_checked(topology, quick))
    if as_json:
        echo_json([
            {**asdict(one.figures), "as_asked": not one.complaints, "complaints": one.complaints} for one in found
        ])  # fmt: skip
    else:
        console = Console(highlight=False)
        console.print(path_table(found, judged=not quick and bool(topology.links)))
        for one in found:
            for complaint in one.complaints:
                console.print(Text(f"{one.figures.source} - {one.figures.destination}: {complaint}"))
    return errors.EXIT_ANSWER_IS_NO if any(one.complaints for one in found) else errors.EXIT_OK


def _checked(topology: Topology, quick: bool) -> Iterator[PathCheck]:
    with Screen().busy(f"bringing up {topology.name}") as update, make(topology) as testbed:
        update(f"measuring the paths of {topology.name}")
        for one in checks(testbed, topology, quick=quick):
            yield one
            update(f"measured {one.figures.source} to {one.figures.destination}")
