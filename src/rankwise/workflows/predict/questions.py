"""What can be predicted: a pattern, a collective operation, traces, a schedule; each makes jobs to simulate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Protocol

from rankwise.analysis.predict.extended import extended
from rankwise.analysis.predict.results import Recorded
from rankwise.analysis.recordings import base as recordings
from rankwise.analysis.recordings import matrix
from rankwise.analysis.trace import left_out
from rankwise.analysis.trace.goal import goal, takes
from rankwise.analysis.trace.reading import Trace, started_by
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.platform import Platform
from rankwise.core.records import Notice
from rankwise.core.units import format_size, short, whole_number
from rankwise.schedules.model import OPERATIONS, Network
from rankwise.simulation.simulator import SimulatorJob
from rankwise.workflows import schedules

MOST_RANKS = 1 << 22
_MOST_COMMENTS = 1000
"""Lines before the first of a trace."""


@dataclass(frozen=True, slots=True)
class Posed:
    """A question on one platform, as the simulator takes it."""

    jobs: tuple[SimulatorJob, ...]
    platform: Platform
    notices: tuple[Notice, ...] = ()
    recorded: Recorded | None = None
    """What a single trace took when it was recorded."""


class Question(Protocol):
    """Something whose time can be predicted."""

    @property
    def title(self) -> str:
        """Return what it is, in a few words."""
        ...

    def posed(self, platform: Platform) -> Posed:
        """Return it as jobs on a platform. Raises InputError."""
        ...


@dataclass(frozen=True, slots=True)
class Files:
    """Patterns and traces, each in a file that the simulator reads; several run at the same time."""

    files: tuple[str, ...]
    """`FILE`, `DIR` or `FILE@nodes=0-3,8`: a recording with single calls, or what the simulator reads."""
    algorithms: tuple[tuple[str, str], ...] = ()

    @property
    def title(self) -> str:
        """Return the files' names."""
        return " and ".join(Path(file).name for file in self.files)

    @property
    def program(self) -> tuple[str, ...]:
        """Return the words that started the traced program; () where they are not known."""
        return started_by(Path(self.files[0].partition("@nodes=")[0]))

    def posed(self, platform: Platform) -> Posed:
        """Return a job for each file."""
        file_jobs = [_file_job(file, platform) for file in self.files]
        recorded = file_jobs[0].recorded if len(file_jobs) == 1 else None
        return Posed(
            tuple(file_job.job for file_job in file_jobs),
            platform,
            tuple(said for file_job in file_jobs for said in file_job.notices),
            recorded,
        )


@dataclass(frozen=True, slots=True)
class Collective:
    """A collective operation by one of the schedules, on ranks that fill the nodes in blocks, or by a layout."""

    operation: str
    algorithm: str
    size_bytes: int
    ranks: int = 0
    """0: those of the layout, or one for each node."""
    network: Network | None = None
    root: int = 0
    segment_bytes: int = 0
    fan_out: int = 0
    lanes: int = 0

    @property
    def title(self) -> str:
        """Return the operation, the algorithm and the size."""
        return f"{self.operation}.{self.algorithm}, {format_size(self.size_bytes)}"

    def ranks_on(self, platform: Platform) -> int:
        """Return the number of ranks on a platform."""
        here = len(self.network.groups[0]) if self.network else sum(len(site.nodes) for site in platform.sites)
        return self.ranks or here

    def posed(self, platform: Platform) -> Posed:
        """Return the job, on a platform that has as many nodes as the layout says."""
        notices: tuple[Notice, ...] = ()
        places: tuple[int, ...] = ()
        if self.network:
            nodes, places = _layout(self.network)
            if self.ranks and self.ranks != len(places):
                raise InputError(
                    f"{self.ranks} ranks do not match --sites, which has {len(places)}", "leave one of them out"
                )
            now = _sizes_in_words([len(site.nodes) for site in platform.sites])
            platform, larger = extended(platform, nodes)
            if larger:
                notices = (Notice(
                    "extended platform", f"the platform has {now}; more of the same is assumed for "
                    f"{_sizes_in_words(nodes)}", "fit on a larger testbed to know",
                ),)  # fmt: skip
        nodes_there = sum(len(site.nodes) for site in platform.sites)
        ranks = self.ranks_on(platform)
        if ranks > MOST_RANKS:
            raise InputError(f"{ranks} ranks are too many", f"at most {MOST_RANKS}")
        collective = {
            "operation": self.operation, "algorithm": self.algorithm, "ranks": ranks, "count": self.size_bytes,
            "root": self.root, "segment": self.segment_bytes, "fan_out": self.fan_out, "lanes": self.lanes,
        }  # fmt: skip
        if len(platform.sites) > 1:
            collective["sites"] = _ranks_by_site(platform, nodes_of_ranks(ranks, nodes_there, places))
        return Posed((SimulatorJob(self.title, text=json.dumps(collective), nodes=places),), platform, notices)


@dataclass(frozen=True, slots=True)
class ScheduleFile:
    """A schedule of a user: Python, JSON or MSCCL's XML."""

    asked: schedules.Asked

    @property
    def title(self) -> str:
        """Return the file's name and the size."""
        return f"{Path(self.asked.what[0]).name}, {format_size(self.asked.size_bytes)}"

    def posed(self, platform: Platform) -> Posed:
        """Return it as a GOAL schedule, after it was proved."""
        return Posed((SimulatorJob(self.title, text=schedules.export(self.asked, "goal")),), platform)


