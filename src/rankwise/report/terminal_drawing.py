"""The picture of a testbed for the terminal: boxes of sites, and a table of the links between them."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import ROUNDED
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from rankwise.core.network import Link, Topology
from rankwise.core.units import format_rate, format_share, format_time
from rankwise.report.site_words import Join, alike, delay_words, ends, joins, node_lines, queue_words, site_title
from rankwise.testbeds.paths import path


def topology_drawing(topology: Topology) -> RenderableType:
    """Return the testbed within 80 columns."""
    head = Text.assemble((topology.name, "bold"), f"  {topology.kind}")
    if topology.links:
        head.append(f", {topology.hardware.nic_profile} hosts, MTU {topology.hardware.mtu_bytes}")
    parts: list[RenderableType] = [head]
    if topology.description:
        parts.append(Text(topology.description, style="dim"))
    parts.append(_sites(topology))
    links = _links(topology)
    if links.row_count:
        parts.append(links)
    settings = _settings(topology)
    if settings.row_count:
        parts += [Text(), settings]
    return Group(*parts)


def _sites(topology: Topology) -> RenderableType:
    panels = [_panel(topology, site) for site in topology.sites]
    all_joins = joins(topology)
    if len(panels) == 2 and all_joins:
        row = Table.grid(expand=False)
        row.add_column(vertical="middle")
        row.add_column(vertical="middle", justify="center", max_width=24)
        row.add_column(vertical="middle")
        row.add_row(panels[0], _wire(all_joins[0]), panels[1])
        return row
    return Columns(panels, padding=(0, 1))


def _panel(topology: Topology, site: str) -> Panel:
    lines = Text("\n".join(node_lines(topology, site)))
    return Panel(lines, title=Text(site_title(topology, site)), title_align="left", box=ROUNDED, expand=False)


def _wire(join: Join) -> Text:
    """The figures above the line that stands for the link."""
    parts = [word.strip() for line in join.asked for word in line.split(",")]
    width = max(map(len, parts)) + 2
    return Text("\n".join([*parts, "━" * width]), justify="center")


def _links(topology: Topology) -> Table:
    """The links between sites, one line where both directions are alike, and the uplinks."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("link", overflow="fold", min_width=12)
    for title in ("one way", "round trip", "rate", "queue", "jitter", "loss"):
        table.add_column(title, justify="right", no_wrap=title != "jitter")
    links = {link.name: link for link in topology.links}
    for link in topology.links:
        sites = ends(link)
        if sites is not None:
            source, other = sites
            both = alike(link, links[f"{other}>{source}"])
            if not both or topology.sites.index(source) < topology.sites.index(other):
                name = f"{source} {'-' if both else '→'} {other}"
                table.add_row(name, *_figures(link, _round_trip(topology, source, other)))
        elif link.name.endswith(".up"):
            site = link.name.removesuffix(".up")
            table.add_row(f"{site} uplink", *_figures(link, "-"))
    return table


def _figures(link: Link, round_trip: str) -> Iterator[str]:
    yield delay_words(link.delay_seconds)
    yield round_trip
    yield format_rate(link.rate_bits_per_second)
    yield queue_words(link)
    yield f"{format_time(link.jitter_seconds)} {link.jitter_distribution}" if link.jitter_seconds else "-"
    yield format_share(link.loss) if link.loss else "-"


def _round_trip(topology: Topology, site: str, other: str) -> str:
    """Between nodes of the two sites, all links on the way; '-' where a site has none."""
    nodes = {node.site: node.name for node in topology.nodes}
    if site not in nodes or other not in nodes:
        return "-"
    there, back = path(topology, nodes[site], nodes[other]), path(topology, nodes[other], nodes[site])
    return delay_words(there.delay_seconds + back.delay_seconds)


def _settings(topology: Topology) -> Table:
    """Settings that every node has, then those of single nodes."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", overflow="fold")
    table.add_column(overflow="fold")
    by_setting: dict[tuple[str, str], list[str]] = {}
    for node in topology.nodes:
        for pair in node.settings:
            by_setting.setdefault(pair, []).append(node.name)
    for (key, value), names in sorted(by_setting.items()):
        whose = "" if len(names) == len(topology.nodes) else f"  ({', '.join(names)})"
        table.add_row(Text(key.removeprefix("net.ipv4.")), Text(value + whose))
    return table
