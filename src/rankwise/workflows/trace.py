"""A job of the user's own whose MPI calls are recorded, and what is made of the record."""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from rankwise.analysis.recordings import base as recordings
from rankwise.analysis.trace import (
    application_csv,
    goal,
    left_out,
    matrix,
    otf2_writing,
    time_independent,
    timeline,
)
from rankwise.analysis.trace.exporting import need_times, takes_messages
from rankwise.analysis.trace.left_out import Takes
from rankwise.analysis.trace.matrix import Matrix, communication_matrix
from rankwise.analysis.trace.reading import ABOUT, CROWDED, Trace, has_trace, read
from rankwise.analysis.trace.sites import SITES, SiteUse, site_uses
from rankwise.analysis.trace.summary import Summary, summarise
from rankwise.analysis.trace.writing import write_trace
from rankwise.artifacts import tracer
from rankwise.core import private
from rankwise.core.errors import HostError, InputError
from rankwise.core.records import Notice
from rankwise.core.tuning import Loaded
from rankwise.core.whole_files import written_beside
from rankwise.measurement.placement import place
from rankwise.mpi import preload, select
from rankwise.mpi.family import family_named
from rankwise.report.trace_view import matrix_page
from rankwise.workflows.abi import known_standard
from rankwise.workflows.events import Events, warn
from rankwise.workflows.joined import TURNS, JoinRequest, prepare, run_prepared
from rankwise.workflows.run import Route, RunRequest, run

Keep = Literal["all", "statistics", "summary"]
_VARIABLE = "RANKWISE_TRACE"
"""Names the folder; a program that has the tracer linked in reads it too."""
_RANK_FILE = re.compile(r"rank-\d+\.(trace|open)")


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """What is to be run and recorded."""

    run: RunRequest
    folder: Path | None = None
    """None: one named after the program, in the working folder."""
    keep: Keep = "all"


@dataclass(frozen=True, slots=True)
class JoinedTraceRequest:
    """The same of a job over several sites."""

    join: JoinRequest
    folder: Path | None = None
    keep: Keep = "all"


@dataclass(frozen=True, slots=True)
class TraceResult:
    """Where the trace is, what it says, and how the program ended."""

    folder: Path
    summary: Summary
    exit_code: int


@dataclass(frozen=True, slots=True)
class Looked:
    """A trace that was read, in short."""

    summary: Summary
    matrix: Matrix = field(repr=False)
    sites: tuple[SiteUse, ...] = ()
    """Of a job over several sites."""
    notices: tuple[Notice, ...] = ()
    """What is not in the matrix."""


@dataclass(frozen=True, slots=True)
class Format:
    """How a trace can be written."""

    write: Callable[[Trace], Iterable[str]]
    what: str
    takes: Takes = lambda *_: True


@dataclass(frozen=True, slots=True)
class Exported:
    """A trace in one of FORMATS: its lines if no file was written, and what is not in it."""

    lines: Iterable[str]
    notices: tuple[Notice, ...]


FORMATS: dict[str, Format] = {
    "simgrid": Format(
        time_independent.time_independent, "SimGrid's time-independent trace, which rankwise-sim replays",
        takes_messages,
    ),
    "goal": Format(goal.goal, "GOAL, which LogGOPSim and rankwise-sim replay", goal.takes),
    "perfetto": Format(timeline.timeline, "a timeline for ui.perfetto.dev and chrome://tracing"),
    "tune": Format(
        application_csv.application_csv, "what the program calls, for `rankwise tune --for`", application_csv.takes
    ),
    "matrix": Format(matrix.matrix_csv, "messages and bytes between ranks, as CSV", matrix.takes),
    "heat-map": Format(
        lambda trace: [matrix_page(communication_matrix(trace))], "the same as an HTML page, with a figure",
        matrix.takes,
    ),
}  # fmt: skip
FOLDERS = {"otf2": "an OTF2 archive, a folder, as Score-P writes it"}
"""Formats that are folders, and what they are."""


