"""The parts of the noise are those that were put in, and decide how launches are spent as the algebra says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwise.core.records import Cell, Launch, Segment, Series
from rankwise.stats.variances import VarianceParts, Variances

CELLS = [Cell("a-1", "bcast", 1 << k, 4) for k in range(20)]


def simulated(
    parts: VarianceParts, launches: int, visits: int, generator: np.random.Generator, implementation: str = "a-1"
) -> list[Launch]:
    """Launches whose medians vary by these parts; a visit has 64 samples, whose median has the last part."""
    found = []
    # the median of 2n + 1 normal values has about pi / 2 times the variance of their mean
    deviation = math.sqrt(parts.repetition * 64 / (math.pi / 2))
    for _ in range(launches):
        launch = generator.normal(0, math.sqrt(parts.launch))
        series = []
        own = generator.normal(0, math.sqrt(parts.cell), len(CELLS))
        for _ in range(visits):
            for effect, cell in zip(own, CELLS, strict=True):
                level = launch + effect + generator.normal(0, math.sqrt(parts.visit))
                logs = level + math.log(1e-6 * cell.size_bytes) + generator.normal(0, deviation, 64)
                series.append(Series(cell, "time", np.exp(logs)))
        segment = Segment(implementation, 4)
        found.append(Launch((segment,), "finished", "", (), 0.0, 1.0, series=tuple(series)))
    return found


def estimated(launches: list[Launch]) -> VarianceParts:
    """What is said of these launches."""
    variances = Variances()
    for launch in launches:
        variances.add(launch)
    parts = variances.parts()
    assert parts is not None
    return parts


def test_the_parts_are_those_that_were_put_in_where_cells_are_visited_twice() -> None:
    true = VarianceParts(launch=0.04, cell=0.03, visit=0.02, repetition=0.01)
    found = estimated(simulated(true, 400, 2, np.random.default_rng(1)))
    assert found.launch == pytest.approx(true.launch, rel=0.2)
    assert found.cell == pytest.approx(true.cell, rel=0.1)
    assert found.visit == pytest.approx(true.visit, rel=0.15)
    assert found.repetition == pytest.approx(true.repetition, rel=0.15)
    assert sum(found.shares().values()) == pytest.approx(1)


def test_one_visit_cannot_tell_the_cell_from_the_visit() -> None:
    true = VarianceParts(launch=0.04, cell=0.03, visit=0.02, repetition=0.01)
    found = estimated(simulated(true, 400, 1, np.random.default_rng(2)))
    assert found.cell == 0
    assert found.visit == pytest.approx(true.cell + true.visit, rel=0.1)
    assert found.launch == pytest.approx(true.launch, rel=0.2)


def test_cells_that_differ_a_thousandfold_do_not_count_as_noise() -> None:
    quiet = VarianceParts(0, 0, 0, 1e-8)
    assert estimated(simulated(quiet, 10, 1, np.random.default_rng(3))).total < 1e-6


def test_implementations_that_differ_do_not_count_as_noise() -> None:
    variances, generator = Variances(), np.random.default_rng(4)
    quiet = VarianceParts(0, 0, 0, 1e-8)
    for name, factor in (("a-1", 1.0), ("b-1", 7.0)):
        for launch in simulated(quiet, 5, 1, generator, name):
            slower = tuple(Series(one.cell, "time", one.samples_seconds * factor) for one in launch.series)
            variances.add(Launch((Segment(name, 4),), "finished", "", (), 0.0, 1.0, series=slower))
    parts = variances.parts()
    assert parts is not None
    assert parts.total < 1e-6


def test_a_cell_that_failed_in_some_launches_is_no_obstacle() -> None:
    true = VarianceParts(launch=0.04, cell=0.0, visit=0.02, repetition=0.001)
    launches = simulated(true, 60, 1, np.random.default_rng(5))
    holed = [
        Launch(one.segments, "finished", "", (), 0.0, 1.0, series=one.series[: 20 if i % 3 else 12])
        for i, one in enumerate(launches)
    ]
    assert estimated(holed).launch == pytest.approx(true.launch, rel=0.5)


def test_too_few_launches_decide_nothing() -> None:
    variances = Variances()
    for launch in simulated(VarianceParts(1, 1, 1, 1), 2, 1, np.random.default_rng(6)):
        variances.add(launch)
    assert variances.parts() is None
    assert variances.visits_that_pay(100, 1.0, 0.01) == 1


@pytest.mark.parametrize("launch_seconds", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("within", [0.0, 0.3, 3.0])
def test_two_visits_pay_where_the_product_of_variance_and_cost_falls(launch_seconds: float, within: float) -> None:
    """(b + w) (c + n v) against (b + w / 2) (c + 2 n v), with b = 1, n = 100, v = 10 ms."""
    parts = VarianceParts(launch=0.5, cell=0.5, visit=within, repetition=0.0)
    once, twice = (1 + within) * (launch_seconds + 1), (1 + within / 2) * (launch_seconds + 2)
    assert parts.visits_that_pay(100, launch_seconds, 0.01) == (1 if once <= twice else 2)


def test_no_noise_has_no_shares() -> None:
    assert VarianceParts(0, 0, 0, 0).shares() == {}
