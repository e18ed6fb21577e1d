"""What the siblings below `analysis` need of one another, as protocols; only `cli` puts the pieces together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from rankwise.core.records import CellFailure, Fact, Host, Implementation, Job, Launch, LaunchSteps, Outcome


class Launcher(Protocol):
    """Knows the launch line of every MPI family (`rankwise.mpi`)."""

    def steps(self, implementation: Implementation, job: Job) -> LaunchSteps:
        """The commands that start `job` under `implementation`."""
        ...


class Testbed(Protocol):
    """Hosts, and a way to start something on them (`rankwise.testbed`)."""

    name: str

    def hosts(self) -> tuple[Host, ...]:
        """The hosts, in rank order; the slots of each are the cores it may use."""
        ...

    def facts(self) -> tuple[Fact, ...]:
        """Provenance of the hosts, read now."""
        ...

    def run(self, steps: LaunchSteps, limit_seconds: float, end_marker: str = "") -> Outcome:
        """Run `steps`; end everything at the limit, or soon after `end_marker` was printed."""
        ...


class LaunchSink(Protocol):
    """Takes every launch as soon as it ends (`rankwise.store`)."""

    def add_launch(self, run_id: int, launch: Launch) -> None:
        """Store one launch durably, or raise StoreError."""
        ...

    def add_failures(self, run_id: int, failures: Iterable[CellFailure]) -> None:
        """Store cells that failed before any launch (a build error, an unsupported benchmark)."""
        ...
