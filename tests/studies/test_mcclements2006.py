"""The statements of McClements 2006 come out as the data has them, and curves look like what they were made of."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from rankwise.core.schedule_names import is_schedule, operation_of
from rankwise.studies.base import Results, Statement, Told
from rankwise.studies.mcclements2006.algorithms import SCHEDULES, stated
from rankwise.studies.mcclements2006.findings import Measured, mean_of
from rankwise.studies.mcclements2006.likeness import LARGE, MIDDLE, NEAR, SMALL, likeness, ours
from rankwise.studies.mcclements2006.plan import ALL_RANKS, OPERATIONS, PAIRS, RUNS
from rankwise.studies.ranges import Range
from studies.simulated_collectives import (
    LAM,
    MPICH,
    OPENMPI,
    QUICK,
    STUDY,
    as_published,
    published,
    results_of,
)


def changed(
    label: str, names: tuple[str, ...], benchmark: str, factor: Callable[[int], float]
) -> dict[str, Results]:
    """The published world, but for one benchmark (or all that begin so) of some implementations in one run."""

    def truth(name: str, asked: str, size: int, ranks: int, place: str) -> float:
        seconds = as_published(name, asked, size, ranks, place)
        return seconds * factor(size) if name in names and asked.startswith(benchmark) else seconds

    return {**published(), label: results_of(QUICK[label], truth)}


def statements(found: dict[str, Results]) -> dict[str, Statement]:
    return {one.claim.key: one for one in STUDY.page(found).statements}


def as_schedule(name: str, operation: str, algorithm: str) -> dict[str, Results]:
    """The published world, but for one operation on four nodes, done by another algorithm."""

    def truth(asked_name: str, asked: str, size: int, ranks: int, place: str) -> float:
        if (asked_name, asked) == (name, operation):
            asked = f"{operation}.{algorithm}"
        return as_published(asked_name, asked, size, ranks, place)

    return {**published(), "cluster-4": results_of(QUICK["cluster-4"], truth)}


REFUTED: dict[str, Callable[[], dict[str, Results]]] = {
    "algorithm-reduce": lambda: as_schedule(OPENMPI, "reduce", "rabenseifner"),
    "algorithm-reduce_scatter": lambda: as_schedule(OPENMPI, "reduce_scatter", "pairwise"),
    "algorithm-gather": lambda: as_schedule(MPICH, "gather", "linear"),
    "algorithm-allgather": lambda: as_schedule(LAM, "allgather", "ring"),
    "algorithm-bcast": lambda: as_schedule(MPICH, "bcast", "linear"),
    "one-copy": lambda: changed("local-2", (MPICH,), "pingpong", lambda _: 1.6),
    "two-copies": lambda: changed("local-2", (LAM,), "pingpong", lambda _: 0.6),
    "mpich-large": lambda: changed("local-2", (OPENMPI,), "pingpong", lambda _: 0.6),
    "lam-small": lambda: changed("local-2", (LAM,), "pingpong", lambda size: 2 if size == 128 else 1),
    "lam-switch": lambda: changed("local-2", (LAM,), "pingpong", _without_jump),
    "openmpi-smooth": lambda: changed("local-2", (OPENMPI,), "pingpong", lambda size: 2 if size > 8192 else 1),
    "reduce-scatter": lambda: changed("local-4", (OPENMPI,), "reduce_scatter", lambda _: 0.1),
    "openmpi-double": lambda: changed("cluster-2", (OPENMPI,), "pingpong", lambda _: 2.0),
    "near-maximum": lambda: changed("cluster-2", (LAM,), "pingpong", lambda _: 2.0),
    "mpich-full-duplex": lambda: changed("cluster-2", (MPICH,), "pingping", lambda _: 1.5),
    "openmpi-half-duplex": lambda: changed("cluster-2", (OPENMPI,), "pingping", lambda _: 0.5),
    "collective-minimum": lambda: changed("cluster-4", (LAM,), "gather", lambda _: 0.5),
    "no-winner": lambda: changed("cluster-4", (MPICH,), "", lambda _: 0.2),
    "allgather": lambda: changed("cluster-4", (OPENMPI,), "allgather", lambda _: 0.1),
    "poor-choice": lambda: published() | _best_choice(),
    "same-core": lambda: changed("cluster-4", (OPENMPI,), "", lambda _: 1.5),
    "choice-matters": lambda: published() | _one_speed(),
}  # fmt: skip


def _best_choice() -> dict[str, Results]:
    """Open MPI's own operations take what the fastest schedule takes."""

    def truth(name: str, asked: str, size: int, ranks: int, place: str) -> float:
        if name == OPENMPI and asked in OPERATIONS:
            own = [one for one in QUICK["cluster-4"].benchmarks if is_schedule(one) and operation_of(one) == asked]
            return min(as_published(name, one, size, ranks, place) for one in own)
        return as_published(name, asked, size, ranks, place)

    return {"cluster-4": results_of(QUICK["cluster-4"], truth)}


