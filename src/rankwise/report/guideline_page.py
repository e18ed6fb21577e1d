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
    findings: Sequence[Finding],
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
    names = implementations_of(finding.variant for finding in findings)
    known = [*names, *(implementation.id for implementation in context.implementations)]
    return Page(
        context.title,
        _introduction(findings, names, context),
        present(
            notices(warnings),
            testbed(context.topology, context.paths, context.network, warnings),
            guidelines(findings, remedies, delta=delta, alpha=alpha),
            provenance(context, alpha=alpha, delta=delta),
        ),
        names,
        styles_for([*known, *(command.implementation for command in context.commands)]),
        context.generated_at,
    )


def _introduction(findings: Sequence[Finding], names: Sequence[str], context: ReportContext) -> Introduction:
    counts = {name: _counts([finding for finding in findings if finding.variant == name]) for name in names}
    total = _counts(findings)
    return Introduction(
        origin(context.run),
        context.sentences,
        (
            ("Implementations", str(len(names))),
            (
                "Guidelines",
                str(len({(finding.guideline, finding.operation, finding.options) for finding in findings})),
            ),
            ("Launches", str(context.run.launches)),
            *((f"{outcome.mark} {outcome.word}", str(total[outcome.word])) for outcome in OUTCOMES),
        ),
        Tally("Checks", OUTCOMES, counts),
    )


def _counts(findings: Sequence[Finding]) -> Counter[str]:
    return Counter(check.word for finding in findings for check in finding.checks)
