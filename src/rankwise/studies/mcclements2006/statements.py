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


def statements(found: Findings) -> tuple[Statement, ...]:
    """Return all statements, each with the check that is made of it here."""
    run = found.runs.get(label(CLUSTER, 4))
    return (
        *algorithm_statements(found),
        *on_shared_memory(found),
        *on_gigabit(found),
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
    found = {name: one for name in names if run and (one := run.excess(name, OPERATIONS))}
    return claims.about_all(claim, found, lambda one: at_least(one, _POOR), wording.ratio)


def _same_core(run: Measured | None) -> Statement:
    claim = Claim(
        "same-core",
        "With “the same high-level algorithm” on each, given Open MPI's point-to-point results, “one would expect "
        f"to see results similar to those of MPICH2”. Here: the same schedules within {_SAME_CORE} times, on 4 "
        "nodes.",
        "4.4",
    )
    found = {}
    for name in of_family(run.implementations, OPENMPI) if run else ():
        for other in of_family(run.implementations, MPICH)[:1] if run else ():
            if run and (one := core(run, name, other)):
                found[f"{name} over {other}"] = one
    return claims.about_all(claim, found, lambda one: between(one, 1 / _SAME_CORE, _SAME_CORE), wording.ratio)


def _choice_matters(run: Measured | None) -> Statement:
    claim = Claim(
        "choice-matters",
        "“The choice of algorithm has major consequences to the effectiveness of an implementation”, as Allgather "
        f"showed. Here: on one and the same core its slowest schedule takes at least {_MAJOR:g} times as long as "
        "its fastest, on 4 nodes.",
        "4.1 and figure 3.23",
    )
    found = {name: one for name in (run.implementations if run else ()) if run and (one := _spread(run, name))}
    return claims.about_all(claim, found, lambda one: at_least(one, _MAJOR), wording.ratio)


def core(run: Measured, name: str, other: str, operations: Sequence[str] = OPERATIONS) -> Range | None:
    """Return the same schedules on one core over those on another: a geometric mean over schedules and sizes."""
    schedules = [one for operation in operations for one in run.schedules(name, operation)]
    return mean_of([one for schedule in schedules for one in run.over(name, other, schedule).values()])


def _spread(run: Measured, name: str) -> Range | None:
    """The slowest schedule of Allgather over the fastest: a geometric mean over sizes."""
    times = [run.seconds(name, one) for one in run.schedules(name, _ALLGATHER)]
    ratios = []
    for size in sorted({size for one in times for size in one}):
        here = sorted((one[size] for one in times if size in one), key=lambda one: one.value)
        if len(here) > 1:
            ratios.append(here[-1] / here[0])
    return mean_of(ratios)
