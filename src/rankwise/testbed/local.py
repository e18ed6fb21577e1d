"""The testbed `local`: every rank on this host."""

from __future__ import annotations

import socket
from collections.abc import Sequence

from rankwise.core import process
from rankwise.core.network import Node, Topology
from rankwise.core.records import Fact, LaunchSteps, Outcome
from rankwise.testbed import host
from rankwise.testbed.base import TestbedKind


def this_host() -> Topology:
    """This host alone, with the cores that this process may use."""
    node = Node(socket.gethostname(), site="here", cores=host.usable_cores())
    return Topology(name="local", kind="local", sites=("here",), nodes=(node,))


class LocalTestbed(TestbedKind):
    """Starts everything on this host, as this user."""

    kind = "local"

    def __init__(self, topology: Topology | None = None) -> None:
        super().__init__(topology or this_host())

    def topology(self) -> None:
        """There is no network in it."""

    def facts(self) -> tuple[Fact, ...]:
        """Provenance of this host."""
        return host.facts()

    def run(self, steps: LaunchSteps, hosts: Sequence[str], limit_seconds: float, end_marker: str = "") -> Outcome:
        """Run them here; nothing of it is left running."""
        return process.run_steps(steps, limit_seconds, end_marker)
