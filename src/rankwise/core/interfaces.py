"""What the siblings below `analysis` need of one another, as protocols; only `cli` puts the pieces together."""

from __future__ import annotations

from typing import Protocol

from rankwise.core.records import Fact, Host, Implementation, Job, LaunchSteps, Outcome


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
