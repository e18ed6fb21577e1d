"""A metric finds the number that its regular expression means, and has a name that people would give it."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
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


def test_the_last_match_counts() -> None:
    assert metric_of(SECONDS).find("Time in seconds = 3\nTime in seconds =   1.5\nTime in minutes = 7") == 1.5
    assert metric_of(r"norm (\S+)").find("norm 1.25D+02") == 125.0
    assert metric_of(r"t=(\d*)").find("t=3\nt=") == 3


@pytest.mark.parametrize(
    ("pattern", "output"),
    [
        (SECONDS, "no such line"),
        ("t=(.*)", "t=nan\n"),
        ("t=(.*)", "t=1.5\nt=nan\n"),
        (r"t= *([0-9.]+)", "t=  1.5\nt= nan\n"),
        (r"t=([0-9.]+)", "t=1.5\nt=-Inf\n"),
        ("t=(.*)", "t=1.5\nt=inf\n"),
        (r"t=(\S+)", "t=1.5\nt=*****\n"),
        (r"t=(\S+)", "t=1.5\nt=12,345\n"),
    ],
)
def test_the_match_before_the_last_does_not_stand_for_it(pattern: str, output: str) -> None:
    with pytest.raises(ValueError, match=r"nothing|number"):
        metric_of(pattern).find(output)


@pytest.mark.parametrize(
    ("pattern", "output", "whole"),
    [
        ("t = *([0-9.]+)", "t = 1.5E-03", "1.5E-03"),
        ("t = *([0-9.]+)", "t = 1.5D+02 s", "1.5D+02"),
        ("t = *([0-9.]+)", "t = 12,345", "12,345"),
        ("t = *([0-9.]+)", "t = 1,234,567.5 us", "1,234,567.5"),
        ("t = *([0-9]+)", "t = 1.5", "1.5"),
        ("t = *([0-9]{2})", "t = 1234", "1234"),
        (r"\.([0-9]+)", "t = 1.5", "1.5"),
    ],
)
def test_a_part_of_a_number_is_refused_and_the_number_shown(pattern: str, output: str, whole: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"'{whole}'")):
        metric_of(pattern).find(output)


@pytest.mark.parametrize(
    ("pattern", "output", "value"),
    [
        ("t=([0-9.]+)", "t=3.", 3.0),
        ("t=([0-9.]+)", "t=3. Then", 3.0),
        ("t=([0-9.]+)", "t=0.5, 3", 0.5),
        ("t=([0-9.]+)", "t=.5s", 0.5),
        ("t=([0-9.]+)", "t=5,6,7", 5.0),
        (r"a,(\d+),", "a,12,345", 12.0),
        (r"x\d(\S+)", "x2 7\nx2\t1".replace("2 ", "2-"), -7.0),
        ("t=([0-9.]+)", "t=1.5\ncost=nan", 1.5),
        ("t=([0-9.]+)", "t=1.5\nt=nanoseconds", 1.5),
    ],
)
def test_what_only_stands_beside_a_number_is_no_part_of_it(pattern: str, output: str, value: float) -> None:
    assert metric_of(pattern).find(output) == value


@pytest.mark.parametrize(
    ("pattern", "unit"),
    [
        (r"Time in seconds = *(\S+)", 1.0),
        (r"(?P<wall_seconds>\S+)", 1.0),
        (r"Loop time of *(\S+)", 1.0),
        (r"Total time \(ms\): (\S+)", 1e-3),
        (r"elapsed: (\S+) us$", 1e-6),
        (r"Time in minutes (\S+)", 60.0),
        (r"Mop/s total = (\S+)", None),
        (r"Performance: (\S+) ns/day", None),
        (r"time steps per second: (\S+)", None),
        (r"Gflops: (\S+)", None),
    ],
)
def test_a_time_is_known_by_its_name_and_unit(pattern: str, unit: float | None) -> None:
    assert metric_of(pattern).unit_seconds == unit
    assert metric_of(pattern, higher_is_better=True).unit_seconds is None


@given(st.floats(min_value=1e-300, max_value=1e300), st.text(), st.text())
def test_every_number_that_a_program_prints_is_read_as_it_is(value: float, before: str, after: str) -> None:
    line = f"{before}\nTime in seconds = {value!r}\n{after}"
    assert metric_of(f"{SECONDS}$").find(line) == value or "Time in seconds =" in after


@given(st.text())
@example("[[")
def test_any_text_is_a_pattern_or_an_input_error(text: str) -> None:
    try:
        assert check_pattern(text) == text
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
