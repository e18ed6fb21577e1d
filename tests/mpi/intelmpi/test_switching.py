"""Presets of Intel MPI that one launch is to tell apart get sizes of their own, close below the one asked for."""

import pytest

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.tuning import Candidate, Choice
from rankwise.mpi.family import family_named
from rankwise.mpi.intelmpi.switching import candidates_by_size
from support.mpis import FOUND

INSTALLED = [one for one in FOUND if one.family == "intelmpi"]

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not INSTALLED, reason="no Intel MPI here")]


def presets(*numbers: int) -> list[Choice]:
    return [Choice(f"preset-{number}") for number in numbers]


def test_the_table_changes_between_the_sizes_of_two_candidates() -> None:
    found = candidates_by_size(INSTALLED[0], "bcast", 4, 4096, presets(3, 1, 2))
    assert found is not None
    native, candidates = found
    assert candidates == (Candidate(), Candidate(bytes_less=8), Candidate(bytes_less=16))
    assert dict(native.environment) == {
        "RANKWISE_AT_4_I_MPI_ADJUST_BCAST": "2:0-4080;1:4081-4088;3:4089-2147483647"
    }


def test_a_size_of_which_the_difference_is_a_large_part_is_declined() -> None:
    assert candidates_by_size(INSTALLED[0], "bcast", 4, 1023, presets(1, 2, 3)) is None
    assert candidates_by_size(INSTALLED[0], "bcast", 4, 1024, presets(1, 2, 3)) is not None
    assert candidates_by_size(INSTALLED[0], "bcast", 4, 1, presets(1)) is not None
    assert candidates_by_size(INSTALLED[0], "bcast", 4, 4096, []) is None


def test_what_no_table_can_say_is_refused() -> None:
    with pytest.raises(InputError, match="default"):
        candidates_by_size(INSTALLED[0], "bcast", 4, 4096, [*presets(1), Choice()])
    with pytest.raises(UnknownNameError, match="preset-999"):
        candidates_by_size(INSTALLED[0], "bcast", 4, 4096, presets(1, 999))


def test_intel_mpi_has_no_candidates_that_are_written() -> None:
    assert family_named("intelmpi").candidate(INSTALLED[0], "bcast", Choice("preset-1")) is None
