"""`rankwise testbed`: networks emulated here, or real hosts: look at them, start, check, take them down."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn

import click

from rankwise.cli.options import echo_json, json_option, print_parts
from rankwise.cli.screen import Screen
from rankwise.core import errors
from rankwise.core.errors import HostError, InputError
from rankwise.report.terminal_drawing import topology_drawing
from rankwise.report.testbed_view import check_parts, testbed_parts, write_svg
from rankwise.workflows import leftovers, testbeds
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
    """Manage the networks to measure on: emulated on this machine, or real hosts.

    A testbed is a preset, or a TOML file that describes sites, nodes and links. `show` draws it. Verbs that
    measure bring a testbed up themselves; `up` keeps one up until `down`.
    """
    leftovers.clear()


@command.command("list", epilog="\b\nExamples:\n  rankwise testbed list\n  rankwise testbed list --json")
@json_option
def list_command(as_json: bool) -> None:
    """List the presets, and the testbeds that are up."""
    presets, up = testbeds.presets(), testbeds.everything_up()
    if as_json:
        echo_json({
            "presets": [{"name": name, "description": one.description, "sites": one.sites, "nodes": len(one.nodes)}
                        for name, one in presets.items()],
            "up": [{"name": one.name, "nodes": one.nodes, "started_at": one.started_at, "of_a_run": one.attached,
                    "folder": one.folder} for one in up],
        })  # fmt: skip
    else:
        print_parts(testbed_parts(presets, up))


@command.command(
    "show",
    epilog="\b\nExamples:\n  rankwise testbed show two-clusters\n  rankwise testbed show my.toml --svg my.svg",
)
@name_argument
@json_option
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), help="Write the drawing to this SVG file.")
def show_command(name: str, as_json: bool, svg: Path | None) -> None:
    """Draw a testbed: sites, nodes, links and TCP settings, defaults included."""
    topology = testbeds.topology_of(name)
    if svg is not None:
        write_svg(topology, svg)
    if as_json:
        echo_json(topology)
    elif svg is None:
        print_parts([topology_drawing(topology)])


@command.command(
    "up",
    epilog="\b\nExamples:\n  rankwise testbed up cluster\n  rankwise testbed up my.toml --name mine",
)
@name_argument
@click.option(
    "--name",
    "own_name",
    default="",
    metavar="NAME",
    help="Name of the testbed.  [default: the one in its description]",
)
def up_command(name: str, own_name: str) -> None:
    """Bring an emulated testbed up until `rankwise testbed down`."""
    topology, warnings = testbeds.bring_up(name, own_name, Screen())
    for line in warnings:
        click.echo(f"warning: {line}", err=True)
    click.echo(f"{topology.name} is up: {', '.join(node.name for node in topology.nodes)}")


@command.command("down", epilog="\b\nExamples:\n  rankwise testbed down cluster\n  rankwise testbed down --all")
@click.argument("names", nargs=-1, metavar="NAME|FILE...", shell_complete=complete_up)
@click.option(
    "--all", "everything", is_flag=True, help="Take down every testbed that `testbed up` has brought up."
)
def down_command(names: tuple[str, ...], everything: bool) -> None:
    """Take testbeds down."""
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
              help="Testbed of the node.  [default: the one that is up and has it]")  # fmt: skip
def exec_command(node: str, arguments: tuple[str, ...], name: str) -> NoReturn:
    """Run a command on NODE. Input, output and exit code are those of the command."""
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
@click.option("--quick", is_flag=True, help="Spend less than a second on each path, without loss and verdicts.")
@json_option
def check_command(name: str, quick: bool, as_json: bool) -> int:
    """Measure delay, rate and loss of the paths within and between sites, and compare them with the description.

    The testbed is brought up if necessary. Exit code 1 if a path is out of tolerance.
    """
    topology, found = testbeds.check(name, Screen(), quick=quick)
    if as_json:
        echo_json([
            {**asdict(one.figures), "as_asked": not one.complaints, "complaints": one.complaints} for one in found
        ])  # fmt: skip
    else:
        print_parts(check_parts(found, judged=not quick and bool(topology.links)))
    return errors.EXIT_ANSWER_IS_NO if any(one.complaints for one in found) else errors.EXIT_OK
