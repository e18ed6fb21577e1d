"""The frozen records of one run as `rankwise show` tells it: everything but the samples."""

from __future__ import annotations

from dataclasses import dataclass

from rankwise.core.configuration import Configuration
from rankwise.core.records import (
    Cell,
    CellFailure,
    Fact,
    Implementation,
    Library,
    Notice,
    Plan,
    Quantity,
    RunSummary,
    Segment,
    Starts,
)


@dataclass(frozen=True, slots=True)
class LaunchView:
    """One launch without its samples."""

    number: int
    implementation: str
    ranks: int
    status: str
    seconds: float
    command: str
    environment: dict[str, str]
    reason: str
    segments: tuple[Segment, ...] = ()
    """Who ran what; the configuration of each says what it loaded."""
    stage: str = ""
    """Of a search."""
    verifying: bool = False
    """Looked at data, timed nothing."""
    transports: str = ""
    """What carried its messages, as the library told."""
    stdout: str = ""
    stderr: str = ""
    """What was printed, without the results."""


@dataclass(frozen=True, slots=True)
class CellView:
    """One cell over its launches: the median of their values with its 95 % interval; nan of one launch."""

    cell: Cell
    quantity: Quantity
    launches: int
    samples: int
    median_seconds: float
    low_seconds: float
    high_seconds: float
    starts: Starts = ""
    """How repetitions began."""


@dataclass(frozen=True, slots=True)
class ConfigurationView:
    """One configuration that the run's launches loaded."""

    id: str
    labels: tuple[str, ...]
    """What people call it: a profile's name, or the names of trials."""
    launches: tuple[int, ...]
    """The numbers of the launches that loaded it."""
    configuration: Configuration


@dataclass(frozen=True, slots=True)
class LibraryView:
    """A library that the ranks of an implementation had loaded, and in how many launches that was seen."""

    implementation: str
    library: Library
    launches: int


@dataclass(frozen=True, slots=True)
class RunView:
    """Everything that is known of one run."""

    run: RunSummary
    baseline: str
    spent_seconds: float
    plan: Plan
    implementations: tuple[Implementation, ...]
    facts: tuple[Fact, ...]
    resumed_facts: tuple[tuple[Fact, ...], ...]
    launches: tuple[LaunchView, ...]
    cells: tuple[CellView, ...]
    failures: tuple[CellFailure, ...]
    notices: tuple[Notice, ...]
    configurations: tuple[ConfigurationView, ...] = ()
    libraries: tuple[LibraryView, ...] = ()
