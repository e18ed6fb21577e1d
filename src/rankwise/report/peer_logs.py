"""Rows as logs of OSU (7.5) or IMB (2021): their titles, columns, widths and units, for the readers of these.

Before each block stands a line of ours, which the readers of both pass over, with what neither of them prints: the
implementation, the number of processes, options and placement. Means are in their columns of means, over
repetitions. References: print_only_header and print_stats in c/util/osu_util_mpi.c of OSU 7.4 (no later source is
public) with `-z 50,90,99`, and IMB_print_header in src_c/IMB_output.c of IMB 2021.11.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rankwise.analysis.compare.overlaps import overlap
from rankwise.analysis.listing import Row
from rankwise.core.peers import IMB_NAMES, OSU_TITLES, UNSIZED
from rankwise.report.listings import blocks

_MICRO = 1e6
_OSU_VERSION = "7.5"
_OSU_SYNCS = {
    "flush": "MPI_Win_flush", "flush-local": "MPI_Win_flush_local", "lock": "MPI_Win_lock/unlock",
    "fence": "MPI_Win_fence", "pscw": "MPI_Win_post/start/complete/wait",
}  # fmt: skip
_OSU_DATATYPES = {"byte": "MPI_CHAR", "int": "MPI_INT", "float": "MPI_FLOAT", "double": "MPI_DOUBLE"}
_RATED = frozenset({
    "bandwidth", "bibandwidth", "multi_bandwidth", "message_rate", "bandwidth_persistent",
    "bibandwidth_persistent", "put_bandwidth", "put_bibandwidth", "get_bandwidth",
})  # fmt: skip
"""Whose result is a bandwidth in both."""
_IMB_ONE_TIME = frozenset({
    "pingpong", "pingpong_any_source", "pingping", "multi_pingpong", "put", "get", "accumulate", "get_accumulate",
    "fetch_and_op", "compare_and_swap",
})  # fmt: skip
"""Whose ranks share one time in IMB (SingleTransfer)."""
_IMB_PARALLEL = frozenset({"sendrecv", "sendrecv_replace", "exchange", "pingpong_threads"})
_IMB_OTHERS = {"bandwidth": "Uniband", "bibandwidth": "Biband", "multi_pingpong": "PingPong"}
"""What IMB calls several of ours by one name."""
_IMB_WIDTH = 13


def text_of(rows: Iterable[Row], layout: str) -> str:
    """Return the blocks as IMB's (`imb`) or OSU's (`osu`) logs have them."""
    lines = _imb if layout == "imb" else _osu
    return "".join(
        "\n".join([_measured(block[0], setting), *lines(block)]) + "\n\n" for block, setting in blocks(rows)
    )


def _measured(first: Row, setting: str) -> str:
    """What `store.logs.before.MEASURED` reads."""
    whose = f"{first.implementation}{setting} on {first.ranks} processes"
    return f"# Measured by Rankwise: {whose}; means over repetitions"


def _osu(rows: Sequence[Row]) -> list[str]:
    first = rows[0]
    title = OSU_TITLES.get(first.benchmark, f"MPI {first.benchmark}")
    lines = [f"# OSU {title} v{_OSU_VERSION}"]
    if first.benchmark == "pingpong_threads":
        lines[:0] = [f"# Number of {side} threads: {first.options.threads}" for side in ("Sender", "Receiver")]
    overlapped = _overlapped(rows)
    if overlapped:
        lines += ["# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait", ""]
    if first.benchmark == "multi_bandwidth":
        lines.append(f"# [ pairs: {first.ranks // 2} ] [ window size: {first.options.window} ]")
    if first.category == "one-sided":
        lines += ["# Window creation: MPI_Win_allocate", f"# Synchronization: {_OSU_SYNCS[first.options.sync]}"]
    if first.benchmark not in UNSIZED:
        lines.append(f"# Datatype: {_osu_datatype(first)}.")
    unsized = first.benchmark in UNSIZED and first.category != "one-sided"
    if overlapped:
        names: tuple[str, ...] = ("Overall(us)", "Compute(us)", "Pure Comm.(us)", "Overlap(%)")
        table = [(row.size_bytes, tuple(numbers)) for row, *numbers in overlapped]
    else:
        names = _osu_columns(first)
        table = [(row.size_bytes, _osu_row(row)) for row in rows if row.quantity == "time"]
    if unsized:
        lines.append(f"# {names[0]}" + "".join(f"{name:>20}" for name in names[1:]))
        return lines + [f"{row[0]:>17.2f}" + "".join(f"{number:>20.2f}" for number in row[1:]) for _, row in table]
    lines.append(f"{'# Size':<10}" + "".join(f"{name:>20}" for name in names))
    return lines + [f"{size:<10}" + "".join(f"{number:>20.2f}" for number in row) for size, row in table]


def _osu_datatype(first: Row) -> str:
    """Our `byte` of operations that compute is a float."""
    computes = any(word in first.benchmark for word in ("reduce", "accumulate"))
    datatype = first.options.datatype
    return "MPI_FLOAT" if computes and datatype == "byte" else _OSU_DATATYPES.get(datatype, datatype)


def _osu_columns(first: Row) -> tuple[str, ...]:
    if first.benchmark == "multi_bandwidth":
        return ("MB/s", "Messages/s")
    what = "Bandwidth (MB/s)" if first.benchmark in _RATED else "Avg Latency(us)"
    if first.category == "one-sided" and first.benchmark not in _RATED:
        what = "Latency (us)"
    tail = "BW(MB/s)" if first.benchmark in _RATED else "Lat(us)"
    return (what, *(f"P{percent} Tail {tail}" for percent in (50, 90, 99)))


def _osu_row(row: Row) -> tuple[float, ...]:
    if row.benchmark == "multi_bandwidth":
        rate = _mean_rate(row)
        return (rate, rate * 1e6 / row.size_bytes if row.size_bytes else 0.0)
    tail = (row.median_seconds, row.p90_seconds, row.p99_seconds)
    if row.benchmark not in _RATED:
        return tuple(seconds * _MICRO for seconds in (row.mean_seconds, *tail))
    moved = row.bytes_per_second * row.median_seconds / 1e6
    return (_mean_rate(row), *(moved / seconds if seconds else 0.0 for seconds in tail))


def _mean_rate(row: Row) -> float:
    """MB/s by the mean time, as theirs are: the row's own bandwidth is by the median."""
    return row.bytes_per_second * row.median_seconds / row.mean_seconds / 1e6 if row.mean_seconds else 0.0