def _one_speed() -> dict[str, Results]:
    """All schedules of one operation take the same."""

    def truth(name: str, asked: str, size: int, ranks: int, place: str) -> float:
        return 300e-6 + size / 1e8 if is_schedule(asked) else as_published(name, asked, size, ranks, place)

    return {"cluster-4": results_of(QUICK["cluster-4"], truth)}


def _without_jump(size: int) -> float:
    """What takes LAM/MPI's jump away again."""
    smooth = 0.3 + size / 400
    return smooth / (smooth + 20) if size >= 10240 else 1.0


def test_in_the_published_world_all_hold() -> None:
    found = statements(published())
    assert list(found) == list(REFUTED)
    assert {key: one.measured for key, one in found.items() if one.verdict != "holds"} == {}


@pytest.mark.parametrize("key", list(REFUTED))
def test_otherwise_it_holds_no_longer(key: str) -> None:
    statement = statements(REFUTED[key]())[key]
    assert statement.verdict == "no longer", statement.measured


def test_what_was_not_measured_is_undecided() -> None:
    page = STUDY.page({})
    assert {(one.verdict, one.measured) for one in page.statements} == {("undecided", "Not measured.")}


def test_two_launches_decide_nothing() -> None:
    few = {label: results_of(run, as_published, launches=2) for label, run in QUICK.items()}
    assert {one.verdict for one in statements(few).values()} == {"undecided"}


def test_a_curve_looks_like_what_it_was_made_of() -> None:
    run = Measured(published()["cluster-4"])
    small, middle, large = (likeness(run, MPICH, "bcast", sizes) for sizes in (SMALL, MIDDLE, LARGE))
    assert small.nearest == ("binomial",)
    assert large.nearest == ("scatter_allgather_ring",)
    assert middle.words() == "scatter_allgather_ring 1.00"
    assert large.distances["scatter_allgather_ring"].value == pytest.approx(1)


def test_a_distance_is_the_root_of_the_mean_square_in_log_time() -> None:
    factors = {8: 1.1, 1024: 1.2}

    def truth(name: str, asked: str, size: int, ranks: int, place: str) -> float:
        native = asked == "gather" and size in factors
        return as_published(name, "gather.binomial" if native else asked, size, ranks, place) * (
            factors[size] if native else 1
        )

    run = Measured(results_of(QUICK["cluster-4"], truth))
    distances = likeness(run, MPICH, "gather", SMALL).distances
    expected = math.exp(math.sqrt((math.log(1.1) ** 2 + math.log(1.2) ** 2) / 2))
    assert distances["binomial"].value == pytest.approx(expected)
    assert list(distances) == ["binomial", "linear"]


def test_a_curve_that_is_far_from_all_looks_like_none() -> None:
    assert likeness(Measured(published()["cluster-4"]), MPICH, "gather", SMALL).nearest
    far = _natives_slower(NEAR * 1.2)
    one = likeness(Measured(far), MPICH, "gather", SMALL)
    assert one.nearest == ()
    assert one.words() == "none, nearest binomial 1.50"


def _natives_slower(times: float) -> Results:
    def truth(name: str, asked: str, size: int, ranks: int, place: str) -> float:
        return as_published(name, asked, size, ranks, place) * (times if asked in OPERATIONS else 1)

    return results_of(QUICK["cluster-4"], truth)


@pytest.mark.parametrize(
    ("native", "known", "words", "agrees"),
    [
        ("binomial", (), "binomial 1.00, as it says", True),
        ("scatter_ring_allgather", (), "binomial 1.00, says scatter_allgather_ring", False),
        ("", ("basic_linear", "binomial"), "binomial 1.00", None),
        ("", ("basic_linear",), "binomial 1.00, not in its list", None),
    ],
)
def test_what_the_library_says_stands_beside_it(
    native: str, known: tuple[str, ...], words: str, agrees: bool | None
) -> None:
    told = {(MPICH, "bcast"): Told(dict.fromkeys(QUICK["cluster-4"].quick.sizes_bytes, native), frozenset(known))}  # type: ignore[union-attr]
    run = Measured(replace(published()["cluster-4"], told=told))
    one = likeness(run, MPICH, "bcast", SMALL)
    assert one.words() == words
    assert one.agrees is agrees


def test_a_library_that_changes_within_the_sizes_says_no_one_algorithm() -> None:
    told = {(MPICH, "bcast"): Told({8: "binomial", 128: "scatter_ring_allgather", 1024: "binomial"})}
    run = Measured(replace(published()["cluster-4"], told=told))
    assert likeness(run, MPICH, "bcast", SMALL).says == ""


