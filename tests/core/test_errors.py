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


def test_a_command_of_many_files_leaves_room_for_what_went_wrong() -> None:
    command = " ".join(["mpicc", "-O2", *(f"/cache/objects/{number:04}.o" for number in range(300)), "-lm"])
    error = errors.BuildError("it refused", command, "undefined reference")
    shown = str(error).splitlines()[1]
    assert error.command == command and len(shown) < 1100
    assert shown.startswith("command: mpicc -O2 /cache/objects/0000.o") and shown.endswith("/0299.o -lm")
    assert " more words] " in shown
