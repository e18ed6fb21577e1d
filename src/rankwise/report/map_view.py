"""A mapping in the terminal: what placements cost, and where each rank goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rankwise.analysis.map.gain import Gain
from rankwise.core.units import format_time

MOST_HOSTS = 40
"""That the terminal shows."""


def map_parts(
    costs: Sequence[tuple[str, float]], cost_now: float, hosts: Sequence[str],
    predicted: Sequence[tuple[str, float]] = (), gain: Gain | None = None,
) -> Iterator[RenderableType]:  # fmt: skip
    """Yield what the placements cost that were tried, and are predicted to take; the best one's ranks by host."""
    yield _table("bytes x distance", [(name, f"{cost:.4g}", cost) for name, cost in costs], cost_now)
    if predicted:
        yield Text()
        rows = [(name, format_time(seconds), seconds) for name, seconds in predicted]
        yield _table("predicted time", rows, dict(predicted)["now"])
    if gain:
        yield Text(f"\n{_gain(gain)}")
    yield Text()
    names = list(dict.fromkeys(hosts))
    for name in names[:MOST_HOSTS]:
        yield Text(f"{name}: ranks {_spans([rank for rank, host in enumerate(hosts) if host == name])}")
    if len(names) > MOST_HOSTS:
        yield Text(f"... and {len(names) - MOST_HOSTS} more hosts")


def _table(what: str, rows: Sequence[tuple[str, str, float]], now: float) -> Table:
    """Rows of a placement, its value in words and in figures."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("placement")
    table.add_column(what, justify="right")
    table.add_column("of now", justify="right")
    for name, text, value in rows:
        table.add_row(name, text, f"{value / now:.3f}" if now else "–")
    return table


def _gain(gain: Gain) -> str:
    """8 s [7, 9] now, 2 s [1.8, 2.2] as mapped: 0.25 [0.2, 0.3] of it, in 9 of 10 cases."""
    if gain.now_band is None or gain.mapped_band is None:
        return f"predicted: {gain.ratio:.3g} of the current placement's time, without a band: {gain.no_band}"
    now, mapped = (
        f"{format_time(seconds)} [{format_time(band.low_seconds)}, {format_time(band.high_seconds)}]"
        for seconds, band in ((gain.now_seconds, gain.now_band), (gain.mapped_seconds, gain.mapped_band))
    )
    ratio = f"{gain.ratio:.3g} [{gain.ratio_low:.3g}, {gain.ratio_high:.3g}]"
    left_out = f" ({gain.no_band})" if gain.no_band else ""
    return f"predicted: {now} now, {mapped} as mapped, {ratio} of it, in 9 of 10 cases{left_out}"


def _spans(ranks: Sequence[int]) -> str:
    """0-3,7: neighbours together."""
    spans = []
    for _, run in groupby(enumerate(ranks), key=lambda pair: pair[1] - pair[0]):
        together = [rank for _, rank in run]
        spans.append(str(together[0]) if len(together) == 1 else f"{together[0]}-{together[-1]}")
    return ",".join(spans)
