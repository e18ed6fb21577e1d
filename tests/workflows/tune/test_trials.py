"""Trials share launches where their settings do not touch, and a spoilt launch is repeated one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankwise.analysis.tune.search import Search, Trial
from rankwise.core.configuration import Configuration
from rankwise.core.records import Cell, CellFailure, Implementation, Launch, Segment, Series
from rankwise.core.tuning import Candidate, Choice, Decision, Reason, Rule, Setting, Tuning
from rankwise.measurement.runner import Ready
from rankwise.workflows.tune.bundles import Bundle, bundled
from rankwise.workflows.tune.trials import Trials, carry_out

NAME = "lammpi-7.1.4"
OTHER = "lammpi-6.5.9"
READY = {
    name: Ready(Implementation(name, "lammpi", name[7:], "/usr", "mpicc", "mpirun", "debian"), Path("harness"))
    for name in (NAME, OTHER)
}
FOREVER = float("inf")
NOTHING = Tuning()


def cell(benchmark: str, profile: str, ranks: int = 4) -> Cell:
    return Cell(NAME, benchmark, 1024, ranks, label=profile)


def trial(benchmark: str, profile: str, tuning: Tuning = NOTHING, ranks: int = 4) -> Trial:
    return Trial(profile, tuning, (cell(benchmark, profile, ranks),))


class Launches:
    """In place of bench.launch.Launching: answers every cell, except where `spoilt` is among the profiles."""

    limit_seconds = 60.0

    def __init__(self, spoilt: str = "") -> None:
        self.spoilt = spoilt
        self.seen: list[tuple[tuple[Cell, ...], Configuration]] = []

    def launch(
        self, implementation: Implementation, program: Path, cells: Sequence[Cell], configuration: Configuration,
        candidates: Mapping[str, Candidate],
    ) -> Launch:  # fmt: skip
        self.seen.append((tuple(cells), configuration))
        bad = any(one.label == self.spoilt for one in cells)
        return Launch(
            segments=(Segment(NAME, cells[0].ranks, configuration.id),),
            status="failed" if bad else "finished", command="", environment=(), started_at=0.0, seconds=1.0,
            series=() if bad else tuple(Series(one, "time", np.array([1e-3])) for one in cells),
            failures=tuple(CellFailure(one, "died in MPI_Init") for one in cells) if bad else (),
        )  # fmt: skip


class Question(Search):
    """A search that asks the same trials for some rounds."""

    def __init__(self, trials: tuple[Trial, ...], rounds: int) -> None:
        super().__init__("question")
        self.trials, self.rounds = trials, rounds
        self.told: list[Launch] = []

    def ask(self) -> tuple[Trial, ...]:
        return self.trials if self.rounds else ()

    def tell(self, launches: Sequence[Launch]) -> None:
        self.rounds = max(0, self.rounds - 1)
        self.told += launches

    def reasons(self) -> tuple[Reason, ...]:
        return ()


def trials_of(launching: Any, kept: list[Launch], earlier: Sequence[Launch] = ()) -> Trials:
    return Trials(launching, READY, {}, lambda launch, _: kept.append(launch), "stage", earlier)


def profiles(launch: Launch) -> set[str]:
    return {one.cell.label for one in (*launch.series, *launch.failures)}


def test_searches_that_do_not_touch_share_their_launches() -> None:
    launching, kept = Launches(), list[Launch]()
    one = Question((trial("bcast", "default"), trial("bcast", "bcast@4=ring")), rounds=2)
    two = Question((trial("gather", "default"),), rounds=1)
    assert carry_out({NAME: [[one, two]]}, trials_of(launching, kept), FOREVER)
    assert len(launching.seen) == len(kept) == 4  # of the first round the defaults went together
    assert max(len(cells) for cells, _ in launching.seen) == 2
    assert [profiles(launch) for launch in one.told].count({"bcast@4=ring"}) == 2


def test_the_store_gets_stage_and_configuration_and_the_search_its_own_cells() -> None:
    launching, kept = Launches(), list[Launch]()
    question = Question((trial("bcast", "default"),), rounds=1)
    carry_out({NAME: [[question]]}, trials_of(launching, kept), FOREVER)
    ((_, configuration),) = launching.seen
    assert (kept[0].stage, kept[0].series[0].cell.configuration) == ("stage", configuration.id)
    assert question.told[0].series[0].cell == cell("bcast", "default")
    assert profiles(kept[0]) == {"default"}


def test_after_a_launch_that_came_to_nothing_each_trial_runs_alone() -> None:
    launching = Launches(spoilt="bcast@4=ring")
    bundle = Bundle((trial("bcast", "bcast@4=ring"), trial("gather", "default")))
    found = trials_of(launching, []).measure(NAME, [bundle])
    assert [len(cells) for cells, _ in launching.seen] == [2, 1, 1]
    by_profile = {next(iter(profiles(launch))): launch.status for launch in found}
    assert by_profile == {"bcast@4=ring": "failed", "default": "finished"}


class Slow(Launches):
    """Runs out of time after the first two cells of its first launch."""

    def launch(self, *given: Any, **more: Any) -> Launch:
        """Measure all cells, or two of them."""
        found = super().launch(*given, **more)
        if len(self.seen) > 1:
            return found
        silent = CellFailure(found.series[2].cell, "timed out after 60 s")
        return replace(found, status="timed out", series=found.series[:2], failures=(silent,))


def test_what_a_launch_that_switches_had_no_time_for_is_launched_again_before_anybody_is_blamed() -> None:
    labels = ("default", "bcast@4=a", "bcast@4=b", "bcast@4=c")
    candidates = {label: Candidate() for label in labels[1:]}
    launching = Slow()
    found = trials_of(launching, []).measure(
        NAME, [Bundle(tuple(trial("bcast", one) for one in labels), candidates)]
    )
    first, second = ({one.label for one in cells} for cells, _ in launching.seen)
    assert (len(first), len(second)) == (4, 2)
    assert not any(launch.failures for launch in found)
    assert {series.cell.label for launch in found for series in launch.series} == set(labels)


def test_different_ranks_are_different_launches() -> None:
    launching = Launches()
    trials_of(launching, []).measure(NAME, [Bundle((trial("bcast", "a"), trial("bcast", "b", ranks=2)))])
    assert sorted(cells[0].ranks for cells, _ in launching.seen) == [2, 4]


def test_what_an_implementation_cannot_do_is_a_failed_launch() -> None:
    kept: list[Launch] = []
    wrong = Tuning(decisions=(Decision("bcast", 4, (Rule(None, Choice("magic")),)),))
    launching = Launches()
    (launch,) = trials_of(launching, kept).measure(NAME, [Bundle((trial("bcast", "magic", wrong),))])
    assert launch.status == "failed" and launch.failures[0].kind == "unsupported" and not launching.seen
    assert profiles(kept[0]) == {"magic"} and kept[0].stage == "stage"


def test_an_interrupted_search_goes_on_with_what_is_stored() -> None:
    kept: list[Launch] = []
    question = (trial("bcast", "default"), trial("bcast", "bcast@4=ring"))
    carry_out({NAME: [[Question(question, 2)]]}, trials_of(Launches(), kept), FOREVER)
    launching, again = Launches(), Question(question, 3)
    resumed = trials_of(launching, [], kept)
    assert carry_out({NAME: [[again]]}, resumed, FOREVER)
    assert len(launching.seen) == resumed.launched == 2  # only the third round
    assert len(again.told) == 6
    others = (
        [replace(launch, stage="other") for launch in kept],
        [replace(launch, segments=(replace(launch.segments[0], configuration="other"),)) for launch in kept],
    )
    for other in others:
        fresh = Launches()
        carry_out({NAME: [[Question(question, 2)]]}, trials_of(fresh, [], other), FOREVER)
        assert len(fresh.seen) == 4, "launches of another stage or configuration are no answer"


def test_it_ends_at_the_deadline() -> None:
    launching = Launches()
    question = Question((trial("bcast", "default"),), rounds=1000)
    assert not carry_out({NAME: [[question]]}, trials_of(launching, []), deadline=0.0)
    assert not launching.seen


def costly(launches: int, rounds: int = 1000, name: str = NAME) -> Question:
    """So many launches of a second each round, since they differ in their ranks."""
    cells = (Cell(name, "bcast", 1024, 2 + number, label="default") for number in range(launches))
    return Question(tuple(Trial("default", NOTHING, (one,)) for one in cells), rounds)


def shared(
    groups: Mapping[str, Sequence[Question]], deadline: float, latest: float = 0.0, least_rounds: int = 0
) -> dict[str, list[int]]:
    """How many rounds each question gets."""
    launching = Launches()
    before = {name: [one.rounds for one in questions] for name, questions in groups.items()}
    carry_out(
        {name: [[one] for one in questions] for name, questions in groups.items()}, trials_of(launching, []),
        deadline, latest=latest, least_rounds=least_rounds, clock=lambda: float(len(launching.seen)),
    )  # fmt: skip
    return {
        name: [was - one.rounds for was, one in zip(before[name], groups[name], strict=True)] for name in groups
    }


def test_implementations_have_the_same_time() -> None:
    assert shared({NAME: [costly(10)], OTHER: [costly(1)]}, 60.0) == {NAME: [3], OTHER: [30]}


def test_what_one_does_not_need_is_the_others() -> None:
    assert shared({NAME: [costly(10)], OTHER: [costly(1, rounds=10)]}, 60.0) == {NAME: [5], OTHER: [10]}
    assert shared({NAME: [costly(10, rounds=2)], OTHER: [costly(1)]}, 60.0) == {NAME: [2], OTHER: [40]}


def test_an_implementations_groups_have_the_same_time_once_those_before_have_told_anything() -> None:
    both = {NAME: [costly(1), costly(4)], OTHER: [costly(5), costly(5)]}
    assert shared(both, 80.0, least_rounds=3) == {NAME: [20, 5], OTHER: [4, 4]}
    assert shared({NAME: [costly(1), costly(4), costly(1)]}, 18.0, least_rounds=3) == {NAME: [3, 3, 3]}
    assert shared({NAME: [costly(1), costly(4)]}, 3.0, least_rounds=3) == {NAME: [3, 0]}


class Promising(Question):
    """A question whose answer saves so many seconds."""

    seconds = 0.0

    def seconds_to_gain(self) -> float:
        """Return them."""
        return self.seconds


def test_all_groups_have_a_round_and_then_what_gains_most_is_told_first() -> None:
    launching = Launches()
    groups = [[Promising((trial("bcast", "default", ranks=ranks),), 9)] for ranks in (2, 3, 4)]
    groups[1][0].seconds = 0.5
    carry_out(
        {NAME: groups}, trials_of(launching, []), 5.0, latest=5.0, least_rounds=3,
        clock=lambda: float(len(launching.seen)),
    )  # fmt: skip
    assert [cells[0].ranks for cells, _ in launching.seen] == [2, 3, 4, 3, 3]


def test_what_has_begun_comes_to_a_conclusion_past_the_deadline_and_nothing_else_begins() -> None:
    groups = {NAME: [costly(4), costly(4)], OTHER: [costly(1)]}
    assert shared(groups, 6.0, latest=100.0, least_rounds=3) == {NAME: [3, 0], OTHER: [3]}


def test_rather_one_comes_to_a_conclusion_than_none() -> None:
    alike = {NAME: [costly(5)], OTHER: [costly(5)]}
    assert sorted(shared(alike, 22.0, latest=22.0, least_rounds=3).values()) == [[1], [3]]


def test_who_could_not_conclude_anything_leaves_the_time_to_the_others() -> None:
    times = {"deadline": 10.0, "latest": 25.0, "least_rounds": 3}
    assert shared({NAME: [costly(10)], OTHER: [costly(1)]}, **times) == {NAME: [1], OTHER: [3]}
    assert shared({NAME: [costly(7)], OTHER: [costly(1)]}, **times) == {NAME: [3], OTHER: [3]}
    assert shared({NAME: [costly(10), costly(10)]}, **times) == {NAME: [1, 0]}, "nor do its other groups"


def test_settings_of_one_bundle_are_loaded_together() -> None:
    one = Tuning((Setting("eager-threshold", "1000"),))
    two = Tuning(host_settings=(("net.ipv4.tcp_rmem", "1 2 3"),))
    bundle = Bundle((Trial("a", one, ()), Trial("b", two, ())))
    both = bundle.tuning(Tuning((Setting("eager-threshold", "5"), Setting("links", "2"))))
    assert {(setting.knob, setting.value) for setting in both.settings} == {
        ("eager-threshold", "1000"),
        ("links", "2"),
    }
    assert both.host_settings == two.host_settings


def test_trials_meet_those_of_their_placement() -> None:
    def placed(benchmark: str, profile: str, placement: str) -> Trial:
        return Trial(profile, NOTHING, (replace(cell(benchmark, profile), placement=placement),))

    both = ("block", "cyclic")
    long = Question(tuple(placed("bcast", profile, one) for one in both for profile in ("default", "a", "b")), 1)
    short = Question(tuple(placed("gather", profile, one) for one in both for profile in ("default", "c")), 1)
    found = [
        (bundle.cells()[0].placement, [one.name for one in bundle.trials])
        for bundle in bundled([long, short], READY[NAME].implementation)
    ]
    assert found == [(one, names) for one in both for names in (["default", "default"], ["a", "c"], ["b"])]


@pytest.mark.parametrize("searches", [0, 1, 3])
def test_nothing_is_asked_when_all_is_answered(searches: int) -> None:
    assert bundled([Question((), 0)] * searches, READY[NAME].implementation) == []
