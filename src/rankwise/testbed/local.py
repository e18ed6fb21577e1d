"""The testbed `local`: every rank on this host."""

from __future__ import annotations

import socket

from rankwise.core import process
from rankwise.core.records import Fact, Host, LaunchSteps, Outcome
from rankwise.testbed import host


class LocalTestbed:
    """Starts everything on this host, as this user."""

    name = "local"

    def hosts(self) -> tuple[Host, ...]:
        """This host, with the cores this process may use."""
        return (Host(socket.gethostname(), host.usable_cores()),)

    def facts(self) -> tuple[Fact, ...]:
        """Provenance of this host."""
        return host.facts()

    def run(self, steps: LaunchSteps, limit_seconds: float, end_marker: str = "") -> Outcome:
        """Run them here; nothing of it is left running."""
        return process.run_steps(steps, limit_seconds, end_marker)
