"""Runs of the applications that come with Rankwise, each of which checks its own result."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rankwise.artifacts import apps, npb_tree
from rankwise.core import process
from rankwise.core.apps import AppResult, Messages
from rankwise.core.errors import BuildError, HostError, InputError, UnknownNameError
from rankwise.core.jobs import Outcome
from rankwise.core.launch_output import why_failed
from rankwise.core.records import Implementation
from rankwise.core.tuning import Loaded
from rankwise.measurement.job import build_job
from rankwise.measurement.placement import place
from rankwise.mpi import select
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows import official_npb
from rankwise.workflows.events import Events

CLASSES = ("S", "W", "A", "B", "C")
"""Sizes of the NAS Parallel Benchmarks, the smallest first."""
_END_MARKER = '{"app": '
_ASK_LIMIT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class AppsRequest:
    """What is to be run, and where."""

    names: tuple[str, ...] = ()
    """Of the kernels; none: all of them."""
    class_name: str = "S"
    """'': of an application without classes, which has to be named."""
    options: tuple[str, ...] = ()
    """Of an application: `rays=1000`."""
    implementations: tuple[str, ...] = ()
    """As `select.working` takes them; none: all that work."""
    ranks: int = 0
    """0: one a slot of the testbed."""
    testbed: TestbedKind = field(default_factory=LocalTestbed)
    placement: str = "block"
    count: bool = False
    """Count messages too, which costs a little time."""
    no_compute: bool = False
    """Wait instead of computing, as long as phases of a run on this host took before; nothing is verified then."""
    limit_seconds: float = 600.0
    launcher_arguments: tuple[str, ...] = ()
    prefixes: tuple[Path, ...] = ()
    source: Path | None = None
    """An official source tree of the NAS Parallel Benchmarks: build and run its kernels in place of ours."""


def run_apps(request: AppsRequest, events: Events) -> tuple[AppResult, ...]:
    """Run each kernel with each implementation, and return what came of it; a run that fails has its reason.

    Raises InputError for kernels that are not there or cannot run on so many ranks, HostError if no MPI works or
    the testbed does not come up, BuildError if a compiler refuses.
    """
    if request.source:
        request = replace(request, source=npb_tree.find(request.source))
    implementations, programs = ready(request, events)
    ranks = request.ranks or sum(host.slots for host in request.testbed.hosts())
    names = _names(request, implementations[0], programs[implementations[0].id])
    names = that_can_run(names, request, ranks, implementations[0], programs[implementations[0].id], events)
    place(request.placement, request.testbed.hosts(), ranks)
    if request.source:
        implementations = official_npb.that_can_build(implementations, names, events)
    return tuple(_run_all(request, ranks, names, implementations, programs, events))


def ready(request: AppsRequest, events: Events) -> tuple[list[Implementation], dict[str, Path]]:
    """Return the implementations that work, and the compiled applications by their ids; with official sources only
    those of the first, which say what runs on so many ranks.

    Raises HostError if none works, BuildError if a compiler refuses.
    """
    with events.busy("looking for MPI implementations") as update:
        implementations, _ = select.working(
            request.implementations, request.prefixes, lambda name: update(f"testing that {name} works")
        )
    programs = {}
    for implementation in implementations[:1] if request.source else implementations:
        with events.busy(f"compiling the applications for {implementation.id} (kept for next time)"):
            programs[implementation.id] = apps.build(implementation)
    return implementations, programs


def _names(request: AppsRequest, implementation: Implementation, program: Path) -> tuple[str, ...]:
    """Those that were asked for, in lower case, or all. Raises UnknownNameError."""
    listed = _objects(_ask(implementation, program, "--list").stdout)
    known = [kernel["name"] for kernel in listed if bool(kernel["classes"]) == bool(request.class_name)]
    if not known:
        raise BuildError(
            f"{implementation.id}: the compiled kernels do not start", str(program), "", "try the command by hand"
        )
    names = tuple(dict.fromkeys(name.lower() for name in request.names)) or tuple(known)
    for name in names:
        if name not in known:
            raise UnknownNameError("kernel", name, known)
    return names


def that_can_run(
    names: Sequence[str], request: AppsRequest, ranks: int, implementation: Implementation, program: Path,
    events: Events,
) -> tuple[str, ...]:  # fmt: skip
    """Return those that can run on so many ranks with these options; tell of others, unless they were asked for by
    name.

    Raises InputError for one that was.
    """
    able = []
    for name in names:
        outcome = _ask(implementation, program, "--check", str(ranks), name, *size_words(request))
        if not outcome.returncode:
            able.append(name)
            continue
        why = outcome.stderr.strip().partition(": ")[2].removeprefix("it ")
        of_class = f"{name} of class {request.class_name}" if request.class_name else name
        if " ranks" not in why:
            raise InputError(f"{of_class} {why}", "give other sizes")
        if request.names:
            raise InputError(f"{of_class} {why}, not on {ranks}", "give another number of ranks: -n")
        events.say(f"left out: {of_class} {why}, not on {ranks}")
    return tuple(able)


def size_words(request: AppsRequest) -> tuple[str, ...]:
    """Return the arguments that say how large the problem is."""
    return (*(("--class", request.class_name) if request.class_name else ()), *request.options)


def computing_words(seconds: Sequence[float]) -> list[str]:
    """Return the arguments by which it waits so long instead of computing each phase."""
    return ["--computing", ",".join(f"{phase_seconds:.9g}" for phase_seconds in seconds)]


def _ask(implementation: Implementation, program: Path, *arguments: str) -> Outcome:
    """What the program says without being an MPI job."""
    return process.run([str(program), *arguments], _ASK_LIMIT_SECONDS, environment=implementation.environment)


def _run_all(
    request: AppsRequest, ranks: int, names: Sequence[str], implementations: Sequence[Implementation],
    programs: Mapping[str, Path], events: Events,
) -> Iterator[AppResult]:  # fmt: skip
    with events.busy(f"bringing up {request.testbed.name}") as update, request.testbed:
        for name in names:
            further = []
            if request.no_compute:
                first = implementations[0]
                update(f"how long {name} computes")
                computed = launch(_here(request), ranks, name, first, programs[first.id])
                if not computed.verified:
                    yield computed
                    continue
                further = computing_words(computed.computing_seconds)
            for implementation in implementations:
                update(f"{name} with {implementation.id}")
                if request.source:
                    yield _launch_official(request, request.source, ranks, name, implementation)
                else:
                    yield launch(request, ranks, name, implementation, programs[implementation.id], *further)


def computing_seconds(request: AppsRequest, ranks: int, implementation: Implementation) -> tuple[float, ...]:
    """Return what the phases of the one application that was asked for take on this host, each on the average.

    Raises HostError if it does not end here with a right result, BuildError if a compiler refuses.
    """
    (name,) = request.names
    result = launch(_here(request), ranks, name, implementation, apps.build(implementation))
    if not result.verified:
        raise HostError(f"{name} does not run on this host: {result.remark}", f"try it: {result.command}")
    return result.computing_seconds


def _here(request: AppsRequest) -> AppsRequest:
    """The same on this host: processor time does not depend on how many ranks share a core."""
    return replace(request, testbed=LocalTestbed(), placement="block", count=False, launcher_arguments=())


def launch(
    request: AppsRequest, ranks: int, name: str, implementation: Implementation, program: Path, *further: str
) -> AppResult:
    """Run one application once, with `further` arguments, on the testbed, which is up."""
    counting = ["--count"] if request.count else []
    command = (str(program), name, *size_words(request), *counting, *further)
    outcome = _start(request, ranks, implementation, command, _END_MARKER)
    said = list(_objects(outcome.stdout))
    results = [record for record in said if "app" in record]
    given = AppResult(name, request.class_name, implementation.id, ranks, str(program), outcome.command)
    if not results:
        return replace(given, remark=_reason(outcome, request.limit_seconds))
    (result,) = results
    return replace(
        given, seconds=result["seconds"], mops=result["mops"] or math.nan, verified=result["verified"],
        remark=result["remark"], figures=_figures(result), computing_seconds=tuple(result["computing"]),
        messages=tuple(Messages(**each) for record in said for each in record.get("messages", ())),
    )  # fmt: skip


def _launch_official(
    request: AppsRequest, tree: Path, ranks: int, name: str, implementation: Implementation
) -> AppResult:
    given = AppResult(name, request.class_name, implementation.id, ranks, "", "")
    try:
        program = str(npb_tree.build(tree, implementation, name, request.class_name, ranks))
    except BuildError as error:
        return replace(given, command=error.command, remark=official_npb.why_not_built(error))
    outcome = _start(request, ranks, implementation, (program,), official_npb.END_MARKER)
    given = replace(given, program=program, command=outcome.command)
    said = official_npb.read_result(outcome.stdout)
    return replace(given, **said) if said else replace(given, remark=_reason(outcome, request.limit_seconds))


def _start(
    request: AppsRequest, ranks: int, implementation: Implementation, command: Sequence[str], end_marker: str
) -> Outcome:
    job = build_job(
        request.testbed, command, ranks, placement=request.placement, loaded=Loaded(),
        arguments=request.launcher_arguments,
    )  # fmt: skip
    steps = FamilyLauncher().steps(implementation, job)
    return request.testbed.run(steps, job.hosts, request.limit_seconds, end_marker)


def _figures(result: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    """What only this application tells: it stands between the remark and the times of computing."""
    names = list(result)
    return tuple((name, result[name]) for name in names[names.index("remark") + 1 : names.index("computing")])


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The lines that are JSON: launchers may add others."""
    for line in text.splitlines():
        if line.startswith("{"):
            yield json.loads(line)


def _reason(outcome: Outcome, limit_seconds: float) -> str:
    """Why there is no result."""
    if outcome.broken:
        return f"the testbed broke down: {outcome.broken}"
    why = why_failed(outcome, limit_seconds)
    return f"{why}; give a longer --limit" if outcome.timed_out else why
