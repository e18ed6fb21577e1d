"""The page of a study is complete, harmless, and readable when hardly anything was measured."""

from __future__ import annotations

import io
import json
import math
import re
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from rankwise.core.network import PathFigures
from rankwise.core.records import Notice
from rankwise.report.page import render
from rankwise.studies import base
from rankwise.studies.base import Chart, Claim, Page, Row, Statement, Table
from rankwise.studies.page import study_page, summary
from rankwise.studies.terminal import lines
from rankwise.studies.wording import NOT_MEASURED
from rankwise.testbeds import description
from studies import test_hablot2007

HABLOT = base.find("hablot2007")


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


@pytest.fixture(scope="module")
def text() -> str:
    results = test_hablot2007.published()
    return render(study_page(HABLOT, HABLOT.page(results), results, "rankwise study hablot2007 --from 1,2"))


def test_every_statement_table_and_figure_is_there(text: str) -> None:
    page = HABLOT.page(test_hablot2007.published())
    for table in page.tables:
        assert f"<h3>{table.title.replace(chr(39), '&#39;')}</h3>" in text
    assert text.count('<p class="verdict">') == len(page.statements) + len(page.aims)
    assert "</span> missed</p>" in text
    assert "</span> reached</p>" in text
    figures = data_of(text)["choices"]["study"][0]["figures"]
    assert list(figures) == [chart.key for chart in page.charts]
    for key in figures:
        assert f'data-figure="study/{key}"' in text
    assert "rankwise study hablot2007 --from 1,2" in text
    assert "L. Hablot" in text


def test_it_loads_nothing(text: str) -> None:
    head, _, body = text.partition("</style>")
    markup = re.sub(r"<script.*?</script>", "", head + body, flags=re.DOTALL)
    assert not re.search(r'(src|@import|url)\s*[=(]\s*["\']?(http|//)', markup)


def test_without_any_result_it_says_so() -> None:
    page = HABLOT.page({})
    text = render(study_page(HABLOT, page, {}, "rankwise study hablot2007"))
    assert text.count("not measured</td>") == len(HABLOT.runs)
    count = len(page.statements)
    assert f"{count} could not be decided, {count} of them not measured." in summary(page.statements)


def test_the_terminal_has_what_was_measured_and_names_the_tables() -> None:
    claims = (Claim("a", "messages are long", "1"), Claim("b", "messages are short", "2"))
    page = Page(
        statements=(
            Statement(claims[0], NOT_MEASURED, "undecided"),
            Statement(claims[1], "3 bytes.", "holds"),
        ),
        tables=(Table("Table of lengths", (), ()), Table("What it gains", (), ())),
        aims=(Statement(claims[0], NOT_MEASURED, "undecided"),),
    )
    out = io.StringIO()
    Console(width=200, file=out).print(*lines("A study", page))
    said = out.getvalue()
    assert "short" in said
    assert "messages are long" not in said
    assert "Of 2 statements of the paper 1 holds today, 0 no longer; 1 could not be decided, 1 of them" in said
    assert "Tables on the page: Table of lengths; What it gains." in said


def test_names_from_outside_are_shown_and_not_obeyed() -> None:
    evil = "<script>alert(1)</script>"
    page = Page(
        statements=(Statement(Claim("k", evil, "1"), evil, "undecided"),),
        tables=(Table(evil, (evil,), (Row(evil, (evil,), evil),), evil),),
        charts=(Chart("c", evil, {"data": [], "layout": {"title": evil}}, evil),),
        caveats=(evil,),
    )
    text = render(study_page(replace(HABLOT, title=evil, runs=()), page, {}, evil))
    assert evil not in text


def test_the_testbed_is_drawn_with_what_was_measured_of_it() -> None:
    results = dict(test_hablot2007.published())
    run = HABLOT.runs[0]
    topology = HABLOT.topology(run, description.load(run.testbed))
    path = PathFigures("node1", "node2", 20e-6, 31e-6, 40e-6, 1e9, 941e6, 0.0, math.nan)
    results[run.label] = replace(results[run.label], topology=topology, paths=(path,))
    text = render(study_page(HABLOT, HABLOT.page(results), results, "rankwise study hablot2007"))
    assert text.count('<figure class="drawing"><svg') == 1
    assert '<td class="n">941 Mbit/s</td>' in text


def test_warnings_say_of_which_run_they_are() -> None:
    results = dict(test_hablot2007.published())
    run = HABLOT.runs[1]
    noisy = replace(results[run.label].comparison, notices=(Notice("noisy", "the host is noisy", "stop it"),))
    results[run.label] = replace(results[run.label], comparison=noisy)
    text = render(study_page(HABLOT, HABLOT.page(results), results, "rankwise study hablot2007"))
    assert f"noisy · {run.title}" in text
    assert "the host is noisy" in text
