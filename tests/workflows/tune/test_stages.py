"""What is asked of which implementation: a family of a plug-in, which has words for some choices only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.analysis.application import of_rows
from rankwise.analysis.tune.algorithm_search import AlgorithmSearch
from rankwise.analysis.tune.search import Search
from rankwise.core.errors import HostError
from rankwise.core.jobs import Host
from rankwise.core.network import Topology
from rankwise.core.records import Benchmark
from rankwise.core.tuning import Algorithm, Choice, Native, Setting, Tuning
from rankwise.mpi.family import family_named
from rankwise.workflows.tune import choices
from rankwise.workflows.tune.choices import own_choices
from rankwise.workflows.tune.stages import STAGES, SURVEY, Collective, Target, TuneSpec, spread_of
from support.emulated import two_sites
from support.made_up_family import OURS, install
from support.mpis import FOUND

MENU = {
    name: Benchmark(name, "collective", "", sized=name != "barrier")
    for name in ("bcast", "gather", "reduce", "scatter", "barrier")
}
TARGET = Target("lab", None, (Host("a", 8), Host("b", 8)))
METHODS = """
def knobs(self, implementation):
    return (
        Knob("transport", ("OURS",), "environment", "its carrier", ("tcp", "fast"), default="tcp"),
        Knob("adapt", ("ADAPT",), "environment", values=("on", "off"), default="off"),
        Knob("han", ("HAN",), "environment", values=("on", "off"), default="on"),
        Knob("eager-threshold", ("FAR",), "environment", least=1, most=1 << 20, default="8192"),
        Knob("eager-threshold-shm", ("EAGER",), "environment", least=1, most=1 << 20, default="8192"),
    )

def algorithms(self, implementation):
    known = tuple(Algorithm(name, name) for name in ("ring", "tree", "doubling"))
    return dict.fromkeys(("barrier", "bcast", "gather", "reduce"), known)

def choice_scope(self, implementation, operation):
    return "one for all sizes" if operation == "gather" else "complete"

def native(self, implementation, tuning):
    (decision,) = tuning.decisions
    if Setting("adapt", "on") in tuning.settings and decision.operation == "bcast":
        raise InputError("adapt does this", "leave it")
    if decision.operation == "reduce":
        raise InputError("the operator may not commute", "leave it")
    if decision.ranks == 6 and decision.rules[0].choice.algorithm == "doubling":
        raise InputError("6 is no power of two", "take another")
    return Native()
