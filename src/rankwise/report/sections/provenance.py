"""Where the numbers come from: command lines, implementations, the plan, the machine."""

from __future__ import annotations

from rankwise.report.context import ReportContext
from rankwise.report.page import Section


def provenance(context: ReportContext, *, alpha: float, delta: float) -> Section:
    """Return all that it takes to measure the run again.

    `alpha` is the family-wise error of the page's tests, `delta` the difference up to which times count as equal.
    """
    return Section("provenance", {"context": context, "alpha": alpha, "delta": delta}, link="Provenance")
