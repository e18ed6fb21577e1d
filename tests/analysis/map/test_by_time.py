"""Swaps shorten the predicted time where bytes times distance see nothing; pinned ranks stay where they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from rankwise.analysis.map.by_time import SwapEffort, Timed, place_by_time
from rankwise.analysis.map.cost import IntArray, machine_of
from rankwise.analysis.map.placing import Placed, Problem
from rankwise.core.jobs import Host

HOSTS = [Host("a1", 2, "a"), Host("a2", 2, "a"), Host("b1", 2, "b")]
NOW = np.array([0, 1, 0, 1])
WANTED = np.array([0, 0, 2, 2])


MACHINE = machine_of(HOSTS)


def nodes(slots: IntArray) -> IntArray:
    return MACHINE.node_of[slots[:4]]


def predict(placements: Sequence[IntArray]) -> list[float]:
    """A second for each rank that is not where it is wanted, and one."""
    return [1.0 + float(np.sum(nodes(one) != WANTED)) for one in placements]


def placed(pinned: dict[int, int], *, ticks: int = 400) -> list[Timed]:
    nothing = csr_array((4, 4))
    problem = Problem(nothing, MACHINE, NOW, pinned)
    clock = iter(range(ticks + 2))
    other = MACHINE.slots_of(np.array([1, 0, 1, 0]))
    starts = [Placed(MACHINE.slots_of(NOW), 0.0, "now"), Placed(other, 0.0, "cut, swapped")]
    return place_by_time(problem, starts, predict, SwapEffort(ticks, 2, lambda: float(next(clock))))


def test_the_shortest_is_found_from_the_better_start_with_free_slots() -> None:
    best, *others = placed({})
    assert nodes(best.slots).tolist() == WANTED.tolist()
    assert (best.seconds, best.start) == (1.0, "now, swapped by time")
    assert [(one.start, one.seconds) for one in others] == [("now", 4.0), ("cut, swapped", 4.0)]


def test_pinned_ranks_stay_and_a_start_without_them_is_no_start() -> None:
    best = placed({0: 1})[0]
    assert best.start == "cut, swapped, swapped by time"
    assert nodes(best.slots)[0] == 1
    assert nodes(best.slots)[1:].tolist() == WANTED[1:].tolist()


def test_without_time_only_the_starts_are_predicted() -> None:
    assert [one.start for one in placed({}, ticks=0)] == ["now", "cut, swapped"]
    everything = dict(enumerate(NOW.tolist()))
    assert placed(everything)[0].start == "now", "nothing can be swapped"
