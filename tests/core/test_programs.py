"""A metric finds the number that its regular expression means, and has a name that people would give it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.core.programs import (
    WALL_TIME,
    Executable,
    Metric,
    Program,
    StoredProgram,
    check_pattern,
    metric_of,
    stored_program,
)  # fmt: skip

SECONDS = "Time in seconds = *([0-9.eE+-]+)"


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("Time in seconds = *([0-9.]+)", "Time in seconds"),
        (r"(?P<total_time>[0-9.]+)\s+s in all", "total time"),
        (r"^\s*Mop/s total\s*=\s*(\S+)", "Mop/s total"),
        (r"WR11C2R4.*?(\S+)$", "WR11C2R4"),
        (r"Gflops \(HPL\): (\S+)", "Gflops (HPL)"),
        (r"(\d+)", r"(\d+)"),
    ],
)
def test_a_metric_is_called_after_its_group_or_the_words_before_it(pattern: str, name: str) -> None:
    assert metric_of(pattern).name == name


@pytest.mark.parametrize("pattern", ["no group", "(a)(b)", "(", "(?P<x>", "*"])
def test_a_pattern_that_finds_no_number_is_refused(pattern: str) -> None:
    with pytest.raises(InputError) as caught:
        metric_of(pattern)
    assert caught.value.remedy
    with pytest.raises(InputError):
        Program(("./app",), (Metric("x", pattern),))


def test_the_last_number_counts() -> None:
    assert metric_of(SECONDS).find("Time in seconds = 3\nTime in seconds =   1.5\nTime in minutes = 7") == 1.5
    assert metric_of(r"^t (\S+)$").find("t 1\nt x\nnot t 3") == 1.0
    assert metric_of(SECONDS).find("no such line") is None
    assert metric_of("t=(.*)").find("t=nan\n") is None and metric_of("t=(.*)").find("t=inf") is None
    assert metric_of(r"norm (\S+)").find("norm  1.25D+02".replace("  ", " ")) == 125.0


@given(st.floats(min_value=1e-300, max_value=1e300), st.text(), st.text())
def test_every_number_that_a_program_prints_is_read_as_it_is(value: float, before: str, after: str) -> None:
    line = f"{before}\nTime in seconds = {value!r}\n{after}"
    assert metric_of(f"{SECONDS}$").find(line) == value or "Time in seconds =" in after


@given(st.text())
def test_any_text_is_a_pattern_or_an_input_error(text: str) -> None:
    try:
        assert check_pattern(text) == text
        re.compile(text)
        metric_of(text)
    except InputError as error:
        assert error.remedy


def test_two_metrics_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="two metrics are called 'Time in seconds'"):
        Program(("./app",), (metric_of(SECONDS), metric_of(SECONDS)))


def test_the_implementation_stands_for_its_place_in_the_arguments() -> None:
    program = Program(("./build-{mpi}/app", "--log", "{mpi}.log", "{other}"))
    assert program.metrics == (Metric(WALL_TIME),)
    assert program.command("/x/app", "mpich-5.0.2") == ("/x/app", "--log", "mpich-5.0.2.log", "{other}")


def test_what_is_stored_is_read_again() -> None:
    program = Program(
        ("./app", "ü"), (metric_of(SECONDS, higher_is_better=True),), "PASSED", "out.txt", "make", "/x"
    )
    stored = StoredProgram(program, (Executable("mpich-5.0.2", "/x/app", "0123"),), ("", "{}"))
    assert stored_program(stored.text) == stored
