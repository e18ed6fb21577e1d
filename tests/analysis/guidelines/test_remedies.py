"""A violated guideline comes with what ends it, at the violated sizes and no others."""

from __future__ import annotations

import pytest

from analysis.guidelines.made import one
from rankwise.analysis.guidelines import remedies, rules
from rankwise.analysis.guidelines.checks import Word
from rankwise.analysis.guidelines.findings import Finding, findings
from rankwise.core.schedule_names import is_schedule
from rankwise.core.tuning import Algorithm, Choice, Rule, Tuning
from support.profiles import part, profile

RABENSEIFNER = Algorithm("rabenseifner", "6")


def finding(guideline: str, operation: str, *words: Word) -> Finding:
    (found,) = findings(
        one(word, 1024 << number, 1 + max(number, 1) / 2, guideline=guideline, operation=operation,
            other="2 × 512 B")
        for number, word in enumerate(words)
    )  # fmt: skip
    return found


@pytest.mark.parametrize(
    ("mockup", "names", "chosen"),
    [
        (
            "allreduce.reduce_bcast",
            ["ring", "topology reduce + bcast", "reduce + bcast"],
            "reduce + bcast",
        ),
        ("allreduce.reduce_bcast", ["basic_linear", "nonoverlapping"], "nonoverlapping"),
        ("allreduce.rabenseifner", ["nb", "reduce_scatter_allgather"], "reduce_scatter_allgather"),
        ("bcast.scatter_allgather_ring", ["binomial", "scatter_ring_allgather"], "scatter_ring_allgather"),
        ("reduce_scatter.reduce_scatterv", ["non-overlapping", "ring"], "non-overlapping"),
        ("bcast.scatter_allgather_ring", ["binomial", "chain"], None),
        ("scatter_as_bcast", ["binomial", "bcast"], None),
        ("gather_as_allgather", [], None),
    ],
)
def test_the_algorithm_that_works_as_the_mockup_does(mockup: str, names: list[str], chosen: str | None) -> None:
    rule = next(rule for rule in rules.GUIDELINES if rule.mockup == mockup)
    found = remedies.fits(rule, [Algorithm(name, str(number)) for number, name in enumerate(names)])
    assert (found.name if found else None) == chosen


def test_a_remedy_names_the_calls_the_sizes_and_what_they_take() -> None:
    broken = finding("allreduce.rabenseifner", "allreduce", "holds", "violated", "violated")
    remedy = remedies.remedy_for(broken, {"allreduce": [RABENSEIFNER]})
    assert remedy.words == (
        "reduce_scatter + allgather by messages instead of MPI_Allreduce between 2 KiB and 4 KiB (0.50 to 0.67 "
        "times the time): rankwise run --overlay puts schedules in the place of calls"
    )
    assert remedy.decision is not None
    assert (remedy.decision.operation, remedy.decision.ranks) == ("allreduce", 4)
    assert remedies.algorithm_words(remedy.decision) == (
        "or let a profile choose: allreduce on 4 ranks as by default up to 1 KiB, rabenseifner above 1 KiB "
        "up to 4 KiB, as by default above 4 KiB"
    )


def test_sizes_that_are_no_neighbours_are_told_apart() -> None:
    broken = finding("scatter_as_bcast", "scatter", "violated", "holds", "violated", "violated")
    remedy = remedies.remedy_for(broken, {"scatter": [RABENSEIFNER]})
    assert remedy.words == (
        "MPI_Bcast instead of MPI_Scatter at 1 KiB (0.67 times the time); "
        "MPI_Bcast instead of MPI_Scatter between 4 KiB and 8 KiB (0.40 to 0.50 times the time): "
        "broadcast all blocks, and keep each rank's own"
    )
    assert remedy.decision is None


def test_every_mockup_says_which_calls_take_the_place_of_which() -> None:
    for rule in rules.GUIDELINES:
        calls, _, replaced = rule.instead.partition(" instead of ")
        if rule.operation != "pingpong":
            assert replaced == f"MPI_{rule.operation.capitalize()}"
        if is_schedule(rule.mockup):
            assert calls in {rule.other, f"{rule.other} by messages"}
        elif rule.operation != "pingpong":
            assert [call.removeprefix("MPI_").lower() for call in calls.split(" + ")] == rule.other.split(" + ")


def test_a_profile_that_chooses_better_there_is_named_with_its_line() -> None:
    broken = finding("bcast.scatter_allgather_ring", "bcast", "holds", "violated", "violated")
    there = profile(part("mpich-5.0.2"))
    (found,) = remedies.remedy_for(broken, {}, "duo", [there]).profiles
    assert found == (
        "profile wan has binomial there (1.00 times the default's time)",
        "rankwise run --profile wan --mpi mpich-5.0.2 -n 4 -- ./app",
    )
    others = [profile(part("openmpi-5.0.11")), profile(part("mpich-5.0.2", tuning=Tuning()))]
    assert remedies.remedy_for(broken, {}, "duo", others).profiles == ()


DEFAULT, OURS = Choice(), Choice("rabenseifner")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["violated"], [(1024, OURS), (None, DEFAULT)]),
        (["holds", "violated", "violated"], [(1024, DEFAULT), (4096, OURS), (None, DEFAULT)]),
        (["violated", "undecided", "holds"], [(1024, OURS), (None, DEFAULT)]),
        (
            ["violated", "holds", "violated"],
            [(1024, OURS), (2048, DEFAULT), (4096, OURS), (None, DEFAULT)],
        ),
    ],
)
def test_only_the_sizes_that_are_violated_are_changed(
    words: list[Word], expected: list[tuple[int | None, Choice]]
) -> None:
    broken = finding("allreduce.rabenseifner", "allreduce", *words)
    assert remedies.decision(broken, RABENSEIFNER).rules == tuple(Rule(*rule) for rule in expected)


def test_size_guidelines_are_for_the_tuner_where_it_has_a_knob() -> None:
    pingpong = remedies.remedy_for(finding(rules.SPLIT, "pingpong", "violated"), {})
    assert "2 × 512 B" in pingpong.words
    assert pingpong.tuned_by == "rankwise tune mpich-5.0.2 --for p2p"
    bcast = finding(rules.MONOTONY, "bcast", "violated", "violated")
    found = remedies.remedy_for(bcast, {"bcast": [RABENSEIFNER, Algorithm("binomial", "1")]}, "two-clusters")
    assert found.tuned_by == (
        "rankwise tune mpich-5.0.2 --testbed two-clusters --for bcast -n 4 --sizes 1024,2048"
    )
    assert remedies.remedy_for(bcast, {"bcast": [RABENSEIFNER]}).tuned_by == ""
    assert found.words == (
        "at 1 KiB pad it to 2 × 512 B (0.67 times the time); at 2 KiB pad it to 2 × 512 B (0.67 times the time)"
    )
