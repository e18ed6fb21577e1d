"""Rules of Open MPI's component han: what is wrong is told with its line; what tune writes has nothing wrong."""

import pytest

from rankwise.core.tuning import Choice, Decision, Rule
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
        (("7 1 2", "22 1 2"), 2, "there is no collective 22"),
        (("7 1 2", "7 1 3"), 2, "there is no topologic level 3"),
        (("4 2", "1 2"), 6, "communicator sizes do not ascend: 1, then 1"),
        (("65536 tuned", "0 tuned"), 8, "message sizes do not ascend: 0, then 0"),
        (("65536 tuned", "64K tuned"), 8, "'64K' is no message size"),
        (("65536 tuned", "65536 tunned"), 8, "there is no component tunned"),
        (("4 2", "4 1"), 8, "'65536' and what follows is not read"),
    ],
)
def test_what_is_wrong_is_told(change: tuple[str, str], line: int, words: str) -> None:
    (found,) = findings(RIGHT.replace(*change), Known())
    assert (found.line, words in found.message) == (line, True)


def test_a_file_that_ends_early_is_refused() -> None:
    with pytest.raises(UnreadableError, match="the file ends where a component is expected"):
        list(findings(RIGHT.removesuffix("tuned\n"), Known(), "openmpi-han"))
