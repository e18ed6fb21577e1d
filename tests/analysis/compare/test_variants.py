"""Variants of one implementation are compared like implementations, and never told apart by parsing a name."""

from dataclasses import replace

import numpy as np

from rankwise.analysis.compare.comparison import compare
from rankwise.analysis.compare.variants import cells_of, plain_cell, variants_of, with_cells, without_labels
from rankwise.core.records import Benchmark, Cell, CellFailure, Launch, Segment, Series, variant_name

BENCHMARKS = {"bcast": Benchmark("bcast", "collective", "one to all")}


def launch(profile: str, seconds: float, started_at: float) -> Launch:
    cell = Cell("mpich-5.0.2", "bcast", 1024, 4, label=profile)
    return Launch(
        segments=(Segment("mpich-5.0.2", 4),), status="finished", command="mpiexec", environment=(),
        started_at=started_at, seconds=1.0,
        series=(Series(cell, "time", np.array([seconds])),),
        failures=(CellFailure(Cell("mpich-5.0.2", "bcast", 1, 4, label=profile), "why"),),
        verified=(cell,),
    )  # fmt: skip


def test_a_variant_is_called_by_its_label() -> None:
    assert variant_name("mpich-5.0.2", "default") == "mpich-5.0.2"
    assert variants_of(launch("wan", 1.0, 0.0)) == ["mpich-5.0.2 + wan"]


def test_a_launch_that_came_to_no_cell_still_has_its_implementation() -> None:
    nothing = replace(launch("wan", 1.0, 0.0), series=(), failures=(), verified=())
    assert variants_of(nothing) == ["mpich-5.0.2"]


def test_every_cell_of_a_launch_is_changed() -> None:
    changed = with_cells(launch("wan", 1.0, 0.0), lambda cell: replace(cell, label="lan"))
    assert {cell.label for cell in cells_of(changed)} == {"lan"}
    assert len(cells_of(changed)) == 3


def test_without_labels_an_implementation_keeps_its_name() -> None:
    plain, tuned = without_labels([launch("default", 1.0, 0.0), launch("wan", 2.0, 1.0)])
    assert variants_of(tuned) == variants_of(plain) == ["mpich-5.0.2"]
    assert {tuned.series[0].cell, *tuned.verified} == {plain.series[0].cell}
    assert tuned.failures == plain.failures
    assert plain_cell(tuned.series[0].cell) == tuned.series[0].cell


def test_profiles_are_compared_like_implementations() -> None:
    seconds = np.random.default_rng(1).normal(1.0, 0.01, 24)
    launches = [
        launch(profile, float(seconds[2 * i + k]) * factor, 2.0 * i + k)
        for i in range(12)
        for k, (profile, factor) in enumerate((("default", 1.0), ("wan", 0.5)))
    ]
    (verdict,) = compare(launches, BENCHMARKS, "mpich-5.0.2").verdicts
    assert (verdict.candidate, verdict.verdict) == ("mpich-5.0.2 + wan", "faster")
    assert verdict.ratio_low < 0.5 < verdict.ratio_high
