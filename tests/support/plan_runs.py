"""Many plans in one launch, and those that fail found out one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from support.plans import EVERYTHING, plans
from support.smaller_plans import smaller

Launch = Callable[[Path], str]
"""Starts the interpreter on a file of plans, and returns all that it prints."""


@dataclass(frozen=True)
class Failure:
    """A plan that is not right, and what was printed."""

    plan: str
    printed: str


def drawn(
    count: int, sites: tuple[int, ...], without: frozenset[str] = EVERYTHING, *, number: int = 0
) -> list[str]:
    """Draw so many plans; the same ones for the same number."""
    found: list[str] = []

    @seed(number)
    @settings(
        max_examples=count, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(plans(sites, without))
    def collect(plan: str) -> None:
        found.append(plan)

    collect()
    return found[:count]


def heading(name: object, ranks: int) -> str:
    """The line that a plan begins with."""
    return f"plan {name} {ranks}\n"


def run_plans(
    all_plans: Sequence[str], ranks: int, folder: Path, launch: Launch, *, most: int = 3
) -> list[Failure]:
    """Run all in as few launches as can be; give up after so many failures."""
    failures: list[Failure] = []
    first = 0
    while first < len(all_plans) and len(failures) < most:
        file = folder / "plans.txt"
        named = [f"{heading(first + i, ranks)}{plan}end\n" for i, plan in enumerate(all_plans[first:])]
        file.write_text("".join(named))
        printed = launch(file)
        ended = {int(name): verdict for name, verdict in re.findall(r"plan (\d+): (right|wrong)$", printed, re.M)}
        failures += [
            Failure(all_plans[number], about(printed, number))
            for number, verdict in ended.items()
            if verdict == "wrong"
        ]
        first = max(ended, default=first - 1) + 1
        if first < len(all_plans):  # this one has ended the job
            failures.append(Failure(all_plans[first], about(printed, first)))
            first += 1
    return failures


def about(printed: str, number: int) -> str:
    """What was said of a plan, or the end of all that was."""
    said = re.findall(rf"^.*plan {number}\b.*\n(?:    .*\n)?", printed, re.MULTILINE)
    return "".join(said) or printed[-2000:]


def smallest(failure: Failure, ranks: int, folder: Path, launch: Launch) -> str:
    """The failing plan without all that it fails without, as a file to keep."""

    def fails(plan: str) -> bool:
        file = folder / "smaller.txt"
        file.write_text(f"{heading(0, ranks)}{plan}end\n")
        return "plan 0: right" not in launch(file)

    plan = smaller(failure.plan, fails) if fails(failure.plan) else failure.plan
    return f"{heading('kept', ranks)}{plan}end\n"
