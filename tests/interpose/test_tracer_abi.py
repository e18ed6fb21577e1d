"""Programs whose calls go by way of the standard ABI are recorded as any other: its own, and those of an MPI."""

from __future__ import annotations

import pytest

from support.abi import can_be_seen, compiled, needs_compiler
from support.mpis import FOUND
from support.overlay import compiled as native
from support.traced_program import check
from support.traces import recorded

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(300), needs_compiler]
IDS = [one.id for one in FOUND]
BY_DAY = ("mpich-5", "openmpi-5")


def only_two_by_day(ids: list[str]) -> list[object]:
    return [one if one.startswith(BY_DAY) else pytest.param(one, marks=pytest.mark.nightly) for one in ids]


@pytest.mark.parametrize("implementation_id", only_two_by_day(IDS))
def test_a_program_of_the_standard_abi(implementation_id: str) -> None:
    check(recorded(implementation_id, 3, [compiled("traced"), "3"]), 3, 3)


@pytest.mark.parametrize("end", ["exit", "abort"])
def test_one_that_does_not_end_well(end: str) -> None:
    one = next(one for one in IDS if one.startswith("mpich-5"))
    trace = recorded(one, 2, [compiled("traced"), "5", end], code=None)
    assert [len(one.order) > 100 and not one.complete for one in trace.ranks] == [True, True]


PAIRS = [(own, other) for own in IDS for other in IDS if can_be_seen(own, other)]


def pairs() -> list[object]:
    by_day = [pair for pair in PAIRS if pair[0] != pair[1] and all(one.startswith(BY_DAY) for one in pair)]
    rest = [pytest.param(*pair, marks=pytest.mark.nightly) for pair in PAIRS if pair not in by_day]
    return [*by_day, *rest]


@pytest.mark.parametrize(("own", "other"), pairs(), ids=str)
def test_a_program_of_another_mpi(own: str, other: str) -> None:
    check(recorded(other, 3, [native(own, "traced"), "3"], "--abi"), 3, 3)
