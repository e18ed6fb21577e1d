"""`rankwise profile lint`: settings files that others have written."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import json_option, prefix_option
from rankwise.cli.screen import Screen, err
from rankwise.core.errors import EXIT_ANSWER_IS_NO, EXIT_INPUT, EXIT_OK
from rankwise.workflows import lint


@click.command(
    "lint",
    epilog="\b\nExamples:\n  rankwise profile lint tuned-rules.conf\n"
    "  rankwise profile lint --mpi openmpi-5 rules.json ~/.openmpi/mca-params.conf\n"
    "  rankwise profile lint --json impi.env",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--mpi", default="", metavar="MPI",
              help="Check for this one.  [default: all that are here, and Open MPI 4.0 to 6.0]")  # fmt: skip
@click.option("--format", "form", default=None, metavar="NAME", type=click.Choice(lint.FORMATS),
              help=f"Format of the files: {', '.join(lint.FORMATS)}.  [default: as their text "
                   "suggests]")  # fmt: skip
@prefix_option
@json_option
def lint_command(
    files: tuple[Path, ...], mpi: str, form: str | None, prefixes: tuple[Path, ...], as_json: bool
) -> int:
    """Check files of tuned settings: names, values, units, and rules that are never reached.

    Open MPI's rules files (classic and JSON) and mca-params.conf, MPICH's selection files, and files that set
    I_MPI_ADJUST_* and other variables. Exit code 1 if something was found, 2 if a file cannot be read.
    """
    linted_files = lint.lint(lint.LintRequest(files, mpi, form or "", prefixes), Screen())
    lines = (
        f"{linted.file}:{finding.line}: {finding.kind}: {finding.message}"
        + (f" ({finding.remedy})" if finding.remedy else "")
        for linted in linted_files
        for finding in linted.findings
    )
    print_answer(linted_files, lines, as_json=as_json)
    for linted in linted_files:
        if linted.unreadable:
            where = f"{linted.file}:{linted.line}" if linted.line else str(linted.file)
            err(f"{where}: cannot be read: {linted.unreadable}")
    if any(linted.unreadable for linted in linted_files):
        return EXIT_INPUT
    return EXIT_ANSWER_IS_NO if any(linted.findings for linted in linted_files) else EXIT_OK
