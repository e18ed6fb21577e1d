"""Eickermann 1999: TCP and MPI between Jülich and Sankt Augustin, 0.9 ms apart, with and without tuned sockets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankwise.core.host_settings import TCP_RMEM, TCP_WMEM, WINDOW_SCALING
from rankwise.core.network import Settings
from rankwise.core.units import parse_sizes_bytes
from rankwise.report.colours import styles_for
from rankwise.studies import claims, coupled_fields, wording
from rankwise.studies import eickermann1999_gateways as gateways
from rankwise.studies.base import TCP, Chart, Claim, Effort, Page, Results, Row, Statement, Study, StudyRun, Table
from rankwise.studies.charts import MEGABYTES, PaperLine, bandwidth_figure
from rankwise.studies.papers import citation, paper
from rankwise.studies.pingpong import BITS, BestCurve, best_curves, latencies, maxima, overheads
from rankwise.studies.ranges import Range, at_least, at_most

PAPER = paper("eickermann1999")
_MB, _MS = 1e6, 1e-3
_NONE = "–"
_UNTUNED: Settings = (
    # What 1999 had without asking: a window of 64 KiB, the most that TCP can tell of without RFC 1323's scaling.
    # Linux keeps its own bookkeeping in the buffers too, hence twice as much of them.
    (WINDOW_SCALING, "0"),
    (TCP_RMEM, "4096 131072 131072"),
    (TCP_WMEM, "4096 131072 131072"),
)
_LARGEST = 10_000_000
"""“Messages of up to 10 MByte size were used.”"""
_FULL = Effort((1, *parse_sizes_bytes("1K:8M:2"), _LARGEST), 10, 600, 0.3)
# Few sizes, so that three launches of six implementations fit: below three nothing can be decided.
_QUICK = Effort((1, 1 << 16, 1 << 20, _LARGEST), 3, 150, 0.05)


@dataclass(frozen=True, slots=True)
class Route:
    """Two hosts of the testbed, and the paper's row for them."""

    key: str
    name: str
    row: str
    """In the paper's table 1."""
    metampi_row: str
    """In its table 2; '' if MetaMPI was not measured there."""
    nodes: tuple[str, str]


ROUTES = (
    Route("atm622", "ATM 622", "Ultra60-E5000_ATM622", "", ("ultra60", "e5000")),
    Route("atm155", "ATM 155", "T3E-SP2_ATM155", "T3E-SP2_ATM155", ("t3e", "sp2")),
)
CAVEATS = (
    "The testbed is emulated: the lines' rates and delays are the paper's, the hosts are today's. What the "
    "supercomputers' own network software and adapters cost in 1999 is not emulated.",
    "The routes over HiPPI and the local Ethernet of table 1 are not part of the emulated testbed. What stands "
    "for gateways are a joined job's relays, on the hosts themselves: in 1999 machines and routers' processes "
    "were on the way.",
    "Untuned stands for a window of 64 KiB on every host. The systems of 1999 had windows of their own: from the "
    "paper's figures one computes 60 kB for the workstations, and less for the SP2.",
    "A time is the best of many round trips of one launch, with the median over launches and its interval. Below "
    "six launches the interval is the extremes, which cover less than 95 %; below three nothing is decided.",
)


def _runs() -> tuple[StudyRun, ...]:
    pingpongs = (
        StudyRun(
            f"{route.key}-{state}", f"{' to '.join(route.nodes)} over {route.name}, {state}",
            "gigabit-testbed-1999",
            ("pingpong", "tcp_pingpong"), full=_FULL, quick=_QUICK, placement="across-sites", nodes=route.nodes,
            settings=_UNTUNED if state == "untuned" else (),
        )
        for route in ROUTES
        for state in ("untuned", "tuned")
    )  # fmt: skip
    joined = (run for route in ROUTES for run in gateways.runs(route.key, route.name, route.nodes))
    return (*pingpongs, *joined, coupled_fields.RUN)


@dataclass(frozen=True, slots=True)
class RouteResults:
    """What was measured on one route, by name: `TCP` or an implementation; bandwidths are bytes per second."""

    route: Route
    tuned_curves: dict[str, BestCurve]
    untuned_curves: dict[str, BestCurve]
    tuned: dict[str, Range]
    untuned: dict[str, Range]
    delay: dict[str, Range]

    @property
    def published(self) -> dict[str, float]:
        """The paper's row: MB/s and ms."""
        names = ("theoretical", "measured", "untuned", "delay")
        return dict(zip(names, PAPER["table1_tcp"][self.route.row], strict=True))


