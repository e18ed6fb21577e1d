"""What `fit` is asked for, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rankwise.analysis.fit.point_to_point import ClassFit
from rankwise.core.platform import Platform
from rankwise.core.records import Notice
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows.configurations import ProfileChoice

SECONDS_PER_CLASS = 60.0


@dataclass(frozen=True, slots=True)
class FitRequest:
    """A platform to be measured: one testbed with one implementation, as it is or with a profile."""

    command_line: str
    implementation: str
    testbed: TestbedKind = field(default_factory=LocalTestbed)
    prefixes: tuple[Path, ...] = ()
    profile: ProfileChoice | None = None
    time_budget_seconds: float = 0.0
    """For all stages; 0: a minute for each class of pairs, and what the others take."""
    seed: int | None = None
    parent: int = 0
    """The run that this one is part of."""


@dataclass(frozen=True, slots=True, eq=False)
class FitResult:
    """The platform as far as the stages measured it."""

    platform: Platform
    run_id: int
    """Of the point-to-point stage."""
    noisy: tuple[Notice, ...] = ()
    """What varied so much that its figures mean nothing; the verb ends with exit code 1."""
    notices: tuple[Notice, ...] = ()
    """What could not be measured."""
    fits: Mapping[str, ClassFit] = field(default_factory=dict)
    """Of single messages, by class: with pLogP's parameters, which a platform does not keep."""
