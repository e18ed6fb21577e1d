"""The testbed `local`: every rank on this host."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import replace

from rankwise.core import process
from rankwise.core.jobs import LaunchSteps, Outcome
from rankwise.core.network import Node, Topology
from rankwise.core.records import Fact
from rankwise.core.toml_places import Entry
from rankwise.testbeds import host
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.description.section import Section, testbed_name


def this_host() -> Topology:
    """Return this host alone, with the cores that this process may use."""
    node = Node(socket.gethostname(), site="here", cores=host.usable_cores())
    return Topology(name="local", kind="local", sites=("here",), nodes=(node,))


class LocalTestbed(TestbedKind):
    """A local testbed starts everything on this host, as this user."""

    kind = "local"

    def __init__(self, topology: Topology | None = None) -> None:
        super().__init__(topology or this_host())

    @classmethod
    def describe(cls, table: Entry, name: str) -> Topology:
        """Return this host alone, by the name in the file. Raises InputError with file, line and key."""
        top = Section(table, ("name", "description", "kind"))
        return replace(this_host(), name=testbed_name(top, name), description=top.text("description"))

    def topology(self) -> None:
        """Return None: there is no network in it."""

    def facts(self) -> tuple[Fact, ...]:
        """Return the provenance of this host."""
        return host.facts()

    def run(self, steps: LaunchSteps, hosts: Sequence[str], limit_seconds: float, end_marker: str = "") -> Outcome:
        """Run them here; nothing of it is left running."""
        return process.run_steps(steps, limit_seconds, end_marker)
