"""`rankwise platform`: look at what `rankwise fit` measured, compare it, exchange it with SimGrid."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import json_option
from rankwise.cli.screen import Screen, err, out
from rankwise.core.errors import EXIT_ANSWER_IS_NO, EXIT_OK
from rankwise.report.platform_view import difference_parts, platform_parts
from rankwise.workflows import platforms
from rankwise.workflows.events import warn

_FILE = click.Path(dir_okay=False, path_type=Path)
_EXAMPLES = """\b
Examples:
  rankwise platform show platform.toml
  rankwise platform diff monday.toml tuesday.toml
  rankwise platform export platform.toml -o platform.xml
  smpirun -np 4 -platform platform.xml -hostfile hosts ./app
  rankwise platform import cluster.xml -o cluster.toml
"""


SECTION = "Explain and predict"


@click.group(name="platform", short_help="Show, export and import what fit measured.", epilog=_EXAMPLES)
def command() -> None:
    """Manage platforms: what messages cost, as measured by `rankwise fit`."""


@command.command("show", epilog="\b\nExamples:\n  rankwise platform show platform.toml\n")
@click.argument("file", type=_FILE)
@json_option
def show_command(file: Path, as_json: bool) -> None:
    """Show what messages cost by class of pairs and size, with 95 % intervals, and what is not known."""
    platform = platforms.read(file)
    print_answer(platform, platform_parts(platform), as_json=as_json)


@command.command("diff", epilog="\b\nExamples:\n  rankwise platform diff monday.toml tuesday.toml\n")
@click.argument("one", type=_FILE)
@click.argument("other", type=_FILE)
@json_option
def diff_command(one: Path, other: Path, as_json: bool) -> int:
    """Show which parameters of two platforms differ. Exit code 1 if any does."""
    rows = platforms.difference(platforms.read(one), platforms.read(other))
    if not rows:
        err("no parameter differs")
    keys = ("parameter", "one", "other", "meaning")
    plain = [dict(zip(keys, row, strict=True)) for row in rows]
    print_answer(plain, [difference_parts(one.name, other.name, rows)] if rows else [], as_json=as_json)
    return EXIT_ANSWER_IS_NO if rows else EXIT_OK


@command.command(
    "export", epilog="\b\nExamples:\n  rankwise platform export platform.toml -o platform.xml\n"
    "  rankwise platform export platform.toml --format simulator -o platform.json\n",
)  # fmt: skip
@click.argument("file", type=_FILE)
@click.option("--format", "form", type=click.Choice(platforms.FORMATS), default="simgrid", show_default=True,
              help="SimGrid's XML 4.1 for SMPI, or the JSON of rankwise-sim.")  # fmt: skip
@click.option("-o", "--output", type=_FILE, help="The file to write.  [default: standard output]")
def export_command(file: Path, form: str, output: Path | None) -> None:
    """Write a platform for other simulators."""
    platform = platforms.read(file)
    text = platforms.exported(platform, form)
    if output:
        platforms.write(output, text)
    else:
        out(text, end="")
    if lost := platforms.lost_in_export(platform, form):
        warn(Screen(), lost)


@command.command("import", epilog="\b\nExamples:\n  rankwise platform import cluster.xml -o cluster.toml\n")
@click.argument("file", type=_FILE)
@click.option("-o", "--output", type=_FILE, help="The file to write.  [default: standard output]")
def import_command(file: Path, output: Path | None) -> None:
    """Read a SimGrid platform of clusters. What Rankwise cannot express is refused, with its line number."""
    platform = platforms.imported(file)
    text = platforms.text_of(platform)
    if output:
        platforms.write(output, text)
    else:
        out(text, end="")
    warn(Screen(), *(f"{name}: {why}" for name, why in platform.not_identified.items()))
