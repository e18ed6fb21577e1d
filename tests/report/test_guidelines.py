"""Guidelines in the terminal tell each violation with times, ratio and remedy, and mark every check."""

from __future__ import annotations

import re

from rich.console import Console

from analysis.guidelines.made import one
from rankwise.analysis.guidelines import rules
from rankwise.analysis.guidelines.findings import Finding, findings
from rankwise.report import guidelines


def printed(found: tuple[Finding, ...], lines: str = "") -> str:
    console = Console(width=80, color_system=None, highlight=False)
    remedies = {finding: guidelines.RemedyShown((lines,)) for finding in found if finding.word == "violated"}
    with console.capture() as capture:
        for part in guidelines.parts(found, remedies):
            console.print(part)
    return capture.get()


def test_a_violation_is_told_with_times_ratio_and_remedy() -> None:
    text = printed(findings([one("holds", 8), one("violated", 1024, 2.5)]), "at 1 KiB call [it] off")
    assert re.search(r"1 KiB +25 us +allgather +10 us +2\.50 \[2\.40, 2\.60\]", text)
    assert "at 1 KiB call [it] off" in text
    assert re.search(r"gather ≤ allgather +✓ +✗$", text, re.MULTILINE)


def test_a_size_that_was_not_checked_is_blank() -> None:
    text = printed(findings([one("holds", 8), one("undecided", 64), one("holds", 64, guideline=rules.SPLIT)]))
    assert re.search(r"gather ≤ allgather +✓ +\?$", text, re.MULTILINE)
    (split,) = re.findall(r"^gather ≤ gather in parts.*$", text, re.MULTILINE)
    assert split.rstrip().endswith("✓")
    assert len(split.rstrip()) == max(len(line.rstrip()) for line in text.splitlines() if "≤" in line)


def test_implementations_and_ranks_are_parts_of_their_own() -> None:
    others = [
        one("holds", size, implementation="openmpi-5.0.11", variant="openmpi-5.0.11", launches=size)
        for size in (12, 7)
    ]
    found = findings([one("holds"), one("holds", ranks=8), *others])
    titles = [line for line in printed(found).splitlines() if " ranks, " in line]
    assert titles == [
        "mpich-5.0.2, 4 ranks, 12 launches",
        "mpich-5.0.2, 8 ranks, 12 launches",
        "openmpi-5.0.11, 4 ranks, 7 to 12 launches",
    ]


def test_placements_are_named_where_there_are_several() -> None:
    assert "placement" not in printed(findings([one("holds", placement="cyclic")]))
    text = printed(findings([one("holds"), one("violated", placement="cyclic")]))
    assert "gather ≤ allgather, placement cyclic" in text
