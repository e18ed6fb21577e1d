"""Rules of Open MPI's component han: what is wrong is told with its line; what tune writes has nothing wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.tuning import Choice, Decision, Rule
from rankwise.core.vocabulary import Vocabulary
from rankwise.mpi.openmpi.algorithms import han_rules
from rankwise.profiles.lint.findings import Known, UnreadableError
from rankwise.profiles.lint.formats import findings

RIGHT = "1\n7 1 2\n2\n1 1\n0 han\n4 2\n0 han\n65536 tuned\n"


def test_what_tune_writes_is_right() -> None:
    decision = Decision(
        "bcast", 4, (Rule(65535, Choice()), Rule(1 << 20, Choice("pipeline")), Rule(None, Choice()))
    )
    text = han_rules([decision])
    assert "tuned" in text and list(findings(text, Known())) == []


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (("7 1 2", "22 1 2"), 2, "unknown collective 22"),
        (("7 1 2", "7 1 3"), 2, "unknown topologic level 3"),
        (("7 1 2", "bcst 1 2"), 2, "unknown collective bcst"),
        (("7 1 2", "7 1 global"), 2, "unknown topologic level global"),
        (("1 1", "2 1"), 4, "the first communicator size is above 1"),
        (("4 2", "1 2"), 6, "communicator sizes are not in ascending order: 1, then 1"),
        (("65536 tuned", "0 tuned"), 8, "message sizes are not in ascending order: 0, then 0"),
        (("65536 tuned", "64K tuned"), 8, "'64K' is not a valid message size"),
        (("65536 tuned", "65536 tunned"), 8, "unknown component tunned"),
        (("4 2", "4 1"), 8, "'65536' and what follows is not read"),
    ],
)
def test_what_is_wrong_is_told(change: tuple[str, str], line: int, words: str) -> None:
    (found,) = findings(RIGHT.replace(*change), Known())
    assert (found.line, words in found.message) == (line, True)


def test_a_file_that_ends_early_is_refused() -> None:
    with pytest.raises(UnreadableError, match="the file ends where a component is expected"):
        list(findings(RIGHT.removesuffix("tuned\n"), Known(), "openmpi-han"))


NAMED = """
1 # collectives
bcast 1 global_communicator # a level
1 1
4
0 han @intra
1000 han [ 64 128 ]
8000 han @ 2 [64]
20000 tuned
"""
FIVE = Vocabulary(
    "openmpi-5.0.11", "openmpi", "5.0.11", {"han bcast": {"0": "default", "1": "intra", "2": "simple"}}
)


def test_names_and_algorithms_are_read_from_open_mpi_5_on() -> None:
    assert list(findings(NAMED, Known((FIVE,)))) == []
    four = Vocabulary("openmpi-4.1.4", "openmpi", "4.1.4")
    (one,) = findings(NAMED, Known((four, FIVE)))
    assert (one.line, one.kind) == (3, "other version") and "openmpi-4.1.4" in one.message
    (one,) = findings(NAMED.replace("@intra", "@intr"), Known((FIVE,)))
    assert (one.line, one.kind) == (6, "unknown name")


_rule = st.tuples(
    st.sampled_from(["tuned", "han", "han @intra", "han @0", "han @ simple"]), st.sampled_from(["", "[ 1 2 ]"])
)


@given(st.lists(st.lists(st.lists(_rule, min_size=1, max_size=4), min_size=1, max_size=3), min_size=1, max_size=3))
def test_files_of_any_shape_are_read(levels: list[list[list[tuple[str, str]]]]) -> None:
    lines = [f"1\nbcast {len(levels)}"]
    for level, sections in enumerate(levels):
        lines.append(f"{level} {len(sections)}")
        for place, rules in enumerate(sections):
            lines.append(f"{1 + 3 * place} {len(rules)} # ranks, rules")
            lines += [f"{size * 100} {component} {segments}" for size, (component, segments) in enumerate(rules)]
    assert list(findings("\n".join(lines), Known((FIVE,)))) == []
