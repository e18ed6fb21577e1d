"""A choice becomes the parameters of Open MPI that force it at run time, where they can be written."""

import pytest

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.tuning import Candidate, Choice, Native
from rankwise.mpi.family import family_named, with_switching
from rankwise.mpi.openmpi.switching import candidate
from support.mpis import FOUND
from support.ompi_info import example

REAL = [one for one in FOUND if one.family == "openmpi"]
TOLD = example()
HAN_GIVES = "coll_han_bcast_dynamic_global_communicator_module"


def test_parameters_are_those_that_a_rules_file_would_have() -> None:
    prefix = "coll_tuned_bcast_algorithm"
    assert candidate(TOLD, "bcast", Choice("chain", 8192, 2)) == Candidate(
        (
            (prefix, "2"), (f"{prefix}_segmentsize", "8192"), (f"{prefix}_chain_fanout", "2"),
            (HAN_GIVES, "3"),
        )
    )  # fmt: skip
    assert candidate(TOLD, "bcast", Choice("chain")) == Candidate(
        (
            (prefix, "2"), (f"{prefix}_segmentsize", "0"), (f"{prefix}_chain_fanout", "4"),
            (HAN_GIVES, "3"),
        )
    )  # fmt: skip


def test_han_stays_where_it_does_not_lead() -> None:
    assert candidate(TOLD, "reduce_scatter", Choice("butterfly")) == Candidate(
        (("coll_tuned_reduce_scatter_algorithm", "3"),)
    )
    assert candidate(example("coll_han_priority"), "allgather", Choice("ring")) == Candidate(
        (("coll_tuned_allgather_algorithm", "3"),)
    )


def test_the_default_writes_nothing() -> None:
    assert candidate(TOLD, "bcast", Choice()) == Candidate()


def test_what_cannot_be_written_at_run_time_cannot_be_switched() -> None:
    assert candidate(TOLD, "alltoall", Choice("pairwise")) is None
    assert candidate(example("coll_tuned_use_dynamic_rules"), "bcast", Choice("basic_linear")) is None
    assert candidate(example(HAN_GIVES), "bcast", Choice("basic_linear")) is None
    assert candidate(TOLD, "barrier", Choice("tree")) is None


def test_what_this_version_lacks_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="bcasts"):
        candidate(TOLD, "bcasts", Choice("chain"))
    with pytest.raises(UnknownNameError, match="chains"):
        candidate(TOLD, "bcast", Choice("chains"))
    with pytest.raises(InputError, match="takes none"):
        candidate(TOLD, "bcast", Choice("basic_linear", 1024))


@pytest.mark.mpi
@pytest.mark.parametrize("implementation", REAL, ids=lambda one: one.id)
def test_all_that_tuned_offers_can_be_switched_but_one_operation(implementation: object) -> None:
    one = next(found for found in REAL if found == implementation)
    family = family_named("openmpi")
    fixed = {
        operation
        for operation, algorithms in family.algorithms(one).items()
        for algorithm in algorithms
        if family.candidate(one, operation, Choice(algorithm.name)) is None
    }
    assert fixed <= {"allgatherv"}  # its parameter is read-only
    rules = (("OMPI_MCA_coll_tuned_use_dynamic_rules", "1"),)
    assert with_switching(one, Native(environment=(("A", "1"),))).environment == (("A", "1"), *rules)
