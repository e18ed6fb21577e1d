"""What whole runs of a user's program mean: variants, metrics as times, the rows and sentences of the answer.

Verdicts come from the comparison of benchmarks, for which a metric is a time: of a rate the time that one unit of
work takes. What is shown is in the metric's own unit again.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankwise.analysis.compare.variants import with_cells
from rankwise.core.programs import WALL_TIME, Metric, ProgramRow
from rankwise.core.records import DEFAULT, Cell, FloatArray, Launch, Series
from rankwise.core.results import Comparison, Verdict
from rankwise.core.units import format_time
from rankwise.stats.intervals import median_interval


def variants(cells: Iterable[Cell]) -> dict[Cell, Cell]:
    """Return each cell as the variant that it is compared as: its label says all that differs among the cells.

    That is the profile, the placement, the testbed and the congestion control. Other ranks are another problem.
    """
    everything = list(dict.fromkeys(cells))
    differing = [len(set(column)) > 1 for column in zip(*map(_choices, everything), strict=True)]
    return {
        cell: Cell(
            cell.implementation, cell.benchmark, 0, cell.ranks, label=_label(cell, differing), testbed="",
            configuration=cell.configuration,
        )
        for cell in everything
    }  # fmt: skip


def _choices(cell: Cell) -> tuple[str, str, str]:
    return cell.placement, cell.testbed, cell.options.congestion_control


def _label(cell: Cell, differing: Sequence[bool]) -> str:
    """The profile, and the choices that tell this variant from others."""
    chosen = [word for word, differs in zip(_choices(cell), differing, strict=True) if differs and word]
    return ", ".join([*([cell.label] if cell.label != DEFAULT else []), *chosen]) or DEFAULT


def as_times(launches: Iterable[Launch], metrics: Sequence[Metric], of: Mapping[Cell, Cell]) -> list[Launch]:
    """Return the launches as benchmarks are compared: cells as variants, every metric as a time."""
    rates = {metric.name for metric in metrics if metric.higher_is_better}
    return [
        with_cells(
            replace(launch, series=tuple(_as_time(series, rates) for series in launch.series)), of.__getitem__
        )
        for launch in launches
    ]


def _as_time(series: Series, rates: set[str]) -> Series:
    values = series.samples_seconds
    return replace(
        series, quantity="time", samples_seconds=1 / values if series.cell.benchmark in rates else values
    )


def program_rows(
    comparison: Comparison, launches: Iterable[Launch], metrics: Sequence[Metric], of: Mapping[Cell, Cell]
) -> tuple[ProgramRow, ...]:
    """Return a row for each metric, number of ranks and variant, the best first within each.

    `comparison` is that of `as_times`, `launches` are those that were measured.
    """
    values: defaultdict[Cell, list[float]] = defaultdict(list)
    reasons: defaultdict[Cell, list[str]] = defaultdict(list)
    for launch in launches:
        for (cell, _), value in launch.values().items():
            values[of[cell]].append(value)
        for failure in launch.failures:
            reasons[of[failure.cell]].append(failure.reason)
    verdicts = {(verdict.benchmark, verdict.ranks, verdict.candidate): verdict for verdict in comparison.verdicts}
    ordered = []
    for metric in metrics:
        rows = [
            _row(metric, cell, np.array(values[cell]), reasons[cell], verdicts)
            for cell in dict.fromkeys(of.values())
            if cell.benchmark == metric.name and (values[cell] or reasons[cell])
        ]
        ordered += sorted(rows, key=_best_first)
    return tuple(ordered)


def _row(
    metric: Metric, cell: Cell, values: FloatArray, reasons: Sequence[str],
    verdicts: Mapping[tuple[str, int, str], Verdict],
) -> ProgramRow:  # fmt: skip
    low, high = median_interval(values) if values.size else (math.nan, math.nan)
    row = ProgramRow(
        metric.name, metric.higher_is_better, cell.ranks, cell.variant, values.size, len(reasons),
        float(np.median(values)) if values.size else math.nan, low, high, reason=reasons[0] if reasons else "",
    )  # fmt: skip
    verdict = verdicts.get((metric.name, cell.ranks, cell.variant))
    if verdict is None:
        return row
    ratios = (verdict.ratio, verdict.ratio_low, verdict.ratio_high)
    if metric.higher_is_better:
        ratios = (1 / verdict.ratio, 1 / verdict.ratio_high, 1 / verdict.ratio_low)
    return replace(
        row, ratio=ratios[0], ratio_low=ratios[1], ratio_high=ratios[2], p_value=verdict.p_value,
        verdict=verdict.verdict,
    )  # fmt: skip


def _best_first(row: ProgramRow) -> tuple[int, bool, float]:
    value = -row.median if row.higher_is_better else row.median
    return row.ranks, math.isnan(value), value


def value_words(metric: str, value: float) -> str:
    """Return a metric's value for people: a wall time with its unit, any other as the number that it is."""
    return format_time(value) if metric == WALL_TIME else "-" if math.isnan(value) else f"{value:.4g}"


def program_sentences(rows: Sequence[ProgramRow], baseline: str) -> list[str]:
    """Return the answer in sentences: for each metric and number of ranks who is best, and what was shown."""
    if not any(row.launches for row in rows):
        return ["Nothing was measured: no run of the program gave a value."]
    said = []
    for metric, ranks in dict.fromkeys((row.metric, row.ranks) for row in rows):
        group = [row for row in rows if (row.metric, row.ranks) == (metric, ranks) and row.launches]
        if group:
            said.append(_best(group, f"{metric} on {ranks} ranks" if ranks != 1 else f"{metric} on 1 rank"))
            said += _against(group, baseline)
    return said + _failures(rows)


def _best(group: Sequence[ProgramRow], what: str) -> str:
    """Who has the best median; whether that is more than luck is for the verdicts."""
    first = group[0]
    value = _value(first, first.median)
    value += (
        f" ({_value(first, first.low)}-{_value(first, first.high)})" if first.launches > 1 else " (one launch)"
    )
    which = "highest" if first.higher_is_better else "lowest"
    if len(group) == 1:
        return f"{what}: {value} with {first.variant}, which has nothing to be compared with."
    return f"{what}: the {which} median is {value}, with {first.variant}."


def _against(group: Sequence[ProgramRow], baseline: str) -> list[str]:
    said = []
    for word, rows in _by_verdict(group).items():
        listed = ", ".join(
            f"{row.variant} {row.ratio:.2f}"
            + ("" if math.isnan(row.ratio_low) else f" ({row.ratio_low:.2f}-{row.ratio_high:.2f})")
            for row in rows
        )
        said.append(f"{listed} times that of {baseline}: {word}.")
    return said


def _by_verdict(group: Sequence[ProgramRow]) -> dict[str, list[ProgramRow]]:
    by_verdict: defaultdict[str, list[ProgramRow]] = defaultdict(list)
    for row in group:
        if row.verdict is not None:
            by_verdict[row.verdict].append(row)
    return by_verdict


def _value(row: ProgramRow, value: float) -> str:
    return value_words(row.metric, value)


def _failures(rows: Sequence[ProgramRow]) -> list[str]:
    """Each variant's failures once, whichever metrics they cost."""
    failed: dict[tuple[str, str], int] = {}
    for row in rows:
        if row.failed:
            key = (row.variant, row.reason)
            failed[key] = max(failed.get(key, 0), row.failed)
    return [f"{variant} failed in {_times(count)}: {reason}." for (variant, reason), count in failed.items()]


def _times(count: int) -> str:
    return "1 launch" if count == 1 else f"{count} launches"
