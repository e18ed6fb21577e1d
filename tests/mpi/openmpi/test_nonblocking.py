"""Algorithms of nonblocking operations are a parameter each, for jobs of one number of ranks."""

import pytest

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.tuning import Candidate, Choice, Decision, Rule, Tuning
from rankwise.mpi.openmpi.nonblocking import algorithms
from rankwise.mpi.openmpi.settings import native, read_back
from rankwise.mpi.openmpi.switching import candidate
from support.ompi_info import example

TOLD = example()
PARAMETER = "coll_libnbc_ibcast_algorithm"


def decided(name: str, operation: str = "ibcast", ranks: int = 4) -> Decision:
    return Decision(operation, ranks, (Rule(None, Choice(name)),))


def test_what_reorders_is_not_offered_but_may_be_named() -> None:
    assert {name: [one.name for one in known] for name, known in algorithms(TOLD).items()} == {
        "ibcast": ["linear", "chain"], "ireduce": ["binomial"],
    }  # fmt: skip
    assert candidate(TOLD, "ireduce", Choice("chain")) == Candidate((("coll_libnbc_ireduce_algorithm", "1"),))


def test_a_decision_is_a_variable_for_jobs_of_its_ranks_and_no_rules_file() -> None:
    found = native(TOLD, Tuning(decisions=(decided("chain"), decided("linear", ranks=8))))
    assert found.environment == (
        (f"RANKWISE_AT_4_OMPI_MCA_{PARAMETER}", "chain"), (f"RANKWISE_AT_8_OMPI_MCA_{PARAMETER}", "linear"),
    )  # fmt: skip
    assert found.files == ()
    both = native(TOLD, Tuning(decisions=(decided("chain"), decided("chain", "bcast"))))
    assert len(both.files) == 2
    assert "ibcast" not in both.files[0][1]
    assert native(TOLD, Tuning(decisions=(decided(""),))).environment == ()


def test_it_is_switched_by_the_parameter_alone() -> None:
    assert candidate(TOLD, "ibcast", Choice("chain")) == Candidate(((PARAMETER, "2"),))
    assert candidate(TOLD, "ibcast", Choice()) == Candidate()


def test_what_it_cannot_be_told_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="iscan"):
        candidate(TOLD, "iscan", Choice("linear"))
    with pytest.raises(UnknownNameError, match="pipeline"):
        native(TOLD, Tuning(decisions=(decided("pipeline"),)))
    with pytest.raises(InputError, match="neither a segment size"):
        candidate(TOLD, "ibcast", Choice("chain", 1024))
    rules = (Rule(10, Choice("chain")), Rule(None, Choice()))
    with pytest.raises(InputError, match="one choice for all sizes"):
        native(TOLD, Tuning(decisions=(Decision("ibcast", 4, rules),)))


def test_the_value_in_force_is_read_back() -> None:
    said = f"[a:1] {PARAMETER}=chain (environment)\n[a:1] coll_libnbc_ireduce_algorithm=ignore (default)\n"
    told = [pair for pair in read_back(TOLD, said).in_force if pair[0].startswith("algorithms")]
    assert told == [("algorithms of ibcast", "chain")]
