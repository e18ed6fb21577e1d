"""All tables and figures in their order; here table 4, maxima, thresholds, slow start, figures 3, 5, 6 and 9."""

from __future__ import annotations

from rankwise.core.units import format_size
from rankwise.report.colours import styles_for
from rankwise.studies import claims, wording
from rankwise.studies.base import TCP, Chart, Row, Table
from rankwise.studies.charts import PaperLine, PaperPoint, bandwidth_figure, stream_figure
from rankwise.studies.hablot2007.findings import HALF_GIGABIT, NETS, Findings
from rankwise.studies.hablot2007.mpi_exhibits import figure_7, mpi_tables
from rankwise.studies.hablot2007.plan import CLUSTER, TUNED, UNTUNED
from rankwise.studies.hablot2007.published import PAPER, ancestor, ancestors, published_overheads_us
from rankwise.studies.ranges import Range
from rankwise.studies.slow_start import sustained_bits_per_second

_NONE = "–"
_MBIT = 1e6
_FIGURES = {
    CLUSTER: ("figure-5", "In the cluster", "cluster_default_max", "half_bandwidth_size_cluster_bytes"),
    UNTUNED: ("figure-3", "In the grid, TCP as in 2007", "grid_default_max", ""),
    TUNED: ("figure-6", "In the grid, TCP tuned", "grid_tcp_tuned_max", "half_bandwidth_size_grid_bytes"),
}


def tables(findings: Findings) -> tuple[Table, ...]:
    """Return the tables, each with the paper's rows among or below ours."""
    return (
        _table_4(findings),
        _bandwidth(findings),
        _thresholds(findings),
        *mpi_tables(findings),
        _slow_start(findings),
    )


def charts(findings: Findings) -> tuple[Chart, ...]:
    """Draw bandwidth against size in the three networks, and against time."""
    styles = styles_for(findings.implementations)
    stated = PAPER["bandwidth_Mbps"]
    shown = []
    for net, (key, title, maximum, half) in _FIGURES.items():
        most = stated[maximum] * _MBIT
        line = PaperLine(most, f"2007: {stated[maximum]} Mbit/s at most")
        points = [PaperPoint(stated[half], most / 2, f"2007: half at {format_size(stated[half])}")] if half else []
        figure = bandwidth_figure(findings.curves[net], styles, [line], points)
        note = f"The paper's {key.replace('-', ' ')}. Best of each launch, median over launches."
        shown.append(Chart(key, title, figure, note))
    shown.append(figure_7(findings))
    slow = PAPER["slow_start"]
    half_seconds = slow["seconds_to_500_Mbps"]
    points = [
        PaperPoint(half_seconds["GridMPI"], HALF_GIGABIT, "2007: GridMPI", "top center"),
        PaperPoint(half_seconds["others"], HALF_GIGABIT, "2007: other MPIs", "bottom center"),
        PaperPoint(slow["tcp_seconds_to_max"], stated["grid_tcp_tuned_max"] * _MBIT, "2007: TCP at its maximum"),
    ]
    figure = stream_figure(findings.streams, styles, [], points)
    note = "The paper's figure 9: the bandwidth of each message, median over launches."
    return (*shown, Chart("figure-9", "Slow start: messages of 1 MiB one after the other", figure, note))


def _table_4(findings: Findings) -> Table:
    published = {name: _published_latency(name) for name in PAPER["table4_latency_us"]}
    rows = []
    for name in (TCP, *findings.implementations):
        theirs = published.get(TCP if name == TCP else ancestor(name), (_NONE, _NONE))
        cells = [
            cell
            for net, text in zip((CLUSTER, TUNED), theirs, strict=True)
            for cell in (
                _in_words(findings.latency[net].get(name), wording.microseconds),
                _in_words(findings.overhead[net].get(name), wording.added_microseconds),
                text,
            )
        ]
        rows.append(Row(name, tuple(cells), "" if name == TCP else name))
    gone = [name for name in published if name not in (TCP, *ancestors())]
    rows += [Row(name, (_NONE, _NONE, published[name][0], _NONE, _NONE, published[name][1])) for name in gone]
    return Table(
        "Latency of one byte, one way",
        ("Cluster", "over TCP", "2007", "Grid", "over TCP", "2007"), tuple(rows),
        "The paper's table 4: its MPICH2 and Open MPI beside the MPICH and Open MPI of today. In brackets: "
        "intervals.",
    )  # fmt: skip


