"""A plan has the cells asked for on the ranks they need, says what cannot be measured, and repeats by its seed."""

import random

import pytest

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.records import Benchmark, Cell, Host, Options
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


def test_rounds_differ_but_the_same_seed_gives_the_same_round() -> None:
    cells, shuffle = cells_of("pingpong", "bcast", "barrier"), random.Random(7)
    first, second = plan.launches_of_round(cells, shuffle), plan.launches_of_round(cells, shuffle)
    assert first != second
    assert first == plan.launches_of_round(set(cells), random.Random(7))


def test_time_per_cell_is_bounded_and_grows_with_the_budget() -> None:
    a_round = plan.round_seconds(500, 6)
    short, long = (plan.seconds_per_cell(budget, 500, a_round, 12) for budget in (120.0, 600.0))
    assert 0.0005 <= short < long <= 0.2
    assert plan.seconds_per_cell(1.0, 500, a_round, 12) == 0.0005


def test_a_round_takes_longer_over_a_long_link() -> None:
    assert plan.round_seconds(100, 6, delay_seconds=0.1) > 100 * 10 * 0.1 > plan.round_seconds(100, 6)
