"""Figures: the ping-pong beside the paper's bandwidths, and each operation's time beside a copy in memory."""

from __future__ import annotations

from rankwise.report.colours import styles_for
from rankwise.report.figures import latency_figure
from rankwise.studies.base import Chart
from rankwise.studies.charts import MEGABYTES, PaperLine, bandwidth_figure
from rankwise.studies.mcclements2006.findings import Findings
from rankwise.studies.mcclements2006.plan import ALL_RANKS, CLUSTER, COPY, LOCAL, PAPER, PLACES, RUNS, label
from rankwise.studies.pingpong import BITS, Best, BestCurve

_MB = 1e6
_MACHINES = {LOCAL: ("lomond", "3.3"), CLUSTER: ("escience", "3.11")}


def charts(findings: Findings) -> tuple[Chart, ...]:
    """Draw PingPong in both places, then the others on the most ranks that were measured on each."""
    return (*(chart for place in PLACES for chart in _pingpong(findings, place)), *_times(findings))


def _pingpong(findings: Findings, place: str) -> list[Chart]:
    run = findings.runs.get(label(place, 2))
    if run is None:
        return []
    curves: dict[str, BestCurve] = {
        name: tuple(Best(size, estimate) for size, estimate in run.seconds(name, "pingpong").items())
        for name in run.implementations
    }
    if place == LOCAL:
        curves["a copy in memory"] = tuple(Best(size, estimate) for size, estimate in run.copy_seconds().items())
    drawn_lines, note = _published(place)
    drawn = bandwidth_figure(
        {name: curve for name, curve in curves.items() if curve}, styles_for(findings.implementations),
        drawn_lines, scale=MEGABYTES,
    )  # fmt: skip
    return [Chart(f"pingpong-{place}", f"PingPong: {_title(label(place, 2))}", drawn, note)]


def _published(place: str) -> tuple[list[PaperLine], str]:
    """The paper's bandwidths: lines on the network, words where today's are twenty times as high."""
    machine, figure = _MACHINES[place]
    by_rate: dict[float, list[str]] = {}
    for name, rate in PAPER[f"{machine}_pingpong_MBps"].items():
        by_rate.setdefault(rate, []).append(name)
    note = f"The paper's figure {figure}. Median of each launch, and over launches."
    if place == LOCAL:
        stated = f"{min(by_rate)} to {max(by_rate)} MB/s, a copy in memory {PAPER['lomond_stream_copy_MBps']}"
        return [], f"{note} There: {stated}. Dotted: a copy in memory."
    lines = [PaperLine(rate * _MB * BITS, f"2006: {', '.join(names)}") for rate, names in by_rate.items()]
    return lines, note


def _times(findings: Findings) -> list[Chart]:
    """On the fewest ranks beyond two that were measured: cores are shared least there."""
    shown = []
    for place in PLACES:
        run = next(
            (
                candidate
                for candidate in RUNS
                if candidate.testbed == place and candidate.ranks > 2 and candidate.label in findings.runs
            ),
            None,
        )
        if run is None:
            continue
        curves = [curve for curve in findings.results[run.label].comparison.curves if curve.quantity == "time"]
        copies = [curve for curve in curves if curve.benchmark == COPY]
        for benchmark in ALL_RANKS:
            own = [curve for curve in curves if curve.benchmark == benchmark]
            if own:
                figure = latency_figure(own, styles_for(findings.implementations), copies)
                note = "Median over launches with its interval. Dotted: a copy in memory."
                shown.append(Chart(f"{benchmark}-{run.label}", f"{benchmark}: {run.title}", figure, note))
    return shown


def _title(label_: str) -> str:
    return next(run.title for run in RUNS if run.label == label_)