def _imb(rows: Sequence[Row]) -> list[str]:
    """IMB's t_min, t_max and t_avg are over ranks; ours are over repetitions."""
    first = rows[0]
    name = _IMB_OTHERS.get(first.benchmark) or IMB_NAMES.get(first.benchmark, first.benchmark)
    overlapped = _overlapped(rows)
    sized = first.benchmark not in UNSIZED or first.category == "one-sided"
    columns = [*(["#bytes"] if sized else []), "#repetitions"]
    if overlapped:
        columns += ["t_ovrl[usec]", "t_pure[usec]", "t_CPU[usec]", "overlap[%]"]
        table = [(row, [total, time, compute, share]) for row, total, compute, time, share in overlapped]
    else:
        columns += _imb_columns(first)
        table = [(row, _imb_row(row)) for row in rows if row.quantity == "time"]
    dashes = "#" + "-" * (len(columns) * _IMB_WIDTH - 1)
    heading = f"# #processes = {first.ranks} "
    if first.benchmark == "pingpong_threads":
        heading += f"(threads: {first.options.threads})"
    groups = first.ranks // 2 if first.benchmark == "multi_pingpong" else first.options.groups
    if groups > 1:
        heading = f"# ( {groups} groups of {first.ranks // groups} processes each running simultaneous ) "
        name = f"Multi-{name}"
    lines = [dashes, f"# Benchmarking {name} ", heading, dashes]
    if first.category == "one-sided" and first.benchmark in _IMB_ONE_TIME:
        lines += ["#", "#    MODE: NON-AGGREGATE ", "#"]
    lines.append("".join(f"{column:>{_IMB_WIDTH}}" for column in columns))
    each = first.options.threads if first.benchmark == "pingpong_threads" else 1
    for row, numbers in table:
        counts = (row.size_bytes * each, row.repetitions) if sized else (row.repetitions,)
        lines.append(
            "".join(f" {count:>{_IMB_WIDTH - 1}}" for count in counts)
            + "".join(f" {number:>{_IMB_WIDTH - 1}.2f}" for number in numbers)
        )
    return lines


def _imb_columns(first: Row) -> list[str]:
    if first.benchmark in _RATED:
        return ["Mbytes/sec", "Msg/sec"]
    if first.benchmark in _IMB_ONE_TIME:
        return ["t[usec]", "Mbytes/sec"]
    times = ["t_min[usec]", "t_max[usec]", "t_avg[usec]"]
    return [*times, "Mbytes/sec"] if first.benchmark in _IMB_PARALLEL or first.category == "file" else times


def _imb_row(row: Row) -> list[float]:
    rate = _mean_rate(row)
    if row.benchmark in _RATED:
        return [rate, rate * 1e6 / row.size_bytes if row.size_bytes else 0.0]
    if row.benchmark in _IMB_ONE_TIME:
        return [row.mean_seconds * _MICRO, row.size_bytes / row.mean_seconds / 1e6 if row.mean_seconds else 0.0]
    times = [seconds * _MICRO for seconds in (row.min_seconds, row.max_seconds, row.mean_seconds)]
    return [*times, rate] if row.benchmark in _IMB_PARALLEL or row.category == "file" else times


def _overlapped(rows: Sequence[Row]) -> list[tuple[Row, float, float, float, float]]:
    """Each time with what it is measured beside: total, compute and time in microseconds, overlap in percent."""
    means = {(row.size_bytes, row.quantity): row.mean_seconds for row in rows}
    times = []
    for row in rows:
        total, compute = (means.get((row.size_bytes, quantity)) for quantity in ("total", "compute"))
        if row.quantity == "time" and total is not None and compute is not None:
            share = min(1.0, max(0.0, overlap(row.mean_seconds, total, compute)))  # as theirs
            times.append((row, total * _MICRO, compute * _MICRO, row.mean_seconds * _MICRO, 100 * share))
    return times
