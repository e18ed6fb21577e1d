import numpy as np

from rankwise.analysis.compare.comparison import compare
from rankwise.analysis.compare.variants import (
    as_variant,
    by_profile,
    implementation_of,
    plain_cell,
    variant,
    without_profiles,
)
from rankwise.core.records import Benchmark, Cell, CellFailure, Launch, Segment, Series

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


def test_the_default_keeps_its_name() -> None:
    plain = launch("default", 1.0, 0.0)
    (same,) = by_profile([plain])
    assert (same.implementation, same.verified) == (plain.implementation, plain.verified)
    assert variant("mpich-5.0.2", "default") == "mpich-5.0.2"


def test_every_cell_of_a_launch_is_renamed() -> None:
    (renamed,) = by_profile([launch("wan", 1.0, 0.0)])
    cells = {renamed.series[0].cell, renamed.failures[0].cell, *renamed.verified}
    assert {cell.implementation for cell in cells} == {renamed.implementation} == {"mpich-5.0.2 + wan"}
    assert {cell.label for cell in cells} == {"default"}
    assert as_variant(renamed.series[0].cell) == renamed.series[0].cell


def test_without_profiles_an_implementation_keeps_its_name() -> None:
    plain, tuned = without_profiles([launch("default", 1.0, 0.0), launch("wan", 2.0, 1.0)])
    assert tuned.implementation == plain.implementation == "mpich-5.0.2"
    assert {tuned.series[0].cell, *tuned.verified} == {plain.series[0].cell}
    assert tuned.failures == plain.failures
    assert plain_cell(tuned.series[0].cell) == tuned.series[0].cell
    names = (variant("mpich-5.0.2", "default"), variant("mpich-5.0.2", "wan"), "")
    assert [implementation_of(name) for name in names] == ["mpich-5.0.2", "mpich-5.0.2", ""]


def test_profiles_are_compared_like_implementations() -> None:
    seconds = np.random.default_rng(1).normal(1.0, 0.01, 24)
    launches = [
        launch(profile, float(seconds[2 * i + k]) * factor, 2.0 * i + k)
        for i in range(12)
        for k, (profile, factor) in enumerate((("default", 1.0), ("wan", 0.5)))
    ]
    (verdict,) = compare(by_profile(launches), BENCHMARKS, "mpich-5.0.2").verdicts
    assert (verdict.candidate, verdict.verdict) == ("mpich-5.0.2 + wan", "faster")
    assert verdict.ratio_low < 0.5 < verdict.ratio_high
