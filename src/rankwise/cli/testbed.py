"""`rankwise testbed`: networks emulated here, or real hosts: look at them, start, check, take them down."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import json_option
from rankwise.cli.screen import Screen
from rankwise.core import errors
from rankwise.core.errors import HostError, InputError
from rankwise.report.terminal_drawing import topology_drawing
from rankwise.report.testbed_view import check_parts, testbed_parts, write_svg
from rankwise.workflows import leftovers, testbeds
from rankwise.workflows.events import warn
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


SECTION = "Networks"


@click.group(name="testbed", short_help="List, show, start and stop testbeds.", epilog=_EXAMPLES)
def command() -> None:
    """Manage the networks to measure on: emulated on this machine, or real hosts.

    A testbed is a preset, or a TOML file of sites, nodes and links (rate, delay, jitter, loss). `show` draws it.
    Verbs that measure bring a testbed up themselves; `up` keeps one up until `down`.
    """
    leftovers.clear()


@command.command("list", epilog="\b\nExamples:\n  rankwise testbed list\n  rankwise testbed list --json")
@json_option
def list_command(as_json: bool) -> None:
    """List the presets, and the testbeds that are up."""
    presets, up = testbeds.presets(), testbeds.everything_up()
    plain = {
        "presets": [
            {
                "name": name, "description": topology.description, "sites": topology.sites,
                "nodes": len(topology.nodes),
            }
            for name, topology in presets.items()
        ],
        "up": [
            {
                "name": testbed.name, "nodes": testbed.nodes, "started_at": testbed.started_at,
                "of_a_run": testbed.attached, "folder": testbed.folder,
            }
            for testbed in up
        ],
    }  # fmt: skip
    print_answer(plain, testbed_parts(presets, up), as_json=as_json)


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
    print_answer(topology, [topology_drawing(topology)] if svg is None else [], as_json=as_json)


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
@json_option
def up_command(name: str, own_name: str, as_json: bool) -> None:
    """Bring an emulated testbed up until `rankwise testbed down`."""
    topology, warnings = testbeds.bring_up(name, own_name, Screen())
    warn(Screen(), *warnings)
    nodes = [node.name for node in topology.nodes]
    text = f"{topology.name} is up: {', '.join(nodes)}"
    print_answer({"name": topology.name, "nodes": nodes}, [text], as_json=as_json)


@command.command("down", epilog="\b\nExamples:\n  rankwise testbed down cluster\n  rankwise testbed down --all")
@click.argument("names", nargs=-1, metavar="NAME|FILE...", shell_complete=complete_up)
@click.option(
    "--all", "everything", is_flag=True, help="Take down every testbed that `testbed up` has brought up."
)
@json_option
def down_command(names: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Take testbeds down."""
    if bool(names) == everything:
        raise InputError("no testbed given", "name one, or use --all")
    down = testbeds.take_down(names)
    print_answer(down, (f"{name} is down" for name in down), as_json=as_json)


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
        raise HostError(f"cannot start {argv[0]}: {error.strerror}", "check that it is installed") from error


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
    topology, path_checks = testbeds.check(name, Screen(), quick=quick)
    plain = [
        {**asdict(path_check.figures), "as_asked": not path_check.complaints, "complaints": path_check.complaints}
        for path_check in path_checks
    ]
    print_answer(plain, check_parts(path_checks, judged=not quick and bool(topology.links)), as_json=as_json)
    return errors.EXIT_ANSWER_IS_NO if any(path_check.complaints for path_check in path_checks) else errors.EXIT_OK
