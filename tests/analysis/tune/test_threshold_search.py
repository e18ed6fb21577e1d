"""The threshold that is chosen is better for certain, and slower at no size."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from analysis.tune.simulated import IMPLEMENTATION, Simulated, setting
from rankwise.analysis.labels import crossover_words
from rankwise.analysis.tune.threshold_search import ThresholdSearch
from rankwise.core.records import Cell
from rankwise.core.tuning import Knob, Tuning
from rankwise.stats.crossover import Crossover

KNOB = Knob("eager-threshold", ("btl_limit",), "parameter file", "up to which size", least=64, most=1 << 30)
SIZES = tuple(4**power for power in range(4, 13))  # 256 B to 16 MiB
NEAR = Cell(IMPLEMENTATION, "pingpong", 0, 2, testbed="lab", placement="block")
FAR = replace(NEAR, placement="across-sites")
LATE = replace(NEAR, benchmark="late_receiver")
DEFAULT = 4096


def seconds(tuning: Tuning, cell: Cell) -> float:
    """Eager takes a copy (100 kB near, 20 MB far, a quarter of it for late receivers), rendezvous a round trip."""
    round_trip = 1e-2 if cell.placement == "across-sites" else 5e-5
    eager = cell.size_bytes < int(setting(tuning, KNOB.name) or DEFAULT)
    copy = 2e-9 if cell.benchmark == "late_receiver" else 5e-10
    return round_trip / 2 + cell.size_bytes * 1e-9 + (copy * cell.size_bytes if eager else round_trip)


def search(*templates: Cell, knob: Knob = KNOB, **more: object) -> ThresholdSearch:
    return ThresholdSearch(knob, templates or (NEAR,), SIZES, **more)  # type: ignore[arg-type]


def value(tuning: Tuning) -> int:
    return int(setting(tuning, KNOB.name) or 0)


@pytest.mark.parametrize(("spread", "drift"), [(0.01, 0.0), (0.03, 0.0), (0.02, 0.03)])
def test_both_curves_are_measured_once_and_the_threshold_is_where_they_cross(spread: float, drift: float) -> None:
    for seed in range(4):
        one, machine = search(), Simulated(seconds, np.random.default_rng(seed), spread, drift)
        assert value(machine.answer(one)) in (65536 * 2, 65536)  # they cross at 100 kB
        assert len(machine.launched) <= 30
        assert len(machine.launched) < 0.3 * one.exhaustive_launches()


def test_over_a_long_way_everything_goes_eagerly_as_far_as_it_matters() -> None:
    found = Simulated(seconds, np.random.default_rng(1)).answer(search(FAR))
    assert value(found) >= 4 << 20


def test_no_cell_may_lose_and_what_others_would_take_is_said() -> None:
    one = search(NEAR, FAR, LATE)
    found = Simulated(seconds, np.random.default_rng(1)).answer(one)
    for template in (NEAR, FAR, LATE):
        for size in SIZES:
            cell = replace(template, size_bytes=size)
            assert seconds(found, cell) <= 1.06 * seconds(Tuning(), cell)
    assert 16384 < value(found) <= 32768  # late receivers cross at 25 kB
    assert "16 MiB: slower than the default in late_receiver" in one.reasons()[0].words, (
        "what FAR alone would take"
    )


def test_the_crossings_are_told_with_their_intervals() -> None:
    one = search(NEAR, FAR)
    Simulated(seconds, np.random.default_rng(2), 0.005).answer(one)
    near = one.crossovers()[NEAR]
    assert near.low_bytes < 1e5 < near.high_bytes < 2e5
    words = one.reasons()[0].words
    assert "eager is faster up to 9" in words or "eager is faster up to 1" in words
    assert "95 %" in words


def test_left_as_it_is_where_the_default_is_right_already() -> None:
    def right(tuning: Tuning, cell: Cell) -> float:
        chosen = setting(tuning, KNOB.name) or str(1 << 17)
        return seconds(replace_threshold(chosen), cell)

    kept = [Simulated(right, np.random.default_rng(seed), 0.05).answer(search()) == Tuning() for seed in range(10)]
    assert all(kept)


def replace_threshold(text: str) -> Tuning:
    from rankwise.core.tuning import Setting  # noqa: PLC0415

    return Tuning((Setting(KNOB.name, text),))


def test_memory_bounds_the_threshold_and_is_told_as_its_cost() -> None:
    one = search(FAR, eager_memory_bytes=8 << 20, peers=16)
    found = Simulated(seconds, np.random.default_rng(3)).answer(one)
    assert 0 < value(found) <= 512 << 10
    assert one.reasons()[0].cost.startswith("up to 8 MiB a rank for eager messages (512 KiB for each of 16 peers)")


def test_the_knob_bounds_the_threshold() -> None:
    one = search(FAR, knob=replace(KNOB, least=1024, most=1 << 20))
    machine = Simulated(seconds, np.random.default_rng(3))
    assert value(machine.answer(one)) == 1 << 20
    assert {trial.name for trial in machine.launched} <= {
        "default",
        "eager-threshold=1048576",
        "eager-threshold=1024",
    }
    curves = {trial.name: [cell.size_bytes for cell in trial.cells] for trial in machine.launched[:3]}
    assert max(curves["eager-threshold=1048576"]) < 1 << 20  # larger ones would go by rendezvous
    assert min(curves["eager-threshold=1024"]) > 1024  # smaller ones eagerly


def test_a_threshold_that_hangs_is_lowered_until_it_works() -> None:
    one = search(FAR)
    machine = Simulated(
        seconds, np.random.default_rng(4),
        hangs=lambda tuning, _: "timed out after 120 s" if value(tuning) > 1 << 20 else "",
    )  # fmt: skip
    assert value(machine.answer(one)) == 1 << 20
    words = one.reasons()[0].words
    assert "64 MiB is unusable: timed out after 120 s" in words
    assert "4 MiB is unusable" in words


def test_one_protocol_that_never_works() -> None:
    one = search(FAR)
    machine = Simulated(
        seconds, np.random.default_rng(4), fails=lambda tuning, _: "refused" if value(tuning) > 64 else ""
    )
    assert machine.answer(one) == Tuning()  # rendezvous alone is slower
    one = search(FAR)
    machine = Simulated(
        seconds, np.random.default_rng(4), fails=lambda tuning, _: "refused" if value(tuning) == 64 else ""
    )
    assert value(machine.answer(one)) >= 16 << 20  # all eager is all that is known
    assert "64 B is unusable: refused" in one.reasons()[0].words


def test_a_benchmark_that_the_implementation_lacks_spoils_nothing() -> None:
    one = search(NEAR, LATE)
    machine = Simulated(
        seconds, np.random.default_rng(4),
        fails=lambda _, cell: "needs MPI-3" if cell.benchmark == "late_receiver" else "",
    )  # fmt: skip
    assert value(machine.answer(one)) in (65536, 131072)
    assert "unusable" not in one.reasons()[0].words


def test_steady_times_take_fewer_rounds() -> None:
    launches = {}
    for spread in (0.002, 0.2):
        machine = Simulated(seconds, np.random.default_rng(6), spread)
        machine.answer(search())
        launches[spread] = len(machine.launched)
    assert launches[0.002] < launches[0.2]


def test_if_both_fail_the_search_ends_at_once() -> None:
    machine = Simulated(
        seconds, np.random.default_rng(4), fails=lambda tuning, _: "refused" if tuning.settings else ""
    )
    one = search(knob=replace(KNOB, most=512))
    assert machine.answer(one) == Tuning()
    assert machine.rounds == 1


def test_if_no_lower_threshold_works_either_the_search_ends_as_well() -> None:
    machine = Simulated(
        seconds, np.random.default_rng(4), hangs=lambda tuning, _: "hangs" if tuning.settings else ""
    )
    one = search()
    assert machine.answer(one) == Tuning()
    assert machine.rounds == 10, "256 MiB, a quarter of it and so on to 1 KiB"
    assert {trial.name for trial in machine.launched[-3:]} != {"default"}, "alone there is nothing to compare"


def test_placements_are_launched_apart_and_benchmarks_together() -> None:
    trials = search(NEAR, LATE, FAR).ask()
    assert [(trial.name, {cell.placement for cell in trial.cells}) for trial in trials] == [
        (name, {placement})
        for placement in ("block", "across-sites")
        for name in ("default", "eager-threshold=268435456", "eager-threshold=64")
    ]
    assert {cell.benchmark for cell in trials[0].cells} == {"pingpong", "late_receiver"}


def test_nothing_is_said_before_anything_was_measured() -> None:
    one = search()
    one.ask()
    one.tell([])
    assert one.best() == Tuning()
    assert one.reasons()[0].words.startswith("left as it is")


def test_crossings_in_words() -> None:
    assert crossover_words(Crossover(math.inf, math.inf, math.inf)) == "at every size measured"
    assert crossover_words(Crossover(0, 0, 0)) == "at no size measured"
    assert crossover_words(Crossover(65536, 49152, 98304)) == "up to 64 KiB (95 %: 48 KiB to 96 KiB)"
    assert crossover_words(Crossover(65536, 0, math.inf)) == "up to 64 KiB (95 %: no size to every size)"
