"""`rankwise map`: where the ranks of a program should run."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.measuring_options import command_line
from rankwise.cli.options import DURATION, Parsed, json_option, store_option
from rankwise.cli.screen import Screen
from rankwise.cli.testbed_options import where_options
from rankwise.core.errors import EXIT_OK, InputError
from rankwise.report.map_view import map_parts
from rankwise.workflows import map as mapping
from rankwise.workflows.events import warn
from rankwise.workflows.map import MapRequest, map_ranks
from rankwise.workflows.map_verify import program_of, testbed_for, verify
from rankwise.workflows.testbeds import testbed_of

SECTION = "Explain and predict"


@click.command(
    name="map",
    short_help="Find a better placement of a program's ranks.",
    epilog="\b\nExamples:\n"
    "  rankwise map app.trace --testbed grid5000-2007\n"
    "  rankwise map app.trace --testbed grid5000-2007 --objective time\n"
    "  rankwise map app.trace --platform platform.toml --objective time\n"
    "  rankwise map traffic.csv --testbed two-clusters.toml -o ranks\n"
    "  rankwise map traffic.csv --hostfile hosts --format machinefile -o mapped\n"
    "  rankwise map traffic.csv --hostfile hosts --pin 0=login-1\n"
    "  rankwise map traffic.csv --hostfile hosts --lstopo host.xml -o ranks\n"
    "  rankwise map app.trace --testbed grid5000-2007 -o ranks --compare\n"
    "  rankwise map app.trace --hostfile hosts --format permutation -o order\n"
    "  rankwise compare --placement block,./ranks -- ./app    is it faster?",
)
@click.argument("recording", metavar="RECORDING", type=click.Path(path_type=Path))
@click.option("--placement", default="block", show_default=True, metavar="NAME|FILE",
              help="Current placement of the ranks: block, cyclic, one-per-node, across-sites, or a "
                   "rankfile.")  # fmt: skip
@click.option("--distances", type=Parsed("distances", mapping.parse_distances), default=(),
              help="Distances within a node, within a site and between sites.  [default: 1:10:100]")  # fmt: skip
@click.option("--lstopo", "topology", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Topology of a host, as written by `lstopo FILE`: ranks on one package are nearer "
                   "(1:2:10:100).")  # fmt: skip
@click.option("--pin", "pins", type=Parsed("pins", mapping.parse_pins), default=(), metavar="RANK=HOST,...",
              help="Keep these ranks on these hosts.")  # fmt: skip
@click.option("--objective", type=click.Choice(["bytes", "time"]), default="bytes", show_default=True,
              help="What to minimise: bytes times distance, or the predicted time.")  # fmt: skip
@click.option("--platform", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Platform for predictions, as written by `rankwise fit`; its nodes are the hosts if neither "
                   "--testbed nor --hostfile is given.  [default: the testbed as described]")  # fmt: skip
@click.option("--time", "seconds", type=DURATION, default="30s", show_default=True,
              help="Time limit of the search.")  # fmt: skip
@click.option("--compare", "verified", is_flag=True,
              help="Then run the program with both placements, interleaved, and compare them. Needs a trace "
                   "and -o.")  # fmt: skip
@store_option
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="File to write the placement to.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(mapping.FORMATS), default="rankfile", show_default=True,
              help="rankfile: Open MPI, and --placement of other verbs; machinefile: MPICH and Intel MPI; schema: "
                   "LAM/MPI; slurm: Slurm; permutation: for a program that reorders its ranks.")  # fmt: skip
@json_option
@where_options
def command(**options: Any) -> int:
    """Find the placement of a program's ranks with the least communication cost.

    RECORDING is the folder of `rankwise trace`, an OTF2 archive, the output of Open MPI's monitoring component
    (its folder, or the file of any rank), a list `from,to,bytes`, or a square table of bytes. The cost is the sum
    of bytes times distance. With --objective time, which needs a trace or an archive, ranks are then swapped as
    long as that shortens the time that the simulator predicts.
    """
    on_platform = options["platform"] and not (options["testbed"] or options["hostfile"])
    if options["platform"] and not on_platform and options["objective"] != "time":
        raise InputError("--platform is for predicted times", "add --objective time, or leave it out")
    testbed = None if on_platform else testbed_of(options["testbed"], options["hostfile"])
    request = MapRequest(
        options["recording"], testbed, options["placement"], options["distances"],
        options["pins"], options["seconds"], options["objective"] == "time", options["platform"],
        options["topology"], options["form"] == "permutation",
    )  # fmt: skip
    if options["verified"]:
        _check(options, request)
    result = map_ranks(request)
    use = ""
    if options["output"]:
        use = mapping.write(result, options["form"], options["output"], options["recording"])
    comparison, screen = None, Screen()
    if options["verified"] and result.hosts == result.now:
        warn(screen, "the mapped placement is the current one: --compare has nothing to compare")
    elif options["verified"]:
        comparison = verify(request, result, options["output"], command_line(), options["store"], screen)
    plain = {**asdict(result), "verified": comparison}
    parts = map_parts(result.costs, result.cost_now, result.hosts, result.predicted, result.gain)
    warn(screen, *result.notices)
    print_answer(
        plain,
        [*parts, *([f"\nuse it: {use}"] if use else []), *(["", *comparison.parts()] if comparison else [])],
        as_json=options["as_json"],
    )
    return EXIT_OK


def _check(options: dict[str, Any], request: MapRequest) -> None:
    """Raise InputError before anything is done if the program could not run again."""
    testbed_for(request)
    program_of(options["recording"])
    if options["form"] != "rankfile":
        raise InputError("--compare runs the program with a rankfile", "leave --format out")
    if options["output"] is None:
        raise InputError("--compare runs the program with a rankfile", "give a file: -o ranks")
