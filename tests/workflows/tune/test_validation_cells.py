"""A validation looks where a tuning acts, at both sides of every edge, and names what it did not look at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.analysis.application import Application, Use
from rankwise.analysis.validation.acting import acts, communicator_ranks
from rankwise.analysis.validation.evidence import Evidence
from rankwise.core.jobs import Host
from rankwise.core.network import PathFigures, Topology
from rankwise.core.records import Benchmark, Cell
from rankwise.core.tuning import Choice, Decision, Rule, Setting, Tuning
from rankwise.workflows.tune.stages import Collective, Target, TuneSpec
from rankwise.workflows.tune.validation_cells import (
    GROUPS,
    VALIDATION_SIZES,
    Wanted,
    likely_tuning,
    reach_reason,
    validation_cells,
)
from support.made_up_family import OURS, install

METHODS = """
def native(self, implementation, tuning):
    def bound(one):
        return implementation.version == "2.0" or one.operation == "ibcast"

    names = [bound_variables.bound(one.ranks, "OURS") if bound(one) else "OURS" for one in tuning.decisions]
    return Native(environment=tuple((name, "1") for name in names))
"""
BENCHMARKS = {
    "bcast": Benchmark("bcast", "collective", ""),
    "allreduce": Benchmark("allreduce", "collective", "", reduces=True),
    "ibcast": Benchmark("ibcast", "nonblocking", ""),
    "barrier": Benchmark("barrier", "collective", "", sized=False),
    "pingpong": Benchmark("pingpong", "point-to-point", ""),
    "late_receiver": Benchmark("late_receiver", "point-to-point", ""),
}
NEAR, FAR, DEFAULT = Choice("near"), Choice("far"), Choice()
ONE_SITE = Target("lab", None, (Host("a", 4), Host("b", 4)))
TWO_SITES = Target("lab", Topology("lab", "emulated"), (Host("a", 4, "one"), Host("b", 4, "two")))


@pytest.fixture(autouse=True)
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(METHODS, tmp_path, monkeypatch)


def spec(operation: str = "bcast", ranks: int = 4, sizes: tuple[int, ...] = (64, 4096)) -> TuneSpec:
    return TuneSpec((), (Collective(operation, ranks, sizes),))


def ruled(*rules: Rule, operation: str = "bcast", ranks: int = 4) -> Tuning:
    return Tuning(decisions=(Decision(operation, ranks, rules),))


def found(tuning: Tuning, asked: TuneSpec, target: Target = ONE_SITE, version: str = "1.0") -> list[Wanted]:
    return validation_cells(replace(OURS, version=version), BENCHMARKS, target, asked, tuning)


def sizes(cells: list[Wanted]) -> set[int]:
    return {one.cell.size_bytes for one in cells if one.is_required}


def test_rules_are_looked_at_at_between_below_and_above_the_sizes_searched_and_at_their_edges() -> None:
    cells = found(ruled(Rule(8192, NEAR), Rule(None, DEFAULT)), spec())
    assert sizes(cells) == {1, 32, 64, 768, 4096, 8192}
    here = [one for one in cells if one.cell.placement == "block" and one.cell.ranks == 4]
    why = {one.cell.size_bytes: one.why for one in here}
    assert {size for size in why if size not in sizes(cells)} == {8193}, (
        "beyond the edge only what is slower counts"
    )
    assert why[768] == "between sizes searched" and why[8193] == "an edge of a rule"
    assert {1: "below the smallest size searched"}.items() <= why.items()
    gap = found(ruled(Rule(64, NEAR), Rule(4095, DEFAULT), Rule(8192, FAR), Rule(None, DEFAULT)), spec())
    assert sizes(gap) == {1, 32, 64, 4096, 8192}, "what lies in the gap is the default's"


def test_a_rule_without_end_is_looked_at_above_all_sizes_searched() -> None:
    assert 8192 in sizes(found(ruled(Rule(64, NEAR), Rule(None, FAR)), spec()))


def test_reductions_count_in_floats() -> None:
    tuning = ruled(Rule(1023, NEAR), Rule(None, DEFAULT), operation="allreduce")
    assert sizes(found(tuning, spec("allreduce"))) == {4, 32, 64, 768, 1020}
    barrier = ruled(Rule(None, NEAR), operation="barrier")
    assert sizes(found(barrier, spec("barrier", sizes=(64,)))) == {0}


def test_cells_on_which_nothing_acts_are_edges_only() -> None:
    """Others would equal the default, and dilute the gain."""
    tuning = ruled(Rule(8192, NEAR), Rule(None, DEFAULT))
    idle = [one.cell.size_bytes for one in found(tuning, spec()) if not acts(tuning, one.cell)]
    assert idle == [8193]
    assert found(Tuning(), spec()) == []


def test_where_else_rules_act_is_wanted_though_not_required() -> None:
    tuning = ruled(Rule(8192, NEAR), Rule(None, DEFAULT))
    others = {
        (one.cell.placement, one.cell.ranks, one.cell.options)
        for one in found(tuning, spec())
        if not one.is_required
    }
    plain = Cell("", "", 0, 2).options
    edge = ("block", 4, plain)
    assert others == {edge, ("cyclic", 4, plain), ("block", 8, GROUPS), ("block", 8, plain)}
    far = {
        (one.cell.placement, one.cell.ranks, one.cell.options)
        for one in found(tuning, spec(), TWO_SITES)
        if not one.is_required
    }
    assert far == {
        edge,
        ("across-sites", 4, plain),
        ("block", 8, GROUPS),
        ("across-sites", 8, GROUPS),
        ("block", 8, plain),
    }
    assert all(communicator_ranks(one.cell) == 4 for one in found(tuning, spec()) if one.cell.options == GROUPS)
    uneven = replace(ONE_SITE, hosts=(Host("a", 5), Host("b", 3)))
    ranks = {one.cell.ranks for one in found(tuning, spec(), uneven) if one.cell.options != GROUPS}
    assert ranks == {4}, "no step of an operation on 8 ranks has 4"


def test_rules_for_whole_jobs_act_on_their_parts_and_on_no_other_job() -> None:
    cells = found(ruled(Rule(64, NEAR), Rule(None, FAR)), spec(), version="2.0")
    others = {
        (one.cell.placement, one.cell.ranks, one.cell.options.groups) for one in cells if not one.is_required
    }
    assert others == {("cyclic", 4, 1), ("block", 4, 2)}


def test_settings_are_looked_at_between_two_ranks_and_in_what_was_tuned() -> None:
    asked = replace(spec(), knobs=("eager-threshold",))
    cells = found(Tuning((Setting("eager-threshold", "131072"),)), asked, TWO_SITES)
    pairs = {one.cell.size_bytes for one in cells if one.cell.benchmark == "pingpong"}
    assert pairs == {*VALIDATION_SIZES, 131072, 131073}
    assert {one.cell.placement for one in cells if one.cell.benchmark == "pingpong"} == {"across-sites"}
    late = {one.cell.size_bytes for one in cells if one.cell.benchmark == "late_receiver"}
    assert late == {131072, 131073}, "eager messages may come before their receiver"
    assert {one.cell.size_bytes for one in cells if one.cell.benchmark == "bcast"} == {96, 6144}


@pytest.mark.parametrize(
    ("setting", "late"),
    [
        (Setting("eager-threshold", str(128 << 20)), {max(VALIDATION_SIZES)}),
        (Setting("transport", "fast"), {max(VALIDATION_SIZES)}),
        (Setting("connections", "2"), set()),
    ],
)
def test_what_is_sent_otherwise_is_looked_at_with_a_late_receiver_too(setting: Setting, late: set[int]) -> None:
    """An eager threshold above all sizes sends all of them eagerly, and another transport has another one."""
    cells = found(Tuning((setting,)), replace(spec(), knobs=(setting.knob,)), TWO_SITES)
    assert {one.cell.size_bytes for one in cells if one.cell.benchmark == "late_receiver"} == late


def test_for_an_application_sizes_lie_within_its_classes() -> None:
    does = Application(((Use("bcast", 4, 64), 1), (Use("bcast", 4, 1 << 20), 1)))
    asked = replace(spec(sizes=(64, 1 << 20)), placements=("block", "cyclic"), application=does)
    cells = found(ruled(Rule(2 << 20, NEAR), Rule(None, DEFAULT)), asked)
    assert {48, 786432} <= sizes(cells)
    assert {one.cell.placement for one in cells if one.is_required} == {"block", "cyclic"}


def test_what_a_search_may_find_has_as_many_cells() -> None:
    asked = replace(spec(), knobs=("eager-threshold",))
    for stage, benchmarks in (("eager", {"bcast", "pingpong"}), ("algorithms", {"bcast"})):
        cells = found(likely_tuning(asked, stage), asked, TWO_SITES)
        assert benchmarks == {one.cell.benchmark for one in cells if one.is_required}


def test_what_was_validated_and_what_was_not_is_named() -> None:
    tuning = ruled(Rule(8192, NEAR), Rule(None, DEFAULT))
    wanted = found(tuning, spec())
    evidence = [Evidence(one.cell, "shown") for one in wanted if one.is_required and acts(tuning, one.cell)]
    groups = next(one.cell for one in wanted if one.cell.options == GROUPS)
    reason = reach_reason(OURS, tuning, wanted, [*evidence, Evidence(groups, "open", 6, 1.12, 12)])
    assert reason is not None and reason.subject == "what was validated"
    assert "shown to be no slower in 6 cells: bcast on 4 ranks, placement block" in reason.words
    assert "Up to 12 % slower could not be excluded after 6 launches: bcast on 2 groups of 4" in reason.words
    assert "Not measured (rules do not know how ranks are placed): bcast on 4 ranks, place" in reason.words
    assert "neither nodes nor ranks per node" in reason.words
    assert reach_reason(OURS, Tuning(), [], []) is None
    bound = reach_reason(replace(OURS, version="2.0"), tuning, wanted, evidence)
    assert bound is not None and "leave no size to the default" in bound.words


def test_rules_for_ranks_that_lie_in_one_way_are_not_looked_at_elsewhere() -> None:
    tuning = ruled(Rule(8192, NEAR), Rule(None, DEFAULT))
    bound = Tuning(decisions=tuple(replace(one, spread="single-node") for one in tuning.decisions))
    known, wanted = found(tuning, spec()), found(bound, spec())
    assert {one.cell for one in wanted if one.is_required} == {one.cell for one in known if one.is_required}
    others = {(one.cell.placement, one.cell.options.groups) for one in wanted if not one.is_required}
    assert ("cyclic", 1) in {(one.cell.placement, one.cell.options.groups) for one in known}
    assert ("cyclic", 1) not in others
    reason = reach_reason(OURS, bound, wanted, [])
    assert reason is not None and "every communicator of so many ranks, all on one node" in reason.words
    more = replace(bound, decisions=(*bound.decisions, replace(tuning.decisions[0], ranks=8)))
    reason = reach_reason(OURS, more, wanted, [])
    assert reason is not None and "those of bcast at 4 ranks act only where" in reason.words


def test_what_a_variable_chooses_for_whole_jobs_is_not_looked_at_in_other_jobs() -> None:
    both = Tuning(decisions=(
        Decision("ibcast", 4, (Rule(None, NEAR),)), Decision("bcast", 4, (Rule(8192, NEAR), Rule(None, DEFAULT))),
    ))  # fmt: skip
    asked = replace(spec(), collectives=tuple(Collective(name, 4, (64, 4096)) for name in ("bcast", "ibcast")))
    wanted = found(both, asked)
    among = {(one.cell.benchmark, one.cell.ranks) for one in wanted if one.cell.options == GROUPS}
    assert among == {("bcast", 8), ("ibcast", 4)}, "groups of four ranks, and parts of the job of four"
    reason = reach_reason(OURS, both, wanted, [])
    assert reason is not None and "Those of ibcast act on all communicators of a job" in reason.words


def test_sizes_that_take_too_long_are_not_asked_for_but_the_largest_that_does_not() -> None:
    """1 MB/s behind small limits: 12 MiB would take 75 s a launch."""
    paths = (PathFigures("a", "b", 0.05, 0.05, 0.05, 1e8, 8e6, 0.0, 0.0),)
    tuning = Tuning(host_settings=(("net.ipv4.tcp_rmem", "4096 131072 16777216"),))
    slow = replace(TWO_SITES, paths=paths, visit_limit_seconds=15.0)
    sizes = {one.cell.size_bytes for one in found(tuning, replace(spec(), knobs=("tcp-limits",)), slow)
             if one.cell.benchmark == "pingpong" and one.cell.placement == "across-sites"}  # fmt: skip
    assert max(sizes) == 2 << 20 and 3 << 19 in sizes
