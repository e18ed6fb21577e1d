"""Is a path as it was asked for? What may differ, and how far, before it counts as wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rankwise.core.host_settings import TCP_RMEM, TCP_WMEM
from rankwise.core.network import PathFigures, Topology
from rankwise.core.units import format_rate, format_share, format_time
from rankwise.testbeds.paths import Path, path, payload_bits_per_second

_MEDIAN_SLACK_SECONDS, _MEDIAN_SLACK = 50e-6, 0.02
"""One way: the hosts' own share, and of the delay. Half of the 0.1 ms that a round trip may differ."""

_TAIL_SLACK_SECONDS, _TAIL_SLACK = 150e-6, 0.05
_TAIL_JITTERS = 5.0
"""A hundredth of an exponential distribution is beyond 4.6 times its mean, of a normal one beyond 2.3."""

_FULL_RATE = 0.9
_DATAGRAM_FRAME_BYTES = 106
_ODDS = 1e-3
"""That a loss which is as asked for is called wrong."""

_USABLE_WINDOW = 0.5
"""Of a socket's buffer: the kernel keeps about as much for its own records."""

_HALTING_RATE = 0.25
"""What short queues or jitter leave of a rate at the very least: how much depends on the congestion control."""


def complaints(topology: Topology, figures: PathFigures, loss_packets: int) -> tuple[str, ...]:
    """Return a sentence for each figure that is not as asked for; none for what was not measured or asked."""
    there = path(topology, figures.source, figures.destination)
    back = path(topology, figures.destination, figures.source)
    if not there.links:
        return ()
    return (
        *_delay_complaints(figures, there, back),
        *_rate_complaints(figures, there, back, topology.hardware.mtu_bytes),
        *_loss_complaints(figures, there, loss_packets),
    )


def _delay_complaints(figures: PathFigures, there: Path, back: Path) -> Iterator[str]:
    wanted, median, tail = figures.asked_delay_seconds, figures.delay_seconds, figures.delay_p99_seconds
    if math.isnan(median):
        yield "no datagram came back"
        return
    sending = (there.sending_seconds(_DATAGRAM_FRAME_BYTES) + back.sending_seconds(_DATAGRAM_FRAME_BYTES)) / 2
    jitter = (there.jitter_seconds + back.jitter_seconds) / 2
    slack = _MEDIAN_SLACK_SECONDS + _MEDIAN_SLACK * wanted + jitter
    if not wanted - slack <= median <= wanted + sending + slack:
        yield f"delay {format_time(median)} instead of {format_time(wanted)} (± {format_time(slack)})"
    limit = wanted * (1 + _TAIL_SLACK) + sending + _TAIL_SLACK_SECONDS + _TAIL_JITTERS * jitter
    if tail > limit:
        yield f"1 % of the packets take {format_time(tail)} or more, at most {format_time(limit)} was expected"


def _rate_complaints(figures: PathFigures, there: Path, back: Path, mtu_bytes: int) -> Iterator[str]:
    measured = figures.rate_bits_per_second
    low, high = expected_rate_bits_per_second(there, back, mtu_bytes)
    if math.isnan(measured):
        yield "nothing came through by TCP"
    elif high and not low <= measured <= 1.02 * high:
        yield f"TCP carries {format_rate(measured)}, expected were {format_rate(low)} to {format_rate(high)}"


def expected_rate_bits_per_second(there: Path, back: Path, mtu_bytes: int) -> tuple[float, float]:
    """Return bounds for one TCP stream by rate, sockets' buffers, losses and queues; 0, 0: no bounds."""
    rate = payload_bits_per_second(there.rate_bits_per_second, mtu_bytes)
    round_trip_seconds = there.delay_seconds + back.delay_seconds
    if not rate:
        return 0.0, 0.0
    window_bits = 8 * min(_largest(there, "w"), _largest(there, "r"))
    by_window = window_bits / round_trip_seconds if round_trip_seconds else math.inf
    high = min(rate, by_window)
    usable = min(rate, _USABLE_WINDOW * by_window)
    if there.loss:  # the window follows the losses
        return 0.0, high
    if usable < rate:
        return _FULL_RATE * usable, high
    short = 0 < there.queue_bytes < rate / 8 * round_trip_seconds
    halting = there.jitter_seconds > 0 or short
    return (_HALTING_RATE if halting else _FULL_RATE) * rate, high


def _largest(there: Path, way: str) -> float:
    """The largest buffer of the sending (`w`) or receiving (`r`) socket, bytes."""
    node, name = (there.source, TCP_WMEM) if way == "w" else (there.destination, TCP_RMEM)
    sizes = dict(node.settings).get(name, "").split()
    return float(sizes[2]) if len(sizes) == 3 else math.inf


def _loss_complaints(figures: PathFigures, there: Path, packets: int) -> Iterator[str]:
    """Losses in runs are fewer independent events than packets."""
    if math.isnan(figures.loss) or not packets:
        return
    from scipy import stats  # noqa: PLC0415 - takes a second to load, and only this needs it

    events = max(1, round(packets / there.loss_burst))
    lost = round(figures.loss * packets / there.loss_burst)
    if stats.binomtest(min(lost, events), events, there.loss).pvalue < _ODDS:
        yield f"{format_share(figures.loss)} of the packets lost instead of {format_share(there.loss)}"
