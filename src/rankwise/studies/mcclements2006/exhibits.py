"""Tables: the yardstick, what each curve looks like, the same algorithm on every core, and quantiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rankwise.core.results import Explanation, Factor
from rankwise.core.units import format_size
from rankwise.report.canvas import time_words
from rankwise.stats.summary import geometric_mean
from rankwise.studies import wording
from rankwise.studies.base import Row, Table
from rankwise.studies.mcclements2006.findings import (
    FAMILIES,
    LAM,
    MPICH,
    OPENMPI,
    Findings,
    Measured,
    largest_rate,
    mean_of,
    share_of_copy,
)
from rankwise.studies.mcclements2006.likeness import CLASS_WORDS, CLASSES, NEAR, Likeness, likeness
from rankwise.studies.mcclements2006.plan import (
    ALL_RANKS,
    CLUSTER,
    LOCAL,
    OPERATIONS,
    PAIRS,
    PAPER,
    PLACE_TITLES,
    PLACES,
    RANKS,
    RUNS,
    label,
)
from rankwise.studies.ranges import Range

_NONE = "–"
_SHOWN = (1 << 10, 512 << 10)
"""Sizes whose quantiles are shown: in every run, quick or not."""


def tables(findings: Findings) -> tuple[Table, ...]:
    """Return the yardstick, all numbers of ranks side by side, then the tables of each run that was measured."""
    own: list[Table] = [_yardstick(findings), *(_by_ranks(findings, place) for place in PLACES)]
    for run in RUNS:
        measured = findings.runs.get(run.label)
        if measured is None:
            continue
        if run.ranks > 2:
            own.append(_likeness(measured, run.title))
        own += [
            _cores(measured, run.title),
            _parts(measured, run.title),
            _quantiles(measured, run.title, run.ranks),
        ]
    return tuple(table for table in own if table.rows)


def _yardstick(findings: Findings) -> Table:
    shared, net = (findings.runs.get(label(place, 2)) for place in (LOCAL, CLUSTER))
    published = [PAPER[f"{machine}_pingpong_MBps"] for machine in ("lomond", "escience", "scaliwag")]
    ancestors = {OPENMPI: "Open MPI", MPICH: "MPICH2", LAM: "LAM/MPI"}
    rows = []
    for name in findings.implementations:
        then = ancestors.get(name.partition("-")[0], "")
        theirs = [
            next((f"{rate} MB/s" for key, rate in rates.items() if then and key.startswith(then)), _NONE)
            for rates in published
        ]
        rate, share, far = (
            largest_rate(shared, name, "pingpong"),
            share_of_copy(shared, name),
            largest_rate(net, name, "pingpong"),
        )
        cells = (
            _in_words(rate, wording.megabytes), _in_words(share, wording.percent), theirs[0],
            _in_words(far, wording.megabytes), theirs[1], theirs[2],
        )  # fmt: skip
        rows.append(Row(name, cells, name))
    gone = [(name, rates) for name, rates in published[0].items() if name not in FAMILIES]
    rows += [Row(f"{name}, 2006", (_NONE, _NONE, f"{rate} MB/s", _NONE, _NONE, _NONE)) for name, rate in gone]
    copy = PAPER["lomond_stream_copy_MBps"]
    raw = f"{PAPER['gige_raw_MBps']} MB/s"
    rows.append(Row("the most there is", (_copy(shared), "100 %", f"{copy} MB/s", raw, raw, raw)))
    return Table(
        "PingPong beside a copy in memory, and beside the line",
        ("this host", "of a copy", "2006 Lomond", "Gigabit", "2006 eScience", "2006 Scaliwag"), tuple(rows),
        "The largest bandwidth of each launch's medians. Of a copy: at the largest size. Lomond: shared memory; "
        "its yardstick is STREAM's copy. Scaliwag's Open MPI ran over InfiniBand. In brackets: intervals.",
    )  # fmt: skip


def _copy(shared: Measured | None) -> str:
    rates = [
        estimate.inverted(size) for size, estimate in (shared.copy_seconds() if shared else {}).items() if size
    ]
    return _in_words(rates[-1], wording.megabytes) if rates else _NONE


def _by_ranks(findings: Findings, place: str) -> Table:
    """The median of each benchmark that takes any number of ranks, and how it grows."""
    runs = {ranks: run for ranks in RANKS if (run := findings.runs.get(label(place, ranks)))}
    rows = []
    for benchmark in ALL_RANKS if len(runs) > 1 else ():
        for name in findings.implementations:
            times = {ranks: run.seconds(name, benchmark) for ranks, run in runs.items()}
            cells = [cell for size in _SHOWN for cell in _growth([own.get(size) for own in times.values()])]
            if set(cells) != {_NONE}:
                rows.append(Row(f"{benchmark}, {name}", tuple(cells), name))
    columns = [f"{format_size(size)}: {heading}" for size in _SHOWN for heading in (*map(str, runs), "growth")]
    return Table(
        f"By the number of ranks: {PLACE_TITLES[place]}", tuple(columns), tuple(rows),
        "Medians over launches; growth: how many times as long it takes on the most ranks as on the fewest, with "
        "its interval in brackets. On more ranks a library may take another algorithm, and cores are shared.",
    )  # fmt: skip


def _growth(own: Sequence[Range | None]) -> list[str]:
    first, last = own[0], own[-1]
    texts = [time_words(estimate.value) if estimate else _NONE for estimate in own]
    return [*texts, _in_words(last / first if first and last else None, wording.ratio)]


def _likeness(measured: Measured, title: str) -> Table:
    rows, said = [], []
    for operation in OPERATIONS:
        for name in measured.implementations:
            parts = [likeness(measured, name, operation, sizes) for sizes in CLASSES]
            if any(part.distances for part in parts):
                said += parts
                rows.append(Row(f"{operation}, {name}", tuple(part.words() for part in parts), name))
    return Table(
        f"Which schedule each curve looks like: {title}",
        tuple(sizes.name for sizes in CLASSES), tuple(rows),
        f"The number: how many times apart the two curves are, at a typical size ({CLASS_WORDS}). Several: no "
        f"difference is shown between them. None: the nearest is more than {NEAR} times apart. {_agreement(said)}",
    )  # fmt: skip


def _agreement(said: Iterable[Likeness]) -> str:
    decided = [part.agrees for part in said if part.agrees is not None]
    if not decided:
        return "No library reports which algorithm it uses here."
    return (
        "Where the library reports which algorithm it uses, and a schedule is near, it is that one in "
        f"{sum(decided)} of {len(decided)} cases."
    )


def _cores(measured: Measured, title: str) -> Table:
    """Each schedule over every core, as a multiple of the core on which it is fastest."""
    names = measured.implementations
    rows = []
    schedules = dict.fromkeys(
        benchmark
        for operation in OPERATIONS
        for name in names
        for benchmark in measured.schedules(name, operation)
    )
    for schedule in schedules:
        times = {name: measured.seconds(name, schedule) for name in names}
        common = set.intersection(*(set(by_size) for by_size in times.values() if by_size))
        means = {
            name: geometric_mean(np.array([by_size[size].value for size in common]))
            for name, by_size in times.items()
            if by_size and common
        }
        if means:
            least = min(means.values())
            rows.append(
                Row(schedule, tuple(f"{means[name] / least:.2f}" if name in means else _NONE for name in names))
            )
    return Table(
        f"The same algorithm on every core: {title}", names, tuple(rows),
        "How many times the time of the core on which it is fastest: a geometric mean over sizes.",
    )  # fmt: skip


def _parts(measured: Measured, title: str) -> Table:
    comparison = measured.results.comparison
    rows = []
    for operation in OPERATIONS:
        for name in measured.implementations:
            own = [
                explanation
                for explanation in comparison.explanations
                if (explanation.operation, explanation.candidate) == (operation, name)
            ]
            if own:
                rows.append(Row(f"{operation}, {name}", _factors(own), name))
    return Table(
        f"Each difference split into algorithm and point-to-point layer: {title}",
        ("whole", "algorithm", "point-to-point layer"), tuple(rows),
        f"How many times the time of {comparison.baseline}: geometric means over sizes, with intervals in "
        "brackets. Point-to-point layer: with the schedule that is fastest on both; algorithm: the rest. `compare "
        "--explain` shows it by size.",
    )  # fmt: skip


def _factors(own: Sequence[Explanation]) -> tuple[str, ...]:
    return tuple(
        _in_words(mean_of([_range(factor) for factor in factors]), lambda value: f"{value:.2f}")
        for factors in (
            [explanation.total for explanation in own],
            [explanation.algorithm for explanation in own],
            [explanation.core for explanation in own],
        )
    )


def _range(factor: Factor) -> Range:
    return Range(factor.ratio, factor.low, factor.high, 2)


def _quantiles(measured: Measured, title: str, ranks: int) -> Table:
    """Of all repetitions: a mean would hide that some take much longer than most."""
    rows = []
    for benchmark in (*(PAIRS if ranks == 2 else ()), *ALL_RANKS):
        for name in measured.implementations:
            cells = [cell for size in _SHOWN for cell in _of_size(measured, name, benchmark, size)]
            if set(cells) != {_NONE}:
                rows.append(Row(f"{benchmark}, {name}", tuple(cells), name))
    columns = [
        f"{format_size(size)}: {heading}" for size in _SHOWN for heading in ("10 %", "median", "90 %", "99 %")
    ]
    return Table(
        f"Quantiles instead of means: {title}", tuple(columns), tuple(rows),
        "Over all repetitions of all launches; the median is that of the launches.",
    )  # fmt: skip


def _of_size(measured: Measured, name: str, benchmark: str, size_bytes: int) -> list[str]:
    for curve in measured.results.comparison.curves:
        if (curve.implementation, curve.benchmark, curve.quantity) == (name, benchmark, "time"):
            for point in curve.points:
                if point.size_bytes == size_bytes:
                    quantiles = (point.p10_seconds, point.median_seconds, point.p90_seconds, point.p99_seconds)
                    return [time_words(value) for value in quantiles]
    return [_NONE] * 4


def _in_words(estimate: Range | None, formatter: wording.Words) -> str:
    return wording.with_interval(estimate, formatter) if estimate else _NONE
