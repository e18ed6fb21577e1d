"""The timeline that the simulator writes for Perfetto, read for a figure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Activity:
    """What a rank does for a while: `send`, `receive`, `compute`, `wait`."""

    rank: int
    what: str
    begin_seconds: float
    end_seconds: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A message, from when its first byte leaves to when its last one arrives."""

    from_rank: int
    to_rank: int
    size_bytes: int
    begin_seconds: float
    end_seconds: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """All that happened, with ranks counted on over the jobs."""

    activities: tuple[Activity, ...]
    passages: tuple[Passage, ...]


def read_timeline(text: str, ranks_of_jobs: tuple[int, ...]) -> Timeline:
    """Return the timeline that `rankwise-sim --trace` wrote; `ranks_of_jobs`: how many ranks each job has."""
    first = [sum(ranks_of_jobs[:job]) for job in range(len(ranks_of_jobs))]
    activities: list[Activity] = []
    begun: dict[int, dict[str, Any]] = {}
    passages: list[Passage] = []
    for event in json.loads(text)["traceEvents"]:
        if event["ph"] == "M":
            continue
        rank, begin = first[event["pid"]] + event["tid"], event["ts"] * 1e-6
        if event["ph"] == "X":
            activities.append(Activity(rank, event["name"], begin, begin + event["dur"] * 1e-6))
        elif event["ph"] == "s":
            begun[event["id"]] = event | {"rank": rank, "begin": begin}
        elif event["ph"] == "f":
            start = begun.pop(event["id"])
            passages.append(Passage(start["rank"], rank, start["args"]["bytes"], start["begin"], begin))
    return Timeline(tuple(activities), tuple(passages))
