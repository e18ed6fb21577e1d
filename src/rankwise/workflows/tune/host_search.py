"""What is asked about the hosts themselves before any implementation: kernel settings and NICs, by raw TCP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rankwise.analysis.host_settings import variants as worth
from rankwise.analysis.host_settings.buffers import buffer_settings
from rankwise.analysis.tune.search import NothingToAsk, Search
from rankwise.analysis.tune.setting_search import SettingSearch
from rankwise.core.host_settings import TCP_RMEM, TCP_WMEM
from rankwise.core.network import Settings, Topology
from rankwise.core.records import Cell, Options
from rankwise.core.tuning import Tuning
from rankwise.testbeds.base import kind_named
from rankwise.workflows.tune.stages import (
    HOST_STAGE,
    HOSTS,
    KIB,
    MIB,
    NETWORK_STAGE,
    PAUSES_STAGE,
    Target,
    TuneSpec,
)

NETWORK_SIZES = (64 * KIB, MIB)
SUBJECT = "other host settings"
TIME_FACTOR = 2.5
"""All later searches build on these answers, so they get more than their share of the time."""
PAUSED = "tcp_after_pause"
_SILENT_SECONDS = 1.5
_MESSAGES = 12
"""There and back, to warm up and as the fewest repetitions."""
_FRESH = Options(messages=1)
"""A stream of one message over a new connection: what it takes to get going."""
_FRAME_BYTES = 14 + 24
"""Of Ethernet, around a packet in a queue."""
_MOST_BYTES = 65500


def host_searches(target: Target, implementation: str, spec: TuneSpec) -> dict[str, list[Search]]:
    """Return the questions by stage, each on top of the answers before it; none where hosts are left alone.

    Buffer limits first, since behind small ones nothing else shows; what gains least often last.
    `implementation` only carries the raw TCP.
    """
    topology = target.topology
    if HOSTS not in spec.knobs or topology is None:
        return {}
    now = dict((*target.settings, *target.kernel))
    if not kind_named(topology.kind).sets_host_settings:
        text = worth.manual_advice(now)
        return {HOST_STAGE: [NothingToAsk(SUBJECT, text)]} if text else {}
    cells = _Cells(target, implementation)
    searches: dict[str, list[Search]] = {}
    if raised := buffer_settings(target.paths, tuple(now.items())):
        name = "tcp-limits=" + "/".join(value.split()[-1] for _, value in raised)
        searches[HOST_STAGE] = [_search("TCP buffer limits", {name: raised}, cells.buffers(now), spec)]
    if pause := worth.pause_variants(target.paths, now):
        searches[PAUSES_STAGE] = [_search("messages after a pause", pause, cells.pauses(), spec)]
    network = worth.network_variants(target.paths, now, _largest_mtu_bytes(topology), spec.criteria.delta)
    if network:
        searches[NETWORK_STAGE] = [_search("congestion control and NICs", network, cells.network(), spec)]
    if text := "; ".join(worth.left_out(target.paths, now)):
        searches.setdefault(next(reversed(searches), HOST_STAGE), []).append(NothingToAsk(SUBJECT, text))
    return searches


def own_seconds(target: Target, cell: Cell) -> float:
    """Return what a launch spends in a cell of raw TCP beside its delays, roughly: on bytes and on pauses."""
    if not cell.benchmark.startswith("tcp_"):
        return 0.0
    slowest = min(
        (path.rate_bits_per_second for path in target.paths if path.rate_bits_per_second > 0), default=1e9
    )
    sending = _MESSAGES * 8 * cell.size_bytes / slowest
    return sending + (_SILENT_SECONDS if cell.benchmark == PAUSED else 0.0)


class _Cells:
    """What raw TCP is measured in: over the longest way between two hosts."""

    def __init__(self, target: Target, implementation: str) -> None:
        self._paths = target.paths
        self._template = Cell(implementation, "", 0, 2, testbed=target.testbed, placement=target.placements[-1])

    def buffers(self, now: Mapping[str, str]) -> list[Cell]:
        """Return a message some times as large as the limits in force, which would show them."""
        limits = [int(now[name].split()[-1]) for name in (TCP_RMEM, TCP_WMEM) if name in now]
        size_bytes = 256 * KIB
        while size_bytes < min(4 * min(limits, default=MIB), 16 * MIB):
            size_bytes *= 2
        return [self._cell("tcp_pingpong", size_bytes)]

    def network(self) -> list[Cell]:
        """Return a connection that is in use, and a new one."""
        used = [self._cell("tcp_pingpong", size) for size in NETWORK_SIZES]
        fresh = self._cell("tcp_stream", NETWORK_SIZES[-1])
        return [replace(cell, options=_FRESH) for cell in (*used, fresh)]

    def pauses(self) -> list[Cell]:
        """Return a message that needs the window that a pause has closed."""
        return [self._cell(PAUSED, worth.product_size(self._paths, 64 * KIB, MIB))]

    def _cell(self, benchmark: str, size_bytes: int) -> Cell:
        return replace(self._template, benchmark=benchmark, size_bytes=size_bytes)


def _search(subject: str, candidates: Mapping[str, Settings], cells: list[Cell], spec: TuneSpec) -> SettingSearch:
    costs = {name: worth.cost_of(settings) for name, settings in candidates.items()}
    tunings = {name: _tuning(settings) for name, settings in candidates.items()}
    return SettingSearch(subject, tunings, cells, spec.criteria, costs=costs)


def _tuning(settings: Settings) -> Tuning:
    return Tuning(host_settings=settings)


def _largest_mtu_bytes(topology: Topology) -> int:
    """What every link carries: the emulator any packet that its queue has room for."""
    rooms = [link.queue_bytes - _FRAME_BYTES for link in topology.links if link.rate_bits_per_second]
    return min(rooms, default=_MOST_BYTES)
