"""The terminal's answer leads with the answer, fits 25 lines of 80 columns, and names what it leaves out."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace

from rich.console import Console, RenderableType

from rankwise.core.records import Notice
from rankwise.report.comparison_view import comparison_parts, short_comparison
from report import samples


def lines_of(parts: Iterable[RenderableType]) -> list[str]:
    console = Console(file=io.StringIO(), width=80, color_system=None)
    for part in parts:
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_the_short_answer_fits_a_screen_and_begins_with_the_fastest() -> None:
    notices = tuple(Notice(f"kind-{number}", "m" * 200, "r" * 200) for number in range(6))
    lines = lines_of(short_comparison(replace(samples.comparison(), notices=notices), 7))
    assert len(lines) <= 25
    assert lines[0].startswith("Fastest: ")
    assert all(notice.kind in "\n".join(lines) for notice in notices)
    assert lines[-1].endswith("rankwise report 7 --long")


def test_many_classes_are_shown_by_category_alone() -> None:
    rows = [
        replace(row, category=category, size_class=size_class)
        for row in samples.comparison().summary[:2]
        for category in ("point-to-point", "collective", "nonblocking", "one-sided")
        for size_class in ("small", "medium", "large", "all")
    ]
    found = replace(samples.comparison(), summary=tuple(rows))
    assert len(lines_of(short_comparison(found, 1))) <= 25
    assert len(lines_of(comparison_parts(found, ()))) > 25


def test_the_long_answer_has_every_sentence_and_remedy() -> None:
    notice = Notice("slow", "the message", "the remedy")
    found = replace(samples.comparison(), notices=(notice,))
    text = "\n".join(lines_of(comparison_parts(found, ("A sentence.",))))
    assert all(words in text for words in ("A sentence.", "the message", "the remedy"))
