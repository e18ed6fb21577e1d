"""A search shares out its time among its stages, and ends while there is still time for the validation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from rankwise.analysis.validation.evidence import FIRST_LOOK
from rankwise.workflows.tune.budget import MOST_FIRST_LOOK_SHARE, Budget
from rankwise.workflows.tune.search import VALIDATION_LAUNCHES, StagedSearch


class Timed(StagedSearch):
    """Stages that take as long as they may, and a launch beyond; `validation` seconds are left to be validated."""

    def __init__(self, stages: Sequence[float], validation: float) -> None:
        self.now, self.validation = 0.0, validation
        self.stages = [
            SimpleNamespace(name=str(i), seconds=one, searches={"ours": []}, time_factor=1.0, stage=None)
            for i, one in enumerate(stages)
        ]
        self.deadlines: list[float] = []
        self._found = {}
        self._launching: Any = SimpleNamespace(end=math.inf)
        self.warned = (0.0, 0.0)

    def _stages(self) -> Any:
        return list(self.stages)

    def _due(self, stage: Any) -> Any:
        return stage

    def _validation_seconds(self) -> float:
        return self.validation

    def _warn(self, needed_seconds: float, seconds: float) -> None:
        self.warned = needed_seconds, seconds

    def _carry_out(self, stage: Any, deadline: float, latest: float) -> None:
        self.deadlines.append(deadline)
        self.now = min(max(self.now, deadline) + 2.0, latest)


@pytest.mark.parametrize("validation", [0.0, 30.0, 45.0, 1000.0])
def test_the_validation_has_its_time_left(validation: float) -> None:
    search = Timed([10.0, 20.0, 300.0], validation)
    budget = Budget(0.0, 100.0, lambda: search.now)
    search.run(budget)
    left = budget.validation_seconds(validation)
    assert all(deadline <= 100.0 - left + 2.0 for deadline in search.deadlines)
    expected = FIRST_LOOK / VALIDATION_LAUNCHES * validation
    first_look = budget.validation_seconds(expected, MOST_FIRST_LOOK_SHARE)
    assert search.now <= search._launching.end == 100.0 - first_look
    assert search.deadlines[0] == pytest.approx(10.0), "the third stage needs too much, not the first"
    assert search.warned == (330.0 + validation, 100.0)