def page(results: Mapping[str, Results]) -> Page:
    """Return the statements, tables 1 and 2, and the bandwidths against size, which the paper does not show."""
    all_routes = [_found(route, results) for route in ROUTES]
    single = [run_results for label, run_results in results.items() if not gateways.is_joined(label)]
    names = tuple(dict.fromkeys(name for run_results in single for name in run_results.comparison.implementations))
    joined = gateways.measured({route.key: route.name for route in ROUTES}, results)
    statements = [statement for route in all_routes for statement in _on_route(route)] + _on_mpi(all_routes)
    charts = tuple(_chart(route_results, names) for route_results in all_routes)
    tables = [_table_1(all_routes), _table_2(all_routes, names), gateways.table(joined)]
    caveats = [*CAVEATS, coupled_fields.NOT_RUN]
    if coupled_fields.LABEL in results:
        steps = coupled_fields.measured(results[coupled_fields.LABEL])
        statements += coupled_fields.coupled_statements(steps)
        tables.append(coupled_fields.coupled_table(steps))
        caveats = [*CAVEATS, coupled_fields.CAVEAT]
    return Page(tuple(statements), tuple(tables), charts, tuple(caveats), gateways.aims(joined))


def _found(route: Route, results: Mapping[str, Results]) -> RouteResults:
    tuned, untuned = (best_curves(results.get(f"{route.key}-{state}")) for state in ("tuned", "untuned"))
    bandwidths = [
        {name: estimate.scaled(1 / BITS) for name, estimate in maxima(curves).items()}
        for curves in (tuned, untuned)
    ]
    return RouteResults(route, tuned, untuned, bandwidths[0], bandwidths[1], latencies(tuned))


def _on_route(route_results: RouteResults) -> list[Statement]:
    by_hosts = _with_workstations if route_results.route.key == "atm622" else _with_supercomputers
    return [_on_tuning(route_results), *by_hosts(route_results)]


def _on_tuning(route_results: RouteResults) -> Statement:
    stated = route_results.published
    gain = stated["measured"] / stated["untuned"]
    gained = {}
    if TCP in route_results.tuned and TCP in route_results.untuned:
        gained[f"TCP over {route_results.route.name}"] = route_results.tuned[TCP] / route_results.untuned[TCP]
    claim = Claim(
        f"tuning-{route_results.route.key}",
        "“The comparison with untuned sockets (using the operating system defaults) show the importance of socket "
        f"tuning”: over {route_results.route.name} {stated['measured']} instead of {stated['untuned']} MB/s, "
        f"{wording.ratio(gain)}.",
        "2 and table 1",
    )
    half_of_the_gain = 1 + (gain - 1) / 2
    return claims.about_all(claim, gained, lambda estimate: at_least(estimate, half_of_the_gain), wording.ratio)


def _with_workstations(route_results: RouteResults) -> list[Statement]:
    stated = route_results.published
    good_use = Claim(
        "good-use",
        "The workstations “can make good use of the available bandwidth”: "
        f"{stated['measured'] / stated['theoretical']:.0%} of it.",
        "2 and table 1",
    )
    no_delay = Claim(
        "no-delay-by-hosts",
        f"They do so “without adding a significant delay”: {stated['delay']} ms one way, of which the line takes "
        f"{PAPER['wan_delay_ms']} ms.",
        "2 and table 1",
    )
    best, delay = _tcp_alone(route_results, route_results.tuned), _tcp_alone(route_results, route_results.delay)
    return [
        claims.about_all(
            good_use, best, lambda estimate: at_least(estimate, stated["measured"] * _MB), wording.megabytes
        ),
        claims.about_all(
            no_delay, delay, lambda estimate: at_most(estimate, 1.1 * stated["delay"] * _MS), wording.milliseconds
        ),
    ]


def _with_supercomputers(route_results: RouteResults) -> list[Statement]:
    stated = route_results.published
    by_hosts = Claim(
        "delay-by-hosts",
        f"“A substantial delay can be introduced by the attached computers”: {stated['delay']} ms one way between "
        "the supercomputers.",
        "2 and table 1",
    )
    limited = Claim(
        "limited-by-hosts",
        "The performance “is mainly limited by the I/O capabilities of the MicroChannel based SP2 nodes”: "
        f"{stated['measured'] / stated['theoretical']:.0%} of the available bandwidth.",
        "2 and table 1",
    )
    best, delay = _tcp_alone(route_results, route_results.tuned), _tcp_alone(route_results, route_results.delay)
    # What lies nearer to the network's own figure than to the paper's is not the hosts' doing.
    least_delay = (PAPER["wan_delay_ms"] + stated["delay"]) / 2 * _MS
    most_bandwidth = (stated["measured"] + stated["theoretical"]) / 2 * _MB
    return [
        claims.about_all(by_hosts, delay, lambda estimate: at_least(estimate, least_delay), wording.milliseconds),
        claims.about_all(limited, best, lambda estimate: at_most(estimate, most_bandwidth), wording.megabytes),
    ]


