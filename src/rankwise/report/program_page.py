"""The page of a comparison of a user's own program: a list of sections."""

from __future__ import annotations

from rankwise.core.programs import ProgramAnswer
from rankwise.core.results import Comparison
from rankwise.report.colours import styles_for
from rankwise.report.context import ReportContext, origin
from rankwise.report.page import Introduction, Page, implementations_of, present
from rankwise.report.sections.program import program
from rankwise.report.sections.shared import notices, provenance, testbed


def program_page(comparison: Comparison, answer: ProgramAnswer, context: ReportContext) -> Page:
    """Return the page that answers with which MPI, profile, placement or testbed the program is fastest."""
    names = implementations_of([*comparison.implementations, *(row.variant for row in answer.rows)])
    known = [*names, *(command.implementation for command in context.commands)]
    return Page(
        context.title,
        _introduction(answer, context),
        present(
            notices(comparison.notices),
            testbed(context.topology, context.paths, context.network, comparison.notices),
            program(answer, styles_for(known)),
            provenance(context, alpha=comparison.alpha, delta=comparison.delta),
        ),
        names,
        styles_for(known),
        context.generated_at,
        comparison.baseline,
    )


def _introduction(answer: ProgramAnswer, context: ReportContext) -> Introduction:
    failed = sum(row.failed > 0 for row in answer.rows)
    return Introduction(
        origin(context.run),
        context.sentences,
        (
            ("Variants", str(len({row.variant for row in answer.rows}))),
            ("Metrics", str(len(answer.program.metrics))),
            ("Launches", str(context.run.launches)),
            *([("Failed", str(failed))] if failed else []),
        ),
    )
