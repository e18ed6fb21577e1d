"""`rankwise tune`: the settings that make each MPI fast on this network, as files that it loads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.measuring_options import command_line, verify_first_option
from rankwise.cli.options import (
    DURATION,
    RUN,
    SIZE,
    SIZES,
    Parsed,
    Share,
    json_option,
    names_of,
    prefix_option,
    quiet_option,
    rank_counts,
    store_option,
)
from rankwise.cli.screen import Screen
from rankwise.cli.testbed_options import where_options
from rankwise.core import process
from rankwise.core.errors import EXIT_ANSWER_IS_NO, EXIT_OK, UnknownNameError
from rankwise.core.records import DEFAULT
from rankwise.workflows.events import warn
from rankwise.workflows.testbeds import testbed_of
from rankwise.workflows.tune import tuner
from rankwise.workflows.tune.spec import spec_of

OBJECTIVES = {"median": 0.5, "p90": 0.9, "p99": 0.99}
PLACEMENTS = ("block", "cyclic", "across-sites")


def _placements(text: str) -> tuple[str, ...]:
    placements = tuple(dict.fromkeys(text.split(",")))
    for placement in placements:
        if placement not in PLACEMENTS:
            raise UnknownNameError("placement to tune for", placement, PLACEMENTS)
    return placements


SECTION = "Tune"


@click.command(
    name="tune",
    short_help="Find settings that make an MPI fast on a network.",
    epilog="\b\nExamples:\n"
    "  rankwise tune --testbed grid5000-2007-tuned mpich   ten minutes\n"
    "  rankwise tune --for p2p --time 5m openmpi        only between two ranks\n"
    "  rankwise tune --for bcast,allreduce -n 4,8 --time 30m --name wan\n"
    "  rankwise tune --for app.csv --name app           what an application does\n"
    "  rankwise tune --for ./app.trace --name app       the same, as it was traced\n"
    "  rankwise run --profile wan -n 8 -- ./app         then: with what was found",
)
@click.argument("mpi", nargs=-1)
@click.option("--for", "wanted", multiple=True, metavar="TARGET",
              help="p2p, collectives, operations, knobs, or a recording of an application: a trace, an OTF2 "
              "archive, a report of mpiP, output of Open MPI's monitoring, or CSV.  "
              "[default: p2p,collectives]")  # fmt: skip
@click.option("-n", "ranks", type=rank_counts(2, "4, or 4,8"), default=(),
              help="Number of ranks that collectives are tuned for: 4, or 4,8.  [default: every "
                   "slot]")  # fmt: skip
@click.option("--sizes", type=SIZES, default="64,4K,64K,1M", show_default=True,
              help="Initial message sizes of collectives.")  # fmt: skip
@click.option("--placement", "placements", type=Parsed("placements", _placements), default="block",
              show_default=True, metavar="NAMES",
              help="Placements of the ranks of collectives, one or several: block,cyclic,across-sites. A "
                   "setting that is slower in one of them is not chosen.")  # fmt: skip
@click.option(
    "--time", "budget", type=DURATION, default="10m", show_default=True, help="Time budget, everything included."
)
@click.option("--name", default="", help="Name of the profile.  [default: the testbed's]")
@click.option("--to", "parent", type=click.Path(file_okay=False, path_type=Path), default=Path("profiles"),
              show_default=True, help="Folder to write the profile to.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a profile of the same name.")
@click.option("--eager-memory", type=SIZE, default="1G", show_default=True,
              help="Memory that a rank may use for eager messages of all others.")  # fmt: skip
@click.option("--delta", type=Share(0, 1, min_open=True), default=0.05, show_default=True,
              help="Minimum gain for a setting to be kept.")  # fmt: skip
@click.option("--objective", type=click.Choice([*OBJECTIVES]), default="median", show_default=True,
              help="Statistic of a launch's repetitions to minimise: p99 where tails matter.")  # fmt: skip
@click.option("--schedules/--no-schedules", default=True, show_default=True,
              help="Also try Rankwise's own collective algorithms between sites. If one is chosen, the profile "
                   "preloads a library that carries it out.")  # fmt: skip
@verify_first_option
@click.option("--resume", type=RUN, metavar="RUN", help="Continue this interrupted search.")
@prefix_option
@quiet_option
@where_options
@store_option
@json_option
def command(mpi: tuple[str, ...], store: Path, as_json: bool, **options: Any) -> int:
    """Find settings that make MPI implementations fast on a network, validate them, and write them as a profile.

    The search covers TCP buffers, the eager/rendezvous threshold, transports, and the algorithms of collectives:
    the MPI's own and, between sites, Rankwise's. What a stage of it finds is validated in fresh launches, beside
    what is validated already, and the profile is written before the next stage begins. A setting that is slower
    somewhere, or faster nowhere, is reverted. What could not be validated in time is named, with the line that
    does it.
    """
    screen = Screen(quiet=options["quiet"])
    if options["resume"]:
        result = tuner.resume_run(options["resume"], store, screen)
    else:
        result = tuner.carry_out(_request(mpi, options, screen), store, screen)
    print_answer(result, result.parts(), as_json=as_json)
    if not as_json:
        tuner.say(result, screen)
    return _exit_code(result)


def _exit_code(result: tuner.TuneResult) -> int:
    """`no` where there is no profile to load, or an MPI delivers wrong data without any, which none can mend."""
    wrong = any(failure.cell.label == DEFAULT for failure in result.wrong_data)
    return EXIT_ANSWER_IS_NO if wrong or result.folder is None else EXIT_OK


def _request(mpi: tuple[str, ...], parameters: dict[str, Any], screen: Screen) -> tuner.TuneRequest:
    testbed = testbed_of(parameters["testbed"], parameters["hostfile"])
    spec, notices = spec_of(
        names_of(parameters["wanted"]), testbed, parameters["ranks"], parameters["sizes"],
        parameters["placements"], eager_memory_bytes=parameters["eager_memory"], delta=parameters["delta"],
        quantile=OBJECTIVES[parameters["objective"]], schedules=parameters["schedules"],
    )  # fmt: skip
    warn(screen, *notices)
    options = tuner.TuneOptions(
        parameters["name"] or testbed.name, str(parameters["parent"]), spec, parameters["budget"], mpi,
        tuple(map(str, parameters["prefixes"])), parameters["force"], parameters["verify_first"],
    )  # fmt: skip
    return tuner.TuneRequest(options, testbed, command_line(), began=process.began())
