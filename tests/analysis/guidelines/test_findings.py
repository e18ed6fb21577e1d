"""The checks of one guideline are summed up without losing a violation."""

from __future__ import annotations

from analysis.guidelines.made import one
from rankwise.analysis.guidelines import rules
from rankwise.analysis.guidelines.checks import Word
from rankwise.analysis.guidelines.findings import findings, notices, sentences, violation
from rankwise.core.records import Options


def test_one_violation_violates_and_one_doubt_leaves_a_doubt() -> None:
    def word(*words: Word) -> str:
        (found,) = findings(one(word, size) for size, word in enumerate(words))
        return found.word

    assert word("holds", "violated", "undecided") == "violated"
    assert word("holds", "undecided") == "undecided"
    assert word("holds", "holds") == "holds"


def test_mockups_come_before_sizes_and_layouts_are_apart() -> None:
    vector = Options(layout="vector")
    found = findings([
        one("holds", guideline=rules.MONOTONY, operation="bcast"), one("holds", 2048), one("holds", 8),
        one("holds", guideline=rules.SPLIT, operation="bcast", options=vector),
        one("holds", guideline=rules.SPLIT, operation="bcast"),
    ])  # fmt: skip
    assert [finding.label() for finding in found] == [
        "gather ≤ allgather",
        "bcast ≤ bcast in parts, layout vector",
        "bcast ≤ bcast in parts",
        "bcast ≤ a larger bcast",
    ]
    assert [check.size_bytes for check in found[0].checks] == [8, 2048]


def test_the_worst_is_a_violation() -> None:
    (found,) = findings([one("undecided", 8, 9.0), one("violated", 64, 1.5), one("violated", 1024, 2.5)])
    assert (found.worst.size_bytes, found.worst.ratio) == (1024, 2.5)
    assert [check.size_bytes for check in found.violations] == [64, 1024]


def test_sentences_count_checks_and_tell_the_worst() -> None:
    said = sentences(findings([
        one("violated", 64, 1.5), one("holds", 128), one("violated", 32768, 2.5),
        one("undecided", implementation="openmpi-5.0.11", variant="openmpi-5.0.11"),
    ]))  # fmt: skip
    assert said == [
        "mpich-5.0.2: 3 checks of 1 guidelines: 1 hold, 2 violated, 0 undecided. The worst: gather of 32 KiB on 4 "
        "ranks takes 2.5 [2.4, 2.6] times as long as allgather.",
        "openmpi-5.0.11: 1 checks of 1 guidelines: 0 hold, 0 violated, 1 undecided.",
    ]


def test_what_a_violation_is_held_to() -> None:
    check = one("violated", guideline=rules.MONOTONY, operation="bcast", other="2 KiB", options=Options("int"))
    assert violation(check).startswith("bcast of 1 KiB, datatype int on 4 ranks takes 1 [")
    assert violation(check).endswith("times as long as bcast of 2 KiB")


def test_too_few_launches_to_show_anything_are_told() -> None:
    enough = [one("holds", size) for size in range(100)]
    assert notices(findings(enough)) == ()
    (notice,) = notices(findings([*enough[1:], one("undecided", launches=5)]))
    assert notice.message == "to show a violation takes 6 launches: 1 of 100 checks had fewer, down to 5"
    assert notices(()) == ()
