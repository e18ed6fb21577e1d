"""The testbed `replay`, for unit tests only: answers each launch with an outcome that was recorded or made up."""

from __future__ import annotations

from collections.abc import Callable

from rankwise.core.records import Fact, Host, LaunchSteps, Outcome


class ReplayTestbed:
    """`answer` gets the launcher's argv and returns its outcome; nothing is started."""

    name = "replay"

    def __init__(self, answer: Callable[[tuple[str, ...]], Outcome], slots: int = 4) -> None:
        self._answer = answer
        self._slots = slots

    def hosts(self) -> tuple[Host, ...]:
        """One host with the slots asked for."""
        return (Host("replay", self._slots),)

    def facts(self) -> tuple[Fact, ...]:
        """Only that nothing here was measured."""
        return (Fact("testbed", "replay: nothing was measured"),)

    def run(self, steps: LaunchSteps, limit_seconds: float, end_marker: str = "") -> Outcome:
        """The answer to this launch."""
        return self._answer(steps.main.argv)
