"""`rankwise coupled`: two models that exchange a field in every step, in a site and across two."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import DURATION, SIZE, Ranks, json_option, mpi_option, names_of
from rankwise.cli.program_arguments import launcher_option
from rankwise.cli.screen import Screen
from rankwise.cli.testbed_options import where_options
from rankwise.core.apps import exit_code
from rankwise.core.coupled import PATTERNS, Pattern
from rankwise.report.coupled_view import coupled_parts
from rankwise.workflows.apps import AppsRequest
from rankwise.workflows.coupled import patterns, places, run_coupled
from rankwise.workflows.testbeds import testbed_of

SECTION = "Research"


@click.command(
    name="coupled",
    short_help="Run two coupled models that exchange fields.",
    epilog="\b\nPatterns:\n"
    + "".join(f"  {pattern.name:<13}{pattern.description}\n" for pattern in PATTERNS)
    + "\n\b\nExamples:\n"
    "  rankwise coupled --mpi openmpi --testbed gigabit-testbed-1999\n"
    "  rankwise coupled climate meg --testbed grid5000-2007\n"
    "  rankwise coupled groundwater --size 100M --testbed transatlantic\n"
    "  rankwise coupled molecular --computing 20ms -n 4",
)
@click.argument("names", nargs=-1, metavar="[PATTERN]...")
@click.option("--size", type=SIZE, help="Size of the field.  [default: the pattern's]")
@click.option("--computing", type=DURATION, help="Computing time of a model in a step.  [default: the pattern's]")
@click.option("--steps", type=click.IntRange(1, 100_000), help="Number of steps.  [default: the pattern's]")
@mpi_option
@click.option("-n", "ranks", type=Ranks(2),
              help="Number of ranks, half of them for each model.  [default: as many as a site has "
                   "slots]")  # fmt: skip
@launcher_option
@click.option("--limit", type=DURATION, default="10m", show_default=True, help="Time limit of a run.")
@json_option
@where_options
def command(**options: Any) -> int:
    """Run two models that exchange a field in every step, and measure what the link between sites costs.

    On a testbed of two sites each pattern runs twice: both models in one site, and one in each. The models sleep
    for their computing time. Exit code 1 if a result is wrong or a run failed, 3 if all runs failed.
    """
    chosen = tuple(_changed(pattern, options) for pattern in patterns(options["names"]))
    testbed = testbed_of(options["testbed"], options["hostfile"])
    request = AppsRequest(
        implementations=names_of(options["mpi"]), testbed=testbed, limit_seconds=options["limit"],
        launcher_arguments=options["launcher"],
    )  # fmt: skip
    results = run_coupled(chosen, request, places(testbed, options["ranks"] or 0), Screen())
    plain = [{**asdict(result), "wan_seconds": result.wan_seconds} for result in results]
    print_answer(plain, coupled_parts(results), as_json=options["as_json"])
    return exit_code([run for result in results for run in (result.within, result.across) if run])


def _changed(pattern: Pattern, options: dict[str, Any]) -> Pattern:
    """The pattern with what was asked for in place of its own."""
    given = {
        name: options[key]
        for key, name in (("size", "field_bytes"), ("computing", "computing_seconds"), ("steps", "steps"))
        if options[key]
    }
    return replace(pattern, **given)
