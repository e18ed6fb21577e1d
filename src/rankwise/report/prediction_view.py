"""Predictions in the terminal, within 80 columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rankwise.analysis.predict.results import (
    AlgorithmComparison,
    Help,
    Loss,
    Measured,
    Prediction,
    Sweep,
    Tolerance,
)
from rankwise.core.records import Notice
from rankwise.core.units import format_rate, format_size, format_time

MOST_ROWS = 8
"""Ranks, links and pairs that are shown; --json has all."""


def prediction_parts(found: Prediction) -> Iterator[RenderableType]:
    """Yield the total with its band, where the time goes, what would help, and each rank's end."""
    simulation = found.simulation
    yield Text.assemble((found.title, "bold"), f" on {_count(simulation.ranks, 'rank')}")
    yield Text(f"platform {found.platform_name}; model {found.model}")
    yield from _notices(found.notices)
    total = Text.assemble("\npredicted  ", (format_time(simulation.total_seconds), "bold"), band_words(found))
    if found.baseline_seconds is not None:
        total.append(f"\n{'':11}{change_words(found)}")
    yield total
    if found.recorded is not None:
        yield Text(recorded_words(found))
    if found.no_band:
        yield Text(f"{'':11}{'band ' if found.band else 'no band: '}{found.no_band}")
    if simulation.spread:
        spread = simulation.spread
        yield Text(
            f"with noise {format_time(spread.p50_seconds)} in the median of {spread.runs} runs, p99 "
            f"{format_time(spread.p99_seconds)}, at most {format_time(spread.most_seconds)}"
        )
    yield Text(
        f"messages   {simulation.messages}, {format_size(simulation.size_bytes)} in all"
        + (f"; {simulation.unreceived_messages} never received" if simulation.unreceived_messages else "")
    )
    if simulation.critical_path and simulation.total_seconds > 0:
        whole = simulation.total_seconds
        shares = [one for one in simulation.critical_path if one.seconds >= 5e-4 * whole]
        parts = [f"{one.what.replace('_', ' ')} {one.seconds / whole:.1%}" for one in shares]
        yield Text(f"made of    {', '.join(parts)}")
    yield from _ends(found)
    if simulation.contention_seconds > 0:
        yield from _contention(found)
    yield from helps_parts(found.helps, simulation.total_seconds)
    yield from _measured(found.measured)


def recorded_words(found: Prediction) -> str:
    """Return what the program took when it was traced, beside what it is predicted to take."""
    recorded = found.recorded
    if recorded is None:
        return ""
    ratio = (
        f"; predicted is {found.simulation.total_seconds / recorded.seconds:.2f} of it" if recorded.seconds else ""
    )
    shared = " (with more ranks than cores: time slices are in it)" if recorded.crowded else ""
    return f"recorded   {format_time(recorded.seconds)}{shared}{ratio}"


def band_words(found: Prediction) -> str:
    """Return the band behind a total, '' where there is none."""
    if found.band is None:
        return ""
    return f"   90 %: {format_time(found.band.low_seconds)} to {format_time(found.band.high_seconds)}"


def change_words(found: Prediction) -> str:
    """Return how the total compares with the platform as it is."""
    before, now = found.baseline_seconds or math.nan, found.simulation.total_seconds
    share = now / before - 1 if before else 0.0
    words = "the same" if abs(share) < 5e-4 else f"{abs(share):.1%} {'longer' if share > 0 else 'less'}"
    return f"with {', '.join(found.changes)}: {words}; without {format_time(before)}"


def gain_words(one: Help, total_seconds: float) -> str:
    """Return what it would be worth not to share something."""
    gain = 1 - one.total_seconds / total_seconds
    return "nothing" if abs(gain) < 5e-4 else f"{gain:.1%} less" if gain > 0 else f"{-gain:.1%} more"


def helps_parts(helps: Sequence[Help], total_seconds: float) -> Iterator[RenderableType]:
    """Yield what would help, which was simulated."""
    if not helps:
        return
    table = _table(("if messages did not share", "total would be", ""), right=1)
    for one in helps:
        table.add_row(one.resource, format_time(one.total_seconds), gain_words(one, total_seconds))
    yield Text("\nwhat would help")
    yield table


def comparison_parts(found: AlgorithmComparison) -> Iterator[RenderableType]:
    """Yield a table of algorithms by size, the fastest first."""
    yield Text.assemble((found.title, "bold"))
    yield Text(f"platform {found.platform_name}; model {found.model}")
    yield from _notices(found.notices)
    table = _table(("size", "algorithm", "predicted", "× fastest", "messages"), right=2)
    fastest: dict[int, float] = {}
    for one in found.rows:
        if one.refused:
            continue
        best = fastest.setdefault(one.size_bytes, one.total_seconds)
        table.add_row(
            format_size(one.size_bytes), one.name, format_time(one.total_seconds),
            f"{one.total_seconds / best:.2f}" if best else "-", str(one.messages),
        )  # fmt: skip
    yield Text()
    yield table
    refused = {one.name: one.refused for one in found.rows if one.refused}
    for name, why in refused.items():
        yield Text(f"not {name}: {why.splitlines()[0]}")
    yield from _measured(found.measured)


