"""What a report tells beside the comparison itself: the answer in words, and where the numbers come from."""

from __future__ import annotations

from dataclasses import dataclass

from rankwise.core.network import NetworkFigures, PathFigures, Topology
from rankwise.core.records import Fact, Implementation, Plan, RunSummary


@dataclass(frozen=True, slots=True)
class LaunchCommand:
    """The exact line that starts one implementation as the run did."""

    implementation: str
    command: str


@dataclass(frozen=True, slots=True)
class ReportContext:
    """Everything around the comparison. `sentences` give the answer, most important first, as plain text."""

    title: str
    sentences: tuple[str, ...]
    run: RunSummary
    plan: Plan
    implementations: tuple[Implementation, ...]
    facts: tuple[Fact, ...]
    commands: tuple[LaunchCommand, ...]
    command_line: str
    """The `rankwise` line that makes the whole comparison again."""
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
