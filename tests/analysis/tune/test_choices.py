"""Every choice among algorithms is offered once, and the first of each fits the size of the message."""

from __future__ import annotations

from rankwise.analysis.tune.choices import choices_of, first_choices, name_of, useful, words_of
from rankwise.core.tuning import Algorithm, Choice

FORMS = choices_of(
    [Algorithm("linear", "1"), Algorithm("pipeline", "3", segments=True), Algorithm("tree", "5", fanout=True)],
    segments_bytes=(8192, 65536), fanouts=(2, 4),
)  # fmt: skip


def test_every_segment_and_fanout_is_a_choice_where_it_can_be_set() -> None:
    assert (
        Choice("linear"), Choice("pipeline"), Choice("pipeline", 8192), Choice("pipeline", 65536),
        Choice("tree"), Choice("tree", 0, 2), Choice("tree", 0, 4),
    ) == FORMS  # fmt: skip


def test_segments_as_long_as_the_message_are_no_choice() -> None:
    assert Choice("pipeline", 65536) not in useful(FORMS, 65536)
    assert Choice("pipeline", 65536) in useful(FORMS, 65537)


def test_each_algorithm_is_tried_first_as_it_is_likely_best() -> None:
    for size, segment in ((64, 0), (8192, 0), (65536, 8192), (1 << 20, 8192), (16 << 20, 65536)):
        assert first_choices(FORMS, size) == [Choice("linear"), Choice("pipeline", segment), Choice("tree")], size


def test_names_and_words() -> None:
    assert [name_of(one) for one in (FORMS[0], FORMS[2], FORMS[5])] == [
        "linear",
        "pipeline/8192",
        "tree/fan-out 2",
    ]
    assert words_of(FORMS[2]) == "pipeline with segments of 8 KiB"
    assert words_of(FORMS[5]) == "tree with fan-out 2"
    assert words_of(Choice()) == "the default"
