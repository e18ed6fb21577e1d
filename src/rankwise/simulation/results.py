"""What the simulator says of a run, as frozen records: times are seconds, sizes bytes, ranks as in their job."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankwise.core.errors import HostError
from rankwise.core.records import Notice


@dataclass(frozen=True, slots=True)
class Flow:
    """One message of a pattern."""

    from_rank: int
    to_rank: int
    size_bytes: int
    start_seconds: float
    end_seconds: float
    """When its last byte has arrived."""


@dataclass(frozen=True, slots=True)
class SimulatedJob:
    """One program of a simulation."""

    name: str
    finish_seconds: tuple[float, ...]
    """When each rank ends, shape (ranks,)."""
    flows: tuple[Flow, ...] = ()
    """Of a pattern alone, in the order of its lines."""
    notices: tuple[Notice, ...] = ()
    """What its file says and is not simulated."""


@dataclass(frozen=True, slots=True)
class LinkLoss:
    """How much longer messages took because they shared a link, or one direction of a NIC; summed over them."""

    link: str
    """A link's name, or `NODE.out`, `NODE.in`."""
    seconds: float


@dataclass(frozen=True, slots=True)
class PairLoss:
    """The same for the messages from one node to another."""

    from_node: str
    to_node: str
    seconds: float


@dataclass(frozen=True, slots=True)
class PathShare:
    """How much of the total time the critical path spends on one kind of thing."""

    what: str
    """`compute`, `latency`, `transfer`, `contention`, ..."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Derivative:
    """By how much the total changes with a parameter: seconds per unit of it."""

    parameter: str
    """`classes.wan.latency`, `links.wan.rate`."""
    value: float
    longest_path: int = 0
    """Of a latency: how often a path of the run passes it at most."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Totals of runs with random computations and latencies; a quantile is the least that its share is within."""

    runs: int
    least_seconds: float
    p50_seconds: float
    p99_seconds: float
    most_seconds: float


@dataclass(frozen=True, slots=True)
class Simulation:
    """What one simulation gave."""

    total_seconds: float
    messages: int
    size_bytes: int
    """Of all messages together."""
    jobs: tuple[SimulatedJob, ...]
    contention_seconds: float
    """By which sharing made messages slower, summed over them: those side by side count each."""
    by_link: tuple[LinkLoss, ...] = ()
    """The worst first, at most 100."""
    by_pair: tuple[PairLoss, ...] = ()
    critical_path: tuple[PathShare, ...] = ()
    derivatives: tuple[Derivative, ...] = ()
    unreceived_messages: int = 0
    spread: Spread | None = None
    """Where runs with noise were asked for."""
    seconds: float = 0.0
    """That it took to read and to simulate."""

    @property
    def ranks(self) -> int:
        """Return the number of ranks of all jobs."""
        return sum(len(job.finish_seconds) for job in self.jobs)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Return what the files of all jobs say and is not simulated."""
        return tuple(said for one in self.jobs for said in one.notices)


def read_simulation(text: str) -> Simulation:
    """Return what `rankwise-sim` has printed. Raises HostError where it is not that."""
    try:
        return _simulation(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise HostError(
            f"invalid output of rankwise-sim: {error}",
            "its version may differ: python3 -m pip install --force-reinstall rankwise",
        ) from error


def _simulation(said: Mapping[str, Any]) -> Simulation:
    path = said.get("critical_path", {}).get("seconds", {})
    return Simulation(
        total_seconds=said["total_seconds"],
        messages=said["messages"],
        size_bytes=said["bytes"],
        jobs=tuple(map(_job, said["jobs"])),
        contention_seconds=said["contention_seconds"],
        by_link=tuple(LinkLoss(loss["link"], loss["seconds"]) for loss in said["contention_by_link"]),
        by_pair=tuple(PairLoss(loss["from"], loss["to"], loss["seconds"]) for loss in said["contention_by_pair"]),
        critical_path=tuple(PathShare(what, seconds) for what, seconds in path.items()),
        derivatives=tuple(_derivatives(said.get("derivatives", ()))),
        unreceived_messages=said["unreceived_messages"],
        spread=_spread(said["seeds"]) if "seeds" in said else None,
        seconds=said["read_seconds"] + said["simulate_seconds"],
    )


def _spread(said: Mapping[str, Any]) -> Spread:
    return Spread(said["runs"], said["min"], said["p50"], said["p99"], said["max"])


def _job(said: Mapping[str, Any]) -> SimulatedJob:
    flows = tuple(
        Flow(flow["from"], flow["to"], flow["bytes"], flow["start"], flow["end"]) for flow in said.get("flows", ())
    )
    notices = tuple(Notice(one["what"], one["text"], one["remedy"]) for one in said.get("notices", ()))
    return SimulatedJob(said["name"], tuple(said["finish_seconds"]), flows, notices)


def _derivatives(said: Sequence[Mapping[str, Any]]) -> list[Derivative]:
    return [
        Derivative(derivative["parameter"], derivative["value"], derivative["longest_path"]) for derivative in said
    ]
