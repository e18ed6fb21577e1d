"""The coupled applications of Eickermann 1999 (section 4), each in a site and across the two, in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rankwise.core.coupled import PATTERNS, Pattern
from rankwise.core.units import format_time
from rankwise.studies import claims, wording
from rankwise.studies.application_figures import NUMBER, figures_of
from rankwise.studies.base import (
    Application,
    Applications,
    Claim,
    Effort,
    Results,
    Row,
    Statement,
    StatementVerdict,
    StudyRun,
    Table,
)
from rankwise.studies.ranges import Range, at_least, at_most

LABEL = "coupled"
WITHIN, ACROSS = "hosts=ultra60+t3e", "hosts=ultra60+e5000"
"""Hosts of one line rate: what differs is the way between them."""
SMALL = 1.05
"""As many times longer a step may be, and not suffer."""
LARGE = 1.1
CAVEAT = (
    "The coupled applications are their patterns of communication as section 4 tells them; what models compute is "
    "waited for. Fluid-structure interaction, of which the paper says no more than that it depends on the "
    "coupled codes, and the four programs of the lithosphere are not here."
)
NOT_RUN = "The coupled applications of section 4 were not run, which --quick leaves out."


def step_of(pattern: str) -> str:
    """Return the name of the figure that is the time of a step."""
    return f"{pattern} step"


def exchange_of(pattern: str) -> str:
    """Return the name of the figure that is the time of a step's messages."""
    return f"{pattern} exchange"


def _figures(pattern: Pattern) -> tuple[tuple[str, str], ...]:
    """Each prints how large its field is, by which they are told apart."""
    line = rf'"app": "coupled".*?"bytes": {pattern.field_bytes},.*?'
    return (
        (step_of(pattern.name), rf'{line}"step_seconds": {NUMBER}'),
        (exchange_of(pattern.name), rf'{line}"exchange_seconds": {NUMBER}'),
    )


RUN = StudyRun(
    LABEL, "Coupled models, in Jülich and across both sites", "gigabit-testbed-1999", (),
    Effort((), 5, 2400, 0.0, 120), None, ACROSS, beside=(WITHIN,), nodes=("ultra60", "t3e", "e5000"),
    applications=Applications(
        tuple(Application("coupled", "", pattern.options) for pattern in PATTERNS),
        tuple(figure for pattern in PATTERNS for figure in _figures(pattern)),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Steps:
    """Seconds of one pattern by implementation."""

    pattern: Pattern
    within: Mapping[str, Range]
    across: Mapping[str, Range]
    exchange_within: Mapping[str, Range]
    exchange_across: Mapping[str, Range]

    @property
    def longer(self) -> dict[str, Range]:
        """How many times longer a step takes across the sites."""
        return {name: far / self.within[name] for name, far in self.across.items() if name in self.within}


def measured(results: Results | None) -> tuple[Steps, ...]:
    """Return the steps of each pattern."""

    def by_implementation(figure: str, placement: str) -> dict[str, Range]:
        return {name: own[figure] for name, own in figures_of(results, (figure,), placement).items()}

    return tuple(
        Steps(
            pattern,
            *(
                by_implementation(of(pattern.name), where)
                for of in (step_of, exchange_of)
                for where in (WITHIN, ACROSS)
            ),
        )
        for pattern in PATTERNS
    )


def coupled_table(steps: tuple[Steps, ...]) -> Table:
    """Return what steps and their messages take, a row for each pattern and implementation."""
    rows = [
        Row(
            f"{pattern_steps.pattern.name}, {name}",
            (
                *(
                    wording.with_interval(of[name], format_time) if name in of else "–"
                    for of in (
                        pattern_steps.within,
                        pattern_steps.across,
                        pattern_steps.exchange_within,
                        pattern_steps.exchange_across,
                    )
                ),
                _more(pattern_steps.across[name] - near) if name in pattern_steps.across else "–",
            ),
            name,
        )
        for pattern_steps in steps
        for name, near in pattern_steps.within.items()
    ]
    return Table(
        "Coupled applications: what a step takes",
        ("step in a site", "across", "its messages in a site", "across", "the WAN costs"), tuple(rows),
        "Section 4 of the paper, which gives no times. Medians over launches of the median step; in brackets: "
        "intervals.",
    )  # fmt: skip


def _more(difference: Range) -> str:
    def signed(seconds: float) -> str:
        return ("+" if seconds >= 0 else "−") + format_time(abs(seconds))

    return wording.with_interval(difference, signed)


def coupled_statements(steps: tuple[Steps, ...]) -> tuple[Statement, ...]:
    """Return what the paper says of its applications, and what becomes of it."""
    loose = Claim(
        "coupled-loose",
        "Where the coupled components “are often only loosely coupled”, the distributed program does not suffer: "
        "ground water and climate, here with a step at most 5 % longer across the sites.",
        "4",
    )
    sensible = Claim(
        "coupled-meg",
        "MEG analysis “is sensible to latency, because one cycle takes only a few milliseconds”: here, at least "
        "10 % longer across the sites.",
        "4",
    )
    hidden = Claim(
        "coupled-hidden",
        "In molecular dynamics “latency is hidden by the algorithm”: a step at most 5 % longer across the sites.",
        "4",
    )
    return (
        _about(loose, steps, ("groundwater", "climate"), lambda estimate: at_most(estimate, SMALL)),
        _about(sensible, steps, ("meg",), lambda estimate: at_least(estimate, LARGE)),
        _about(hidden, steps, ("molecular",), lambda estimate: at_most(estimate, SMALL)),
    )


def _about(
    claim: Claim, steps: tuple[Steps, ...], names: tuple[str, ...], judge: Callable[[Range], StatementVerdict]
) -> Statement:
    own = {
        f"{name} with {pattern_steps.pattern.name}" if len(names) > 1 else name: ratio
        for pattern_steps in steps
        if pattern_steps.pattern.name in names
        for name, ratio in pattern_steps.longer.items()
    }
    return claims.about_all(claim, own, judge, wording.ratio)
