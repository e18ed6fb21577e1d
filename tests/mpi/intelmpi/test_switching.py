"""Presets of Intel MPI that one launch is to tell apart get sizes of their own, close below the one asked for."""

import pytest

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.tuning import Candidate, Choice
from rankwise.mpi.family import family_named
from rankwise.mpi.intelmpi.switching import candidates_by_size, most_by_size
from support.mpis import FOUND

INSTALLED = [one for one in FOUND if one.family == "intelmpi"]

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not INSTALLED, reason="no Intel MPI here")]


def presets(*numbers: int) -> list[Choice]:
    return [Choice(f"preset-{number}") for number in numbers]


def test_the_table_changes_between_the_sizes_of_two_candidates() -> None:
    native, candidates = candidates_by_size(INSTALLED[0], "bcast", 4, [65536, 4096], presets(3, 1, 2))
    assert candidates == (Candidate(), Candidate(bytes_less=4), Candidate(bytes_less=8))
    assert dict(native.environment) == {
        "RANKWISE_AT_4_I_MPI_ADJUST_BCAST": (
            "2:0-4088;1:4089-4092;3:4093-4096;2:4097-65528;1:65529-65532;3:65533-2147483647"
        )
    }


def test_messages_get_no_shorter_than_matters() -> None:
    assert [most_by_size(size) for size in (0, 1, 4, 8, 64, 1024, 65536)] == [0, 1, 1, 2, 16, 16, 256]
    candidates_by_size(INSTALLED[0], "bcast", 4, [64], presets(*range(1, 9)))
    with pytest.raises(InputError, match="room for 2 below 8 bytes"):
        candidates_by_size(INSTALLED[0], "bcast", 4, [8, 4096], presets(1, 2, 3))
    with pytest.raises(InputError, match="0 presets"):
        candidates_by_size(INSTALLED[0], "bcast", 4, [4096], [])


def test_what_no_table_can_say_is_refused() -> None:
    with pytest.raises(InputError, match="default"):
        candidates_by_size(INSTALLED[0], "bcast", 4, [4096], [*presets(1), Choice()])
    with pytest.raises(UnknownNameError, match="preset-999"):
        candidates_by_size(INSTALLED[0], "bcast", 4, [4096], presets(1, 999))


def test_intel_mpi_has_no_candidates_that_are_written() -> None:
    assert family_named("intelmpi").candidate(INSTALLED[0], "bcast", Choice("preset-1")) is None
