"""Decisions become rules files in which Open MPI's own look-up, told again here, finds exactly these."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.tuning import Choice, Decision, Rule
from rankwise.mpi.openmpi.algorithms import OPERATIONS, algorithms, choice_scope, han_rules, tuned_rules
from support.ompi_info import example

TOLD = example()


def decision(operation: str, ranks: int, *rules: tuple[int | None, str]) -> Decision:
    return Decision(operation, ranks, tuple(Rule(end, Choice(name)) for end, name in rules))


def significant(text: str) -> str:
    return "\n".join(line.partition("#")[0].rstrip() for line in text.splitlines() if line[0] != "#")


def test_a_switch_by_the_messages_own_size() -> None:
    text = tuned_rules(TOLD, [decision("bcast", 4, (1000, "basic_linear"), (None, "pipeline"))])
    assert significant(text) == "1\n7\n3\n0 1\n0 0 0 0\n4 2\n0 1 0 0\n1001 3 0 0\n5 1\n0 0 0 0"


def test_a_switch_by_total_sizes_depends_on_the_ranks() -> None:
    rules = [decision("allgather", ranks, (1000, "bruck"), (None, "ring")) for ranks in (3, 4)]
    text = significant(tuned_rules(TOLD, rules))
    assert text == "1\n0\n4\n0 1\n0 0 0 0\n3 2\n0 2 0 0\n3001 3 0 0\n4 2\n0 2 0 0\n4001 3 0 0\n5 1\n0 0 0 0"


def test_sizes_that_keep_the_default_have_algorithm_0() -> None:
    text = tuned_rules(TOLD, [decision("reduce_scatter", 2, (64, ""), (None, "ring"))])
    assert "\n2 2\n0 0 0 0\n65 2 0 0\n" in significant(text)


def test_parameters_that_are_left_open_are_the_installations_own() -> None:
    rules = (Rule(8, Choice("chain")), Rule(None, Choice("chain", 8192, 2)))
    assert "\n0 2 4 0\n9 2 2 8192\n" in tuned_rules(TOLD, [Decision("bcast", 4, rules)])


def test_rules_that_say_the_same_are_one() -> None:
    text = tuned_rules(TOLD, [decision("bcast", 4, (10, "pipeline"), (20, "pipeline"), (None, "pipeline"))])
    assert "\n4 1\n0 3 0 0\n5 1\n" in significant(text)


def test_an_operation_without_a_size_has_its_first_rule() -> None:
    text = tuned_rules(TOLD, [decision("barrier", 4, (0, "tree"), (None, ""))])
    assert "\n4 1\n0 2 0 0\n5 1\n" in significant(text)


def test_han_leaves_to_tuned_what_was_decided_and_nothing_else() -> None:
    text = han_rules(
        [
            decision("allgather", 4, (1000, "bruck"), (2000, "ring"), (None, "")),
            decision("alltoall", 4, (None, "pairwise")),
        ]
    )
    assert significant(text) == "1\n0 1 2\n3\n1 1\n0 han\n4 3\n0 tuned\n1001 tuned\n2001 han\n5 1\n0 han"
    assert han_rules([decision("alltoall", 4, (None, "pairwise"))]) == ""


def test_algorithms_that_are_right_for_every_program_are_offered() -> None:
    found = algorithms(TOLD)
    assert [one.name for one in found["reduce_scatter"]] == ["non-overlapping", "butterfly"]
    assert [one.name for one in found["allreduce"]] == ["basic_linear"]


def test_algorithms_are_as_told_without_the_default_and_that_of_two_ranks() -> None:
    found = algorithms(TOLD)
    assert [one.name for one in found["allgather"]] == ["linear", "bruck", "ring"]
    assert [(one.native, one.segments, one.fanout) for one in found["bcast"]] == [
        ("1", False, False), ("2", True, True), ("3", True, False),
    ]  # fmt: skip
    assert "reduce" not in found


def test_what_one_choice_has_to_do_for_is_told() -> None:
    assert {"scatter"} <= set(algorithms(TOLD))
    assert [choice_scope(name) for name in ("scatter", "gather", "barrier", "exscan", "bcast", "alltoall")] == [
        "one for all sizes", "one for all sizes", "one for all sizes", "one for all sizes", "by size", "by size",
    ]  # fmt: skip
    assert choice_scope("alltoallw") == "by size", "it has no algorithms for that, but there are schedules"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (decision("bcast", 4, (10, "pipeline")), "only the last rule may have no upper size"),
        (decision("bcast", 4), "only the last rule may have no upper size"),
        (decision("bcast", 4, (None, "chain"), (None, "pipeline")), "only the last rule may have no upper size"),
        (decision("bcast", 4, (10, "chain"), (10, "pipeline"), (None, "")), "sorted by size"),
        (decision("bcast", 1, (None, "chain")), "bcast at 1 ranks: too few"),
        (decision("scatter", 4, (10, "binomial"), (None, "")), "one choice for all sizes"),
        (Decision("bcast", 4, (Rule(None, Choice("chain", fanout=33)),)), "fan-out 33 is out of range"),
        (Decision("bcast", 4, (Rule(None, Choice("chain", -1)),)), "segment size -1 is out of range"),
        (Decision("bcast", 4, (Rule(None, Choice("basic_linear", 1024)),)), "takes none"),
        (Decision("allgather", 4, (Rule(None, Choice("ring", 0, 2)),)), "takes none"),
    ],
)
def test_what_cannot_be_carried_out_is_refused(wrong: Decision, words: str) -> None:
    with pytest.raises(InputError, match=words):
        tuned_rules(TOLD, [wrong])


def test_what_this_version_lacks_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as caught:
        tuned_rules(TOLD, [decision("bcast", 4, (None, "pipelined"))])
    assert "did you mean pipeline" in caught.value.remedy
    with pytest.raises(UnknownNameError) as caught:
        tuned_rules(TOLD, [decision("allgathers", 4, (None, "ring"))])
    assert "did you mean allgather" in caught.value.remedy
    with pytest.raises(InputError, match="decided twice"):
        tuned_rules(TOLD, [decision("bcast", 4, (None, "chain"))] * 2)


@dataclass
class OpenMpi:
    """Reads a rules file as Open MPI does, and looks up as it does: the last one that is not above."""

    words: list[int]
    tables: dict[int, list[tuple[int, list[tuple[int, int, int, int]]]]] = field(default_factory=dict)

    def __init__(self, text: str) -> None:
        self.words = [int(word) for word in significant(text).split()]
        self.tables = {}
        for _ in range(self.words.pop(0)):
            operation = self.words.pop(0)
            self.tables[operation] = [self._size() for _ in range(self.words.pop(0))]
        assert not self.words

    def _size(self) -> tuple[int, list[tuple[int, int, int, int]]]:
        ranks, rules = self.words.pop(0), []
        for _ in range(self.words.pop(0)):
            size, algorithm, fanout, segment = self.words[:4]
            del self.words[:4]
            rules.append((size, algorithm, fanout, segment))
        assert rules[0][0] == 0
        return ranks, rules

    def takes(self, operation: str, ranks: int, size: int) -> tuple[int, int, int]:
        compared = size * ranks if operation in ("allgather", "alltoall", "gather", "scatter") else size
        table = self.tables.get(OPERATIONS[operation].number, [])
        if not table:
            return 0, 0, 0
        (_, rules) = ([table[0], *(one for one in table if one[0] <= ranks)])[-1]
        return [rule[1:] for rule in rules if rule[0] <= compared][-1]


SWITCHING = ["allgather", "allreduce", "alltoall", "bcast", "reduce_scatter"]


@st.composite
def decisions(draw: st.DrawFn) -> list[Decision]:
    found = []
    pairs = st.tuples(st.sampled_from(SWITCHING), st.integers(2, 9))
    for operation, ranks in draw(st.lists(pairs, max_size=5, unique=True)):
        ends: list[int | None] = [*sorted(draw(st.sets(st.integers(0, 1 << 30), max_size=4))), None]
        names = ["", *(one.name for one in algorithms(TOLD)[operation])]
        choices = [Choice(draw(st.sampled_from(names))) for _ in ends]
        found.append(Decision(operation, ranks, tuple(map(Rule, ends, choices))))
    return found


@given(decisions(), st.sampled_from(SWITCHING), st.integers(2, 12), st.integers(0, 1 << 31))
def test_open_mpi_finds_what_was_decided_and_its_default_elsewhere(
    made: list[Decision], operation: str, ranks: int, size: int
) -> None:
    reader = OpenMpi(tuned_rules(TOLD, made))
    decided = {(one.operation, one.ranks): one for one in made}
    ends = [rule.up_to_bytes for one in made for rule in one.rules if rule.up_to_bytes is not None]
    for tried in (size, *ends, *(end + 1 for end in ends)):
        one = decided.get((operation, ranks))
        rules = one.rules if one else ()
        name = next((r.choice.algorithm for r in rules if r.up_to_bytes is None or tried <= r.up_to_bytes), "")
        numbers = {"": "0"} | {algorithm.name: algorithm.native for algorithm in algorithms(TOLD)[operation]}
        assert str(reader.takes(operation, ranks, tried)[0]) == numbers[name]
