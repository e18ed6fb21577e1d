"""Before anything is measured: implementations that work, their compiled benchmarks, and a testbed that is up."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.artifacts.harness import build
from rankwise.core.errors import BuildError, HostError, InputError
from rankwise.core.network import PathFigures
from rankwise.core.records import Benchmark, Implementation, Notice
from rankwise.core.schedule_names import has_parameters
from rankwise.measurement.launch import Files, list_benchmarks
from rankwise.measurement.runner import Ready
from rankwise.mpi import select
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.check import check_paths
from rankwise.workflows.events import Events


@dataclass(frozen=True, slots=True)
class Built:
    """The implementations whose harness runs, what each can measure, and what became of the others."""

    ready: dict[str, Ready]
    menu: dict[str, dict[str, Benchmark]]
    notices: tuple[Notice, ...]

    @property
    def implementations(self) -> list[Implementation]:
        """Those that are ready, in order."""
        return [harness.implementation for harness in self.ready.values()]

    @property
    def benchmarks(self) -> dict[str, Benchmark]:
        """Every benchmark that any of them lists, by name."""
        return {name: benchmark for menu in self.menu.values() for name, benchmark in menu.items()}


def prepare(
    names: Sequence[str], prefixes: Sequence[Path], events: Events, benchmarks: Sequence[str] = (),
    files: Files = (),
) -> Built:  # fmt: skip
    """Find the implementations asked for (none: all that work) and compile the harness for each.

    `benchmarks`: those that will be asked for; names with parameters are known only so, as are the schedules in
    `files`. Raises HostError when
    not one can be measured, UnknownNameError for a name that nothing answers to.
    """
    with events.busy("looking for MPI implementations") as update:
        working, broken = select.working(names, prefixes, lambda name: update(f"testing that {name} works"))
    notices = [
        Notice("broken", f"{implementation.id} is left out: {implementation.reason}", implementation.remedy)
        for implementation in broken
    ]
    return build_all(working, events, notices, benchmarks, files)


def build_all(
    implementations: Sequence[Implementation], events: Events, notices: Sequence[Notice] = (),
    benchmarks: Sequence[str] = (), files: Files = (),
) -> Built:  # fmt: skip
    """Compile the harness for each; those whose compiler refuses are left out, with a notice.

    Raises BuildError if none is left.
    """
    ready: dict[str, Ready] = {}
    menu: dict[str, dict[str, Benchmark]] = {}
    refused: list[HostError] = []
    further = [name for name in benchmarks if has_parameters(name)]
    said = list(notices)
    for implementation in implementations:
        try:
            with events.busy(f"compiling the benchmarks for {implementation.id} (kept for next time)"):
                program = build(implementation)
                menu[implementation.id] = {
                    benchmark.name: benchmark
                    for benchmark in list_benchmarks(implementation, program, further, files)
                }
            ready[implementation.id] = Ready(implementation, program)
        except BuildError as error:
            refused.append(error)
            said.append(Notice("build-failed", f"{implementation.id} is left out: {error}", error.remedy))
    if not ready:
        raise refused[0]
    return Built(ready, menu, tuple(said))


@contextlib.contextmanager
def up(testbed: TestbedKind, events: Events) -> Iterator[tuple[TestbedKind, tuple[PathFigures, ...]]]:
    """Yield the testbed, up within, and what its paths measure now: a run says what it was measured on."""
    topology = testbed.topology()
    with contextlib.ExitStack() as stack:
        with events.busy(f"bringing up {testbed.name}") as update:
            stack.enter_context(testbed)
            update(f"measuring the paths of {testbed.name}")
            paths = check_paths(testbed, topology, quick=True) if topology and topology.links else ()
        yield testbed, paths


def the_one(name: str, known: Sequence[Implementation]) -> str:
    """Return the id of the one implementation that `name` means. Raises InputError if it could be several."""
    meant = select.matching(name, known)
    if len(meant) > 1:
        ids = ", ".join(implementation.id for implementation in meant)
        raise InputError(f"'{name}' could be any of {ids}", "name one of them")
    return meant[0].id
