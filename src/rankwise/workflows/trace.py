"""A job of the user's own whose MPI calls are recorded, and what is made of the record."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from rankwise.analysis import monitoring, mpip
from rankwise.analysis.trace import application_csv, goal, matrix, otf2_reading, time_independent, timeline
from rankwise.analysis.trace.matrix import Matrix, communication_matrix
from rankwise.analysis.trace.otf2_writing import write_archive
from rankwise.analysis.trace.reading import ABOUT, Trace, read
from rankwise.analysis.trace.sites import SITES, SiteUse, site_uses
from rankwise.analysis.trace.summary import Summary, summarise
from rankwise.artifacts import tracer
from rankwise.core.errors import HostError, InputError
from rankwise.core.tuning import Loaded
from rankwise.mpi import preload, select
from rankwise.report.trace_view import matrix_page
from rankwise.workflows.abi import known_standard
from rankwise.workflows.events import Events
from rankwise.workflows.joined import JoinRequest, prepare, run_prepared
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


FORMATS: dict[str, tuple[Callable[[Trace], Iterable[str]], str]] = {
    "simgrid": (time_independent.time_independent, "SimGrid's time-independent trace, which rankwise-sim replays"),
    "goal": (goal.goal, "GOAL, which LogGOPSim and rankwise-sim replay"),
    "perfetto": (timeline.timeline, "a timeline for ui.perfetto.dev and chrome://tracing"),
    "tune": (application_csv.application_csv, "what the program calls, for `rankwise tune --for`"),
    "matrix": (matrix.matrix_csv, "messages and bytes between ranks, as CSV"),
    "heat-map": (
        lambda trace: [matrix_page(communication_matrix(trace))],
        "the same as an HTML page, with a figure",
    ),
}
"""How a trace can be written, and what that is."""
FOLDERS: dict[str, tuple[Callable[[Trace, Path], None], str]] = {
    "otf2": (write_archive, "an OTF2 archive, a folder, as Score-P writes it"),
}
"""The same where a folder is written."""


def trace(request: TraceRequest, events: Events) -> TraceResult:
    """Run the program, record its calls, and return what they were in short.

    Raises InputError for a program that cannot be recorded, HostError if nothing was recorded or the folder cannot
    be written, and what `run` raises.
    """
    folder = _folder(request.folder, request.run.program)

    def recorded(loaded: Loaded, route: Route, program: Path) -> Loaded:
        library = _tracer(program, route, events)
        about = {
            "program": list(request.run.program), "implementation": route.implementation.id,
            "testbed": request.run.testbed.name, "placement": request.run.placement,
        }  # fmt: skip
        _prepare(folder, about)
        return _recording(loaded, library, folder, request.keep)

    return _found(folder, run(replace(request.run, more=recorded), events))


def trace_joined(request: JoinedTraceRequest, events: Events) -> TraceResult:
    """Do the same for a job over several sites: one record, with the ranks of MPI_COMM_WORLD.

    Raises as `trace` does, and InputError for what cannot be joined.
    """
    folder = _folder(request.folder, request.join.program)

    def recorded(loaded: Loaded, route: Route, program: Path) -> Loaded:
        return _recording(loaded, _tracer(program, route, events), folder, request.keep)

    joining = prepare(replace(request.join, more=recorded), events)
    for route in joining.routes:  # what cannot be recorded is said before an earlier trace goes
        _tracer(Path(joining.program[0]), route, events)
    sites = [
        {"site": part.site, "implementation": one.id, "ranks": part.ranks}
        for part, one in zip(request.join.parts, joining.implementations, strict=True)
    ]
    _prepare(
        folder, {"program": list(request.join.program), "testbed": request.join.testbed.name, SITES: sites}
    )  # fmt: skip
    return _found(folder, run_prepared(joining, events))


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


def _found(folder: Path, code: int) -> TraceResult:
    """What was recorded of a program that ended so."""
    try:
        found = read(folder)
    except InputError as error:
        raise HostError(
            f"nothing was recorded: {error}",
            f"does the program call MPI_Init, and can all its hosts write to {folder}? It ended with code {code}",
        ) from error
    return TraceResult(folder, summarise(found), code)


def look(folder: Path) -> Looked:
    """Read a trace and return it in short. Raises InputError if there is none."""
    found = read(folder)
    messages = communication_matrix(found)
    return Looked(summarise(found), messages, site_uses(found, messages))


def export(folder: Path, form: str, output: Path | None) -> Iterable[str]:
    """Write a trace in one of FORMATS or FOLDERS, and return the lines of the former if there is no `output`.

    Raises InputError for a trace that cannot be written so, HostError if the file cannot be written.
    """
    found = read(folder)
    if form in FOLDERS:
        _export_folder(found, form, output)
        return ()
    lines = FORMATS[form][0](found)
    if output is None:
        return lines
    partial = output.with_name(f".{output.name}.partial")
    try:
        with partial.open("w") as file:
            file.writelines(f"{line}\n" for line in lines)
        partial.replace(output)
    except OSError as error:
        raise HostError(f"cannot write {output}: {error.strerror}", "name another file: -o") from error
    finally:
        partial.unlink(missing_ok=True)
    return ()


def _export_folder(trace: Trace, form: str, output: Path | None) -> None:
    """Write it whole or not at all; what is there stays."""
    if output is None:
        raise InputError(f"{form} is a folder of files", "say where it goes: -o DIR")
    if output.exists():
        raise InputError(f"{output} is there already", "name another folder: -o DIR")
    try:
        with tempfile.TemporaryDirectory(prefix=f".{output.name}.", dir=output.absolute().parent) as name:
            made = Path(name, output.name)
            FOLDERS[form][0](trace, made)
            made.rename(output)
    except OSError as error:
        raise HostError(f"cannot write {output}: {error.strerror}", "name another folder: -o DIR") from error


def import_trace(file: Path, folder: Path | None) -> TraceResult:
    """Make a trace of what another tool recorded, an OTF2 archive, and return what it says.

    Raises InputError for what cannot be read, HostError if the folder cannot be written, or without the library.
    """
    _refuse_totals(file)
    target = (folder or Path(f"{file.stem}.trace")).absolute()
    try:
        with tempfile.TemporaryDirectory(prefix="rankwise-import-") as name:
            problems = otf2_reading.convert(file, Path(name))
            read(Path(name))
            _prepare(target, {})
            for one in Path(name).iterdir():
                shutil.copy(one, target / one.name)
    except OSError as error:
        raise HostError(f"cannot write {target}: {error.strerror}", "name another folder: -o DIR") from error
    found = summarise(read(target))
    return TraceResult(target, replace(found, problems=(*problems, *found.problems)), 0)


def _refuse_totals(file: Path) -> None:
    """Raise InputError for what has no single calls, with the verbs that take it."""
    try:
        text = (monitoring.files_of(file)[0] if file.is_dir() else file).read_text()
    except (OSError, UnicodeDecodeError, InputError):
        return
    if mpip.is_report(text):
        raise InputError(f"{file} is a report of mpiP, which has no single calls", f"rankwise tune --for {file}")
    if monitoring.is_monitoring(text):
        raise InputError(
            f"{file} is what Open MPI's monitoring wrote, which has no single calls",
            f"rankwise map {file}; or rankwise tune --for {file}",
        )


def _folder(asked: Path | None, program: tuple[str, ...]) -> Path:
    """Where the record goes: named after the program if nothing was asked. Raises InputError without a program."""
    if not program:
        raise InputError("no program was named", "put it behind `--`: rankwise trace -n 4 -- ./app")
    return (asked or Path(f"{Path(program[0]).name}.trace")).absolute()


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
        folder.mkdir(parents=True, exist_ok=True)
        others = [one for one in folder.iterdir() if not _RANK_FILE.fullmatch(one.name) and one.name != ABOUT]
        if others:
            raise InputError(
                f"{folder} has other files than a trace: {others[0].name}", "name a folder of its own: -o DIR"
            )
        for old in folder.iterdir():
            old.unlink()
        if not os.getuid():
            folder.chmod(0o777)  # LAM/MPI's ranks run as nobody
        if about:
            (folder / ABOUT).write_text(json.dumps(about, indent=2) + "\n")
    except OSError as error:
        raise HostError(f"cannot write to {folder}: {error.strerror}", "name another folder: -o DIR") from error
