"""Platforms in the terminal: what messages cost by class and size, how sure that is, and what is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from rankwise.core.platform import ContentionModel, CostRange, Interval, PairClass, Platform
from rankwise.core.records import Notice
from rankwise.core.units import exact_size, format_bandwidth, format_share, format_size, format_time

_ALL_EAGER = 1 << 40
MOST_SITES = 12


def platform_parts(platform: Platform) -> Iterator[RenderableType]:
    """Yield where the figures come from, sites, a table of costs for each class, models, and what is not known."""
    yield Text(_origin(platform), style="bold")
    yield _sites(platform)
    for number, pairs in enumerate(platform.classes):
        yield _costs(platform, number, pairs)
    yield _models(platform)
    if platform.not_identified:
        yield Text("\nnot identified, and 0 or a stand-in in the figures above", style="bold")
        for why in dict.fromkeys(platform.not_identified.values()):
            names = [name for name, own in platform.not_identified.items() if own == why]
            yield Text(f"  {why}: {', '.join(names)}")


def noise_parts(noisy: Sequence[Notice]) -> Iterator[RenderableType]:
    """Yield what was too noisy to be believed, each with its remedy."""
    for notice in noisy:
        yield Text(str(notice), style="bold red")


def difference_parts(first: str, second: str, rows: Sequence[tuple[str, str, str, str]]) -> RenderableType:
    """Return a table of parameters that differ: name, both values, and what that means."""
    table = _table("parameter", first, second, "")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _origin(platform: Platform) -> str:
    own = platform.provenance
    parts = (
        own.testbed, own.implementation, own.profile and f"profile {own.profile}", own.measured,
        own.run and f"run {own.run}",
    )  # fmt: skip
    return ", ".join(filter(None, parts)) or "a platform of unknown origin"


def _sites(platform: Platform) -> RenderableType:
    table = _table("site", "nodes", "out", "in")
    for site in platform.sites[:MOST_SITES]:
        table.add_row(
            Text(site.name), str(len(site.nodes)), format_bandwidth(site.out_bytes_per_second),
            format_bandwidth(site.in_bytes_per_second),
        )  # fmt: skip
    more = len(platform.sites) - MOST_SITES
    rest = [Text(f"... and {more} more sites")] if more > 0 else []
    links = [Text(f"link {link.name}: {format_bandwidth(link.bytes_per_second)}") for link in platform.links]
    return Group(table, *rest, *links)


def _costs(platform: Platform, number: int, pairs: PairClass) -> RenderableType:
    eager = pairs.eager_below_bytes
    text = "all sizes measured are sent eagerly" if eager >= _ALL_EAGER else f"eager below {exact_size(eager)}"
    if pairs.name in platform.misfits:
        text += f"; times off by {format_share(platform.misfits[pairs.name])} (root mean square)"
    table = _table("up to", "L", "o_s", "o_r", "g", "1/G")
    for index, costs in enumerate(pairs.ranges):
        where = f"classes.{pairs.name}.ranges.{index}."
        table.add_row(*_row(costs, where, platform.intervals))
    return Group(Text(f"\n{pairs.name}: {text}"), table)


def _row(costs: CostRange, where: str, intervals: dict[str, Interval]) -> Iterator[str]:
    yield exact_size(costs.up_to_bytes) if costs.up_to_bytes is not None else "any"
    for name in ("latency_seconds", "send_overhead_seconds", "receive_overhead_seconds", "gap_seconds"):
        yield _with_error(getattr(costs, name), intervals.get(where + name))
    yield format_bandwidth(1 / costs.gap_seconds_per_byte) if costs.gap_seconds_per_byte else "-"


def _with_error(value: float, interval: Interval | None) -> str:
    """A time, and half of its interval as a share of it."""
    if not value:
        return "-"
    if interval is None:
        return format_time(value)
    share = 50 * (interval.high - interval.low) / value
    return f"{format_time(value)} ±{share:.{int(share < 10)}f} %"


def _models(platform: Platform) -> RenderableType:
    return Group(Text(""), *(Text(f"model {_model(model)}") for model in platform.models))


def _model(model: ContentionModel) -> str:
    parameters = {
        "queues": f", kappa {model.kappa:.3g}, window {format_size(round(model.window_bytes))}",
        "alpha-fair": f", alpha {model.alpha:.3g}, kappa {model.kappa:.3g}",
        "max-min": f", kappa {model.kappa:.3g}",
        "flow-cuts": f", outer cut {model.outer_cut:.3g}, mixed cut {model.mixed_cut:.3g}",
    }.get(model.name, "")
    error = model.relative_error
    return (
        model.name
        + parameters
        + ("" if error is None else f": 90 % of held-out times within {format_share(error)}")
    )


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="right" if index else "left", overflow="fold")
    return table
