"""What parts a difference between two MPIs is in the terminal and on the page, with the same figures."""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from rankwise.core.results import Comparison, Explanation, Factor
from rankwise.report import page
from rankwise.report.comparison_page import comparison_page
from rankwise.report.explanations import explanation_table, explanation_tables
from report import samples

CANDIDATES = ("mpich-5.0.2", "openmpi-5.0.11")


def explained() -> Comparison:
    found = tuple(
        Explanation(
            "allreduce", size, 4, samples.BASELINE, candidate, "allreduce.recursive_doubling",
            Factor(1.8, 1.7, 1.9), Factor(1.5, 1.4, 1.6), Factor(1.2, 0.9, 1.3), 1.02, 1.53, 13, 1.1, 1.4,
        )
        for size in (8, 1024)
        for candidate in CANDIDATES
    )  # fmt: skip
    return replace(samples.comparison(), explanations=found)


def test_there_is_a_table_for_each_candidate_in_the_order_of_the_comparison() -> None:
    tables = explanation_tables(explained())
    assert [one.candidate for one in tables] == sorted(CANDIDATES, key=samples.IMPLEMENTATIONS.index)
    assert all([row.size_bytes for row in one.rows] == [8, 1024] for one in tables)


def test_the_terminal_has_every_factor_within_eighty_columns() -> None:
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(explanation_table(explained()))
    text = capture.get()
    assert "1.80 [1.70, 1.90]" in text
    assert "recursive" in text
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_page_has_them_in_a_section_of_their_own() -> None:
    text = page.render(comparison_page(explained(), samples.context()))
    assert "Algorithm versus point-to-point layer" in text
    assert "1.50 × <small>[1.40, 1.60]</small>" in text
    assert '<td class="n muted">1.20 ×' in text  # an interval that holds 1
    without = page.render(comparison_page(samples.comparison(), samples.context()))
    assert "Algorithm versus point-to-point layer" not in without
