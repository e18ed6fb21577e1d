"""What is offered for nonblocking reductions keeps the order of operands; what is left out does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rankwise.core import process
from rankwise.core.jobs import Job
from rankwise.core.records import Implementation
from rankwise.core.tuning import Choice, Decision, Rule, Tuning
from rankwise.mpi.family import FamilyLauncher, family_named
from support.mpis import FOUND, by_day, working

IDS = [one.id for one in FOUND if one.family in ("openmpi", "mpich")]
REDUCTIONS = ("iallreduce", "iexscan", "ireduce", "iscan")
RANKS = 5
Wrong = tuple[Implementation, Callable[[str, str], int]]
"""How many results are wrong with an algorithm of an operation."""
pytestmark = pytest.mark.mpi


@pytest.fixture(scope="module", params=IDS)
def wrong(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Wrong:
    one, program = working(request.param), tmp_path_factory.mktemp("ordered") / "program"
    argv = [one.mpicc, "-O1", str(Path(__file__).with_name("ordered.c")), "-o", str(program)]
    assert process.run(argv, 60, environment=one.environment).returncode == 0

    def of(operation: str, algorithm: str) -> int:
        decision = Decision(operation, RANKS, (Rule(None, Choice(algorithm)),))
        native = family_named(one.family).native(one, Tuning(decisions=(decision,)))
        job = Job((str(program),), RANKS, oversubscribed=True, environment=native.environment)
        outcome = process.run_steps(FamilyLauncher().steps(one, job), 60)
        assert "wrong: " in outcome.stdout, outcome
        return int(outcome.stdout.partition("wrong: ")[2].split()[0])

    return one, of


@pytest.mark.parametrize("operation", by_day(REDUCTIONS, "iallreduce"))
def test_every_algorithm_that_is_offered_keeps_the_order(wrong: Wrong, operation: str) -> None:
    one, of = wrong
    tried = [algorithm.name for algorithm in family_named(one.family).algorithms(one).get(operation, ())]
    assert tried or operation != "iallreduce"
    assert {name: of(operation, name) for name in tried} == dict.fromkeys(tried, 0)


def test_what_is_left_out_does_not(wrong: Wrong) -> None:
    one, of = wrong
    if one.family == "openmpi":
        assert of("iallreduce", "ring") and of("ireduce", "chain")
