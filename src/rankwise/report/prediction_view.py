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


def prediction_parts(prediction: Prediction) -> Iterator[RenderableType]:
    """Yield the total with its band, where the time goes, what would help, and each rank's end."""
    simulation = prediction.simulation
    yield Text.assemble((prediction.title, "bold"), f" on {_count(simulation.ranks, 'rank')}")
    yield Text(f"platform {prediction.platform_name}; model {prediction.model}")
    yield from _notices(prediction.notices)
    total = Text.assemble("\npredicted  ", (format_time(simulation.total_seconds), "bold"), band_words(prediction))
    if prediction.baseline_seconds is not None:
        total.append(f"\n{'':11}{change_words(prediction)}")
    yield total
    if prediction.recorded is not None:
        yield Text(recorded_words(prediction))
    if prediction.no_band:
        yield Text(f"{'':11}{'band ' if prediction.band else 'no band: '}{prediction.no_band}")
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
        shares = [share for share in simulation.critical_path if share.seconds >= 5e-4 * whole]
        parts = [f"{share.what.replace('_', ' ')} {share.seconds / whole:.1%}" for share in shares]
        yield Text(f"made of    {', '.join(parts)}")
    yield from _ends(prediction)
    if simulation.contention_seconds > 0:
        yield from _contention(prediction)
    yield from helps_parts(prediction.helps, simulation.total_seconds)
    yield from _measured(prediction.measured)


def recorded_words(prediction: Prediction) -> str:
    """Return what the program took when it was traced, beside what it is predicted to take."""
    recorded = prediction.recorded
    if recorded is None:
        return ""
    ratio = (
        f"; predicted is {prediction.simulation.total_seconds / recorded.seconds:.2f} of it"
        if recorded.seconds
        else ""
    )
    shared = " (with more ranks than cores: time slices are in it)" if recorded.crowded else ""
    return f"recorded   {format_time(recorded.seconds)}{shared}{ratio}"


def band_words(prediction: Prediction) -> str:
    """Return the band behind a total, '' where there is none."""
    if prediction.band is None:
        return ""
    return f"   90 %: {format_time(prediction.band.low_seconds)} to {format_time(prediction.band.high_seconds)}"


def change_words(prediction: Prediction) -> str:
    """Return how the total compares with the platform as it is."""
    before, now = prediction.baseline_seconds or math.nan, prediction.simulation.total_seconds
    share = now / before - 1 if before else 0.0
    difference = "the same" if abs(share) < 5e-4 else f"{abs(share):.1%} {'longer' if share > 0 else 'less'}"
    return f"with {', '.join(prediction.changes)}: {difference}; without {format_time(before)}"


def gain_words(option: Help, total_seconds: float) -> str:
    """Return what it would be worth not to share something."""
    gain = 1 - option.total_seconds / total_seconds
    return "nothing" if abs(gain) < 5e-4 else f"{gain:.1%} less" if gain > 0 else f"{-gain:.1%} more"


def helps_parts(helps: Sequence[Help], total_seconds: float) -> Iterator[RenderableType]:
    """Yield what would help, which was simulated."""
    if not helps:
        return
    table = _table(("if messages did not share", "total would be", ""), right=1)
    for option in helps:
        table.add_row(option.resource, format_time(option.total_seconds), gain_words(option, total_seconds))
    yield Text("\nwhat would help")
    yield table


def comparison_parts(comparison: AlgorithmComparison) -> Iterator[RenderableType]:
    """Yield a table of algorithms by size, the fastest first."""
    yield Text.assemble((comparison.title, "bold"))
    yield Text(f"platform {comparison.platform_name}; model {comparison.model}")
    yield from _notices(comparison.notices)
    table = _table(("size", "algorithm", "predicted", "× fastest", "messages"), right=2)
    fastest: dict[int, float] = {}
    for row in comparison.rows:
        if row.refused:
            continue
        best = fastest.setdefault(row.size_bytes, row.total_seconds)
        table.add_row(
            format_size(row.size_bytes), row.name, format_time(row.total_seconds),
            f"{row.total_seconds / best:.2f}" if best else "-", str(row.messages),
        )  # fmt: skip
    yield Text()
    yield table
    refused = {row.name: row.refused for row in comparison.rows if row.refused}
    for name, why in refused.items():
        yield Text(f"not {name}: {why.splitlines()[0]}")
    yield from _measured(comparison.measured)


