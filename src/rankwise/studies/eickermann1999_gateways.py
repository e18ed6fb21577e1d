"""The rows of Eickermann 1999 through gateways, beside a joined job: another MPI on each site, and relays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rankwise.studies import claims, wording
from rankwise.studies.base import TCP, Claim, Effort, Results, Row, Statement, StudyRun, Table
from rankwise.studies.papers import paper
from rankwise.studies.pingpong import BITS, best_curves, latencies, maxima, overheads
from rankwise.studies.ranges import Range, at_least, at_most

PAPER = paper("eickermann1999")
_MB, _MS, _US = 1e6, 1e-3, 1e-6
_NONE, _OURS = "–", "our own aim"
SITES = (("juelich", "openmpi"), ("augustin", "mpich"))
_EFFORT = Effort((1, 1 << 10, 1 << 16, 1 << 20, 1 << 22, 10_000_000), 10, 240, 0.1)
AIM_SHARE = 0.97
"""Of raw TCP's bandwidth."""


@dataclass(frozen=True, slots=True)
class Way:
    """How the sites of a joined job reach one another, and by how many seconds that may be slower than TCP."""

    key: str
    words: str
    relayed: bool
    aim_seconds: float


WAYS = (
    Way("joined", "connected directly", relayed=False, aim_seconds=5 * _US),
    Way("relayed", "by two relays", relayed=True, aim_seconds=30 * _US),
)


def runs(key: str, name: str, nodes: tuple[str, str]) -> tuple[StudyRun, ...]:
    """Return the runs of a joined job between two hosts; `key` and `name` are the route's."""
    return tuple(
        StudyRun(
            f"{key}-{way.key}", f"{' to '.join(nodes)} over {name}, an MPI of its own on each, {way.words}",
            "gigabit-testbed-1999", ("pingpong", "tcp_pingpong"), full=_EFFORT, quick=None, placement="block",
            nodes=nodes, sites=SITES, relayed=way.relayed,
        )
        for way in WAYS
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Joined:
    """What was measured of one route and way: bytes per second and seconds, by `TCP` and the joined job."""

    route: str
    way: Way
    bandwidth: Mapping[str, Range]
    delay: Mapping[str, Range]

    @property
    def title(self) -> str:
        """Return the row's head, and the name in statements."""
        return f"joined job over {self.route}, {self.way.words}"

    @property
    def job(self) -> str:
        """Return the joined job's name; '' if it was not measured."""
        return next((name for name in self.bandwidth if name != TCP), "")

    @property
    def share(self) -> dict[str, Range]:
        """Return its bandwidth over TCP's."""
        if not self.job or TCP not in self.bandwidth:
            return {}
        return {self.title: self.bandwidth[self.job] / self.bandwidth[TCP]}

    @property
    def added(self) -> dict[str, Range]:
        """Return how many seconds longer than TCP it takes one way."""
        added = overheads(self.delay)
        return {self.title: added[self.job]} if self.job in added else {}


def measured(routes: Mapping[str, str], results: Mapping[str, Results]) -> tuple[Joined, ...]:
    """Return what there is of each route, names by key, and way."""
    all_joined = []
    for key, name in routes.items():
        for way in WAYS:
            curves = best_curves(results.get(f"{key}-{way.key}"))
            bandwidth = {of: estimate.scaled(1 / BITS) for of, estimate in maxima(curves).items()}
            all_joined.append(Joined(name, way, bandwidth, latencies(curves)))
    return tuple(all_joined)


def is_joined(label: str) -> bool:
    """Return whether a run is of a joined job."""
    return label.endswith(tuple(f"-{way.key}" for way in WAYS))


def aims(all_joined: tuple[Joined, ...]) -> tuple[Statement, ...]:
    """State what a joined job may add to TCP's delay, and take of its bandwidth."""
    delays = [
        claims.about_all(
            Claim(
                f"aim-{way.key}-delay",
                f"A joined job {way.words} adds at most {way.aim_seconds / _US:.0f} µs to TCP's delay; MetaMPI "
                "added 1.5 ms.",
                _OURS,
            ),
            {name: more for joined in all_joined if joined.way == way for name, more in joined.added.items()},
            lambda more, way=way: at_most(more, way.aim_seconds),  # type: ignore[misc]
            wording.added_microseconds,
        )
        for way in WAYS
    ]
    shares = [paper_share for joined in PAPER["table2_metampi"] if (paper_share := _share_of_paper(joined))]
    bandwidth = Claim(
        "aim-joined-bandwidth",
        f"A joined job has at least {AIM_SHARE:.0%} of TCP's bandwidth; MetaMPI had {min(shares):.0%} to "
        f"{max(shares):.0%}.",
        _OURS,
    )
    all_shares = {name: share for joined in all_joined for name, share in joined.share.items()}
    return (
        *delays,
        claims.about_all(bandwidth, all_shares, lambda estimate: at_least(estimate, AIM_SHARE), "{:.1%}".format),
    )


def _share_of_paper(key: str) -> float:
    """Of TCP's bandwidth on the same row; 0 where TCP was not measured."""
    tcp = PAPER["table1_tcp"].get(key)
    return PAPER["table2_metampi"][key][0] / tcp[1] if tcp else 0.0


def table(all_joined: tuple[Joined, ...]) -> Table:
    """Return the paper's rows of which it has both, and below them ours."""
    rows = [
        Row(
            f"1999: {key.replace('_', ', ').replace('-', ' – ').replace('ATM', 'ATM ')}",
            (
                f"{tcp[1]} MB/s", f"{stated[0]} MB/s", f"{stated[0] / tcp[1]:.0%}", f"{tcp[3]} ms",
                f"{stated[1]} ms", f"+{stated[1] - tcp[3]:.1f} ms",
            ),
        )
        for key, stated in PAPER["table2_metampi"].items()
        if (tcp := PAPER["table1_tcp"].get(key))
    ]  # fmt: skip
    rows += [Row(joined.title, _cells(joined), joined.job) for joined in all_joined]
    return Table(
        "Through gateways: MetaMPI, and a joined job",
        ("TCP", "MPI", "of TCP's", "TCP's delay", "MPI's delay", "more"), tuple(rows),
        "MetaMPI led messages between the sites through routers: its rows are those of which the paper has both "
        "tables. Ours: Open MPI on one site and MPICH on the other, if they are there.",
    )  # fmt: skip


def _cells(joined: Joined) -> tuple[str, ...]:
    def cell(estimates: Mapping[str, Range], name: str, said: Callable[[float], str]) -> str:
        return wording.with_interval(estimates[name], said) if name in estimates else _NONE

    return (
        cell(joined.bandwidth, TCP, wording.megabytes), cell(joined.bandwidth, joined.job, wording.megabytes),
        cell(joined.share, joined.title, "{:.1%}".format),
        cell(joined.delay, TCP, wording.milliseconds), cell(joined.delay, joined.job, wording.milliseconds),
        cell(joined.added, joined.title, wording.added_microseconds),
    )  # fmt: skip
