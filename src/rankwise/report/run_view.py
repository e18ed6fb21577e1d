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
    versions = {one.id: short_version(one.library_version) or one.version for one in shown.implementations}
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
    several = [name for name in ("placement", "testbed") if len({getattr(one.cell, name) for one in cells}) > 1]
    for one in cells:
        half_width = (
            (one.high_seconds - one.low_seconds) / 2 / one.median_seconds if one.median_seconds else math.nan
        )
        table.add_row(
            Text(_operation(one, several)),
            str(one.cell.ranks),
            format_size(one.cell.size_bytes) if one.quantity != "metric" else "–",
            Text(one.cell.variant),
            str(one.launches),
            format_time(one.median_seconds) if one.quantity != "metric" else f"{one.median_seconds:.4g}",
            "–" if math.isnan(half_width) else f"{half_width:.1%}",
        )
    return table


def _operation(one: CellView, several: Sequence[str] = ()) -> str:
    """The benchmark, and below it what is not as usual, or one of `several`: `operation=max`, `(total)`."""
    cell = one.cell
    changed = [
        f"{field.name}={getattr(cell.options, field.name)}"
        for field in fields(Options)
        if getattr(cell.options, field.name) != field.default
    ]
    changed += [f"{name}={getattr(cell, name)}" for name in several]
    started = [] if one.starts in ("", "agreed") else [f"start={one.starts}"]
    part = [] if one.quantity == "time" else [f"({one.quantity})"]
    return "\n".join([cell.benchmark, *changed, *started, *part])


def _failures(shown: RunView) -> Table:
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
    alike: dict[tuple[str, str], list[Notice]] = {}
    for notice in notices:
        words = numberless(notice.message) if notice.kind == MPI_WARNING else notice.message
        alike.setdefault((words, notice.remedy), []).append(notice)
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


def _configurations(found: tuple[ConfigurationView, ...]) -> Table:
    """What each sets, in our words and in the implementation's; the launches that loaded it."""
    table = Table(box=None, pad_edge=False)
    table.add_column("id", no_wrap=True)
    for title in ("label", "launches", "sets"):
        table.add_column(title, overflow="fold")
    for one in found:
        settings = "\n".join(settings_of(one.configuration)) or "nothing: as it is installed"
        table.add_row(one.id, Text("\n".join(one.labels)), _ranges(one.launches), Text(settings))
    return table


def _libraries(found: tuple[LibraryView, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("MPI", "library", "version", "file"):
        table.add_column(title, overflow="fold")
    table.add_column("launches", justify="right", no_wrap=True)
    for one in found:
        words = (one.implementation, f"lib{one.library.kind}", one.library.version, one.library.path)
        table.add_row(*map(Text, words), str(one.launches))
    return table


def settings_of(configuration: Configuration) -> list[str]:
    """Return what a configuration sets, a line each: knobs, algorithms, hosts, then what the launch loads."""
    tuning, native = configuration.tuning, configuration.native
    return [
        *(f"{one.knob} = {one.value}" for one in tuning.settings),
        *map(decision_sentence, tuning.decisions),
        *(f"{key} = {value} on every host" for key, value in tuning.host_settings),
        *(f"variable {name}={value}" for name, value in native.environment),
        *(f"argument {argument}" for argument in native.arguments),
        *(f"file {name}" for name, _ in native.files),
    ]


def _ranges(numbers: tuple[int, ...]) -> str:
    """`1-3, 7`."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][-1] + 1:
            found[-1][1:] = [number]
        else:
            found.append([number])
    return ", ".join("-".join(map(str, one)) for one in found)
