"""Which settings of the hosts, beside TCP's buffer limits, are worth a trial on the paths that were measured.

A trial costs time and a setting costs trust, so only those are named that the paths give a reason for: what a
connection sends before the first acknowledgement fills a short path, and nothing here could fill it better.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rankwise.analysis.host_settings.buffers import bandwidth_delay_bytes
from rankwise.core.host_settings import AVAILABLE_CONGESTION_CONTROL as AVAILABLE
from rankwise.core.host_settings import (
    CATALOGUE,
    CONGESTION_CONTROL,
    JUMBO_BYTES,
    MTU,
    PACING_AVOIDANCE,
    PACING_SLOW_START,
    RMEM_MAX,
    WMEM_MAX,
    setting,
)
from rankwise.core.host_settings import DEFAULT_QDISC as QUEUE
from rankwise.core.host_settings import NO_METRICS_SAVE as NO_METRICS
from rankwise.core.host_settings import SLOW_START_AFTER_IDLE as AFTER_IDLE
from rankwise.core.host_settings import TCP_RMEM as READ
from rankwise.core.host_settings import TCP_WMEM as WRITE
from rankwise.core.network import PathFigures, Settings
from rankwise.core.units import format_size, format_time, whole_number

PACING = (PACING_SLOW_START, PACING_AVOIDANCE)
FIXED_BUFFERS = (RMEM_MAX, WMEM_MAX)
READ_FROM_HOSTS = tuple(known.name for known in CATALOGUE if known.tuned)
"""What is read of a host before anything is tried."""

LONG_SECONDS = 1e-3
"""Round trips below this are over before the congestion window could matter to anybody."""
FIRST_SEGMENTS = 10
"""That Linux sends before the first acknowledgement."""
_TCP_BYTES, _FRAME_BYTES = 52, 38
"""Headers of IPv4 and of TCP with its time stamps; header, check sum, preamble and gap of Ethernet."""
_GENTLER_PACING = ("120", "100")
"""Percent of the window a round trip, in slow start and later; Linux has 200 and 120."""
_HEEDS_NO_PAUSE = ("bbr",)
_MILDER = {"cubic": ("reno",), "bic": ("reno",)}
"""What a control falls back to by itself where that is the faster one: its own trial would show nothing."""


def is_long(path: PathFigures, segment_bytes: int = 1448) -> bool:
    """Return whether a connection has to open its congestion window to fill this path, as measured."""
    product = bandwidth_delay_bytes(path)
    return 2 * path.delay_seconds >= LONG_SECONDS and product > FIRST_SEGMENTS * segment_bytes


def loses(path: PathFigures) -> bool:
    """Return whether packets get lost though nothing is full, as seen or described: few are too rare to see."""
    return path.loss > 0 or path.asked_loss > 0  # not so for nan


def network_variants(
    paths: Sequence[PathFigures], now: Mapping[str, str], largest_mtu_bytes: int, delta: float
) -> dict[str, Settings]:
    """Return what may carry more over these paths, by name: congestion controls, jumbo frames, pacing.

    `now`: what the hosts have; `largest_mtu_bytes`: what every link of every path carries; `delta`: a gain up to
    this share is not worth a setting. Empty where nothing can help.
    """
    variants: dict[str, Settings] = {}
    hard = any(is_long(path) or loses(path) for path in paths)
    if hard:
        for name in _others(now):
            variants[f"congestion-control={name}"] = ((CONGESTION_CONTROL, name),)
    mtu_bytes = _number(now.get(MTU, ""))
    if 0 < mtu_bytes < JUMBO_BYTES <= largest_mtu_bytes and (hard or _headers_gain(mtu_bytes) > delta):
        jumbo = (MTU, str(JUMBO_BYTES))
        # where packets get lost, both how often and what is made of it count
        both = {f"{name} mtu={JUMBO_BYTES}": (*own, jumbo) for name, own in variants.items()}
        variants[f"mtu={JUMBO_BYTES}"] = (jumbo,)
        variants |= both if any(map(loses, paths)) else {}
    if now.get(QUEUE) == "fq" and any(map(loses, paths)) and all(sysctl in now for sysctl in PACING):
        variants["pacing=gentler"] = tuple(zip(PACING, _GENTLER_PACING, strict=True))
    return variants


def pause_variants(paths: Sequence[PathFigures], now: Mapping[str, str]) -> dict[str, Settings]:
    """Return what may help messages that come after a pause: to keep the congestion window for them."""
    heeds = now.get(CONGESTION_CONTROL) not in _HEEDS_NO_PAUSE
    if now.get(AFTER_IDLE) == "1" and heeds and any(map(is_long, paths)):
        return {"slow-start-after-idle=0": ((AFTER_IDLE, "0"),)}
    return {}


def cost_of(settings: Settings) -> str:
    """Return what a variant costs, in words."""
    return "; ".join(cost for name, _ in settings if (cost := setting(name).cost))


def left_out(paths: Sequence[PathFigures], now: Mapping[str, str]) -> tuple[str, ...]:
    """Return why settings were not tried that somebody might look for, a clause each."""
    return tuple(_left_out(paths, now))


def _left_out(paths: Sequence[PathFigures], now: Mapping[str, str]) -> Iterator[str]:
    if not any(is_long(path) or loses(path) for path in paths):
        yield (
            "congestion control and slow start after pauses: not tried, since no path is so long that the first "
            "packets would not fill it, and none loses packets"
        )
        return
    if not _others(now):
        yield f"congestion control: this kernel offers no other ({now.get(AVAILABLE) or 'it does not list them'})"
    if now.get(QUEUE) != "fq":
        yield (
            "pacing (tcp_pacing_ss_ratio, SO_MAX_PACING_RATE): not tried, since the NICs lack the queueing "
            "discipline fq; only BBR paces without"
        )
    if now.get(NO_METRICS) == "0":
        yield (
            f"{NO_METRICS}: not tried, since what a connection has learnt stays for those of other trials; 1 "
            "makes connections independent of earlier ones"
        )
    if any(name in now for name in FIXED_BUFFERS):
        yield (
            f"{' and '.join(FIXED_BUFFERS)}: not tried, they bound only buffers that a program fixes, and "
            "hosts under a network namespace of their own cannot have others"
        )


def manual_advice(now: Mapping[str, str]) -> str:
    """Return what root may do on hosts that we cannot set; '' where the kernel does not say what it has."""
    limits = [_number(now.get(name, "").rpartition(" ")[2]) for name in (READ, WRITE)]
    if not all(limits):
        return ""
    reach = min(limits) / 2 * 8 / 1e9
    advice = [
        f"not searched, for only root can set these hosts. {READ} and {WRITE} end at {format_size(limits[0])} and "
        f"{format_size(limits[1])}: enough for a round trip of {format_time(reach)} at 1 Gbit/s; where "
        f'bandwidth times round trip is more, try: sudo sysctl -w {READ}="4096 131072 BYTES" '
        f'{WRITE}="4096 16384 BYTES", with twice their product'
    ]
    if others := _others(now):
        advice.append(f"congestion control is {now[CONGESTION_CONTROL]}, {', '.join(others)} can be had as well")
    if now.get(AFTER_IDLE) == "1":
        advice.append(f"messages after a pause are faster over long paths with {AFTER_IDLE}=0")
    return "; ".join(advice)


def _others(now: Mapping[str, str]) -> list[str]:
    """Congestion controls that can be had and might be better than the one in force."""
    current = now.get(CONGESTION_CONTROL, "")
    return [
        algorithm
        for algorithm in now.get(AVAILABLE, "").split()
        if algorithm != current and algorithm not in _MILDER.get(current, ())
    ]


def _headers_gain(mtu_bytes: int) -> float:
    """The share of time that jumbo frames save on headers alone."""

    def carried(mtu_bytes: int) -> float:
        return (mtu_bytes - _TCP_BYTES) / (mtu_bytes + _FRAME_BYTES)

    return 1 - carried(mtu_bytes) / carried(JUMBO_BYTES)


def _number(text: str) -> int:
    """Of several NICs' the least."""
    return min((number for word in text.split() if (number := whole_number(word)) is not None), default=0)


def product_size(paths: Iterable[PathFigures], least_bytes: int, most_bytes: int) -> int:
    """Return a size that about fills the longest path: its product down to a power of two, within bounds."""
    most = max((product for product in map(bandwidth_delay_bytes, paths) if product > 0), default=0.0)
    size_bytes = least_bytes
    while 2 * size_bytes <= min(most, most_bytes):
        size_bytes *= 2
    return size_bytes
