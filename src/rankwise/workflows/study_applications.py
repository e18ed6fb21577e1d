"""Runs of a study that measure applications: each launch starts them all, and the store has their figures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rankwise.artifacts import apps as artifacts
from rankwise.core.programs import Metric, Program
from rankwise.core.records import Implementation, Notice
from rankwise.mpi import select
from rankwise.store.store import Store
from rankwise.studies.base import Application, Applications
from rankwise.workflows import apps, measure, programs
from rankwise.workflows.apps import AppsRequest
from rankwise.workflows.events import Events

NEXT = "then"
"""Between two applications on the command line."""


def measure_applications(
    applications: Applications,
    how: measure.Request,
    store: Store,
    events: Events,
    notices: tuple[Notice, ...] = (),
) -> int:
    """Measure them as `how` says, and return the run's id; `notices` are stored with it.

    Raises InterruptedRun with the way to go on, HostError if what they compute cannot be timed on this host.
    """
    with events.busy("looking for MPI implementations"):
        (first, *_), _ = select.working(how.implementations, how.prefixes)
    arguments: list[str] = []
    for application in applications.each:
        arguments += [*([NEXT] if arguments else []), *_arguments(application, applications, how, first, events)]
    program = Program(
        (artifacts.PROGRAM, *arguments),
        tuple(Metric(*metric) for metric in (*applications.figures, *applications.messages)),
        folder=str(Path.cwd()),
    )
    request = programs.ProgramRequest(program, how, (how.testbed,), own=artifacts.build, notices=notices)
    return programs.measure_program(request, store, events)


def _arguments(
    application: Application,
    applications: Applications,
    how: measure.Request,
    implementation: Implementation,
    events: Events,
) -> Iterator[str]:
    request = AppsRequest(
        (application.name,), application.class_name, application.options, limit_seconds=how.launch_limit_seconds
    )  # fmt: skip
    yield from (application.name, *apps.size_words(request), *(["--count"] if applications.messages else []))
    if applications.no_compute:
        seconds = application.computing_seconds
        if not seconds:
            with events.busy(f"how long {application.name} computes on this host"):
                seconds = apps.computing_seconds(request, how.ranks[0], implementation)
        yield from apps.computing_words(seconds)
