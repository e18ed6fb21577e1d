from __future__ import annotations

import pytest

from analysis.guidelines.made import one
from rankwise.analysis.guidelines import mending, rules
from rankwise.analysis.guidelines.checks import Word
from rankwise.analysis.guidelines.findings import Finding, findings
from rankwise.core.tuning import Algorithm, Choice, Rule

RABENSEIFNER = Algorithm("rabenseifner", "6")


def finding(guideline: str, operation: str, *words: Word) -> Finding:
    (found,) = findings(
        one(word, 1024 << number, guideline=guideline, operation=operation, other="2 × 512 B")
        for number, word in enumerate(words)
    )
    return found


@pytest.mark.parametrize(
    ("mockup", "names", "chosen"),
    [
        (
            "allreduce_as_reduce_bcast",
            ["ring", "topology reduce + bcast", "reduce + bcast"],
            "reduce + bcast",
        ),
        ("allreduce_as_reduce_bcast", ["basic_linear", "nonoverlapping"], "nonoverlapping"),
        ("allreduce_as_reduce_scatter_allgather", ["nb", "reduce_scatter_allgather"], "reduce_scatter_allgather"),
        ("bcast_as_scatter_allgather", ["binomial", "scatter_ring_allgather"], "scatter_ring_allgather"),
        ("reduce_scatter_as_reduce_scatterv", ["non-overlapping", "ring"], "non-overlapping"),
        ("bcast_as_scatter_allgather", ["binomial", "chain"], None),
        ("scatter_as_bcast", ["binomial", "bcast"], None),
        ("gather_as_allgather", [], None),
    ],
)
def test_the_algorithm_that_works_as_the_mockup_does(mockup: str, names: list[str], chosen: str | None) -> None:
    rule = next(rule for rule in rules.GUIDELINES if rule.mockup == mockup)
    found = mending.fits(rule, [Algorithm(name, str(number)) for number, name in enumerate(names)])
    assert (found.name if found else None) == chosen


def test_a_remedy_names_the_algorithm_and_the_sizes() -> None:
    broken = finding("allreduce_as_reduce_scatter_allgather", "allreduce", "holds", "violated", "violated")
    remedy = mending.remedy(broken, {"allreduce": [RABENSEIFNER]})
    assert remedy.words.startswith("at 2 KiB, 4 KiB try its algorithm rabenseifner for allreduce; or call MPI_")
    assert remedy.decision is not None
    assert (remedy.decision.operation, remedy.decision.ranks) == ("allreduce", 4)


def test_without_such_an_algorithm_the_program_can_do_it() -> None:
    remedy = mending.remedy(finding("scatter_as_bcast", "scatter", "violated"), {"scatter": [RABENSEIFNER]})
    assert remedy == mending.Remedy("at 1 KiB call MPI_Bcast of all blocks, and keep each rank's own")


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
    broken = finding("allreduce_as_reduce_scatter_allgather", "allreduce", *words)
    assert mending.decision(broken, RABENSEIFNER).rules == tuple(Rule(*rule) for rule in expected)


def test_size_guidelines_are_for_the_tuner_where_it_has_a_knob() -> None:
    pingpong = mending.remedy(finding(rules.SPLIT, "pingpong", "violated"), {})
    assert "2 × 512 B" in pingpong.words
    assert pingpong.tuned_by == "rankwise tune mpich-5.0.2 --for p2p"
    bcast = finding(rules.MONOTONY, "bcast", "violated", "violated")
    found = mending.remedy(bcast, {"bcast": [RABENSEIFNER, Algorithm("binomial", "1")]}, "two-clusters")
    assert found.tuned_by == (
        "rankwise tune mpich-5.0.2 --testbed two-clusters --for bcast -n 4 --sizes 1024,2048"
    )
    alone = mending.remedy(bcast, {"bcast": [RABENSEIFNER]})
    assert (alone.tuned_by, alone.words.endswith("developers")) == ("", True)
