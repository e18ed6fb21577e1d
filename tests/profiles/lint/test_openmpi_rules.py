"""What Open MPI would ignore, or read otherwise than meant, in a classic rules file is found with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.tuning import Choice, Decision, Rule
from rankwise.core.vocabulary import Vocabulary
from rankwise.mpi.openmpi.algorithms import tuned_rules, vocabulary
from rankwise.mpi.openmpi.versions import published
from rankwise.profiles.lint.findings import Known, UnreadableError
from rankwise.profiles.lint.openmpi_rules import findings
from support.ompi_info import example

ALL = Known(published())


def found(text: str, known: Known = ALL) -> list[tuple[int, str]]:
    return [(one.line, one.kind) for one in findings(text, known)]


def bcast(*rules: str, size: str = "4") -> str:
    return "\n".join(["1", "7 # bcast", "1", size, str(len(rules)), *rules]) + "\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (bcast("0 6 0 0", "1024 3 0 8192"), []),
        (bcast("0 6 0 0", "4K 3 0 0"), [(7, "unit")]),
        (bcast("0 6 0 8k"), [(6, "unit")]),
        (bcast("0 77 0 0"), [(6, "unknown name")]),
        (bcast("8 6 0 0"), [(6, "syntax")]),
        (bcast("0 6 0 0", "1024 3 0 0", "1024 2 0 0"), [(7, "unreachable")]),
        (bcast("0 6 0 0", "1024 3 0 0", "512 2 0 0"), [(8, "unreachable")]),
        (bcast("0 6 0 99999999999"), [(6, "out of range")]),
        (bcast("0 6 0 0", size="0x4"), [(4, "syntax")]),
        (bcast("0 6 0 0") + "5 1\n", [(7, "unreachable")]),
        ("1\n7\n2\n8\n1\n0 6 0 0\n4\n1\n0 6 0 0\n", [(7, "unreachable")]),
        ("1\n7\n2\n4\n1\n0 6 0 0\n4\n1\n0 6 0 0\n", [(4, "unreachable")]),
        ("2\n7\n1\n4\n1\n0 6 0 0\n7\n1\n4\n1\n0 6 0 0\n", [(2, "unreachable")]),
        ("1\n10\n1\n4\n1\n0 0 0 0\n", [(2, "no effect")]),
        ("1\n70\n1\n4\n1\n0 0 0 0\n", [(2, "unknown name")]),
        ("1\n3\n1\n4\n1\n0 5 0 0\n", [(6, "out of range")]),
        ("1\n0\n1\n4\n1\n0 2 0 0\n", [(6, "other version")]),
        ("rule-file-version-2\n1\n3\n1\n4\n2\n0 4 0 0 8\n9 4 0 0\n", []),
    ],
)
def test_each_mistake_has_its_line(text: str, expected: list[tuple[int, str]]) -> None:
    assert found(text) == expected


COUNTED = "{}\n0\n{}\n2\n{}\n0 3 0 0\n32 1 0 0\n4\n{}\n0 3 0 0\n32 1 0 0\n64 1 0 0\n7\n{}\n4\n{}\n0 6 0 0\n"
COUNTS = ("2", "2", "2", "3", "1", "1")
LINES_OF_COUNTS = (1, 3, 5, 9, 14, 16)


@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("written", ["11", "4", "0"])
def test_a_count_that_is_wrong_is_one_finding(place: int, written: str) -> None:
    counts = [*COUNTS]
    counts[place] = written
    (one,) = findings(COUNTED.format(*counts), ALL)
    assert (one.line, one.remedy) == (LINES_OF_COUNTS[place], f"write {COUNTS[place]}")


def test_the_file_with_right_counts_is_right() -> None:
    assert found(COUNTED.format(*COUNTS)) == []


def test_a_rule_that_lacks_a_number_is_told_where_it_stands() -> None:
    text = COUNTED.format(*COUNTS)
    assert found(text.replace("32 1 0 0", "32 1 0", 1)) == [(7, "syntax")]
    assert found(text.replace("32 1 0 0", "32 1 0 0 0", 1)) == [(7, "syntax")]


def test_lines_do_not_matter() -> None:
    assert found(" ".join(COUNTED.format(*COUNTS).split())) == []
    assert found("\n".join(COUNTED.format(*COUNTS).split())) == []


def test_a_collective_by_name_is_judged_as_that_collective() -> None:
    (one, *others) = findings("1\nbcast\n1\n4\n2\n0 6 0 0\n9 9 0 0\n", ALL)
    assert (one.line, one.kind, one.remedy) == (2, "syntax", "write 7") and not others


def test_a_size_with_a_unit_is_told_in_bytes() -> None:
    (one,) = findings(bcast("0 6 0 0", "4K 3 0 0"), ALL)
    assert one.remedy == "write 4096"


def test_versions_that_count_otherwise_are_named() -> None:
    (one,) = findings("1\n0\n1\n4\n1\n0 2 0 0\n", ALL)
    assert "bruck in openmpi-4.0, openmpi-4.1, openmpi-5.0; bruck-k-fanout in openmpi-6.0" in one.message


def test_for_one_version_the_others_do_not_matter() -> None:
    by_version = {one.version: Known((one,), named=True) for one in published()}
    text = "1\n0\n1\n4\n1\n0 7 0 0\n"
    assert found(text, by_version["5.0"]) == []
    assert found(text, by_version["4.1"]) == [(6, "unknown name")]
    assert found(text, by_version["6.0"]) == [(1, "other version")]
    new = Known((Vocabulary("openmpi-5.0.11", "openmpi", "5.0.11"),), named=True)
    assert found("rule-file-version-2\n0\n", new) == []
    assert found("rule-file-version-2\n0\n", by_version["4.1"]) == [(1, "other version")]


@pytest.mark.parametrize(("text", "line"), [("1\n7\n1\n4\n3\n0 6 0 0\n9", 7), ("1\nx\n1\n4K\n", 5), ("x", 1)])
def test_a_file_that_ends_too_soon_is_unreadable(text: str, line: int) -> None:
    with pytest.raises(UnreadableError) as caught:
        found(text)
    assert caught.value.line == line


def test_what_rankwise_writes_is_without_findings() -> None:
    decisions = [
        Decision("bcast", ranks, (Rule(9, Choice("pipeline")), Rule(None, Choice("chain", 8192, 2))))
        for ranks in (2, 4, 5)
    ]
    text = tuned_rules(example(), [*decisions, Decision("barrier", 4, (Rule(None, Choice("tree")),))])
    assert found(text, Known((vocabulary(example(), "openmpi-5.0.7"),), named=True)) == []


_rules = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9), st.integers(0, 1 << 20)), min_size=1, max_size=4)
_file = st.lists(
    st.tuples(st.sampled_from([7, 2]), st.lists(_rules, min_size=1, max_size=3)), min_size=1, max_size=2
)


@given(_file, st.sampled_from(["\n", " ", " # a word\n"]))
def test_files_of_any_shape_are_read(tables: list[tuple[int, list[list[tuple[int, int, int]]]]], end: str) -> None:
    tables = list(dict(tables).items())
    words = [str(len(tables)), "\n"]
    for operation, sections in tables:
        words += [str(operation), end, str(len(sections)), end]
        for place, rules in enumerate(sections):
            words += [str(2 + place), end, str(len(rules)), end]
            for size, (algorithm, fanout, segment) in enumerate(rules):
                words += [f"{size * 8} {algorithm} {fanout} {segment}", end]
    assert found("".join(f"{word} " if word != end else word for word in words)) == []
