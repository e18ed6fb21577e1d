"""The testbed `local`: every rank on this host."""

from __future__ import annotations

import socket

from rankwise.core import process
from rankwise.core.records import Fact, Host, LaunchSteps, Outcome
from rankwise.testbed import host

STEP_LIMIT_SECONDS = 30.0
"""For what is run before and after the launcher (lamboot, lamhalt)."""


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
        """Run `before`, the launcher, then `after` in any case; nothing of it is left running.

        A step before the launcher that fails is returned as the outcome, and the launcher is not started.
        """
        mark = process.new_mark()
        try:
            for command in steps.before:
                outcome = process.run(command.argv, STEP_LIMIT_SECONDS, environment=command.environment, mark=mark)
                if outcome.returncode != 0:
                    return outcome
            return process.run(
                steps.main.argv,
                limit_seconds,
                environment=steps.main.environment,
                end_marker=end_marker,
                mark=mark,
            )
        finally:
            for command in steps.after:
                process.run(command.argv, STEP_LIMIT_SECONDS, environment=command.environment, mark=mark)
            process.end_marked(mark)
