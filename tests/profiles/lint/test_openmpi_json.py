"""What Open MPI 6 would ignore, or never reach, in its JSON rules is found with its line."""

from typing import Any

import pytest

from rankwise.core.tuning import Choice, Decision, Rule
from rankwise.mpi.openmpi.json_rules import tuned_rules
from rankwise.mpi.openmpi.versions import published
from rankwise.profiles.lint.findings import Known, UnreadableError
from rankwise.profiles.lint.openmpi_json import findings, recognises
from support.ompi_info import example

SIX = Known((published()[-1],), named=True)
TOP = '{"rule_file_version": 3, "module": "tuned", "collectives": {"%s": [\n%s\n]}}'


def found(text: str, known: Known = SIX) -> list[tuple[int, str]]:
    return [(one.line, one.kind) for one in findings(text, known)]


def rules(*each: str, operation: str = "bcast") -> str:
    return TOP % (operation, '{"rules": [\n' + ",\n".join(f"{{{one}}}" for one in each) + "]}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (rules('"msg_size_max": 9, "alg": 6', '"alg": "pipeline", "seg_size": 8192'), []),
        (rules('"alg": 6', '"msg_size_min": 9, "alg": 1'), [(4, "unreachable")]),
        (
            rules('"msg_size_max": 9, "alg": 6', '"msg_size_min": 10, "alg": 1', '"msg_size_min": 5, "alg": 2'),
            [(5, "unreachable")],
        ),
        (rules('"msg_size_min": 9, "msg_size_max": 8, "alg": 6'), [(3, "unreachable")]),
        (rules('"msg_size_min": "4K", "alg": 6'), [(3, "unit"), (3, "syntax")]),
        (rules('"alg": "binomal"'), [(3, "unknown name")]),
        (rules('"alg": 99'), [(3, "unknown name")]),
        (rules('"msg_size_min": 4'), [(3, "syntax")]),
        (rules('"alg": 6, "segsize": 8'), [(3, "unknown name")]),
        (rules('"alg": 6, "alg": 1'), [(3, "unreachable")]),
        (rules('"alg": 1', operation="reducescatter"), [(1, "unknown name")]),
        (rules('"alg": 1', operation="gatherv"), [(1, "no effect")]),
        (TOP % ("bcast", '{"comm_size_max": 8, "rules": []},\n{"comm_size_min": 4, "comm_size_max": 6, '
                '"rules": []}'),
         [(3, "unreachable")]),
        (TOP % ("bcast", '{"comm_rank_distribution": "single-node", "rules": []},\n{"rules": []}'), []),
        (TOP % ("bcast", '{"comm_rank_distribution": "one", "rules": []}'), [(2, "unknown name")]),
        (TOP % ("bcast", "{}"), [(2, "syntax")]),
        ('{"rule_file_version": 2,\n"module": "han",\n"collectives": []}',
         [(1, "syntax"), (1, "out of range"), (2, "out of range")]),
    ],
)  # fmt: skip
def test_each_mistake_has_its_line(text: str, expected: list[tuple[int, str]]) -> None:
    assert sorted(found(text)) == sorted(expected)


def test_what_rankwise_writes_is_without_findings() -> None:
    decisions: list[Any] = [
        Decision("bcast", 4, (Rule(9, Choice("pipeline")), Rule(None, Choice("chain", 8192, 2)))),
        Decision("bcast", 5, (Rule(None, Choice("pipeline")),)),
        Decision("alltoall", 4, (Rule(None, Choice("pairwise")),)),
    ]
    assert found(tuned_rules(example(), decisions)) == []


@pytest.mark.parametrize("comma", ["", ","])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_comma_behind_the_last_value_is_taken(comma: str, mark: str) -> None:
    text = f'{mark}{{"rule_file_version": 3, "module": "tuned", "collectives": {{"bcast": [{{"rules": [{{"alg": 1'
    text += f"{comma}}}{comma}]{comma}}}{comma}]{comma}}}{comma}}}"
    assert recognises(text) and found(text) == []


def test_a_comment_is_not_taken() -> None:
    with pytest.raises(UnreadableError, match="comments") as caught:
        found(rules('"alg": 1 // linear'))
    assert caught.value.line == 3


def test_other_versions_read_no_json() -> None:
    assert found(rules('"alg": 1'), Known((published()[2],), named=True)) == [(1, "other version")]


def test_without_a_version_a_name_that_only_some_have_is_told() -> None:
    (one,) = findings(rules('"alg": "knomial"', operation="reduce"), Known(published()))
    assert one.kind == "other version" and "openmpi-4.0, openmpi-4.1, openmpi-5.0 have no" in one.message
