"""A plan has the cells asked for on the ranks they need, says what cannot be measured, and repeats by its seed."""

import random

import pytest

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.jobs import Host
from rankwise.core.records import Benchmark, Cell, Options
from rankwise.measurement import plan
from support.harness_output import implementation

BENCHMARKS = {
    one.name: one
    for one in (
        Benchmark("pingpong", "point-to-point", "", min_ranks=2),
        Benchmark("message_rate", "point-to-point", "", min_ranks=2, even_ranks=True),
        Benchmark("bcast", "collective", ""),
        Benchmark("reduce", "collective", "", derived_types=False),
        Benchmark("barrier", "collective", "", sized=False),
        Benchmark("put", "one-sided", "", supported=False, reason="needs MPI 3.0"),
        Benchmark("memcpy", "baseline", ""),
    )
}
A, B = implementation("mpich-5.0.2"), implementation("openmpi-5.0.11")
MENU = {A.id: BENCHMARKS, B.id: BENCHMARKS}


def cells_of(*names: str, **changes: object) -> list[Cell]:
    selection = plan.Selection(names, (1, 64), hosts=(Host("here", 4),), **changes)  # type: ignore[arg-type]
    return list(plan.make_cells([A, B], MENU, selection)[0])


def test_pairs_use_two_ranks_and_collectives_every_core() -> None:
    ranks = {cell.benchmark: cell.ranks for cell in cells_of("pingpong", "bcast")}
    assert ranks == {"pingpong": 2, "bcast": 4}
    assert {cell.ranks for cell in cells_of("pingpong", "bcast", ranks=(3,))} == {3}


SITES = (Host("a1", 2, "a"), Host("a2", 2, "a"), Host("b1", 2, "b"), Host("b2", 2, "b"))


def test_a_pair_spans_two_sites_where_there_are_several() -> None:
    selection = plan.Selection(("pingpong", "bcast"), (1,), SITES, testbed="two-clusters")
    cells, _ = plan.make_cells([A], MENU, selection)
    where = {cell.benchmark: (cell.ranks, cell.placement, cell.testbed) for cell in cells}
    assert where == {"pingpong": (2, "across-sites", "two-clusters"), "bcast": (8, "block", "two-clusters")}


def test_placements_asked_for_hold_for_every_benchmark() -> None:
    selection = plan.Selection(("pingpong", "bcast"), (1,), SITES, placements=("block", "cyclic"))
    cells, _ = plan.make_cells([A], MENU, selection)
    assert {(cell.benchmark, cell.placement) for cell in cells} == {
        (name, word) for name in ("pingpong", "bcast") for word in ("block", "cyclic")
    }
    assert len(plan.launches_of_round(cells, random.Random(1))) == 4  # two ranks or eight, each placed twice


def test_an_operation_without_a_message_has_one_size() -> None:
    assert {cell.size_bytes for cell in cells_of("barrier")} == {0}


def test_only_one_implementation_carries_a_baseline() -> None:
    assert {cell.implementation for cell in cells_of("memcpy", "bcast") if cell.benchmark == "memcpy"} == {A.id}


def test_what_cannot_be_measured_is_said_with_its_reason() -> None:
    selection = plan.Selection(("put", "bcast", "message_rate"), (1,), hosts=(Host("here", 3),), ranks=(3,))
    cells, unsupported = plan.make_cells([A], MENU, selection)
    assert {cell.benchmark for cell in cells} == {"bcast"}
    assert {one.cell.benchmark: one.reason for one in unsupported} == {
        "put": "needs MPI 3.0",
        "message_rate": "message_rate needs an even number of ranks",
    }


def test_mockups_are_measured_only_when_they_are_named() -> None:
    known = {**BENCHMARKS, "bcast_as_scatter": Benchmark("bcast_as_scatter", "guideline", "")}
    assert set(plan.resolve_benchmarks(["all"], known)) == set(BENCHMARKS)
    assert plan.resolve_benchmarks(["guideline"], known) == ("bcast_as_scatter",)
    assert plan.resolve_benchmarks(["bcast_as_scatter", "bcast"], known) == ("bcast_as_scatter", "bcast")


def test_reductions_take_no_derived_types() -> None:
    selection = plan.Selection(
        ("reduce", "bcast"), (8,), hosts=(Host("here", 2),), options=(Options(layout="vector"),)
    )
    cells, unsupported = plan.make_cells([A], MENU, selection)
    assert {cell.benchmark for cell in cells} == {"bcast"}
    assert [one.cell.benchmark for one in unsupported] == ["reduce"]


