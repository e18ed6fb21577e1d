"""A choice becomes the values of MPICH's control variables that force it, as the library itself numbers them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.records import Implementation
from rankwise.core.tuning import Candidate, Choice
from rankwise.mpi.family import family_named
from rankwise.mpi.mpich.algorithms import own_name
from rankwise.mpi.mpich.library import library
from rankwise.mpi.mpich.places import listed
from support.mpis import FOUND

INSTALLED = [one for one in FOUND if one.family == "mpich"]
FAMILY = family_named("mpich")
NAMES = ["binomial", "brucks", "k_brucks", "nb", "pairwise", "ring", "smp", "tree"]
WORDS = ["Force binomial Tree", "Force nonblocking algorithm", "Force Scatter Ring", "Force it (see above)"]


@given(st.permutations([*NAMES, "unheard_of", "other_ring"]), st.data(), st.sampled_from(["", "\n"]))
def test_the_place_of_each_name_is_found_whether_lines_run_together_or_not(
    order: list[str], data: st.DataObject, between: str
) -> None:
    text = (
        "Variable to select an algorithm" + between + "auto - Internal algorithm selection (or by the variable X)"
    )
    for name in order:
        text += f"{between}{name:<{data.draw(st.integers(1, 40))}} - {data.draw(st.sampled_from(WORDS))}"
    found = listed(text, NAMES)
    assert len(found) == len(order) + 1
    assert [found.index(name) for name in NAMES] == [order.index(name) + 1 for name in NAMES]
    assert (found[0], found.count("")) == ("auto", 2)


def test_a_description_that_lists_nothing_has_no_places() -> None:
    assert listed("", NAMES) == listed("the ring - and the tree - of all", NAMES) == []


@pytest.mark.mpi
@pytest.mark.parametrize("implementation", INSTALLED, ids=lambda one: one.id)
def test_every_algorithm_that_is_offered_has_a_place_of_its_own(implementation: Implementation) -> None:
    variables = library(implementation).variables
    for operation, algorithms in FAMILY.algorithms(implementation).items():
        main, places = f"MPIR_CVAR_{operation.upper()}_INTRA_ALGORITHM", set()
        for algorithm in algorithms:
            found = FAMILY.candidate(implementation, operation, Choice(algorithm.name))
            assert found is not None, (operation, algorithm)
            assert {name for name, _ in found.variables} <= set(variables)
            places.add(int(dict(found.variables)[main]))
        assert len(places) == len(algorithms)
        assert min(places) > 0


@pytest.mark.mpi
@pytest.mark.parametrize("implementation", INSTALLED, ids=lambda one: one.id)
def test_the_description_has_the_name_at_the_place(implementation: Implementation) -> None:
    told = library(implementation).descriptions["MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"]
    for algorithm in FAMILY.algorithms(implementation)["allreduce"]:
        found = FAMILY.candidate(implementation, "allreduce", Choice(algorithm.name))
        assert found is not None
        place = int(dict(found.variables)["MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"])
        assert told.split(" - ")[place].rstrip().endswith(own_name(algorithm.native))


@pytest.mark.mpi
@pytest.mark.parametrize(
    "implementation", [one for one in INSTALLED if one.version >= "5"], ids=lambda one: one.id
)
def test_parameters_are_those_that_a_selection_file_would_have(implementation: Implementation) -> None:
    prefix = "MPIR_CVAR_BCAST"
    found = FAMILY.candidate(implementation, "bcast", Choice("pipelined_tree", 4096, 3))
    assert found is not None
    assert found.variables[1:] == (
        (f"{prefix}_TREE_KVAL", "3"), (f"{prefix}_IS_NON_BLOCKING", "1"),
        (f"{prefix}_TREE_PIPELINE_CHUNK_SIZE", "4096"), (f"{prefix}_RECV_PRE_POST", "0"),
        (f"{prefix}_DEVICE_COLLECTIVE", "0"),
    )  # fmt: skip
    gather = FAMILY.candidate(implementation, "gather", Choice("binomial"))
    assert gather == Candidate((("MPIR_CVAR_GATHER_INTRA_ALGORITHM", "1"),))


@pytest.mark.mpi
@pytest.mark.parametrize("implementation", INSTALLED, ids=lambda one: one.id)
def test_what_there_is_not_is_refused_and_the_default_writes_nothing(implementation: Implementation) -> None:
    assert FAMILY.candidate(implementation, "bcast", Choice()) == Candidate()
    with pytest.raises(UnknownNameError, match="bcasts"):
        FAMILY.candidate(implementation, "bcasts", Choice("binomial"))
    with pytest.raises(UnknownNameError, match="binomials"):
        FAMILY.candidate(implementation, "bcast", Choice("binomials"))
    with pytest.raises(InputError, match="takes no fan-out"):
        FAMILY.candidate(implementation, "bcast", Choice("binomial", fanout=3))