def sweep_parts(found: Sweep) -> Iterator[RenderableType]:
    """Yield the totals over a range, with bars."""
    words = format_time if found.name.endswith(".delay") else _rate
    yield Text.assemble((found.title, "bold"), f" over {found.name}")
    yield Text(f"platform {found.platform_name}; model {found.model}")
    yield from _notices(found.notices)
    yield Text(f"\nnow {found.name} = {words(found.value_now)}: {format_time(found.total_now_seconds)}\n")
    table = _table((found.name, "predicted", "× now", ""), right=0)
    longest = max(one.total_seconds for one in found.points) or 1.0
    for one in found.points:
        ratio = f"{one.total_seconds / found.total_now_seconds:.3g}" if found.total_now_seconds else "-"
        bar = "█" * max(1, round(30 * one.total_seconds / longest))
        table.add_row(words(one.value), format_time(one.total_seconds), ratio, bar)
    yield table


def tolerance_parts(found: Tolerance) -> Iterator[RenderableType]:
    """Yield how much delay each class of links may add, and what its rate is worth."""
    yield Text.assemble((found.title, "bold"), f", predicted {format_time(found.total_seconds)}")
    yield Text(f"platform {found.platform_name}; model {found.model}")
    yield from _notices(found.notices)
    table = _table(("class", "delay", "dT/d(delay)", "rate", "1 % more rate"), right=1)
    for one in found.classes:
        table.add_row(
            one.name, format_time(one.delay_seconds), "-" if math.isnan(one.by_delay) else f"{one.by_delay:.4g}",
            "-" if math.isnan(one.bytes_per_second) else _rate(one.bytes_per_second),
            "-" if math.isnan(one.by_rate_seconds) else _signed(one.by_rate_seconds / 100),
        )  # fmt: skip
    yield Text()
    yield table
    shares = [one.share for one in found.classes[0].losses] if found.classes else []
    table = _table(("more delay until it loses", *(f"{share:.0%}" for share in shares)), right=1)
    for one in found.classes:
        table.add_row(one.name, *(_loss(loss.solved_seconds) for loss in one.losses))
        table.add_row(
            "  by the derivative alone", *(_loss(loss.linear_seconds) for loss in one.losses), style="dim"
        )
    yield Text()
    yield table


def _loss(seconds: float) -> str:
    if math.isnan(seconds):
        return "-"
    return "never" if math.isinf(seconds) else f"+{format_time(seconds)}"


def loss_words(one: Loss) -> str:
    """Return the delay that was solved for."""
    return _loss(one.solved_seconds)


def _signed(seconds: float) -> str:
    return format_time(0.0) if seconds == 0 else f"{'-' if seconds < 0 else '+'}{format_time(abs(seconds))}"


def _ends(found: Prediction) -> Iterator[RenderableType]:
    ends = [end for job in found.simulation.jobs for end in job.finish_seconds]
    if not ends:
        return
    if len(found.simulation.jobs) > 1:
        for job in found.simulation.jobs:
            yield Text(f"{job.name}: {format_time(max(job.finish_seconds, default=0.0))}")
    last = max(range(len(ends)), key=ends.__getitem__)
    if len(ends) <= MOST_ROWS:
        yield Text("ranks end  " + ", ".join(f"{rank}: {format_time(end)}" for rank, end in enumerate(ends)))
    else:
        middle = sorted(ends)[len(ends) // 2]
        yield Text(
            f"ranks end  first {format_time(min(ends))}, half {format_time(middle)}, "
            f"last {format_time(ends[last])} (rank {last})"
        )


def _contention(found: Prediction) -> Iterator[RenderableType]:
    simulation = found.simulation
    table = _table(("messages wait for", "in sum", "", "from node to node", "in sum"), right=1)
    links = [(one.link, format_time(one.seconds)) for one in simulation.by_link[:MOST_ROWS]]
    pairs = [
        (f"{one.from_node} to {one.to_node}", format_time(one.seconds)) for one in simulation.by_pair[:MOST_ROWS]
    ]
    for i in range(max(len(links), len(pairs))):
        link, pair = links[i] if i < len(links) else ("", ""), pairs[i] if i < len(pairs) else ("", "")
        table.add_row(*link, "", *pair)
    yield Text(f"\nlost to contention: {format_time(simulation.contention_seconds)}, summed over messages")
    yield table


def _measured(rows: Sequence[Measured]) -> Iterator[RenderableType]:
    if not rows:
        return
    table = _table(("measured", "size", "ranks", "median", "predicted", "error"), right=1)
    for one in rows:
        table.add_row(
            _what(one), format_size(one.size_bytes) if one.size_bytes else "-", str(one.ranks),
            format_time(one.seconds), format_time(one.predicted_seconds), f"{one.error:+.1%}",
        )  # fmt: skip
    yield Text()
    yield table
    errors = [abs(one.error) for one in rows if one.same]
    if len(errors) > 1:
        mean = sum(errors) / len(errors)
        what = "the same algorithms" if any(one.algorithm for one in rows) else "flows and their end"
        what = what if any(one.size_bytes for one in rows) else "this program"
        yield Text(f"{what}: mean absolute error {mean:.1%}, worst {max(errors):.1%}")


def _what(one: Measured) -> str:
    return f"{one.variant} {one.benchmark}" + ("" if one.same else f" (by {one.algorithm})")


def _notices(notices: Sequence[Notice]) -> Iterator[RenderableType]:
    for one in notices:
        yield Text.assemble(("warning: ", "yellow"), one.message)


def _table(columns: Sequence[str], right: int) -> Table:
    """A table whose columns from the `right`-th on are numbers, where their titles have words."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for number, name in enumerate(columns):
        words = number < right or name in ("", "from node to node", "algorithm")
        table.add_column(name, justify="left" if words else "right", overflow="fold")
    return table


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _rate(bytes_per_second: float) -> str:
    return format_rate(8 * bytes_per_second)
