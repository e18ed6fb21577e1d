"""One run in the terminal: provenance, plan, what was loaded, cells, failures and warnings."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rankwise.core.configuration import Configuration
from rankwise.core.errors import InputError
from rankwise.core.launch_output import numberless
from rankwise.core.records import MPI_WARNING, Notice, Options
from rankwise.core.run_view import CellView, ConfigurationView, LibraryView, RunView
from rankwise.core.units import format_duration, format_size, format_time
from rankwise.profiles.sentences import decision_sentence
from rankwise.report.installations_view import short_version
from rankwise.stats.intervals import MIN_FOR_MEDIAN


def run_parts(shown: RunView) -> Iterator[RenderableType]:
    """Yield the tables of a run, those that are empty left out."""
    for title, table in (
        (f"Run {shown.run.id}", _overview(shown)),
        ("Implementations", _implementations(shown)),
        (
            f"Measured (median over launches ± half of its 95 % interval; fewer than {MIN_FOR_MEDIAN} launches: "
            "half of their range)",
            _cells(shown.cells),
        ),
        ("Configurations", _configurations(shown.configurations)),
        ("Libraries that ranks had loaded", _libraries(shown.libraries)),
        ("Failed", _failures(shown)),
        ("Warnings", _notices(shown.notices)),
        ("Provenance", _facts(shown)),
    ):
        if table.row_count:
            yield Text(title, style="bold")
            yield table
            yield ""


def output_lines(shown: RunView, number: int = 0) -> Iterator[str]:
    """Yield what the launches printed beside their results, or the one of this number.

    Raises InputError if there is none of this number.
    """
    if number and number not in {launch.number for launch in shown.launches}:
        raise InputError(
            f"run {shown.run.id} has no launch {number}", f"it has launches 1 to {len(shown.launches)}"
        )
    for launch in shown.launches:
        if number not in (0, launch.number) or not (number or launch.stdout or launch.stderr):
            continue
        how = f"{launch.status}: {launch.reason}" if launch.reason else launch.status
        yield f"=== launch {launch.number}, {launch.implementation}, {how}"
        yield launch.command
        for name, text in (("stdout", launch.stdout), ("stderr", launch.stderr)):
            if text:
                yield f"=== launch {launch.number}, {name}"
                yield from text.splitlines()


def _pairs() -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", overflow="fold")
    table.add_column(overflow="fold")
    return table


def _overview(shown: RunView) -> Table:
    run, plan = shown.run, shown.plan
    status = f"{run.status}: {run.stopped_because}" if run.stopped_because else run.status
    table = _pairs()
    for name, value in (
        ("command", run.command_line),
        ("kind", f"{run.kind}, part of run {run.parent}" if run.parent else run.kind),
        ("when", time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(run.created_at))),
        ("testbed", run.testbed),
        ("status", status),
        ("time", f"{format_duration(shown.spent_seconds)} of {format_duration(plan.time_budget_seconds)}"),
        (
            "plan",
            f"{len(plan.cells)} cells, {plan.min_launches} to {plan.max_launches} launches, seed {plan.seed}",
        ),
        (
            "precision",
            f"{plan.precision:.1%}"
            + (", data verified" if plan.verify else ", data verified first" if plan.verify_first else ""),
        ),
        ("mpiexec arguments", " ".join(plan.launcher_arguments)),
        ("baseline", shown.baseline),
    ):
        if value:
            table.add_row(name, Text(value))
    return table


def _implementations(shown: RunView) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("id", overflow="fold")
    table.add_column("library", overflow="fold")
    table.add_column("messages by", overflow="fold")
    for title in ("launches", "failed", "time"):
        table.add_column(title, justify="right", no_wrap=True)
    versions = {
        implementation.id: short_version(implementation.library_version) or implementation.version
        for implementation in shown.implementations
    }
    others = {launch.implementation: "" for launch in shown.launches if launch.implementation not in versions}
    for name, version in {**versions, **others}.items():
        own = [launch for launch in shown.launches if launch.implementation == name]
        failed = sum(launch.status != "finished" for launch in own)
        seconds = sum(launch.seconds for launch in own)
        carried = next((launch.transports for launch in own if launch.transports), "")
        table.add_row(
            Text(name), Text(version), Text(carried), str(len(own)), str(failed), format_duration(seconds)
        )
    return table


def _cells(cells: tuple[CellView, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("benchmark", overflow="fold")
    for title in ("ranks", "size"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("MPI", overflow="fold")
    for title in ("launches", "median", "±"):
        table.add_column(title, justify="right", no_wrap=True)
    several = [name for name in ("placement", "testbed") if len({getattr(view.cell, name) for view in cells}) > 1]
    for view in cells:
        half_width = (
            (view.high_seconds - view.low_seconds) / 2 / view.median_seconds if view.median_seconds else math.nan
        )
        table.add_row(
            Text(_operation(view, several)),
            str(view.cell.ranks),
            format_size(view.cell.size_bytes) if view.quantity != "metric" else "–",
            Text(view.cell.variant),
            str(view.launches),
            format_time(view.median_seconds) if view.quantity != "metric" else f"{view.median_seconds:.4g}",
            "–" if math.isnan(half_width) else f"{half_width:.1%}",
        )
    return table


def _operation(view: CellView, several: Sequence[str] = ()) -> str:
    """The benchmark, and below it what is not as usual, or one of `several`: `operation=max`, `(total)`."""
    cell = view.cell
    changed = [
        f"{field.name}={getattr(cell.options, field.name)}"
        for field in fields(Options)
        if getattr(cell.options, field.name) != field.default
    ]
    changed += [f"{name}={getattr(cell, name)}" for name in several]
    started = [] if view.starts in ("", "agreed") else [f"start={view.starts}"]
    part = [] if view.quantity == "time" else [f"({view.quantity})"]
    return "\n".join([cell.benchmark, *changed, *started, *part])


def _failures(shown: RunView) -> Table:
    """One line a benchmark and reason, however many sizes and launches it met; then whole launches."""
    table = Table(box=None, pad_edge=False)
    for title in ("times", "MPI", "benchmark", "kind", "reason"):
        table.add_column(title, overflow="fold")
    counted = Counter(
        (failure.cell.implementation, failure.cell.benchmark, failure.kind, failure.reason)
        for failure in shown.failures
    )
    launches = Counter(
        (launch.implementation, "all of a launch", launch.status, launch.reason)
        for launch in shown.launches
        if launch.status != "finished"
    )
    for columns, count in [*counted.items(), *launches.items()]:
        table.add_row(str(count), *map(Text, columns))
    return table


def _notices(notices: tuple[Notice, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("times", "warning", "remedy"):
        table.add_column(title, overflow="fold")
    alike: dict[tuple[str, str], list[Notice]] = {}
    for notice in notices:
        message = numberless(notice.message) if notice.kind == MPI_WARNING else notice.message
        alike.setdefault((message, notice.remedy), []).append(notice)
    for same in alike.values():
        table.add_row(str(len(same)), Text(same[0].message), Text(same[0].remedy))
    return table


def _facts(shown: RunView) -> Table:
    table = _pairs()
    for fact in shown.facts:
        table.add_row(Text(fact.key), Text(fact.value))
    for number, facts in enumerate(shown.resumed_facts, start=1):
        for fact in facts:
            if fact not in shown.facts:
                table.add_row(Text(f"{fact.key} (resumption {number})"), Text(fact.value))
    return table


def _configurations(configurations: tuple[ConfigurationView, ...]) -> Table:
    """What each sets, in our words and in the implementation's; the launches that loaded it."""
    table = Table(box=None, pad_edge=False)
    table.add_column("id", no_wrap=True)
    for title in ("label", "launches", "sets"):
        table.add_column(title, overflow="fold")
    for view in configurations:
        settings = "\n".join(settings_of(view.configuration)) or "nothing: as it is installed"
        table.add_row(view.id, Text("\n".join(view.labels)), _ranges(view.launches), Text(settings))
    return table


def _libraries(libraries: tuple[LibraryView, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("MPI", "library", "version", "file"):
        table.add_column(title, overflow="fold")
    table.add_column("launches", justify="right", no_wrap=True)
    for view in libraries:
        columns = (view.implementation, f"lib{view.library.kind}", view.library.version, view.library.path)
        table.add_row(*map(Text, columns), str(view.launches))
    return table


def settings_of(configuration: Configuration) -> list[str]:
    """Return what a configuration sets, a line each: knobs, algorithms, hosts, then what the launch loads."""
    tuning, native = configuration.tuning, configuration.native
    return [
        *(f"{setting.knob} = {setting.value}" for setting in tuning.settings),
        *map(decision_sentence, tuning.decisions),
        *(f"{key} = {value} on every host" for key, value in tuning.host_settings),
        *(f"variable {name}={value}" for name, value in native.environment),
        *(f"argument {argument}" for argument in native.arguments),
        *(f"file {name}" for name, _ in native.files),
    ]


def _ranges(numbers: tuple[int, ...]) -> str:
    """`1-3, 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("-".join(map(str, run)) for run in runs)
