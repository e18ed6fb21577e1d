"""The part of a launch that one configuration runs."""

from __future__ import annotations

from dataclasses import dataclass

from rankwise.core.configuration import Configuration
from rankwise.core.jobs import Job
from rankwise.core.records import Implementation, Segment
from rankwise.measurement.job import program_line


@dataclass(frozen=True, slots=True)
class LaunchPart:
    """The part of a launch that one configuration runs: what becomes a `Segment` once it is started."""

    implementation: Implementation
    configuration: Configuration
    job: Job

    @property
    def segment(self) -> Segment:
        """The part as it is stored."""
        return Segment(self.implementation.id, self.job.ranks, self.configuration.id, program_line(self.job))
