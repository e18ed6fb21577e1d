"""The page of a run held to the guidelines: a list of sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rankwise.analysis.guidelines.findings import Finding
from rankwise.core.records import Notice
from rankwise.report.colours import styles_for
from rankwise.report.context import ReportContext, origin
from rankwise.report.guidelines import RemedyShown
from rankwise.report.page import Introduction, Page, Tally, implementations_of, present
from rankwise.report.sections.guidelines import OUTCOMES, guidelines
from rankwise.report.sections.shared import notices, provenance, testbed


def guideline_page(
    found: Sequence[Finding],
    remedies: Mapping[Finding, RemedyShown],
    warnings: Sequence[Notice],
    context: ReportContext,
    *,
    delta: float,
    alpha: float,
) -> Page:
    """Return the page that answers whether each MPI is consistent with itself.

    Being slower by up to the share `delta` is no violation; `alpha` is the family-wise error of all checks.
    """
    names = implementations_of(one.variant for one in found)
    known = [*names, *(one.id for one in context.implementations)]
    return Page(
        context.title,
        _introduction(found, names, context),
        present(
            notices(warnings),
            testbed(context.topology, context.paths, context.network, warnings),
            guidelines(found, remedies, delta=delta, alpha=alpha),
            provenance(context, alpha=alpha, delta=delta),
        ),
        names,
        styles_for([*known, *(one.implementation for one in context.commands)]),
        context.generated_at,
    )


def _introduction(found: Sequence[Finding], names: Sequence[str], context: ReportContext) -> Introduction:
    counts = {name: _counts([one for one in found if one.variant == name]) for name in names}
    total = _counts(found)
    return Introduction(
        origin(context.run),
        context.sentences,
        (
            ("Implementations", str(len(names))),
            ("Guidelines", str(len({(one.guideline, one.operation, one.options) for one in found}))),
            ("Launches", str(context.run.launches)),
            *((f"{one.mark} {one.word}", str(total[one.word])) for one in OUTCOMES),
        ),
        Tally("Checks", OUTCOMES, counts),
    )


def _counts(found: Sequence[Finding]) -> Counter[str]:
    return Counter(check.word for one in found for check in one.checks)
