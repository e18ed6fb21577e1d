"""Decisions become JSON rules in which Open MPI 6's look-up, told again here, finds exactly these.

`rules_schema.json` is a description of what its reader takes, written for this test.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.records import Implementation
from rankwise.core.tuning import Choice, Decision, Rule, Spread
from rankwise.mpi.family import family_named
from rankwise.mpi.openmpi.algorithms import OPERATIONS
from rankwise.mpi.openmpi.json_rules import tuned_rules
from rankwise.mpi.openmpi.parameters import Parameter
from support.ompi_info import example

TOLD = replace(example(), version="6.0.0")
SCHEMA = json.loads(Path(__file__).with_name("rules_schema.json").read_text())
VALID = jsonschema.Draft201909Validator(SCHEMA)
NAMES = {
    "bcast": ("basic_linear", "chain", "pipeline"),
    "allgather": ("linear", "bruck", "ring"),
    "barrier": ("tree",),
}


def rules_of(*decisions: Decision) -> Any:
    found = json.loads(tuned_rules(TOLD, decisions))
    VALID.validate(found)
    return found["collectives"]


def takes(collectives: Any, operation: str, ranks: int, size: int) -> str:
    """The first communicator entry that matches, and in it the first rule that matches; else the default."""
    compared = size * ranks if operation in ("allgather", "alltoall", "gather", "scatter") else size
    for entry in collectives.get(operation, ()):
        if entry["comm_size_min"] <= ranks <= entry["comm_size_max"]:
            for rule in entry["rules"]:
                if rule["msg_size_min"] <= compared and (
                    rule["msg_size_max"] == "inf" or compared <= rule["msg_size_max"]
                ):
                    return str(rule["alg"])
            return ""
    return ""


def test_the_schema_is_one() -> None:
    jsonschema.Draft201909Validator.check_schema(SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        VALID.validate({"rule_file_version": 3, "module": "tuned", "collectives": {"bcast": [{}]}})


def test_only_what_was_decided_is_written() -> None:
    decision = Decision("bcast", 4, (Rule(1000, Choice()), Rule(None, Choice("chain", 8192, 2))))
    assert rules_of(decision) == {"bcast": [{
        "comm_size_min": 4, "comm_size_max": 4, "comm_rank_distribution": "any",
        "rules": [{"msg_size_min": 1001, "msg_size_max": "inf", "alg": "chain", "faninout": 2, "seg_size": 8192}],
    }]}  # fmt: skip


@pytest.mark.parametrize("spread", get_args(Spread))
def test_a_decision_is_for_the_ranks_that_lie_as_they_did_when_it_was_validated(spread: Spread) -> None:
    rules = (Rule(None, Choice("chain")),)
    entries = rules_of(Decision("bcast", 4, rules, spread), Decision("bcast", 8, rules))["bcast"]
    assert [one["comm_rank_distribution"] for one in entries] == [spread, "any"]


def test_only_the_json_form_can_say_how_ranks_lie() -> None:
    family = family_named("openmpi")
    known = [
        family.knows_spread(Implementation("o", "openmpi", one, "", "", "", "")) for one in ("5.0.11", "6.0.0")
    ]
    assert known == [False, True]


def test_the_installations_own_number_of_requests_is_kept() -> None:
    more = {**TOLD.parameters, "coll_tuned_alltoall_algorithm_max_requests": Parameter("7")}
    text = tuned_rules(
        replace(TOLD, parameters=more), [Decision("alltoall", 4, (Rule(None, Choice("pairwise")),))]
    )
    assert json.loads(text)["collectives"]["alltoall"][0]["rules"][0]["reqs"] == 7


@given(st.data())
def test_each_size_finds_its_choice(data: st.DataObject) -> None:
    decisions, wanted = [], {}
    for operation, names in NAMES.items():
        for ranks in data.draw(st.lists(st.integers(2, 9), unique=True, max_size=3)):
            ends = (
                sorted(data.draw(st.sets(st.integers(0, 5000), max_size=3))) if OPERATIONS[operation].sized else []
            )
            chosen = [data.draw(st.sampled_from(["", *names])) for _ in range(len(ends) + 1)]
            rules = tuple(Rule(end, Choice(name)) for end, name in zip([*ends, None], chosen, strict=True))
            decisions.append(Decision(operation, ranks, rules))
            wanted[operation, ranks] = rules
    collectives = rules_of(*decisions)
    for operation in NAMES:
        for ranks in range(1, 11):
            for size in (0, 1, 4999, 5001, 10**9, *data.draw(st.lists(st.integers(0, 5001), max_size=5))):
                rules = wanted.get((operation, ranks), (Rule(None, Choice()),))
                choice = next(one.choice for one in rules if one.up_to_bytes is None or size <= one.up_to_bytes)
                assert takes(collectives, operation, ranks, size) == choice.algorithm


def test_what_cannot_be_carried_out_is_refused_as_for_other_versions() -> None:
    with pytest.raises(InputError, match="one choice for all sizes"):
        rules_of(Decision("scatter", 4, (Rule(10, Choice("binomial")), Rule(None, Choice()))))
    with pytest.raises(UnknownNameError):
        rules_of(Decision("bcast", 4, (Rule(None, Choice("pipelined")),)))
