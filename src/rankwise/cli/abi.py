"""`rankwise abi`: programs of MPI-5's standard ABI, which run on every implementation."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import json_option, prefix_option
from rankwise.cli.screen import Screen
from rankwise.workflows.abi import Checked, Suitability
from rankwise.workflows.abi import check as look

_SHOWN = 3
"""Missing functions that are named; `--json` has all."""


_EXAMPLES = """\b
Examples:
  rankwise abi check ./app
  rankwise abi check ./app --json
"""


SECTION = "MPIs and hosts"


@click.group(name="abi", short_help="Show what a program is linked to, where it can run.", epilog=_EXAMPLES)
def command() -> None:
    """Show what binaries are linked to, and on which MPI they can run.

    `mpicc_abi` of MPICH 5 compiles programs for MPI-5's standard ABI. `rankwise run --mpi NAME` runs them, and
    programs that are linked to one MPI, on any implementation.
    """


@command.command(
    name="check", epilog=_EXAMPLES, short_help="Show what a program is linked to, and where it can run."
)
@click.argument("program")
@json_option
@prefix_option
def check(program: str, as_json: bool, prefixes: tuple[Path, ...]) -> None:
    """Show what a program is linked to, and which implementations can run it."""
    checked = look(program, prefixes, Screen(quiet=as_json))
    print_answer(checked, [_text(checked)], as_json=as_json)


def _text(checked: Checked) -> str:
    what = "the standard ABI of MPI-5, which any MPI can carry out" if checked.standard_abi else "one kind of MPI"
    width = max((len(suitability.implementation) for suitability in checked.implementations), default=0)
    rows = [
        f"  {suitability.implementation:{width}}  {'yes' if suitability.runs else 'no '}  "
        f"{_remark(suitability)}".rstrip()
        for suitability in checked.implementations
    ]
    return "\n".join([f"{checked.program} is linked to {checked.linked_to}: {what}", "It runs on", *rows])


def _remark(suitability: Suitability) -> str:
    if not suitability.missing:
        return suitability.reason
    named = ", ".join(suitability.missing[:_SHOWN])
    more = len(suitability.missing) - _SHOWN
    lacking = f"but lacks {named}{f' and {more} more' if more > 0 else ''}"
    return ", ".join(filter(None, (suitability.reason, lacking)))