def _published_latency(name: str) -> tuple[str, ...]:
    texts = []
    for column, net in enumerate((CLUSTER, TUNED)):
        more = published_overheads_us()[net].get(name)
        texts.append(
            f"{PAPER['table4_latency_us'][name][column]} µs" + (f" (+{more})" if more is not None else "")
        )
    return tuple(texts)


def _in_words(estimate: Range | None, formatter: wording.Words) -> str:
    return wording.with_interval(estimate, formatter) if estimate else _NONE


def _bandwidth(findings: Findings) -> Table:
    rows = []
    for name in (TCP, *findings.implementations):
        cells = []
        for net in NETS:
            cells.append(_in_words(findings.maximum[net].get(name), wording.megabits))
            if net != UNTUNED:
                cells.append(_in_words(findings.half_size[net].get(name), wording.size))
        rows.append(Row(name, tuple(cells), "" if name == TCP else name))
    stated = PAPER["bandwidth_Mbps"]
    rows.append(
        Row("2007, all", (
            f"{stated['cluster_default_max']} Mbit/s", format_size(stated["half_bandwidth_size_cluster_bytes"]),
            f"≤ {stated['grid_default_max']} Mbit/s",
            f"≈ {stated['grid_tcp_tuned_max']} Mbit/s", format_size(stated["half_bandwidth_size_grid_bytes"]),
        ))
    )  # fmt: skip
    return Table(
        "Highest bandwidth, and the size at which half of it is reached",
        ("Cluster", "half at", "Grid untuned", "Grid tuned", "half at"), tuple(rows),
    )  # fmt: skip


def _thresholds(findings: Findings) -> Table:
    rows = []
    for name in findings.implementations:
        cells = []
        for net in NETS:
            jumps = claims.jumps(findings.results.get(net), name)
            none = "none" if name in findings.curves[net] else _NONE
            cells.append("; ".join(map(wording.jump, jumps)) or none)
        rows.append(Row(name, (*cells, _published_threshold(name)), name))
    return Table(
        "Where the ping-pong's time jumps",
        ("Cluster", "Grid untuned", "Grid tuned", "2007, as set"), tuple(rows),
        "Protocol switches found by segmented regression: the sizes between which the time jumps, and by what "
        "factor. 2007: the eager thresholds in the paper's table 5, which its curves show around 128 kB.",
    )  # fmt: skip


def _published_threshold(name: str) -> str:
    stated = PAPER["table5_eager_threshold_bytes"].get(ancestor(name))
    return format_size(stated[0]) if stated else _NONE


def _slow_start(findings: Findings) -> Table:
    rows = []
    for name, stream in findings.streams.items():
        cells = (
            _in_words(findings.seconds_to_half_gigabit.get(name), wording.spell_seconds),
            _in_words(findings.seconds_to_maximum.get(name), wording.spell_seconds),
            wording.megabits(sustained_bits_per_second(stream)),
        )
        rows.append(Row(name, cells, "" if name == TCP else name))
    slow = PAPER["slow_start"]
    half = slow["seconds_to_500_Mbps"]
    rows += [
        Row("2007, TCP", (_NONE, f"{slow['tcp_seconds_to_max']} s", _NONE)),
        Row("2007, GridMPI", (f"{half['GridMPI']} s", _NONE, _NONE)),
        Row("2007, other MPIs", (f"{half['others']} s", _NONE, _NONE)),
    ]
    return Table(
        "Slow start: messages of 1 MiB one after the other",
        ("to 500 Mbit/s", "to 90 % of its maximum", "maximum"), tuple(rows),
    )  # fmt: skip