"""


@pytest.fixture(autouse=True)
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(METHODS, tmp_path, monkeypatch)


def groups(spec: TuneSpec, target: Target = TARGET) -> list[list[Search]]:
    (stage,) = (one for one in STAGES if one.name == "algorithms")
    return [list(group) for group in stage.searches(OURS, MENU, target, spec)]


def test_only_what_can_be_said_is_searched_and_the_rest_has_its_reason() -> None:
    wanted = [Collective(name, ranks, (64, 4096)) for name in ("bcast", "reduce", "alltoall") for ranks in (6, 4)]
    (bcast_at_6,), (bcast_at_4,), without = groups(TuneSpec((), tuple(wanted)))
    assert (bcast_at_6.subject, bcast_at_4.subject) == ("bcast at 6 ranks", "bcast at 4 ranks")
    assert {trial.name for trial in bcast_at_6.ask()} == {"default", "bcast@6=ring", "bcast@6=tree"}
    assert [one.ask() for one in without] == [(), ()]
    assert [one.best() for one in without] == [Tuning()] * 2
    reduce, alltoall = (one.reasons()[0].words for one in without)
    assert reduce.startswith(
        "reduce at 6 ranks, reduce at 4 ranks: left as they are: the operator may not commute"
    )
    assert alltoall.endswith("Our MPI has no selectable algorithms")


def test_the_grain_is_the_family_s() -> None:
    ((gather, bcast),) = groups(
        TuneSpec((), (Collective("gather", 4, (64, 4096)), Collective("bcast", 4, (64, 4096))))
    )
    assert isinstance(gather, AlgorithmSearch) and isinstance(bcast, AlgorithmSearch)
    assert [len(trial.tuning.decisions[0].rules) for trial in gather.ask()[2:]] == [1, 1, 1]
    placed = TuneSpec((), (Collective("bcast", 4, (64,)),), placements=("block", "cyclic"))
    ((search,),) = groups(placed)
    assert {cell.placement for trial in search.ask() for cell in trial.cells} == {"block", "cyclic"}
    alone = replace(TARGET, hosts=TARGET.hosts[:1])
    ((search,),) = groups(placed, alone)
    assert {cell.placement for trial in search.ask() for cell in trial.cells} == {"block"}, (
        "both are the same there"
    )


def test_where_collectives_are_tuned_transports_are_tried_between_all_hosts_too() -> None:
    """One that is good between two may starve among several."""
    many = replace(TARGET, topology=Topology("lab", "emulated"), hosts=tuple(Host(name, 2) for name in "abc"))
    both = TuneSpec(("transport",), (Collective("bcast", 3, (64,)),))
    (stage,) = (one for one in STAGES if one.name == "buffers")
    for target, spec, contended in (
        (many, both, {("allreduce", 3, "one-per-node")}),
        (many, replace(both, collectives=()), set()),
        (replace(many, hosts=many.hosts[:2]), both, set()),
    ):
        ((search,),) = stage.searches(OURS, MENU, target, spec)
        cells = [cell for trial in search.ask() for cell in trial.cells]
        found = {(cell.benchmark, cell.ranks, cell.placement) for cell in cells}
        assert {one for one in found if one[0] != "pingpong"} == contended


def test_all_that_two_ranks_would_try_is_surveyed_over_the_longest_path() -> None:
    (stage,) = (one for one in STAGES if one.name == SURVEY)
    menu = {name: Benchmark(name, "point-to-point", "") for name in ("pingpong", "late_receiver")}
    spec = TuneSpec(("transport", "eager-threshold"), ())
    ((search,),) = stage.searches(OURS, menu, SITES, spec)
    trials = search.ask()
    assert [trial.name for trial in trials] == ["default", "eager-threshold=1048576", "transport=fast"]
    assert {(cell.benchmark, cell.placement) for trial in trials for cell in trial.cells} == {
        ("pingpong", "across-sites")
    }
    assert not list(stage.searches(OURS, menu, SITES, TuneSpec((), ())))
    assert not list(stage.searches(OURS, menu, TARGET, spec)), "within a host a launch takes no time"


def test_what_decides_how_all_collectives_are_done_is_tried_where_ranks_share_hosts() -> None:
    (stage,) = (one for one in STAGES if one.name == "hierarchy")
    wanted = (Collective("bcast", 4, (64,)), Collective("gather", 16, (64, 4096)), Collective("barrier", 16))
    ((search,),) = stage.searches(OURS, MENU, TARGET, TuneSpec(("han",), wanted))
    trials = search.ask()
    assert [trial.name for trial in trials] == ["default", "han=off"]
    cells = {(cell.benchmark, cell.size_bytes, cell.ranks) for cell in trials[0].cells}
    assert cells == {("gather", 64, 16), ("gather", 4096, 16), ("barrier", 0, 16)}
    alone = TuneSpec(("han",), ())
    menu = {**MENU, "allreduce": Benchmark("allreduce", "collective", "")}
    ((search,),) = stage.searches(OURS, menu, TARGET, alone)
    assert {(cell.benchmark, cell.ranks) for cell in search.ask()[0].cells} == {("allreduce", 16)}
    for spec in (TuneSpec((), wanted), TuneSpec(("han",), wanted[:1])):
        spread = replace(TARGET, hosts=tuple(Host(name, 1) for name in "abcd"))
        assert not list(stage.searches(OURS, MENU, spread if spec.knobs else TARGET, spec))


def test_what_acts_on_some_operations_is_tried_with_these_alone_also_where_no_host_is_shared() -> None:
    (stage,) = (one for one in STAGES if one.name == "hierarchy")
    wanted = (Collective("bcast", 4, (64,)), Collective("gather", 4, (64,)))
    spread = replace(TARGET, hosts=tuple(Host(name, 1) for name in "abcd"))
    ((search,),) = stage.searches(OURS, MENU, spread, TuneSpec(("han", "adapt"), wanted))
    trials = search.ask()
    assert [trial.name for trial in trials] == ["default", "adapt=on"]
    assert {cell.benchmark for trial in trials for cell in trial.cells} == {"bcast"}
    assert not list(stage.searches(OURS, MENU, spread, TuneSpec(("adapt",), wanted[1:])))


def test_choices_that_what_was_found_leaves_without_effect_are_not_tried() -> None:
    found = Tuning((Setting("adapt", "on"),))
    (gather,), (nothing,) = groups(
        TuneSpec((), (Collective("bcast", 4, (64,)), Collective("gather", 4, (64,))), found=found)
    )
    assert gather.subject == "gather at 4 ranks"
    assert nothing.reasons()[0].words.startswith("bcast at 4 ranks: left as they are: adapt does this")


def test_a_barrier_has_no_size_and_what_is_sent_eagerly_is_among_the_sizes_tried() -> None:
    chosen = Tuning((Setting("eager-threshold-shm", "20000"),))
    application = of_rows((("bcast", 1000, 4, 9), ("bcast", 10000, 4, 1)), "app.csv", ("bcast",))
    for operation, more, sizes in (
        ("barrier", TuneSpec((), ()), [0]),
        ("bcast", TuneSpec((), ()), [64, 4096, 8192, 8208, 65536, 1 << 20]),
        ("bcast", TuneSpec((), (), found=chosen), [64, 4096, 20000, 20016, 65536, 1 << 20]),
        ("bcast", TuneSpec((), (), application=application), [64, 4096, 8192, 8208, 65536, 1 << 20]),
    ):
        ((search,),) = groups(replace(more, collectives=(Collective(operation, 4),)))
        asked = {cell.size_bytes for trial in search.ask() for cell in trial.cells}
        assert sorted(asked) == sizes


def test_what_comes_to_the_same_words_is_tried_once() -> None:
    known = (Algorithm("ring", "ring", fanout=True), Algorithm("tree", "tree", segments=True))
    found, why = own_choices(OURS, "bcast", 4, known)
    assert (found, why) == ([Choice("ring"), Choice("tree")], ""), "this family writes the same for all"
    for implementation in FOUND:
        if implementation.family in ("mpich", "openmpi"):
            known = family_named(implementation.family).algorithms(implementation)["bcast"]
            for ranks, fanouts in ((3, set()), (4, {4}), (8, {4, 8})):
                found, _ = own_choices(implementation, "bcast", ranks, known)
                own = 4 if implementation.family == "openmpi" else 2
                taking = any(one.fanout for one in known)
                assert {one.fanout for one in found} - {0} == (fanouts - {own} if taking else set())
                assert {one.segment_bytes for one in found if one.segment_bytes} <= {8192, 32768, 131072}


SITES = Target("lab", two_sites(), (Host("a1", 2, site="a"), Host("a2", 2, site="a"), Host("b1", 2, site="b")))
OURS_TOO = MENU | {
    name: Benchmark(name, "schedule", "") for name in ("bcast.lanes", "bcast.binomial", "scatter.lanes")
}


def labels(target: Target, ranks: int, **more: bool) -> set[str]:
    wanted = (Collective("bcast", ranks, (4096,)),)
    (stage,) = (one for one in STAGES if one.name == "algorithms")
    ((search,),) = stage.searches(OURS, OURS_TOO, target, TuneSpec((), wanted, **more))  # type: ignore[arg-type]
    return {trial.name.partition("=")[2] for trial in search.ask()} - {""}


@pytest.fixture
def buildable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "whole_native", lambda *_: Native())


@pytest.mark.usefixtures("buildable")
def test_between_sites_schedules_that_know_sites_are_tried_too() -> None:
    own = {"ring", "tree"}
    assert labels(SITES, 6) == {*own, "schedule:lanes"}
    assert labels(SITES, 6, schedules=False) == own
    assert labels(SITES, 4) == {*own, "doubling"}, "all ranks are in one site"
    assert labels(TARGET, 6) == own, "no sites are known"


def test_between_hosts_operations_have_launches_of_their_own_and_share_them_within_one() -> None:
    wanted = tuple(Collective(name, ranks) for name in ("bcast", "gather") for ranks in (6, 4))

    def subjects(target: Target) -> list[list[str]]:
        found = groups(TuneSpec((), wanted, schedules=False), target)
        return [[search.subject for search in group] for group in found]

    assert subjects(SITES) == [
        ["bcast at 6 ranks"], ["bcast at 4 ranks"], ["gather at 6 ranks"], ["gather at 4 ranks"],
    ]  # fmt: skip
    assert subjects(TARGET) == [
        ["bcast at 6 ranks", "gather at 6 ranks"], ["bcast at 4 ranks", "gather at 4 ranks"],
    ]  # fmt: skip


@pytest.mark.usefixtures("buildable")
def test_where_the_mpi_has_nothing_to_choose_schedules_are_the_choice() -> None:
    spec = TuneSpec((), (Collective("scatter", 6, (4096,)),))
    (stage,) = (one for one in STAGES if one.name == "algorithms")
    ((search,),) = stage.searches(OURS, OURS_TOO, SITES, spec)
    assert [trial.name for trial in search.ask()] == ["default", "default again", "scatter@6=schedule:lanes"]


def test_an_overlay_that_cannot_be_built_is_told_and_the_rest_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> Native:
        raise HostError("cannot write the build cache", "free some space")

    monkeypatch.setattr(choices, "whole_native", fails)
    assert labels(SITES, 6) == {"ring", "tree"}
    (stage,) = (one for one in STAGES if one.name == "algorithms")
    spec = TuneSpec((), (Collective("scatter", 6, (4096,)),))
    ((nothing,),) = stage.searches(OURS, OURS_TOO, SITES, spec)
    assert "schedules could not be tried: cannot write the build cache" in nothing.reasons()[0].words


@pytest.mark.parametrize(
    ("placements", "ranks", "groups", "spread"),
    [
        (("cyclic",), 2, 1, "one-per-node"), (("block",), 2, 1, "single-node"), (("block", "cyclic"), 2, 1, "any"),
        (("block",), 16, 2, "single-node"), (("cyclic",), 4, 2, "one-per-node"), (("cyclic",), 4, 1, "any"),
    ],
)  # fmt: skip
def test_how_ranks_lie_is_one_word_for_all_placements(
    placements: tuple[str, ...], ranks: int, groups: int, spread: str
) -> None:
    assert spread_of(TARGET, placements, ranks, groups) == spread
