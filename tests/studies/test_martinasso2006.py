"""The statements of Martinasso 2006 come out as the data has them, either way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from rankwise.analysis.compare.comparison import compare
from rankwise.analysis.fit.sharing_costs import AloneCost, Estimate, one_switch
from rankwise.analysis.fit.simulated import simulated
from rankwise.core.flows import Pattern, benchmark_of, pattern_of
from rankwise.core.platform import ContentionModel, Interval, Platform
from rankwise.core.records import Benchmark, Cell, Launch, Notice, RunSummary, Segment, Series, Timeline
from rankwise.studies import base
from rankwise.studies.base import Results, Statement, StudyRun
from studies import simulated as simulated_runs

STUDY = base.find("martinasso2006")
SINGLE, RUN, RANDOM, MAPPING = STUDY.runs
LAM = "lammpi-7.1.4"
ALONE = 0.36
PUBLISHED: Mapping[str, tuple[float, ...]] = {
    "pattern:1-0+1-2": (2.0, 2.0), "pattern:0-1+2-1": (2.0, 2.0), "pattern:0-1+1-2": (1.0, 1.75),
    "pattern:0-1+2-1+2-3": (1.5, 2.0, 1.5),
}  # fmt: skip


def results(truth: Mapping[str, tuple[float, ...]], launches: int = 3) -> dict[str, Results]:
    known = {pattern_of(name, 4 << 20): times for name, times in truth.items()}
    found = [launch(known, 1 + 1e-3 * number) for number in range(launches)]
    names = {name: Benchmark(name, "pattern", "flows") for name in RUN.benchmarks}
    summary = RunSummary(
        1, 1.7e9, "rankwise study", STUDY.testbed_name(RUN), (LAM,), 1, launches, "complete", "max launches"
    )
    return {RUN.label: Results(summary, compare(found, names, implementations=(LAM,)), tuple(found))}


def launch(known: Mapping[Pattern, tuple[float, ...]], factor: float) -> Launch:
    lines, series = [], []
    for name in RUN.benchmarks:
        pattern = pattern_of(name)
        times = ALONE * factor * np.array(known.get(pattern, (1.0,) * len(pattern)))
        cell = Cell(LAM, benchmark_of(pattern), 0, 6, testbed=STUDY.testbed_name(RUN), placement="block")
        lines.append(Timeline(cell, "flow", np.tile(times, 3), np.tile(np.arange(len(pattern), dtype=float), 3)))
        series.append(Series(cell, "time", np.full(3, times.max())))
    return Launch((Segment(LAM, 6),), "finished", "", (), 0.0, 1.0, tuple(series), timelines=tuple(lines))


def statements(found: Mapping[str, Results]) -> dict[str, Statement]:
    return {one.claim.key: one for one in STUDY.page(found).statements}


REFUTED: dict[str, dict[str, tuple[float, ...]]] = {
    "together": {"pattern:1-0+1-2": (1.0, 1.0)},
    "receiving-wins": {"pattern:0-1+1-2": (1.0, 1.0)},
    "zigzag": {"pattern:0-1+2-1+2-3": (2.0, 2.0, 2.0)},
}


def test_in_the_published_world_all_hold() -> None:
    found = statements(results(PUBLISHED))
    assert {key: one.verdict for key, one in found.items()} == dict.fromkeys(REFUTED, "holds")


@pytest.mark.parametrize("key", list(REFUTED))
def test_otherwise_it_holds_no_longer(key: str) -> None:
    statement = statements(results({**PUBLISHED, **REFUTED[key]}))[key]
    assert statement.verdict == "no longer", statement.measured


def test_what_was_not_measured_is_undecided() -> None:
    assert {one.verdict for one in statements({}).values()} == {"undecided"}
    assert {one.verdict for one in statements(results(PUBLISHED, launches=2)).values()} == {"undecided"}


def test_the_table_has_the_papers_times_beside_ours() -> None:
    (table,) = STUDY.page(results(PUBLISHED)).tables
    rows = {row.head: row.cells for row in table.rows}
    assert rows["0->1->2"][0].startswith("1.00 [")
    assert rows["0->1->2"][1:] == ("1.00, 1.75", "1.00, 1.75", "1.00, 1.00")
    assert rows["zigzag of 3"][1:] == ("1.50, 2.00, 1.50", "1.75, 2.00, 1.75", "2.00, 2.00, 2.00")
    assert rows["zigzag of 5"][1] == "1.50, 2.00, 1.50, 2.00, 1.50"
    assert rows["3->1"][1:] == ("–", "–", "–")


def single_messages(launches: int = 3) -> Results:
    """Ping-pong of 1 byte in 50 us, and of 4 MiB at 11 MB/s."""
    cells = [
        Cell(LAM, "pingpong", size, 2, testbed=STUDY.testbed_name(SINGLE), placement="block")
        for size in (1, 4 << 20)
    ]
    found = [
        Launch(
            (Segment(LAM, 2),), "finished", "", (), 0.0, 1.0,
            tuple(
                Series(cell, "time", np.array([best, 2 * best]))
                for cell, best in zip(cells, (5e-5, 4.194304 / 11), strict=True)
            ),
        )
        for _ in range(launches)
    ]  # fmt: skip
    names = {"pingpong": Benchmark("pingpong", "point-to-point", "there and back")}
    summary = RunSummary(
        2, 1.7e9, "rankwise study", STUDY.testbed_name(SINGLE), (LAM,), 2, launches, "complete", "max launches"
    )
    return Results(summary, compare(found, names, implementations=(LAM,)), tuple(found))


def flows_of_a_model(platform: Platform, run: StudyRun, number: int) -> Results:
    """What the run measures where flows share as the platform says; three launches."""
    patterns = [pattern_of(name) for name in run.benchmarks if len(pattern_of(name)) in {1, 2, 3, 4, 5, 30}]
    patterns = [one for one in patterns if len(one) == 30 or not any(flow.start_seconds for flow in one)]
    cells = [
        Cell(LAM, benchmark_of(one), 0, run.ranks, testbed=STUDY.testbed_name(run), placement="block")
        for one in patterns
    ]
    lines = tuple(
        Timeline(cell, "flow", np.tile(times, 3), np.arange(3.0 * len(times)))
        for cell, times in zip(cells, simulated(platform, "alpha-fair", patterns), strict=True)
    )
    series = tuple(Series(cell, "time", np.ones(3)) for cell in cells)
    found = (Launch((Segment(LAM, run.ranks),), "finished", "", (), 0.0, 1.0, series, timelines=lines),) * 3
    names = {name: Benchmark(name, "pattern", "flows") for name in run.benchmarks}
    summary = RunSummary(
        number, 1.7e9, "rankwise study", STUDY.testbed_name(run), (LAM,), 1, 3, "complete", "max launches"
    )
    return Results(summary, compare(found, names, implementations=(LAM,)), found)


def test_single_messages_stand_beside_the_papers() -> None:
    table, _ = STUDY.page({**results(PUBLISHED), SINGLE.label: single_messages()}).tables
    latency, bandwidth = table.rows
    assert (latency.cells[0][:6], latency.cells[1:]) == ("50.00 ", ("4.7", "5.8", "3.5"))
    assert (bandwidth.cells[0][:6], bandwidth.cells[1:]) == ("11.00 ", ("112.2", "112.1", "219.4"))


def test_errors_of_random_patterns_stand_beside_the_papers() -> None:
    nothing = Estimate(1e-4, Interval(1e-4, 1e-4))
    cost = AloneCost(nothing, replace(nothing, value=8e-8))
    platform = one_switch(30, cost)
    platform = replace(platform, models=(ContentionModel("alpha-fair", alpha=1.0, kappa=1.25),))
    found = {run.label: flows_of_a_model(platform, run, number) for number, run in enumerate((RUN, RANDOM), 1)}
    table = STUDY.page(found).tables[-1]
    errors = {row.head.partition(" ")[0]: float(row.cells[0].partition(" ")[0]) for row in table.rows}
    assert errors["alpha-fair"] < 0.2
    assert errors["queues"] < 0.5, "without a window they come to alpha = 1, as these flows"
    assert all(error > 2 for model, error in errors.items() if model not in {"alpha-fair", "queues"}), errors
    assert [row.cells[1:] for row in table.rows if row.head.startswith("flow cuts")] == [
        ("6.7 %, worst 40.3 %", "6.6 %, worst 45.6 %", "11.6 %, worst 56.5 %")
    ]


def test_without_the_small_patterns_it_says_why_there_are_no_errors() -> None:
    cost = AloneCost(Estimate(1e-4, Interval(0, 1)), Estimate(8e-8, Interval(0, 1)))
    random = flows_of_a_model(one_switch(30, cost), RANDOM, 2)
    table = STUDY.page({**results(PUBLISHED), RANDOM.label: random}).tables[-1]
    assert {row.cells[0] for row in table.rows} == {"–"}
    assert table.note.endswith(f"{LAM}: a flow alone takes no longer for being larger.")


def test_what_cg_gains_where_it_is_mapped_is_beside_what_was_predicted() -> None:
    assert MAPPING.applications and not MAPPING.effort(quick=True)
    now, mapped = (
        simulated_runs.applications(STUDY, {"mapping": {LAM: {"seconds": value}}}, spread=0.0, placement=place)[
            "mapping"
        ]
        for value, place in ((6.0, ""), (4.0, "hosts=cluster-1"))
    )
    told = Notice("mapped", "as mapped, the predicted time of communication is 70% of what it is as they are")
    both = replace(
        now, launches=(*now.launches, *mapped.launches), comparison=replace(now.comparison, notices=(told,))
    )  # fmt: skip
    table = STUDY.page({"mapping": both}).tables[-1]
    assert [(row.head, row.cells) for row in table.rows] == [(f"{LAM}, mapped placement", ("1.50 [1.50, 1.50]",))]
    assert table.note.endswith("As mapped, the predicted time of communication is 70% of what it is as they are.")
