"""A page is its title, its introduction and its list of sections, and holds nothing that these do not ask for."""

from __future__ import annotations

import json
from dataclasses import replace

from rankwise.core.records import Notice
from rankwise.report.page import Choice, Introduction, Page, Section, data_of, present, render
from rankwise.report.sections.shared import notices
from report.test_comparison_page import Outline

PAGE = Page("A <title>", Introduction("today", ("It is <so>.",), (("Runs", "3"),)), (), (), {}, 0.0)
WARNING = Notice("noisy", "the host is noisy", "stop other programs")


def test_sections_stand_in_their_order_and_only_those_with_a_link_are_in_the_navigation() -> None:
    found = present(notices([WARNING]), None, Section("ratios", RATIOS, link="Ratios"))
    outline = Outline(render(replace(PAGE, sections=found)))
    assert [one for one in outline.ids if one in ("answer", "notices", "ratios")] == [
        "answer",
        "notices",
        "ratios",
    ]
    assert [one for one in outline.addresses if one in ("#notices", "#ratios")] == ["#ratios"]
    assert "A <title>" in outline.text
    assert outline.text.index("It is <so>.") < outline.text.index("the host is noisy")


RATIOS = {"maps": [], "marks": {}, "alpha": 0.05, "delta": 0.05}


def test_without_warnings_there_is_no_section_of_them() -> None:
    assert present(notices([])) == ()


def test_plotly_is_there_once_if_anything_is_drawn() -> None:
    plain = render(replace(PAGE, sections=present(notices([WARNING]))))
    drawn = Section("ratios", RATIOS, choices={"ratios": [Choice("all", {"one": {"data": []}})]})
    page = replace(PAGE, sections=(drawn,))
    assert len(plain) < 60_000
    assert 4_000_000 < len(render(page)) < 8_000_000
    assert json.loads(json.dumps(data_of(page)["choices"])) == {
        "ratios": [{"label": "all", "figures": {"one": {"data": []}}}]
    }


def test_the_introduction_refers_to_warnings_that_come_later() -> None:
    later = replace(
        PAGE, introduction=replace(PAGE.introduction, warnings=1), sections=present(notices([WARNING]))
    )
    outline = Outline(render(later))
    assert "Read the 1 warning about" in outline.text
    assert "#notices" in outline.addresses
