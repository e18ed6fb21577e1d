"""What the siblings below `analysis` need of one another, as protocols; `workflows` puts the pieces together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rankwise.core.jobs import Host, Job, LaunchSteps, Outcome, ProcessStart
from rankwise.core.network import Topology
from rankwise.core.records import Fact, Implementation


class Launcher(Protocol):
    """Knows the launch line of every MPI family (`rankwise.mpi`)."""

    def steps(self, implementation: Implementation, job: Job) -> LaunchSteps:
        """Return the commands that start `job` under `implementation`."""
        ...


class Testbed(Protocol):
    """Hosts, and a way to start something on them (`rankwise.testbeds`). Used between `up` and `down`."""

    name: str

    def up(self) -> None:
        """Bring it up, or do nothing if it is. Raises HostError with what this host lacks."""
        ...

    def down(self) -> None:
        """Leave nothing of it behind; what was up before `up` stays up."""
        ...

    def hosts(self) -> tuple[Host, ...]:
        """Return the hosts, in rank order; the slots of each are the ranks it takes before it counts as full."""
        ...

    def process_start(self) -> ProcessStart:
        """Say how a launcher is to start processes on the hosts."""
        ...

    def topology(self) -> Topology | None:
        """Return its description; None where there is no network to describe."""
        ...

    def oversubscribed(self, hosts: Sequence[str]) -> bool:
        """Say whether ranks on these hosts (one entry a rank) share cores, so that waiting must yield."""
        ...

    def has_fabrics(self) -> bool:
        """Say whether messages may go by anything but shared memory and TCP."""
        ...

    def facts(self) -> tuple[Fact, ...]:
        """Provenance of the hosts, read now."""
        ...

    def run(self, steps: LaunchSteps, hosts: Sequence[str], limit_seconds: float, end_marker: str = "") -> Outcome:
        """Run `steps` for a job on these hosts (one entry a rank; none: this host), the launcher on the first.

        Everything is ended at the limit, or soon after `end_marker` was printed. Raises HostError if a
        command cannot be started; a testbed that breaks down is told in the outcome.
        """
        ...
