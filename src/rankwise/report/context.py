"""What a page tells beside its results: the answer in words, and where the numbers come from."""

from __future__ import annotations

from dataclasses import dataclass

from rankwise.core.network import NetworkFigures, PathFigures, Topology
from rankwise.core.records import Fact, Implementation, Library, Plan, RunSummary
from rankwise.report.page import moment


@dataclass(frozen=True, slots=True)
class LaunchCommand:
    """A launch command is the exact line that starts one implementation as the run did."""

    implementation: str
    command: str


@dataclass(frozen=True, slots=True)
class LoadedLibrary:
    """A loaded library is one that the ranks of an implementation had, as their kernels showed."""

    implementation: str
    library: Library


@dataclass(frozen=True, slots=True)
class ReportContext:
    """A context is what is known of a run beside its results; `sentences` give the answer, as plain text."""

    title: str
    sentences: tuple[str, ...]
    run: RunSummary
    plan: Plan
    implementations: tuple[Implementation, ...]
    facts: tuple[Fact, ...]
    commands: tuple[LaunchCommand, ...]
    command_line: str
    """The `rankwise` line that measures all of it again."""
    generated_at: float
    """Seconds since the epoch."""
    extra: tuple[Fact, ...] = ()
    """Further lines of provenance: Rankwise's version, the store's path."""
    topology: Topology | None = None
    """The testbed's description; None where there is no network to describe."""
    paths: tuple[PathFigures, ...] = ()
    """Its paths, measured when it was brought up."""
    network: NetworkFigures | None = None
    """What the emulated network did during the launches (`analysis.network`)."""
    libraries: tuple[LoadedLibrary, ...] = ()


def origin(run: RunSummary) -> str:
    """Return when and where a run was measured, as the line above a page's title says it."""
    return f"{moment(run.created_at)} · testbed {run.testbed} · run {run.id}"
