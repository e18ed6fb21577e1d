"""Reads OTF2 archives, of Score-P or others, into the tracer's own format, in a process of its own.

The `otf2` library is C: what a damaged archive does to it must not end this process.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from rankwise.analysis.trace.otf2_calls import Calls
from rankwise.analysis.trace.otf2_writing import need_library
from rankwise.analysis.trace.reading import Trace
from rankwise.analysis.trace.writing import write_trace
from rankwise.core import process
from rankwise.core.errors import InputError

LIMIT_SECONDS = 3600.0
_TICKS = 1_000_000_000


def convert(anchor: Path, folder: Path) -> tuple[str, ...]:
    """Read the archive of an anchor file into an empty folder, and return what is to be said of it.

    Raises InputError for what is no archive or has no MPI, HostError if the library is not installed.
    """
    need_library()
    if not anchor.is_file():
        raise InputError(f"file not found: {anchor}", "name the archive's anchor file: scorep-.../traces.otf2")
    done = process.run([sys.executable, "-m", __name__, str(anchor), str(folder)], LIMIT_SECONDS)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        said = lines[-1] if lines else f"it ended with code {done.returncode}"
        raise InputError(
            f"cannot read {anchor}; otf2 library: {said}",
            "check that it is complete: otf2-print shows what can be read",
        )
    return tuple(done.stdout.splitlines())


def read_archive(anchor: Path) -> Trace:
    """Read an archive. Raises InputError if it has no process of MPI, and what the library raises."""
    otf2 = need_library()
    with otf2.reader.open(str(anchor), batch_events=1 << 14) as archive:
        known = archive.definitions
        locations = _locations_of_ranks(otf2, known)
        if not locations:
            raise InputError("it has no process of MPI", "record an MPI program")
        ranks = {location: rank for rank, location in enumerate(locations)}
        numbers = {communicator: number for number, communicator in enumerate(known.comms)}
        calls = [Calls(otf2, rank, ranks, numbers) for rank in range(len(locations))]
        clock = known.clock_properties
        others = 0
        for calls_of_rank, location in zip(calls, locations, strict=True):
            calls_of_rank.host = location.group.system_tree_parent.name
        for location, event in archive.events:
            if location in ranks:
                moment = round((event.time - clock.global_offset) * _TICKS / clock.timer_resolution)
                calls[ranks[location]].take(event, moment)
            else:
                others += type(event).__name__.startswith("Mpi")
        traces = [of_rank.finish() for of_rank in calls]
    problems = [f"{others} messages and collectives of further threads are left out"] if others else []
    return Trace(traces, {"program": [], "imported": str(anchor)}, problems)


def _locations_of_ranks(otf2: Any, known: Any) -> list[Any]:
    """The location of each rank: those of the MPI paradigm, or the first thread of each process."""
    enums = otf2.enums
    for group in known.groups:
        if group.group_type == enums.GroupType.COMM_LOCATIONS and group.paradigm == enums.Paradigm.MPI:
            return list(group.members)
    first: dict[Any, Any] = {}
    for location in known.locations:
        if location.type == enums.LocationType.CPU_THREAD:
            first.setdefault(location.group, location)
    return list(first.values())


def _main(anchor: Path, folder: Path) -> None:
    try:
        trace = read_archive(anchor)
        write_trace(trace, folder)
    except Exception as error:
        sys.exit(f"{error}".strip() or type(error).__name__)
    for problem in trace.problems:
        print(problem)


if __name__ == "__main__":
    _main(Path(sys.argv[1]), Path(sys.argv[2]))
