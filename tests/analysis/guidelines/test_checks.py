"""Checks of guidelines find the violations of simulated runs whose truth is known, and no others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.compare.simulated import run
from rankwise.analysis.guidelines import rules
from rankwise.analysis.guidelines.checks import Check, check
from rankwise.core.records import Benchmark, Cell, CellFailure, Launch, Options, Segment, Series

MPI = "mpich-5.0.2"
SIZES = (8, 1024, 2048, 65536)
NAMES = rules.benchmarks([one for one in rules.GUIDELINES if one.operation != "pingpong"])
BENCHMARKS = {
    name: Benchmark(name, "guideline" if "_as_" in name else "collective", "simulated")
    for name in (*NAMES, "pingpong", "pingpong_as_pack_send_unpack")
}
MOCKUPS = {one.mockup for one in rules.GUIDELINES}


def simulate(
    seed: int,
    factor: Callable[[str, int], float] = lambda _benchmark, _size: 1.0,
    rounds: int = 12,
    names: Sequence[str] = NAMES,
) -> list[Launch]:
    generator = np.random.default_rng(seed)
    return run(generator, [MPI], names, rounds, factor=lambda _, name, size: factor(name, size), sizes=SIZES)


def violated(checks: Sequence[Check]) -> set[tuple[str, str, int]]:
    return {(one.guideline, one.operation, one.size_bytes) for one in checks if one.word == "violated"}


@pytest.mark.parametrize("rounds", [6, 9])
def test_false_alarms_are_rare(rounds: int) -> None:
    """Every operation is exactly as slow as it may be: more than one alarm in twenty runs would be too many."""

    def at_the_bound(name: str, _size: int) -> float:
        return 1.0 if name in MOCKUPS else 1.05

    names = [name for name in NAMES if name.startswith(("bcast", "gather", "scatter"))]
    runs = (simulate(seed, at_the_bound, rounds, names=names) for seed in range(40))
    alarms = sum(bool(violated(check(launches, BENCHMARKS))) for launches in runs)
    assert alarms <= 40 * 0.05 + 2 * np.sqrt(40 * 0.05 * 0.95)


def test_six_launches_show_a_violation_among_many_checks() -> None:
    """What disturbs a launch disturbs both sides: it is the difference within launches that counts."""

    def slow(name: str, size: int) -> float:
        return 1.6 if name == "gather" and size == 1024 else 1.0

    generator = np.random.default_rng(11)
    names = [f"mpi-{number}" for number in range(6)]
    launches = run(
        generator, names, NAMES, 6, factor=lambda _, name, size: slow(name, size), sizes=SIZES, launch_effect=0.03
    )
    checks = check(launches, BENCHMARKS)
    assert len(checks) > 380
    found = {(one.implementation, one.guideline) for one in checks if one.word == "violated"}
    assert {(name, "gather_as_allgather") for name in names} <= found


def test_launches_that_measured_one_side_only_do_not_count() -> None:
    launches = simulate(12, names=("gather", "gather_as_allgather"))

    def without(launch: Launch, name: str) -> Launch:
        return replace(launch, series=tuple(one for one in launch.series if one.cell.benchmark != name))

    some = [without(launches[0], "gather"), without(launches[1], "gather_as_allgather"), *launches[2:]]
    counts = {one.launches for one in check(some, BENCHMARKS) if one.guideline in MOCKUPS}
    assert counts == {10}


def test_a_consistent_implementation_holds_to_its_guidelines() -> None:
    checks = check(simulate(1, lambda name, _size: 1.5 if name in MOCKUPS else 1.0), BENCHMARKS)
    assert {one.word for one in checks if one.guideline in MOCKUPS} == {"holds"}
    assert {one.guideline for one in checks} == {*MOCKUPS.intersection(NAMES), "split", "monotony"}


def test_a_violation_is_found_at_its_size_with_its_ratio() -> None:
    def slow(name: str, size: int) -> float:
        return 1.4 if (name, size) == ("allreduce", 65536) else 1.0

    checks = check(simulate(2, slow), BENCHMARKS)
    mockups = {"allreduce.reduce_bcast", "allreduce.rabenseifner"}
    assert violated(checks) == {(name, "allreduce", 65536) for name in mockups}
    for one in checks:
        if one.word == "violated":
            assert one.ratio_low < 1.4 < one.ratio_high
            assert one.ratio == pytest.approx(one.operation_seconds / one.other_seconds, rel=0.02)
            assert one.launches == 12


def test_within_the_tolerance_is_no_violation() -> None:
    launches = simulate(3, lambda name, _size: 1.3 if name == "bcast" else 1.0)
    assert violated(check(launches, BENCHMARKS)) == {
        ("bcast.scatter_allgather_ring", "bcast", size) for size in SIZES
    }
    assert not violated(check(launches, BENCHMARKS, delta=0.5))


def test_a_small_message_that_is_slower_than_a_larger_one() -> None:
    launches = simulate(4, lambda _name, size: 3.0 if size == 1024 else 1.0, names=["bcast"])
    assert violated(check(launches, BENCHMARKS)) == {("monotony", "bcast", 1024)}
    (one,) = [one for one in check(launches, BENCHMARKS) if one.word == "violated"]
    assert one.other == "2 KiB"


def test_a_message_that_is_slower_than_its_halves() -> None:
    launches = simulate(5, lambda _name, size: 6.0 if size >= 2048 else 1.0, names=["bcast"])
    (one,) = [one for one in check(launches, BENCHMARKS) if one.word == "violated"]
    assert (one.guideline, one.size_bytes, one.other) == ("split", 2048, "2 × 1 KiB")
    assert one.ratio == pytest.approx(6 * (1e-6 + 2048e-10) / (2 * (1e-6 + 1024e-10)), rel=0.1)


def test_coarse_steps_of_size_are_not_split() -> None:
    split = {one.size_bytes for one in check(simulate(6), BENCHMARKS) if one.guideline == "split"}
    assert split == {2048}  # 1 KiB would be 128 parts, 64 KiB 32 parts


@pytest.mark.parametrize("rounds", [3, 5])
def test_a_few_launches_show_no_violation(rounds: int) -> None:
    launches = simulate(7, lambda name, _size: 5.0 if name == "scatter" else 1.0, rounds)
    words = {one.word for one in check(launches, BENCHMARKS) if one.guideline == "scatter_as_bcast"}
    assert words == {"undecided"}


def test_wrong_data_has_no_speed() -> None:
    launches = simulate(8, names=("bcast", "bcast.scatter_allgather_ring"))
    bad = CellFailure(Cell(MPI, "bcast.scatter_allgather_ring", 1024, 2), "byte 0 is wrong", "wrong data")
    sizes = {one.size_bytes for one in check(launches, BENCHMARKS, failures=[bad]) if one.guideline in MOCKUPS}
    assert sizes == set(SIZES) - {1024}
    assert check([*launches, replace(launches[0], series=(), failures=(bad,))], BENCHMARKS)[0].size_bytes != 1024


def derived(launch: Launch, layout: str) -> Launch:
    cells = [replace(one.cell, options=Options(layout=layout)) for one in launch.series]
    series = tuple(replace(one, cell=cell) for one, cell in zip(launch.series, cells, strict=True))
    return replace(launch, series=series)


def test_packing_is_compared_with_derived_datatypes_alone() -> None:
    contiguous = simulate(9, names=("pingpong", "pingpong_as_pack_send_unpack"))
    launches = [*contiguous, *(derived(one, "vector") for one in contiguous)]
    packed = [one for one in check(launches, BENCHMARKS) if one.guideline == "pingpong_as_pack_send_unpack"]
    assert {one.options.layout for one in packed} == {"vector"}
    assert len(packed) == len(SIZES)


def test_nothing_measured_is_nothing_checked() -> None:
    assert check([], BENCHMARKS) == ()
    barrier = Launch((Segment(MPI, 2),), "finished", "", (), 0.0, 1.0, (
        Series(Cell(MPI, "barrier", 0, 2), "time", np.array([1e-6])),
    ))  # fmt: skip
    assert check([barrier], {"barrier": Benchmark("barrier", "collective", "")}) == ()


@given(
    times=st.lists(st.floats(1e-7, 1e-2), min_size=8, max_size=8),
    rounds=st.integers(1, 14),
    unit=st.sampled_from([1e-3, 1.0, 1e3]),
    delta=st.sampled_from([0.0, 0.05, 0.3]),
)
def test_words_follow_from_the_numbers_whatever_the_unit(
    times: list[float], rounds: int, unit: float, delta: float
) -> None:
    keys = [(name, size) for name in ("gather", "gather_as_allgather") for size in SIZES]
    spread = np.linspace(0.97, 1.03, rounds)

    def launches(scale: float) -> list[Launch]:
        return [
            Launch((Segment(MPI, 2),), "finished", "", (), float(number), 1.0, tuple(
                Series(Cell(MPI, name, size, 2), "time", np.array([scale * seconds * factor]))
                for (name, size), seconds in zip(keys, times, strict=True)
            ))
            for number, factor in enumerate(spread)
        ]  # fmt: skip

    checks = check(launches(1.0), BENCHMARKS, delta=delta)
    for one in checks:
        assert np.isnan(one.ratio_low) if rounds == 1 else one.ratio_low <= one.ratio <= one.ratio_high
        if one.word == "violated":
            assert one.ratio_low > 1 + delta
            assert one.p_value < 0.05
        if one.word == "holds":
            assert one.ratio_high <= (1 + delta) * (1 + 1e-12)
        if one.launches < 4:
            assert one.word == "undecided"
    scaled = check(launches(unit), BENCHMARKS, delta=delta)
    assert [one.word for one in scaled] == [one.word for one in checks]
