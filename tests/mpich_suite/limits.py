"""The documented limits: where a test of the suite may go otherwise than natively, and why (limits.toml)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from mpich_suite.modes import Mode, Outcome
from mpich_suite.testlist import SuiteTest

FILE = Path(__file__).with_name("limits.toml")


@dataclass(frozen=True, slots=True)
class Limit:
    """Some tests, in some modes, and why they do not go as natively there."""

    tests: tuple[str, ...]
    """Patterns of their names, as a shell has them."""
    under: tuple[str, ...]
    """Patterns of modes' names."""
    reason: str
    says: str = ""
    """An expression that is found in the output then."""

    def covers(self, test: SuiteTest, mode: Mode) -> bool:
        """Whether it is about this test in this mode."""
        return any(fnmatchcase(test.id, one) for one in self.tests) and any(
            fnmatchcase(mode.name, one) for one in self.under
        )

    def explains(self, outcome: Outcome) -> bool:
        """Whether the test went wrong as the limit says."""
        return bool(re.search(self.says, outcome.printed))


@cache
def limits() -> tuple[Limit, ...]:
    """Return all of the list."""
    entries = tomllib.loads(FILE.read_text())["limit"]
    return tuple(
        Limit(tuple(one["tests"]), tuple(one["under"]), one["reason"], one.get("says", "")) for one in entries
    )


def limit_of(test: SuiteTest, mode: Mode, outcome: Outcome) -> Limit | None:
    """Return the limit for which a test went wrong, if there is one."""
    return next((one for one in limits() if one.covers(test, mode) and one.explains(outcome)), None)
