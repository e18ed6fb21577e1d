"""The page of guidelines shows each check with its ratio and word, and what to do about a violation."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.guidelines.made import one
from rankwise.analysis.guidelines import rules
from rankwise.analysis.guidelines.findings import Finding, findings
from rankwise.core.records import Notice
from rankwise.report import page as builder
from rankwise.report.context import ReportContext
from rankwise.report.guideline_page import guideline_page
from rankwise.report.guidelines import RemedyShown
from rankwise.report.page import Page
from report import grid, samples
from report.test_comparison_page import Outline

CONTEXT = replace(samples.context(), title="Consistent?", sentences=("Two of three.",))
HOSTILE = "<script>alert('x')</script>"


@pytest.fixture
def found() -> tuple[Finding, ...]:
    return findings([
        one("violated", 1024, 2.5), one("holds", 65536, 0.5), one("undecided", 1024, guideline=rules.MONOTONY),
        one("holds", 1024, implementation="openmpi-5.0.11", variant="openmpi-5.0.11"),
    ])  # fmt: skip


def made(found: tuple[Finding, ...], notices: tuple[Notice, ...] = (), context: ReportContext = CONTEXT) -> Page:
    remedy = RemedyShown(
        ("MPI_Allgather instead of MPI_Gather",), ("CHOICE=1",), ("rankwise tune mpich-5.0.2 --for gather",)
    )
    remedies = {finding: remedy for finding in found if finding.word == "violated"}
    return guideline_page(found, remedies, notices, context, delta=0.05, alpha=0.05)


def rendered(found: tuple[Finding, ...], notices: tuple[Notice, ...] = ()) -> str:
    return builder.render(made(found, notices))


def test_a_heat_map_for_each_implementation_tells_ratio_interval_and_word(found: tuple[Finding, ...]) -> None:
    page = rendered(found)
    tables = re.findall(r'<table class="heatmap.*?</table>', page, re.DOTALL)
    assert len(tables) == 2
    text = " ".join(Outline(tables[0]).text.split())
    assert "1 KiB64 KiB" in text
    assert "gather ≤ allgather✗ 2.50 violated[2.40, 2.60]✓ 0.50 holds[0.40, 0.60]" in text
    assert "? 1.00 undecided[0.90, 1.10]" in text
    assert tables[0].count("<td") == 4  # the size at which monotony was not checked is an empty one


def test_a_violation_says_what_to_do(found: tuple[Finding, ...]) -> None:
    text = " ".join(Outline(rendered(found)).text.split())
    assert "gather of 1 KiB on 4 ranks takes 2.5 [2.4, 2.6] times as long as allgather" in text
    assert "What to do: MPI_Allgather instead of MPI_Gather" in text
    assert "CHOICE=1" in text
    assert "rankwise tune mpich-5.0.2 --for gather" in text
    assert "No guideline is violated." in text  # of the other implementation


def test_the_page_is_complete_and_small(found: tuple[Finding, ...]) -> None:
    page = rendered(found)
    outline = Outline(page)
    assert all(address.startswith(("#", "data:")) for address in outline.addresses)
    assert len(outline.ids) == len(set(outline.ids))
    assert len(page) < 120_000


def test_what_stands_in_a_name_stays_text(found: tuple[Finding, ...]) -> None:
    page = rendered(found, (Notice(HOSTILE, HOSTILE, HOSTILE),))
    assert HOSTILE not in page
    assert Outline(page).text.count("alert('x')") >= 3


def test_a_run_on_a_testbed_shows_its_network(found: tuple[Finding, ...]) -> None:
    page = builder.render(made(found, context=grid.context()))
    assert "Paths, specified and measured" in page
    assert page.count("<svg") > 5
    assert '<figure class="full low" data-figure="emulator/lateness">' in page
    assert "Plotly" in page  # which draws it, and is left out where there is no figure
    assert "plotly.js" not in rendered(found)


def test_it_is_written_to_its_file(found: tuple[Finding, ...], tmp_path: Path) -> None:
    path = tmp_path / "new" / "page.html"
    builder.write(path, made(found))
    assert path.read_text().lstrip().startswith("<!doctype html>")
