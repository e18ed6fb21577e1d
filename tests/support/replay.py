"""The testbed `replay`, for unit tests only: answers each launch with an outcome that was recorded or made up."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rankwise.core.jobs import LaunchSteps, Outcome
from rankwise.core.network import Node, Topology
from rankwise.core.records import Fact
from rankwise.core.toml_places import Entry
from rankwise.testbeds.base import TestbedKind


class ReplayTestbed(TestbedKind):
    """`answer` gets the launcher's argv and returns its outcome; nothing is started."""

    kind = "replay"

    def __init__(self, answer: Callable[[tuple[str, ...]], Outcome], slots: int = 4) -> None:
        super().__init__(Topology("replay", "replay", nodes=(Node("replay", site="", cores=slots),)))
        self._answer = answer

    @classmethod
    def describe(cls, table: Entry, name: str) -> Topology:
        """Refuse: a replay is made by a test, never described by a file."""
        raise table.refused("a replay is no testbed to measure on", "leave it to the tests")

    def facts(self) -> tuple[Fact, ...]:
        """Only that nothing here was measured."""
        return (Fact("testbed", "replay: nothing was measured"),)

    def run(self, steps: LaunchSteps, hosts: Sequence[str], limit_seconds: float, end_marker: str = "") -> Outcome:
        """The answer to this launch."""
        return self._answer(steps.main.argv)