def algorithms_of(operation: str) -> tuple[str, ...]:
    """Return the names of the algorithms of an operation. Raises UnknownNameError."""
    if operation not in OPERATIONS:
        raise UnknownNameError("operation", operation, OPERATIONS)
    return tuple(algorithm.name for algorithm in schedules.algorithms(operation))


def nodes_of_ranks(ranks: int, nodes: int, places: Sequence[int] = ()) -> list[int]:
    """Return the number of each rank's node, as the simulator places them: in blocks as equal as can be."""
    at = list(places) or list(range(nodes))
    return [at[rank * len(at) // ranks if len(at) <= ranks else rank] for rank in range(ranks)]


def _layout(network: Network) -> tuple[list[int], tuple[int, ...]]:
    """The nodes of each site, and the node of each rank: its own, unless the layout has a level of nodes."""
    sites = network.groups[0]
    places = network.groups[-1] if len(network.groups) > 1 else tuple(range(len(sites)))
    numbers = {node: number for number, node in enumerate(dict.fromkeys(places))}
    nodes = [len({places[rank] for rank, of in enumerate(sites) if of == site}) for site in range(network.sites)]
    return nodes, tuple(numbers[node] for node in places)


def _ranks_by_site(platform: Platform, nodes: Sequence[int]) -> list[list[int]]:
    site_of = [site for site, platform_site in enumerate(platform.sites) for _ in platform_site.nodes]
    ranks_by_site: dict[int, list[int]] = {}
    for rank, node in enumerate(nodes):
        ranks_by_site.setdefault(site_of[node], []).append(rank)
    return list(ranks_by_site.values())


def _sizes_in_words(nodes: Sequence[int]) -> str:
    if len(set(nodes)) == 1:
        count = f"{nodes[0]} node" + ("s" if nodes[0] != 1 else "")
        return count if len(nodes) == 1 else f"{len(nodes)} sites of {count}"
    return f"{len(nodes)} sites of {', '.join(map(str, nodes))} nodes"


@dataclass(frozen=True, slots=True)
class _FileJob:
    job: SimulatorJob
    notices: tuple[Notice, ...] = ()
    """What of a trace is not in it."""
    recorded: Recorded | None = None


def _file_job(text: str, platform: Platform) -> _FileJob:
    name, mark, where = text.partition("@nodes=")
    path = Path(name)
    job = SimulatorJob(path.name, nodes=_numbers(where) if mark else ())
    source = recordings.Source.of(path)
    known = recordings.format_of(source)
    if known and not (known is matrix.FORMAT and matrix.is_pattern(source)):
        recording = known.read(source)
        trace = recording.need_calls()
        said = (*recording.problems(), *left_out.notices(trace, takes, "the prediction"))
        return _FileJob(_trace_job(job, trace, platform), said, Recorded(trace.seconds, trace.crowded))
    return _FileJob(replace(job, text=_listed(path)) if path.is_dir() else replace(job, file=path))


def _trace_job(job: SimulatorJob, trace: Trace, platform: Platform) -> SimulatorJob:
    """A recorded program, on the hosts that it ran on if the platform has them and nothing else is asked for."""
    names = [node for site in platform.sites for node in site.nodes]
    hosts = [rank.host for rank in sorted(trace.ranks, key=lambda rank: rank.rank)]
    if not job.nodes and set(hosts) <= set(names):
        job = replace(job, nodes=tuple(names.index(host) for host in hosts))
    return replace(job, text="\n".join(goal(trace)) + "\n")


def _listed(folder: Path) -> str:
    """The files of a time-independent trace, one for each rank, as a list that the simulator reads."""
    paths = [path for path in sorted(folder.iterdir()) if path.is_file() and _is_trace(path)]
    if not paths:
        raise InputError(
            f"{folder} has no trace", "a folder must hold a time-independent trace, with a file for each rank"
        )
    strange = next((path for path in paths if set(str(path.absolute())) & set(" \t\r\n#")), None)
    if strange:
        raise InputError(f"'{strange}' has a blank or # in its path", "copy the folder to a path without")
    return "".join(f"{path.absolute()}\n" for path in paths)


def _is_trace(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as file:
        lines = (line.split() for line in islice(file, _MOST_COMMENTS))
        first = next((words for words in lines if words and not words[0].startswith("#")), [])
    return len(first) > 1 and whole_number(first[0]) is not None and whole_number(first[1]) is None


def _numbers(text: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for part in text.split(","):
        low, _, high = part.partition("-")
        first, last = whole_number(low), whole_number(high or low)
        if first is None or last is None:
            raise InputError(f"'{text[:40]}' is not a list of nodes", "write their numbers: @nodes=0-3,8")
        if not first <= last < MOST_RANKS:
            raise InputError(f"'{part}' is not a range of nodes", "write the lower number first: @nodes=0-3")
        numbers += range(first, last + 1)
        if len(numbers) > MOST_RANKS:
            raise InputError(f"'{short(text)}' names {len(numbers)} nodes", f"at most {MOST_RANKS}")
    return tuple(numbers)
