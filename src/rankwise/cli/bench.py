"""`rankwise bench`: run kernels without comparing, in tables as users of IMB and OSU know them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from rankwise.analysis.listing import list_cells
from rankwise.cli.measuring_options import PassesThrough, measuring_options, variants, words
from rankwise.cli.options import DURATION, echo_json, store_option
from rankwise.cli.screen import Screen
from rankwise.cli.testbed_options import testbed_of
from rankwise.core import errors
from rankwise.core.records import Cell, Launch
from rankwise.report import listings
from rankwise.store.store import Store
from rankwise.workflows import answer, measure


@click.command(
    name="bench",
    cls=PassesThrough,
    epilog="\b\nExamples:\n"
    "  rankwise bench pingpong --mpi mpich\n"
    "  rankwise bench collective -n 8 --sizes 8:64K --format osu\n"
    "  rankwise bench all --verify -n 3                right data rather than time\n"
    "  rankwise bench allreduce --datatype double --operation max --format imb\n"
    "  rankwise bench --list",
)
@click.argument("benchmark", nargs=-1)
@click.option(
    "--mpi", multiple=True, metavar="NAMES", help="Implementations, with commas.  [default: all that work]"
)
@click.option("--list", "only_list", is_flag=True, help="List the benchmarks and which implementation lacks one.")
@click.option("--launches", type=click.IntRange(1), default=3, show_default=True, help="Launches of each cell.")
@click.option("--time", "budget", type=DURATION, default="10m", show_default=True, help="At most, in all.")
@click.option("--per-cell", type=DURATION, default="50ms", show_default=True, help="Repeat a cell for this long.")
@click.option("--verify", is_flag=True, help="Check the data of every operation; exit with 1 if any is wrong.")
@click.option("--format", "layout_of_output", type=click.Choice(["table", "imb", "osu", "json"]), default="table",
              show_default=True, help="How to print.")  # fmt: skip
@measuring_options
@store_option
@click.pass_context
def command(context: click.Context, /, benchmark: tuple[str, ...], store: Path, **asked: Any) -> int:
    """Run benchmarks on one or more implementations and print what they took.

    Names of benchmarks or whole categories: point-to-point, collective, nonblocking, one-sided, baseline, all;
    guideline, for the mock-ups of `rankwise guidelines`, which are not among `all`.
    """
    screen = Screen(quiet=asked["quiet"])
    if asked["only_list"]:
        built = measure.prepare(words(asked["mpi"]), asked["prefixes"], screen)
        Console().print(listings.benchmark_table(built.menu))
        return errors.EXIT_OK
    if not benchmark:
        raise errors.InputError("no benchmark was named", "rankwise bench --list shows them; `all` takes all")
    with Store(store) as opened:
        run_id = measure.measure(_request(benchmark, context.obj, asked), opened, screen)
        launches = opened.launches(run_id)
        known = {one.name: one for one in opened.benchmarks(run_id)}
        failures = (*opened.failures(run_id), *(one for launch in launches for one in launch.failures))
    rows = list_cells(launches, known)
    if asked["layout_of_output"] == "json":
        echo_json({"run": run_id, "cells": rows, "verified": _verified(launches), "failed": failures})
    elif asked["verify"]:
        Console().print(listings.verification_table(launches, failures))
    else:
        listings.print_rows(rows, asked["layout_of_output"])
        listings.print_failures(failures)
    return errors.EXIT_ANSWER_IS_NO if any(one.kind == "wrong data" for one in failures) else errors.EXIT_OK


def _verified(launches: list[Launch]) -> list[Cell]:
    return sorted({cell for launch in launches for cell in launch.verified})


def _request(
    benchmark: tuple[str, ...], launcher_arguments: tuple[str, ...], asked: dict[str, Any]
) -> measure.Request:
    return measure.Request(
        command_line=answer.command_line(), benchmarks=words(benchmark), sizes_bytes=asked["sizes"],
        time_budget_seconds=asked["budget"], implementations=words(asked["mpi"]), prefixes=asked["prefixes"],
        ranks=asked["ranks"], options=variants(asked), min_launches=asked["launches"],
        max_launches=asked["launches"], seconds_per_cell=asked["per_cell"], verify=asked["verify"],
        seed=asked["seed"], launch_limit_seconds=asked["limit"], launcher_arguments=launcher_arguments,
        testbed=testbed_of(asked["testbed"], asked["hostfile"]), placements=asked["placement"],
    )  # fmt: skip
