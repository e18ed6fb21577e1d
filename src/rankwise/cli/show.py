"""`rankwise show`: everything that is known of one run."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from dataclasses import dataclass, fields
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rankwise.cli.options import echo_json, json_option, run_argument, store_option
from rankwise.core.records import (
    Cell,
    CellFailure,
    Fact,
    Implementation,
    Notice,
    Options,
    Plan,
    Quantity,
    RunSummary,
)
from rankwise.core.units import format_duration, format_size, format_time
from rankwise.stats.intervals import median_interval
from rankwise.store.store import Store


@dataclass(frozen=True, slots=True)
class LaunchShown:
    """One launch without its samples."""

    number: int
    implementation: str
    ranks: int
    status: str
    seconds: float
    command: str
    environment: dict[str, str]
    reason: str


@dataclass(frozen=True, slots=True)
class Measured:
    """One cell over its launches: the median of their medians with its 95 % interval."""

    cell: Cell
    quantity: Quantity
    launches: int
    samples: int
    median_seconds: float
    low_seconds: float
    high_seconds: float


@dataclass(frozen=True, slots=True)
class Shown:
    """What the verb prints."""

    run: RunSummary
    baseline: str
    spent_seconds: float
    plan: Plan
    implementations: tuple[Implementation, ...]
    facts: tuple[Fact, ...]
    resumed_facts: tuple[tuple[Fact, ...], ...]
    launches: tuple[LaunchShown, ...]
    cells: tuple[Measured, ...]
    failures: tuple[CellFailure, ...]
    notices: tuple[Notice, ...]


@click.command(
    name="show",
    epilog="\b\nExamples:\n  rankwise show\n  rankwise show 3\n  rankwise show 3 --json",
)
@run_argument
@store_option
@json_option
def command(run: int | None, store: Path, as_json: bool) -> None:
    """Show RUN (default: the newest): provenance, plan, launches, cells, failures and warnings."""
    with Store(store, create=False) as opened:
        shown = _gather(opened, opened.run(run))
    if as_json:
        echo_json(shown)
    else:
        _print(shown)


def _gather(store: Store, run: RunSummary) -> Shown:
    medians: dict[tuple[Cell, Quantity], list[float]] = defaultdict(list)
    samples: Counter[tuple[Cell, Quantity]] = Counter()
    launches: list[LaunchShown] = []
    failures = list(store.failures(run.id))
    notices = list(store.notices(run.id))
    for number, launch in enumerate(store.iter_launches(run.id), start=1):
        launches.append(
            LaunchShown(
                number, launch.implementation, launch.ranks, launch.status, launch.seconds, launch.command,
                dict(launch.environment), launch.reason,
            )
        )  # fmt: skip
        failures += launch.failures
        notices += launch.notices
        for series in launch.series:
            if series.samples_seconds.size:
                medians[series.cell, series.quantity].append(float(np.median(series.samples_seconds)))
                samples[series.cell, series.quantity] += series.samples_seconds.size
    cells = [
        Measured(*key, len(values), samples[key], float(np.median(values)), *median_interval(np.array(values)))
        for key, values in medians.items()
    ]
    moments = store.facts_by_moment(run.id)
    return Shown(
        run=run,
        baseline=store.baseline(run.id),
        spent_seconds=store.spent_seconds(run.id),
        plan=store.plan(run.id),
        implementations=store.implementations(run.id),
        facts=store.facts(run.id),
        resumed_facts=tuple(moments[1:]),
        launches=tuple(launches),
        cells=tuple(sorted(cells, key=_by_benchmark)),
        failures=tuple(failures),
        notices=tuple(notices),
    )


def _by_benchmark(measured: Measured) -> tuple[object, ...]:
    """Side by side what is compared: the implementation last."""
    cell = measured.cell
    return cell.benchmark, cell.ranks, cell.options, cell.size_bytes, measured.quantity, cell.implementation


def _print(shown: Shown) -> None:
    console = Console()
    for title, table in (
        (f"Run {shown.run.id}", _overview(shown)),
        ("Implementations", _implementations(shown)),
        ("Measured (median over launches ± half of its 95 % interval)", _cells(shown.cells)),
        ("Failed", _failures(shown)),
        ("Warnings", _notices(shown.notices)),
        ("Provenance", _facts(shown)),
    ):
        if table.row_count:
            console.print(Text(title, style="bold"))
            console.print(table)
            console.print()


def _pairs() -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", overflow="fold")
    table.add_column(overflow="fold")
    return table


def _overview(shown: Shown) -> Table:
    run, plan = shown.run, shown.plan
    status = f"{run.status}: {run.stopped_because}" if run.stopped_because else run.status
    table = _pairs()
    for name, value in (
        ("command", run.command_line),
        ("when", time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(run.created_at))),
        ("testbed", run.testbed),
        ("status", status),
        ("time", f"{format_duration(shown.spent_seconds)} of {format_duration(plan.time_budget_seconds)}"),
        (
            "plan",
            f"{len(plan.cells)} cells, {plan.min_launches} to {plan.max_launches} launches, seed {plan.seed}",
        ),
        ("precision", f"{plan.precision:.1%}" + (", data verified" if plan.verify else "")),
        ("mpiexec arguments", " ".join(plan.launcher_arguments)),
        ("baseline", shown.baseline),
    ):
        if value:
            table.add_row(name, Text(value))
    return table


def _implementations(shown: Shown) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("id", overflow="fold")
    table.add_column("library", overflow="fold")
    for title in ("launches", "failed", "time"):
        table.add_column(title, justify="right", no_wrap=True)
    versions = {one.id: one.library_version.partition("\n")[0] or one.version for one in shown.implementations}
    others = {launch.implementation: "" for launch in shown.launches if launch.implementation not in versions}
    for name, version in {**versions, **others}.items():
        own = [launch for launch in shown.launches if launch.implementation == name]
        failed = sum(launch.status != "finished" for launch in own)
        seconds = sum(launch.seconds for launch in own)
        table.add_row(Text(name), Text(version), str(len(own)), str(failed), format_duration(seconds))
    return table


def _cells(cells: tuple[Measured, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("benchmark", overflow="fold")
    for title in ("ranks", "size"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("MPI", overflow="fold")
    for title in ("launches", "median", "±"):
        table.add_column(title, justify="right", no_wrap=True)
    for one in cells:
        half_width = (one.high_seconds - one.low_seconds) / 2
        table.add_row(
            Text(_operation(one.cell, one.quantity)),
            str(one.cell.ranks),
            format_size(one.cell.size_bytes),
            Text(one.cell.implementation),
            str(one.launches),
            format_time(one.median_seconds),
            f"{half_width / one.median_seconds:.1%}" if one.median_seconds else "-",
        )
    return table


def _operation(cell: Cell, quantity: Quantity) -> str:
    """The benchmark, and below it whatever is not as usual: `operation=max`, `(total)`."""
    changed = [
        f"{field.name}={getattr(cell.options, field.name)}"
        for field in fields(Options)
        if getattr(cell.options, field.name) != field.default
    ]
    return "\n".join([cell.benchmark, *changed, *([] if quantity == "time" else [f"({quantity})"])])


def _failures(shown: Shown) -> Table:
    """One line a benchmark and reason, however many sizes and launches it met; then whole launches."""
    table = Table(box=None, pad_edge=False)
    for title in ("times", "MPI", "benchmark", "kind", "reason"):
        table.add_column(title, overflow="fold")
    counted = Counter(
        (one.cell.implementation, one.cell.benchmark, one.kind, one.reason) for one in shown.failures
    )
    launches = Counter(
        (one.implementation, "all of a launch", one.status, one.reason)
        for one in shown.launches
        if one.status != "finished"
    )
    for words, count in [*counted.items(), *launches.items()]:
        table.add_row(str(count), *map(Text, words))
    return table


def _notices(notices: tuple[Notice, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("times", "warning", "remedy"):
        table.add_column(title, overflow="fold")
    for notice, count in Counter(notices).items():
        table.add_row(str(count), Text(notice.message), Text(notice.remedy))
    return table


def _facts(shown: Shown) -> Table:
    table = _pairs()
    for fact in shown.facts:
        table.add_row(Text(fact.key), Text(fact.value))
    for number, facts in enumerate(shown.resumed_facts, start=1):
        for fact in facts:
            if fact not in shown.facts:
                table.add_row(Text(f"{fact.key} (resumption {number})"), Text(fact.value))
    return table
