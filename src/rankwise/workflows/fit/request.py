"""What `fit` is asked for, and what it answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from rankwise.analysis.fit.point_to_point import ClassFit
from rankwise.core.plain import plain
from rankwise.core.platform import Platform
from rankwise.core.records import Notice
from rankwise.report.platform_view import noise_parts, platform_parts
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

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows: the platform, and what was too noisy."""
        yield from platform_parts(self.platform)
        yield from noise_parts(self.noisy)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer for programs, as `--json` prints it."""
        values: dict[str, Any] = plain({
            "run": self.run_id, "platform": self.platform, "noisy": self.noisy, "notices": self.notices,
            "plogp": {name: fit.plogp for name, fit in self.fits.items()},
            "gap_seconds_per_byte": {name: fit.gap_seconds_per_byte for name, fit in self.fits.items()},
        })  # fmt: skip
        return values
