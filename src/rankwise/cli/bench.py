"""`rankwise bench`: run kernels without comparing, in tables as users of IMB and OSU know them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from cloup import option_group

from rankwise.cli.answer import code_of_check, print_answer, print_parts
from rankwise.cli.benchmark_options import BENCHMARK_OPTIONS
from rankwise.cli.join_options import check_joined
from rankwise.cli.measuring_options import (
    PLACE_OPTIONS,
    PLAN_OPTIONS,
    WHAT_OPTIONS,
    request_of,
)
from rankwise.cli.options import DURATION, Parsed, json_option, mpi_option, names_of, quiet_option, store_option
from rankwise.cli.program_arguments import TakesNoProgram
from rankwise.cli.screen import Screen, err, out
from rankwise.core import errors
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.records import MPI_WARNING
from rankwise.report import listings, peer_logs
from rankwise.workflows import bench
from rankwise.workflows.events import warn

SECTION = "Measure"
LAYOUTS = ("table", "imb", "osu")


def _layout(text: str) -> str:
    if text == "json":
        raise InputError("--format json is not valid", "use --json")
    if text not in LAYOUTS:
        raise UnknownNameError("layout", text, LAYOUTS)
    return text


@click.command(
    name="bench",
    short_help="Run benchmarks and print their times.",
    cls=TakesNoProgram,
    epilog="\b\nExamples:\n"
    "  rankwise bench pingpong --mpi mpich\n"
    "  rankwise bench collective -n 8 --sizes 8:64K --format osu\n"
    "  rankwise bench all --verify -n 3                right data rather than time\n"
    "  rankwise bench allreduce --datatype double --operation max --format imb\n"
    "  rankwise bench bcast --join a=openmpi-5:2,b=mpich-5:2   one job, two sites\n"
    "  rankwise bench --list",
)
@click.argument("benchmark", nargs=-1)
@option_group(
    "What to measure",
    mpi_option,
    click.option("--list", "only_list", is_flag=True,
                 help="List the benchmarks by category."),
    click.option("--long", "as_long", is_flag=True,
                 help="With --list: what each measures, and the implementations that lack it."),
    *WHAT_OPTIONS,
    click.option("--verify", is_flag=True, help="Check the data of every operation; exit with 1 if any is wrong."),
)  # fmt: skip
@option_group("How the benchmarks call MPI", *BENCHMARK_OPTIONS)
@option_group(
    "How long",
    click.option("--launches", type=click.IntRange(1, 1_000_000), default=3, show_default=True,
                 help="Launches of each cell."),
    click.option("--time", "budget", type=DURATION, default="10m", show_default=True,
                 help="Time budget of the whole run."),
    click.option("--per-cell", type=DURATION, default="50ms", show_default=True, help="Time spent on each cell."),
    *PLAN_OPTIONS,
)  # fmt: skip
@option_group("Where", *PLACE_OPTIONS)
@option_group(
    "Output",
    click.option("--format", "layout_of_output", type=Parsed("layout", _layout), metavar="[table|imb|osu]",
                 default="table", show_default=True, help="Layout of the output."),
    json_option,
    quiet_option,
    store_option,
)  # fmt: skip
def command(benchmark: tuple[str, ...], store: Path, as_json: bool, **options: Any) -> int:
    """Run benchmarks on one or more implementations and print their times.

    With --join they run on jobs over several sites, and beside these on the implementations that --mpi names.

    Names of benchmarks or whole categories: point-to-point, collective, nonblocking, persistent, neighbourhood,
    one-sided, start-up, file, baseline, all; guideline, for what `rankwise guidelines` compares, and schedule, for
    our own algorithms, which are not among `all`: bcast.binomial, bcast.chain:segment=64K, 'allreduce.*'.

    Exit code 1 if data are wrong, or if an implementation gave no result.
    """
    screen = Screen(quiet=options["quiet"])
    check_joined(options)
    alone = bool(options["joined"]) and not options["mpi"]
    if alone and options["placement"]:
        raise InputError("--placement is for jobs of one MPI", "leave it out: --join gives it for each site")
    if options["only_list"]:
        menu = bench.benchmarks(names_of(options["mpi"]), options["prefixes"], screen)
        parts = [listings.benchmark_table(menu)] if options["as_long"] else listings.benchmark_groups(menu)
        print_answer(menu, parts, as_json=as_json)
        return errors.EXIT_OK
    if not benchmark and not options["schedules"]:
        raise InputError("no benchmark given", "rankwise bench --list shows them; `all` takes all")
    request = request_of(
        options, kind="bench", benchmarks=names_of(benchmark), implementations=names_of(options["mpi"]),
        time_budget_seconds=options["budget"], min_launches=options["launches"],
        max_launches=options["launches"], seconds_per_cell=options["per_cell"], verify=options["verify"],
        verify_first=False, schedules=options["schedules"], joined=options["joined"], alone=alone,
        relayed=options["relayed"], encrypted=options["encrypted"],
    )  # fmt: skip
    result = bench.bench(request, store, screen)
    if as_json or options["verify"]:
        table = listings.verification_table(result.launches, result.failures)
        print_answer(result, [table], as_json=as_json)
    else:
        if options["layout_of_output"] == "table":
            print_parts(result.parts())
        else:
            out(peer_logs.text_of(result.rows, options["layout_of_output"]), end="")
        for line in listings.failure_lines(result.failures):
            err(line)
        warn(Screen(), *(notice for notice in result.notices if notice.kind == MPI_WARNING))
    return code_of_check(result.objections)
