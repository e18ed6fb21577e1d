"""All statements in the paper's order; here those of its conclusions, on algorithms and cores."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.studies import claims, wording
from rankwise.studies.base import Claim, Statement
from rankwise.studies.mcclements2006.algorithms import algorithm_statements
from rankwise.studies.mcclements2006.findings import MPICH, OPENMPI, Findings, Measured, mean_of, of_family
from rankwise.studies.mcclements2006.gigabit import on_gigabit
from rankwise.studies.mcclements2006.plan import CLUSTER, OPERATIONS, PAPER, label
from rankwise.studies.mcclements2006.shared_memory import on_shared_memory
from rankwise.studies.ranges import Range, at_least, between

_SAME_CORE = 1.25
_POOR = 1.1
_MAJOR = 1 / PAPER["scaliwag_allgather_mpich2_over_openmpi"]
"""What the algorithm of Allgather made out in the paper."""
_ALLGATHER = "allgather"


def statements(findings: Findings) -> tuple[Statement, ...]:
    """Return all statements, each with the check that is made of it here."""
    run = findings.runs.get(label(CLUSTER, 4))
    return (
        *algorithm_statements(findings),
        *on_shared_memory(findings),
        *on_gigabit(findings),
        _poor_choice(run),
        _same_core(run),
        _choice_matters(run),
    )


def _poor_choice(run: Measured | None) -> Statement:
    claim = Claim(
        "poor-choice",
        f"“Open MPI has poor algorithm choice.” Here: its collectives take at least {_POOR} times as long as the "
        "fastest schedule over its own core, on 4 nodes.",
        "4.1",
    )
    names = of_family(run.implementations, OPENMPI) if run else []
    excesses = {name: excess for name in names if run and (excess := run.excess(name, OPERATIONS))}
    return claims.about_all(claim, excesses, lambda estimate: at_least(estimate, _POOR), wording.ratio)


def _same_core(run: Measured | None) -> Statement:
    claim = Claim(
        "same-core",
        "With “the same high-level algorithm” on each, given Open MPI's point-to-point results, “one would expect "
        f"to see results similar to those of MPICH2”. Here: the same schedules within {_SAME_CORE} times, on 4 "
        "nodes.",
        "4.4",
    )
    ratios = {}
    for name in of_family(run.implementations, OPENMPI) if run else ():
        for other in of_family(run.implementations, MPICH)[:1] if run else ():
            if run and (ratio := core(run, name, other)):
                ratios[f"{name} over {other}"] = ratio
    return claims.about_all(
        claim, ratios, lambda estimate: between(estimate, 1 / _SAME_CORE, _SAME_CORE), wording.ratio
    )


def _choice_matters(run: Measured | None) -> Statement:
    claim = Claim(
        "choice-matters",
        "“The choice of algorithm has major consequences to the effectiveness of an implementation”, as Allgather "
        f"showed. Here: on one and the same core its slowest schedule takes at least {_MAJOR:g} times as long as "
        "its fastest, on 4 nodes.",
        "4.1 and figure 3.23",
    )
    spreads = {
        name: spread for name in (run.implementations if run else ()) if run and (spread := _spread(run, name))
    }
    return claims.about_all(claim, spreads, lambda estimate: at_least(estimate, _MAJOR), wording.ratio)


def core(run: Measured, name: str, other: str, operations: Sequence[str] = OPERATIONS) -> Range | None:
    """Return the same schedules on one core over those on another: a geometric mean over schedules and sizes."""
    schedules = [schedule for operation in operations for schedule in run.schedules(name, operation)]
    return mean_of([estimate for schedule in schedules for estimate in run.over(name, other, schedule).values()])


def _spread(run: Measured, name: str) -> Range | None:
    """The slowest schedule of Allgather over the fastest: a geometric mean over sizes."""
    times = [run.seconds(name, schedule) for schedule in run.schedules(name, _ALLGATHER)]
    ratios = []
    for size in sorted({size for by_size in times for size in by_size}):
        here = sorted((by_size[size] for by_size in times if size in by_size), key=lambda estimate: estimate.value)
        if len(here) > 1:
            ratios.append(here[-1] / here[0])
    return mean_of(ratios)
