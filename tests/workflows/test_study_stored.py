"""A study learns what an installation says of its own algorithms, and nothing of one that is gone."""

from __future__ import annotations

import pytest

from rankwise.core.records import Cell, Implementation, Plan
from rankwise.studies import base
from rankwise.studies.base import Told
from rankwise.workflows.study_stored import told
from support.mpis import FOUND

STUDY = base.find("mcclements2006")
RUNS = {run.label: run for run in STUDY.runs}
GONE = Implementation("mpich-9", "mpich", "9", "/gone", "/gone/mpicc", "/gone/mpiexec", "prefix")
PLAN = Plan(tuple(Cell("mpich-9", "bcast", size, 4) for size in (8, 1 << 20)), 0, 1.0)


def test_an_installation_that_is_gone_says_nothing() -> None:
    found = told(STUDY, RUNS["cluster-4"], [GONE], PLAN)
    assert set(found) == {("mpich-9", one) for one in ("allgather", "bcast", "gather", "reduce", "reduce_scatter")}
    assert all(one == Told() for one in found.values())


SELECTING = [one for one in FOUND if one.family == "mpich" and not one.version.startswith("3")]
"""From MPICH 4 on there is a selection that can be read."""


def test_a_study_without_schedules_asks_nobody() -> None:
    other = base.find("eickermann1999")
    assert told(other, other.runs[0], [GONE], PLAN) == {}


@pytest.mark.mpi
@pytest.mark.parametrize("implementation", SELECTING, ids=lambda one: one.id)
def test_mpich_says_what_it_takes(implementation: Implementation) -> None:
    found = told(STUDY, RUNS["cluster-4"], [implementation], PLAN)
    gather = found[implementation.id, "gather"]
    assert gather.default == {8: "binomial", 1 << 20: "binomial"}
    assert "binomial" in gather.known
    assert found[implementation.id, "reduce_scatter"].default == {8: "recursive_halving", 1 << 20: "pairwise"}


@pytest.mark.mpi
@pytest.mark.parametrize(
    "implementation", [one for one in FOUND if one.family == "openmpi"], ids=lambda one: one.id
)
def test_open_mpi_lists_its_algorithms_but_not_which_it_takes(implementation: Implementation) -> None:
    bcast = told(STUDY, RUNS["local-4"], [implementation], PLAN)[implementation.id, "bcast"]
    assert set(bcast.default.values()) == {""}
    assert {"binomial", "pipeline", "basic_linear"} <= bcast.known
