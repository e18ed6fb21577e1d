"""The options of `rankwise predict` that its questions share, and the request that they make."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from rankwise.cli.options import DURATION, RUN, SIZE, Parsed, Share, json_option, quiet_option, store_option
from rankwise.cli.screen import Terminal
from rankwise.core.errors import InputError
from rankwise.workflows import testbeds
from rankwise.workflows.predict import asking
from rankwise.workflows.predict.predictor import MODELS, Bounds, PredictRequest
from rankwise.workflows.predict.questions import Question

DEFAULT_NOISE = 0.1
CHANGES = Parsed("changes", asking.parse_changes)
SWEEP = Parsed("range", asking.parse_sweep)
PLATFORM = (
    click.option("--platform", "platform_file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
                 help="Platform file, as written by `rankwise fit`."),
    click.option("--testbed", default="", metavar="NAME|FILE", shell_complete=testbeds.complete_any,
                 help="Without --platform and --mpi: use the description of this testbed, unmeasured."),
    click.option("--mpi", default="", metavar="MPI",
                 help="Without --platform: use the newest stored `rankwise fit` of this MPI, and of --testbed."),
    click.option("--model", type=click.Choice(MODELS), default=None,
                 help="How messages share links.  [default: the platform's first]"),
    click.option("--what-if", "changes", type=CHANGES, default=(), metavar="CHANGES",
                 help="Change links, sites, nodes or classes: wan.rate=10G,wan.delay=x2."),
    click.option("--limit", type=DURATION, default="10m", show_default=True,
                 help="Time limit of a simulation."),
    click.option("--memory", "memory_bytes", type=SIZE, default="0",
                 help="Memory that all simulations together may use.  [default: most of what is free]"),
    click.option("--jobs", "at_once", type=click.IntRange(1, 1024), default=None,
                 help="Number of simulations at a time.  [default: the number of cores]"),
    quiet_option,
    store_option,
    json_option,
)  # fmt: skip
ANSWER = (
    click.option("--sweep", "swept", type=SWEEP, metavar="NAME.delay=LOW:HIGH",
                 help="Predict over a range: wan.delay=1ms:100ms, wan.rate=100M:10G."),
    click.option("--steps", type=click.IntRange(2, asking.MOST_STEPS), default=11, show_default=True,
                 help="Number of points of the sweep."),
    click.option("--compare-with", type=RUN, metavar="RUN",
                 help="Show what this stored run measured beside the prediction."),
    click.option("--seeds", type=click.IntRange(1, 1_000_000), default=None, metavar="N",
                 help="Repeat N times with random computation times and latencies: median and p99."),
    click.option("--noise", type=Share(0, 2, min_open=True), default=None, metavar="S",
                 help="Standard deviation of their logarithm, with --seeds.  [default: 0.1]"),
    click.option("--trace-out", "trace_file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
                 help="Write a timeline for Perfetto or chrome://tracing."),
    click.option("--csv", "as_csv", is_flag=True,
                 help="Print a table as CSV: messages, ends of ranks, algorithms or points of a sweep."),
    click.option("-o", "--report", "page", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
                 help="Write an HTML page: timeline, load of links, what would help."),
)  # fmt: skip


def with_options(*groups: tuple[Any, ...]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds these options, in this order."""
    every = [option for group in groups for option in group]
    return lambda command: reduce(lambda made, option: option(made), reversed(every), command)


def request_of(question: Question, options: dict[str, Any]) -> PredictRequest:
    """Return the request that the options make."""
    cores = len(os.sched_getaffinity(0))
    return PredictRequest(
        question, options["platform_file"], options["testbed"], options["model"] or "", options["changes"],
        Bounds(options["limit"], options["memory_bytes"], options["at_once"] or cores),
        timeline=options.get("page") is not None, compare_with=options.get("compare_with"),
        seeds=options.get("seeds") or 0, noise=options.get("noise") or DEFAULT_NOISE,
        trace_file=options.get("trace_file"), mpi=options["mpi"], fits=options["store"],
    )  # fmt: skip


@contextmanager
def counting(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on a terminal; what is yielded says how many of how many simulations are done."""
    console = Terminal(stderr=True, quiet=quiet)
    columns = (TextColumn("simulations"), BarColumn(bar_width=None), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, every: bar.update(task, completed=done, total=every)


def only_one(options: dict[str, Any], *names: tuple[str, str]) -> None:
    """Raise InputError if more than one of these options (name, as it is typed) is given."""
    given = [typed for name, typed in names if options[name] is not None]
    if len(given) > 1:
        raise InputError(f"{' and '.join(given)} are mutually exclusive", "give one of them")