def trace(request: TraceRequest, events: Events) -> TraceResult:
    """Run the program, record its calls, and return what they were in short.

    Raises InputError for a program that cannot be recorded, HostError if nothing was recorded or the folder cannot
    be written, and what `run` raises.
    """
    folder = _folder(request.folder, request.run.program)
    crowded = _crowded(request.run, events)

    def recorded(loaded: Loaded, route: Route, program: Path) -> Loaded:
        library = _tracer(program, route, events)
        about = {
            "program": list(request.run.program), "implementation": route.implementation.id,
            "testbed": request.run.testbed.name, "placement": request.run.placement, CROWDED: crowded,
        }  # fmt: skip
        _prepare(folder, about)
        return _recording(loaded, library, written.enter_context(_written(route, folder)), request.keep)

    with contextlib.ExitStack() as written:
        code = run(replace(request.run, more=recorded), events)
    return _found(folder, code)


def _crowded(request: RunRequest, events: Events) -> bool:
    """Whether ranks share cores, which is said: it is in all times."""
    hosts = request.testbed.hosts()
    placed = place(request.placement, hosts, request.ranks or sum(host.slots for host in hosts))
    crowded = request.testbed.oversubscribed(placed)
    if crowded:
        warn(events, f"{len(placed)} ranks exceed the number of cores: {TURNS}")
    return crowded


def trace_joined(request: JoinedTraceRequest, events: Events) -> TraceResult:
    """Do the same for a job over several sites: one record, with the ranks of MPI_COMM_WORLD.

    Raises as `trace` does, and InputError for what cannot be joined.
    """
    folder = _folder(request.folder, request.join.program)

    def recorded(loaded: Loaded, route: Route, program: Path) -> Loaded:
        library = _tracer(program, route, events)
        return _recording(loaded, library, written.enter_context(_written(route, folder)), request.keep)

    joining = prepare(replace(request.join, more=recorded), events)
    for route in joining.routes:  # what cannot be recorded is said before an earlier trace goes
        _tracer(Path(joining.program[0]), route, events)
    sites = [
        {"site": part.site, "implementation": implementation.id, "ranks": part.ranks}
        for part, implementation in zip(request.join.parts, joining.implementations, strict=True)
    ]
    about = {"program": list(request.join.program), "testbed": request.join.testbed.name, SITES: sites}
    _prepare(folder, {**about, CROWDED: request.join.testbed.oversubscribed(joining.hosts)})
    with contextlib.ExitStack() as written:
        code = run_prepared(joining, events)
    return _found(folder, code)


def _tracer(program: Path, route: Route, events: Events) -> Path | None:
    """What the program loads to be recorded, None if that is linked in. Raises InputError, BuildError."""
    if preload.defines(program, _VARIABLE):
        return None
    _check(program, route)
    with events.busy("building the tracer"):
        return tracer.build(route.called) if route.called else tracer.build_standard(known_standard())


def _recording(loaded: Loaded, library: Path | None, folder: Path, keep: Keep) -> Loaded:
    environment = (*loaded.environment, (_VARIABLE, str(folder)), ("RANKWISE_TRACE_KEEP", keep))
    if library is None:
        return replace(loaded, environment=environment)
    environment = preload.loading(library, environment)
    return replace(loaded, environment=environment, files=(*loaded.files, str(library)))


def _written(route: Route, folder: Path) -> contextlib.AbstractContextManager[Path]:
    """Where the ranks of this route's MPI write."""
    return private.written_by(family_named(route.implementation.family).rank_user(), folder)


def _found(folder: Path, code: int) -> TraceResult:
    """What was recorded of a program that ended so."""
    try:
        recording = read(folder)
    except InputError as error:
        raise HostError(
            f"nothing was recorded: {error}",
            f"check that it calls MPI_Init and that all its hosts can write to {folder}; exit code {code}",
        ) from error
    return TraceResult(folder, summarise(recording), code)


def look(folder: Path) -> Looked:
    """Read a trace and return it in short. Raises InputError if there is none."""
    recording = read(folder)
    messages = communication_matrix(recording)
    said = left_out.notices(recording, matrix.takes, "the matrix of messages")
    return Looked(summarise(recording), messages, site_uses(recording, messages), said)


def export(folder: Path, form: str, output: Path | None) -> Exported:
    """Read a trace and write it, as `write` does."""
    return write(read(folder), form, output)


