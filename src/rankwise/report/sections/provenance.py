"""Where the numbers come from: command lines, implementations, the plan, the machine."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.report.context import ReportContext
from rankwise.report.page import Section


def provenance(
    context: ReportContext, *, alpha: float, delta: float, starts: Mapping[str, int] | None = None
) -> Section:
    """Return all that it takes to measure the run again; `starts`: how many cells began repetitions in which way.

    `alpha` is the family-wise error of the page's tests, `delta` the difference up to which times count as equal.
    """
    return Section(
        "provenance",
        {"context": context, "alpha": alpha, "delta": delta, "starts": starts or {}},
        link="Provenance",
    )
