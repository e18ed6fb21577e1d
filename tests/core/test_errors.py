"""Errors name what is wrong and the nearest names there are."""

from rankwise.core import errors


def test_an_unknown_name_names_its_neighbours() -> None:
    error = errors.UnknownNameError("benchmark", "pingpng", ["pingpong", "pingping", "bcast"])
    assert "pingpong" in error.remedy
    assert "bcast" not in error.remedy
    assert error.exit_code == 2


def test_an_unknown_name_without_neighbours_lists_what_there_is() -> None:
    assert "bcast, gather" in errors.UnknownNameError("benchmark", "xyz", ["gather", "bcast"]).remedy


def test_a_build_error_keeps_command_and_words() -> None:
    error = errors.BuildError("it refused", "mpicc x.c", "x.c:1: error: what is this\n")
    assert "mpicc x.c" in str(error)
    assert "what is this" in str(error)
    assert error.exit_code == 3