def write(recording: Trace, form: str, output: Path | None) -> Exported:
    """Write a trace in one of FORMATS or FOLDERS; the lines of the former are returned if there is no `output`.

    Raises InputError for a trace that cannot be written so, HostError if the file cannot be written.
    """
    if form in FOLDERS:
        _export_folder(recording, form, output)
        where = f"{form}, where they are calls without partners and bytes"
        return Exported((), left_out.notices(recording, otf2_writing.takes, where))
    trace_format = FORMATS[form]
    said = left_out.notices(recording, trace_format.takes, f"the format {form}")
    lines = trace_format.write(recording)
    if output is None:
        return Exported(lines, said)
    try:
        with written_beside(output) as beside, beside.open("w") as file:
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise HostError(f"cannot write {output}: {error.strerror}", "name another file: -o") from error
    return Exported((), said)


def _export_folder(trace: Trace, form: str, output: Path | None) -> None:
    """Write it whole or not at all; what is there stays."""
    if output is None:
        raise InputError(f"{form} is a folder of files", "give a folder: -o DIR")
    if output.exists():
        raise InputError(f"{output} already exists", "name another folder: -o DIR")
    try:
        with tempfile.TemporaryDirectory(prefix=f".{output.name}.", dir=output.absolute().parent) as name:
            made = Path(name, output.name)
            otf2_writing.write_archive(trace, made)
            made.rename(output)
    except OSError as error:
        raise HostError(f"cannot write {output}: {error.strerror}", "name another folder: -o DIR") from error


def import_trace(file: Path, folder: Path | None) -> TraceResult:
    """Convert another tool's recording to a trace, and return its summary.

    Raises InputError for what cannot be read or has no single calls, HostError if the folder cannot be written.
    """
    if has_trace(file):
        raise InputError(f"{file} is already a trace", f"rankwise trace show {file}")
    trace = recordings.read(file).need_calls()
    need_times(trace)
    target = (folder or Path(f"{file.stem}.trace")).absolute()
    try:
        _prepare(target, {})
        write_trace(trace, target)
    except OSError as error:
        raise HostError(f"cannot write {target}: {error.strerror}", "name another folder: -o DIR") from error
    return TraceResult(target, summarise(trace), 0)


def _folder(folder: Path | None, program: tuple[str, ...]) -> Path:
    """Where the record goes: named after the program if nothing was asked. Raises InputError without a program."""
    if not program:
        raise InputError("no program given", "add it after `--`: rankwise trace -n 4 -- ./app")
    return (folder or Path(f"{Path(program[0]).name}.trace")).absolute()


def _check(program: Path, route: Route) -> None:
    """Raise InputError for a program that would not load the tracer."""
    reason = preload.ignored_by(program)
    if reason:
        reason += ": the loader ignores LD_PRELOAD, and with it the tracer"
    elif not select.asks_for(program) and preload.defines(program, "PMPI_Init"):
        reason = "has its MPI library linked in: no library can come between"
    if reason:
        raise InputError(
            f"{program.name} {reason}",
            f"link it with the shared library, as {route.implementation.mpicc} does, or put the tracer before the "
            f"MPI library on its line: {tracer.build_archive(route.implementation)}",
        )


def _prepare(folder: Path, about: Mapping[str, object]) -> None:
    """A folder that the ranks can write to; an earlier trace there goes. Raises InputError, HostError."""
    try:
        with private.opened(folder) as opened:
            there = os.listdir(opened)  # noqa: PTH208 - a descriptor
            others = [name for name in there if not _RANK_FILE.fullmatch(name) and name != ABOUT]
            if others:
                raise InputError(
                    f"{folder} has other files than a trace: {others[0]}", "name a folder of its own: -o DIR"
                )
            for name in there:
                os.unlink(name, dir_fd=opened)
            if about:
                with open(private.create(opened, ABOUT), "w") as file:  # noqa: PTH123 - a descriptor
                    file.write(json.dumps(about, indent=2) + "\n")
    except OSError as error:
        raise HostError(f"cannot write to {folder}: {error.strerror}", "name another folder: -o DIR") from error
