"""Page and terminal show of a program each variant's median, verdict and failure, in the metric's unit."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import pytest
from rich.console import Console

from rankwise.core.programs import Metric, Program, ProgramAnswer, ProgramRow
from rankwise.report import page
from rankwise.report.program_page import program_page
from rankwise.report.program_view import program_html, program_parts
from report import samples
from report.test_comparison_page import Outline

HOSTILE = "<script>alert('x')</script>"
BASE = ProgramRow("Gflops", True, 4, "mpich-5.0.2", 12, 0, 10.0, 9.0, 11.0)
ROWS = (
    replace(
        BASE, variant="openmpi-5.0.11 + cyclic", median=12.5, low=12.4, high=12.6, ratio=1.25, ratio_low=1.2,
        ratio_high=1.3, p_value=0.001, verdict="faster",
    ),
    BASE,
    replace(
        BASE, variant="intelmpi-2021.18.1", launches=0, failed=2, median=math.nan, low=math.nan, high=math.nan,
        reason=f"exit code 3: {HOSTILE}",
    ),
)  # fmt: skip
VALUES = {("Gflops", 4, "mpich-5.0.2"): (9.5, 10.0), ("Gflops", 4, "openmpi-5.0.11 + cyclic"): (12.5,)}
ANSWER = ProgramAnswer(Program(("./app", HOSTILE), (Metric("Gflops", "(x)", True),)), ROWS, VALUES)
COMPARISON = replace(samples.comparison(), baseline="mpich-5.0.2", verdicts=(), notices=())


@pytest.fixture(scope="module")
def text() -> str:
    return page.render(program_page(COMPARISON, ANSWER, samples.context()))


def test_the_page_has_every_variant_with_its_verdict(text: str) -> None:
    words = " ".join(Outline(text).text.split())
    assert "Gflops, 4 ranks (higher is better)" in words
    assert "openmpi-5.0.11 + cyclic 12.512.4 – 12.61.25 [1.20, 1.30] ▼ faster 0.00112" in words
    assert "failed in 2 of 2" in words and "exit code 3:" in words


def test_what_a_program_says_cannot_become_markup(text: str) -> None:
    assert HOSTILE not in text and HOSTILE not in program_html(ANSWER, "mpich-5.0.2", [HOSTILE])


def test_each_launch_is_drawn_in_order() -> None:
    (choice,) = page.data_of(program_page(COMPARISON, ANSWER, samples.context()))["choices"]["program"]
    drawn = {trace["name"]: (trace["x"], trace["y"]) for trace in choice["figures"]["launches"]["data"]}
    assert drawn["mpich-5.0.2"] == ([1, 2], [9.5, 10.0])
    assert drawn["intelmpi-2021.18.1"] == ([], [])


def test_the_terminal_says_the_same_in_80_columns() -> None:
    console = Console(file=io.StringIO(), width=80, highlight=False)
    for part in program_parts(COMPARISON, ANSWER, ["One sentence."]):
        console.print(part)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert max(map(len, said.splitlines())) <= 80
    words = next(line for line in said.splitlines() if "faster" in line)
    assert all(one in words for one in ("openmpi-5", "12.5", "0.8%", "1.25 [1.20, 1.30]", " 12 ", "▼ faster"))
    assert "failed in 2 of 2" in " ".join(said.split())