def test_a_plan_with_nothing_to_measure_is_refused() -> None:
    with pytest.raises(InputError, match=r"nothing to measure: needs MPI 3\.0"):
        cells_of("put")


def test_categories_and_all_stand_for_their_benchmarks() -> None:
    assert plan.resolve_benchmarks(["barrier", "collective"], BENCHMARKS) == ("barrier", "bcast", "reduce")
    assert set(plan.resolve_benchmarks(["all"], BENCHMARKS)) == set(BENCHMARKS)
    with pytest.raises(UnknownNameError, match="pingpng") as caught:
        plan.resolve_benchmarks(["pingpng"], BENCHMARKS)
    assert "pingpong" in caught.value.remedy


def test_what_one_implementation_supports_is_known_although_another_does_not() -> None:
    lam = {"put": BENCHMARKS["put"]}
    mpich = {"put": Benchmark("put", "one-sided", "")}
    assert plan.all_benchmarks({"lam": lam, "mpich": mpich})["put"].supported


def test_a_round_has_each_cell_once_and_one_group_a_launch() -> None:
    cells = cells_of("pingpong", "bcast", "barrier")
    launches = plan.launches_of_round(cells, random.Random(1))
    assert sorted(cell for launch in launches for cell in launch) == sorted(cells)
    assert all(
        len({(cell.implementation, cell.ranks, cell.options) for cell in launch}) == 1 for launch in launches
    )


def test_a_launch_may_visit_each_cell_twice_in_another_order_each_time() -> None:
    cells = cells_of("pingpong", "bcast", "barrier")
    for launch in plan.launches_of_round(cells, random.Random(1), visits=2):
        half = len(launch) // 2
        assert sorted(launch[:half]) == sorted(launch[half:])
        assert half < 3 or launch[:half] != launch[half:]


def test_rounds_differ_but_the_same_seed_gives_the_same_round() -> None:
    cells, shuffle = cells_of("pingpong", "bcast", "barrier"), random.Random(7)
    first, second = plan.launches_of_round(cells, shuffle), plan.launches_of_round(cells, shuffle)
    assert first != second
    assert first == plan.launches_of_round(set(cells), random.Random(7))


def test_repetitions_take_what_serves_best_and_less_where_the_budget_is_short() -> None:
    """With c = 16 ms of other time a cell, t = sqrt(0.5 ms x 16 ms) = 2.8 ms; with c = 1.006 s it is 22 ms."""
    assert plan.seconds_per_cell(1e6, 100, 100 * 0.016, 13) == pytest.approx(0.0028, rel=0.02)
    assert plan.seconds_per_cell(1e6, 1, 1.006, 13) == pytest.approx(0.0224, rel=0.01)
    assert plan.seconds_per_cell(13 * 100 * 0.017, 100, 100 * 0.016, 13) == pytest.approx(0.001)
    assert plan.seconds_per_cell(1.0, 500, plan.round_seconds(500, 6), 13) == 0.0005


@pytest.mark.parametrize("longer", [1.5, 3.0, 10.0])
@pytest.mark.parametrize("other_seconds", [0.01, 0.1, 1.0])
def test_the_time_for_repetitions_has_the_least_variance_for_its_cost(other_seconds: float, longer: float) -> None:
    def product(seconds: float) -> float:
        return (1 + plan.REPETITION_SECONDS / seconds) * (seconds + other_seconds)

    best = plan.seconds_per_cell(1e9, 1, other_seconds, 13)
    assert product(best) < min(product(best * longer), product(best / longer))


def test_sizes_are_what_really_moves_each_once() -> None:
    reduction = Benchmark("allreduce", "collective", "", reduces=True)
    menu = {"mpich-5.0.2": {"allreduce": reduction, "bcast": Benchmark("bcast", "collective", "")}}

    def sizes(name: str, **options: str) -> list[int]:
        asked = plan.Selection((name,), (0, 1, 2, 4, 6, 64), (Host("here", 4),), options=(Options(**options),))
        cells, _ = plan.make_cells([A], menu, asked)
        return [cell.size_bytes for cell in cells]

    assert sizes("bcast") == [0, 1, 2, 4, 6, 64]
    assert sizes("allreduce") == [0, 4, 8, 64]
    assert sizes("bcast", datatype="double") == [0, 8, 64]
    assert sizes("bcast", datatype="int", layout="vector") == [0, 16, 64]


def test_a_round_takes_longer_over_a_long_link() -> None:
    assert plan.round_seconds(100, 6, delay_seconds=0.1) > 100 * 10 * 0.1 > plan.round_seconds(100, 6)