def _tcp_alone(route_results: RouteResults, values: Mapping[str, Range]) -> dict[str, Range]:
    return {f"TCP over {route_results.route.name}": values[TCP]} if TCP in values else {}


def _on_mpi(all_routes: list[RouteResults]) -> list[Statement]:
    extra = {
        f"{name} over {route_results.route.name}": more
        for route_results in all_routes
        for name, more in overheads(route_results.delay).items()
    }
    share = {
        f"{name} over {route_results.route.name}": best / route_results.tuned[TCP]
        for route_results in all_routes
        for name, best in route_results.tuned.items()
        if name != TCP and TCP in route_results.tuned
    }
    delay = Claim(
        "mpi-delay", "“MetaMPI introduces an additional delay of about 1.5 msec for external communication.”", "3"
    )
    bandwidth = Claim(
        "mpi-bandwidth",
        "“The MetaMPI library imposes only little overhead to the raw TCP/IP communication (in terms of "
        "bandwidth).” Here: at least nine tenths of TCP's.",
        "6",
    )
    return [
        claims.about_all(
            delay, extra, lambda estimate: at_least(estimate, 0.75 * _MS), wording.added_microseconds
        ),
        claims.about_all(bandwidth, share, lambda estimate: at_least(estimate, 0.9), lambda value: f"{value:.0%}"),
    ]


def _table_1(all_routes: list[RouteResults]) -> Table:
    ours = {route_results.route.row: route_results for route_results in all_routes}
    rows = []
    for key, (theoretical, measured, untuned, delay) in PAPER["table1_tcp"].items():
        here = ours.get(key)
        cells = (
            f"{theoretical} MB/s",
            _in_words(here.tuned if here else {}, TCP, wording.megabytes), f"{measured} MB/s",
            _in_words(here.untuned if here else {}, TCP, wording.megabytes), f"{untuned} MB/s",
            _in_words(here.delay if here else {}, TCP, wording.milliseconds), f"{delay} ms",
        )  # fmt: skip
        rows.append(Row(key.replace("_", ", ").replace("-", " – ").replace("ATM", "ATM "), cells))
    return Table(
        "TCP: throughput and delay",
        ("available", "tuned", "1999", "untuned", "1999", "delay", "1999"), tuple(rows),
        "The paper's table 1. Delay: half of the round trip of one byte. In brackets: intervals.",
    )  # fmt: skip


def _table_2(all_routes: list[RouteResults], names: tuple[str, ...]) -> Table:
    columns = [
        f"{route_results.route.name}, {what}"
        for route_results in all_routes
        for what in ("tuned", "untuned", "delay")
    ]
    rows = []
    for name in (TCP, *names):
        cells = [
            _in_words(values, name, formatter)
            for route_results in all_routes
            for values, formatter in (
                (route_results.tuned, wording.megabytes),
                (route_results.untuned, wording.megabytes),
                (route_results.delay, wording.milliseconds),
            )
        ]
        rows.append(Row(name, tuple(cells), "" if name == TCP else name))
    stated_cells: list[str] = []
    for route_results in all_routes:
        stated = PAPER["table2_metampi"].get(route_results.route.metampi_row)
        stated_cells += [f"{stated[0]} MB/s", _NONE, f"{stated[1]} ms"] if stated else [_NONE] * 3
    rows.append(Row("MetaMPI, 1999", tuple(stated_cells)))
    return Table("MPI: throughput and delay", tuple(columns), tuple(rows), "Beside the paper's table 2.")


def _in_words(estimates: Mapping[str, Range], name: str, formatter: wording.Words) -> str:
    return wording.with_interval(estimates[name], formatter) if name in estimates else _NONE


def _chart(route_results: RouteResults, names: tuple[str, ...]) -> Chart:
    curves = dict(route_results.tuned_curves)
    if TCP in route_results.untuned_curves:
        curves["TCP untuned"] = route_results.untuned_curves[TCP]
    stated = route_results.published
    lines = [
        PaperLine(stated[key] * _MB * BITS, f"1999: {stated[key]} MB/s {state}")
        for key, state in (("measured", "tuned"), ("untuned", "untuned"))
    ]
    return Chart(
        route_results.route.key,
        f"{' to '.join(route_results.route.nodes)} over {route_results.route.name}",
        bandwidth_figure(curves, styles_for(names), lines, scale=MEGABYTES),
        "Sockets tuned, and raw TCP untuned too. Best of each launch, median over launches.",
    )


study = Study(
    name="eickermann1999",
    title="Distributed MPI in a German gigabit testbed, 1999 and today",
    summary="TCP and MPI over 120 km and 0.9 ms, with the buffers of 1999 and tuned ones; coupled models",
    runs=_runs(),
    page=page,
    citation=citation("eickermann1999"),
)