def test_what_may_yet_be_near_is_not_refuted() -> None:
    """LAM/MPI's gather takes 1.2 to 1.3 times as long as the linear schedule, by launch: around NEAR."""
    by_launch = iter([times for times in (1.2, 1.27, 1.3, 1.28) for _ in QUICK["cluster-4"].quick.sizes_bytes])  # type: ignore[union-attr]

    def truth(name: str, asked: str, size: int, ranks: int, place: str) -> float:
        times = next(by_launch) if (name, asked) == (LAM, "gather") else 1.0
        return as_published(name, asked, size, ranks, place) * times

    found = statements({**published(), "cluster-4": results_of(QUICK["cluster-4"], truth)})["algorithm-gather"]
    assert found.verdict == "undecided", found.measured


def test_too_few_launches_are_told_and_agree_with_nobody() -> None:
    told = {(MPICH, "bcast"): Told(dict.fromkeys((8, 1024), "binomial"))}
    few = results_of(QUICK["cluster-4"], as_published, launches=2)
    one = likeness(Measured(replace(few, told=told)), MPICH, "bcast", SMALL)
    assert one.words() == "binomial 1.00 [2 launches], as it says"
    assert one.agrees is None


def test_libraries_names_are_ours() -> None:
    assert ours("allgather", "linear") == "gather_bcast"
    assert ours("bcast", "scatter_recursive_doubling_allgather") == "scatter_allgather_doubling"
    assert ours("reduce", "binomial") == "binomial"


def test_the_papers_algorithms_are_schedules_that_are_measured() -> None:
    measured = set(QUICK["cluster-4"].benchmarks)
    measured |= {one for run in RUNS for one in run.benchmarks}
    names = {one.partition(":")[0] for one in measured}
    assert stated("bcast")["MPICH"] == ("binomial", "scatter then allgather")
    for operation in OPERATIONS:
        for words in stated(operation).values():
            for word in words:
                assert {f"{operation}.{one}" for one in SCHEDULES[word]} <= names


def test_means_of_ratios_take_both_ends_along() -> None:
    mean = mean_of([Range(2, 1, 4, 6), Range(8, 4, 16, 4)])
    assert mean is not None
    assert (mean.value, mean.low, mean.high, mean.launches) == (
        pytest.approx(4),
        pytest.approx(2),
        pytest.approx(8),
        4,
    )
    assert mean_of([]) is None


def test_tables_have_the_papers_figures_beside_ours() -> None:
    page = STUDY.page(published())
    tables = {table.title: table for table in page.tables}
    yardstick = {row.head: row.cells for row in page.tables[0].rows}
    assert yardstick[MPICH][2] == "600 MB/s"
    assert yardstick[MPICH][4:] == ("50 MB/s", "110 MB/s")
    assert yardstick[MPICH][1].startswith("80 %")
    assert yardstick["Sun MPI, 2006"][2] == "550 MB/s"
    cores = tables["The same algorithm on every core: 4 ranks on this host"]
    assert {row.head for row in cores.rows} == {one for one in QUICK["local-4"].benchmarks if is_schedule(one)}
    assert {row.cells[1] for row in cores.rows} >= {"1.00"}
    title = "Each difference split into algorithm and point-to-point layer"
    parts = tables[f"{title}: 4 ranks on four nodes with Gigabit Ethernet"]
    allgather = next(row for row in parts.rows if row.head.startswith("allgather"))
    whole, algorithm, core = (float(cell.split()[0]) for cell in allgather.cells)
    assert whole == pytest.approx(algorithm * core, rel=0.02)


def test_nine_benchmarks_are_drawn_and_have_quantiles() -> None:
    page = STUDY.page(published())
    quantiles = [table for table in page.tables if table.title.startswith("Quantiles")]
    heads = {row.head.partition(",")[0] for table in quantiles for row in table.rows}
    assert heads == {*PAIRS, *ALL_RANKS}
    assert all(len(row.cells) == len(table.columns) for table in page.tables for row in table.rows)
    assert {chart.key for chart in page.charts} >= {"pingpong-local", "bcast-local-4", "bcast-cluster-4"}


def test_numbers_of_ranks_stand_side_by_side() -> None:
    """A binomial tree has one round on two ranks and two on four; every launch here takes the same time."""
    page = STUDY.page(published())
    table = next(one for one in page.tables if one.title.startswith("By the number of ranks: on four nodes"))
    assert table.columns[3:] == ("512 KiB: 2", "512 KiB: 4", "512 KiB: growth")
    growth = {row.head: row.cells[-1] for row in table.rows}
    assert growth[f"bcast, {OPENMPI}"].startswith("2 times")
    assert growth[f"gather, {OPENMPI}"].startswith("2.8")  # a latency, and all blocks but the root's
    assert {row.head.partition(",")[0] for row in table.rows} == set(ALL_RANKS)
    alone = STUDY.page({"local-4": published()["local-4"]})
    assert not any(one.title.startswith("By the number of ranks") for one in alone.tables)


def test_runs_are_the_papers_numbers_of_ranks_in_both_places() -> None:
    assert [run.label for run in RUNS] == [f"{place}-{n}" for place in ("local", "cluster") for n in (2, 4, 8, 16)]
    assert set(QUICK) == {"local-2", "local-4", "cluster-2", "cluster-4"}
