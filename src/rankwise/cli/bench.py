"""`rankwise bench`: run kernels without comparing, in tables as users of IMB and OSU know them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankwise.cli.join_options import check_joined, join_options
from rankwise.cli.measuring_options import measuring_options, names_of, request_of, schedule_option
from rankwise.cli.options import DURATION, echo_json, print_parts, store_option
from rankwise.cli.program_arguments import TakesNoProgram
from rankwise.cli.screen import Screen
from rankwise.core import errors
from rankwise.core.errors import InputError
from rankwise.report import listings
from rankwise.workflows import bench


@click.command(
    name="bench",
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
@click.option(
    "--mpi", multiple=True, metavar="NAMES", help="Implementations, separated by commas.  [default: all that work]"
)
@click.option(
    "--list", "only_list", is_flag=True, help="List the benchmarks, and the implementations that lack one."
)
@click.option("--launches", type=click.IntRange(1), default=3, show_default=True, help="Launches of each cell.")
@click.option(
    "--time", "budget", type=DURATION, default="10m", show_default=True, help="Time budget of the whole run."
)
@click.option("--per-cell", type=DURATION, default="50ms", show_default=True, help="Time spent on each cell.")
@click.option("--verify", is_flag=True, help="Check the data of every operation; exit with 1 if any is wrong.")
@click.option("--format", "layout_of_output", type=click.Choice(["table", "imb", "osu", "json"]), default="table",
              show_default=True, help="Layout of the output.")  # fmt: skip
@schedule_option
@join_options
@measuring_options
@store_option
def command(benchmark: tuple[str, ...], store: Path, **asked: Any) -> int:
    """Run benchmarks on one or more implementations and print their times.

    With --join they run on jobs over several sites, and beside these on the implementations that --mpi names.

    Names of benchmarks or whole categories: point-to-point, collective, nonblocking, persistent, neighbourhood,
    one-sided, start-up, file, baseline, all; guideline, for the mock-ups of `rankwise guidelines`, and schedule,
    for our own algorithms, which are not among `all`: bcast.binomial, bcast.chain:segment=64K, 'allreduce.*'.
    """
    screen = Screen(quiet=asked["quiet"])
    check_joined(asked)
    alone = bool(asked["joined"]) and not asked["mpi"]
    if alone and asked["placement"]:
        raise InputError("--placement is for jobs of one MPI", "leave it out: --join says it for each site")
    if asked["only_list"]:
        menu = bench.benchmarks(names_of(asked["mpi"]), asked["prefixes"], screen)
        print_parts([listings.benchmark_table(menu)])
        return errors.EXIT_OK
    if not benchmark and not asked["schedules"]:
        raise InputError("no benchmark was named", "rankwise bench --list shows them; `all` takes all")
    request = request_of(
        asked, kind="bench", benchmarks=names_of(benchmark), implementations=names_of(asked["mpi"]),
        time_budget_seconds=asked["budget"], min_launches=asked["launches"],
        max_launches=asked["launches"], seconds_per_cell=asked["per_cell"], verify=asked["verify"],
        verify_first=False, schedules=asked["schedules"], joined=asked["joined"], alone=alone,
        relayed=asked["relayed"], encrypted=asked["encrypted"],
    )  # fmt: skip
    found = bench.bench(request, store, screen)
    if asked["layout_of_output"] == "json":
        echo_json({"run": found.run_id, "cells": found.rows, "verified": found.verified, "failed": found.failures})
    elif asked["verify"]:
        print_parts([listings.verification_table(found.launches, found.failures)])
    else:
        listings.print_rows(found.rows, asked["layout_of_output"])
        listings.print_failures(found.failures)
    return errors.EXIT_ANSWER_IS_NO if found.has_wrong_data else errors.EXIT_OK