def sweep_parts(sweep: Sweep) -> Iterator[RenderableType]:
    """Yield the totals over a range, with bars."""
    formatter = format_time if sweep.name.endswith(".delay") else _rate
    yield Text.assemble((sweep.title, "bold"), f" over {sweep.name}")
    yield Text(f"platform {sweep.platform_name}; model {sweep.model}")
    yield from _notices(sweep.notices)
    yield Text(f"\nnow {sweep.name} = {formatter(sweep.value_now)}: {format_time(sweep.total_now_seconds)}\n")
    table = _table((sweep.name, "predicted", "× now", ""), right=0)
    longest = max(point.total_seconds for point in sweep.points) or 1.0
    for point in sweep.points:
        ratio = f"{point.total_seconds / sweep.total_now_seconds:.3g}" if sweep.total_now_seconds else "-"
        bar = "█" * max(1, round(30 * point.total_seconds / longest))
        table.add_row(formatter(point.value), format_time(point.total_seconds), ratio, bar)
    yield table


def tolerance_parts(tolerance: Tolerance) -> Iterator[RenderableType]:
    """Yield how much delay each class of links may add, and what its rate is worth."""
    yield Text.assemble((tolerance.title, "bold"), f", predicted {format_time(tolerance.total_seconds)}")
    yield Text(f"platform {tolerance.platform_name}; model {tolerance.model}")
    yield from _notices(tolerance.notices)
    table = _table(("class", "delay", "dT/d(delay)", "rate", "1 % more rate"), right=1)
    for link_class in tolerance.classes:
        table.add_row(
            link_class.name, format_time(link_class.delay_seconds),
            "-" if math.isnan(link_class.by_delay) else f"{link_class.by_delay:.4g}",
            "-" if math.isnan(link_class.bytes_per_second) else _rate(link_class.bytes_per_second),
            "-" if math.isnan(link_class.by_rate_seconds) else _signed(link_class.by_rate_seconds / 100),
        )  # fmt: skip
    yield Text()
    yield table
    shares = [loss.share for loss in tolerance.classes[0].losses] if tolerance.classes else []
    table = _table(("more delay until it loses", *(f"{share:.0%}" for share in shares)), right=1)
    for link_class in tolerance.classes:
        table.add_row(link_class.name, *(_loss(loss.solved_seconds) for loss in link_class.losses))
        table.add_row(
            "  by the derivative alone", *(_loss(loss.linear_seconds) for loss in link_class.losses), style="dim"
        )
    yield Text()
    yield table


def _loss(seconds: float) -> str:
    if math.isnan(seconds):
        return "-"
    return "never" if math.isinf(seconds) else f"+{format_time(seconds)}"


def loss_words(loss: Loss) -> str:
    """Return the delay that was solved for."""
    return _loss(loss.solved_seconds)


def _signed(seconds: float) -> str:
    return format_time(0.0) if seconds == 0 else f"{'-' if seconds < 0 else '+'}{format_time(abs(seconds))}"


def _ends(prediction: Prediction) -> Iterator[RenderableType]:
    ends = [end for job in prediction.simulation.jobs for end in job.finish_seconds]
    if not ends:
        return
    if len(prediction.simulation.jobs) > 1:
        for job in prediction.simulation.jobs:
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


def _contention(prediction: Prediction) -> Iterator[RenderableType]:
    simulation = prediction.simulation
    table = _table(("messages wait for", "in sum", "", "from node to node", "in sum"), right=1)
    links = [(wait.link, format_time(wait.seconds)) for wait in simulation.by_link[:MOST_ROWS]]
    pairs = [
        (f"{wait.from_node} to {wait.to_node}", format_time(wait.seconds))
        for wait in simulation.by_pair[:MOST_ROWS]
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
    for row in rows:
        table.add_row(
            _what(row), format_size(row.size_bytes) if row.size_bytes else "-", str(row.ranks),
            format_time(row.seconds), format_time(row.predicted_seconds), f"{row.error:+.1%}",
        )  # fmt: skip
    yield Text()
    yield table
    errors = [abs(row.error) for row in rows if row.same]
    if len(errors) > 1:
        mean = sum(errors) / len(errors)
        what = "the same algorithms" if any(row.algorithm for row in rows) else "flows and their end"
        what = what if any(row.size_bytes for row in rows) else "this program"
        yield Text(f"{what}: mean absolute error {mean:.1%}, worst {max(errors):.1%}")


def _what(row: Measured) -> str:
    return f"{row.variant} {row.benchmark}" + ("" if row.same else f" (by {row.algorithm})")


def _notices(notices: Sequence[Notice]) -> Iterator[RenderableType]:
    for notice in notices:
        yield Text.assemble(("warning: ", "yellow"), notice.message)


def _table(columns: Sequence[str], right: int) -> Table:
    """A table whose columns from the `right`-th on are numbers, where their titles have words."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for number, name in enumerate(columns):
        is_text = number < right or name in ("", "from node to node", "algorithm")
        table.add_column(name, justify="left" if is_text else "right", overflow="fold")
    return table


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _rate(bytes_per_second: float) -> str:
    return format_rate(8 * bytes_per_second)
