"""`rankwise schedule`: collective algorithms as data: list, look, prove, write in other formats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import reduce
from pathlib import Path
from typing import Any

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import COUNT, RANK, SIZE, Parsed, json_option
from rankwise.cli.schedule_synthesise import synthesise_command
from rankwise.cli.screen import out
from rankwise.core.errors import EXIT_ANSWER_IS_NO, EXIT_OK
from rankwise.report.schedule_drawing import schedule_svg
from rankwise.report.schedule_view import list_parts, proof_parts, rounds_of, show_parts
from rankwise.workflows import schedules
from rankwise.workflows.schedules import Asked

_EXAMPLES = """\b
Examples:
  rankwise schedule list allreduce
  rankwise schedule show allreduce ring -n 8
  rankwise schedule show bcast binomial --sites 2x8 --svg tree.svg
  rankwise schedule verify mine.py -n 8
  rankwise schedule export mine.py -n 8 --format json -o mine.json
"""
SITES = Parsed("sites", schedules.parse_sites)
what_argument = click.argument("what", nargs=-1, required=True, metavar="OPERATION ALGORITHM | FILE")
out_option = click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
                          help="File to write.")  # fmt: skip
_PROBLEM = (
    click.option("-n", "ranks", type=click.IntRange(0, 1 << 14), default=0,
                 help="Number of ranks.  [default: those of --sites or of the file, or 8]"),
    click.option("--sites", "network", type=SITES, metavar="LAYOUT",
                 help="Sites of the ranks: 2x8 (sites x ranks), 2x4x2 (sites x nodes x ranks), 3,2,1."),
    click.option("--root", type=RANK, default=0, show_default=True, help="Root rank."),
    click.option("--size", "size_bytes", type=SIZE, default="1M", show_default=True, help="Size of a rank's "
                                                                                          "block."),
    click.option("--segment", "segment_bytes", type=SIZE, default="0",
                 help="Segment size, where the algorithm has segments.  [default: the algorithm's choice]"),
    click.option("--fan-out", type=COUNT, default=0, help="Fan-out of a tree.  [default: the "
                                                                      "algorithm's choice]"),
    click.option("--lanes", type=COUNT, default=0,
                 help="Number of parallel lanes between sites.  [default: the algorithm's choice]"),
    click.option("--ordered", is_flag=True, help="The operator does not commute: keep the order of the ranks."),
    click.option("--name", default="", help="Name of the schedule, in a Python file that has several."),
)  # fmt: skip


def _problem_options(command: Callable[..., Any]) -> Callable[..., Any]:
    return reduce(lambda made, option: option(made), reversed(_PROBLEM), command)


SECTION = "Tune"


@click.group(name="schedule", short_help="Show, verify and write collective algorithms.", epilog=_EXAMPLES)
def command() -> None:
    """Look at collective algorithms: what they send, and whether they are right.

    An algorithm is a schedule: for each rank the messages, copies and reductions, and what each of them waits
    for. It comes from Rankwise, or from a file of yours: Python, JSON or MSCCL's XML.
    """


@command.command(
    "list", epilog="\b\nExamples:\n  rankwise schedule list\n  rankwise schedule list allreduce --json"
)
@click.argument("operation", required=False, default="")
@json_option
def list_command(operation: str, as_json: bool) -> None:
    """List the algorithms, all or those of one operation."""
    algorithms = schedules.algorithms(operation)
    print_answer(algorithms, list_parts(algorithms), as_json=as_json)


@command.command(
    "show",
    epilog="\b\nExamples:\n  rankwise schedule show allreduce ring -n 8\n"
    "  rankwise schedule show bcast binomial --sites 2x4x2 --root 3 --size 64K\n"
    "  rankwise schedule show bcast binomial -n 16 --segment 64K --svg tree.svg\n"
    "  rankwise schedule show mine.py -n 6 --json",
)
@what_argument
@_problem_options
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the drawing to this SVG file.",
)
@json_option
def show_command(what: tuple[str, ...], svg: Path | None, as_json: bool, **options: Any) -> None:
    """Show what an algorithm sends: rounds, messages and bytes, by the level of the links.

    A round is a message's time, if a rank sends one and receives one at once; ⇒ crosses from site to site.
    """
    shown = schedules.show(Asked(what, **options))
    if svg is not None:
        schedules.write(svg, schedule_svg(shown, alone=True))
    print_answer(_plain(shown) if as_json else None, () if svg else show_parts(shown), as_json=as_json)


def _plain(shown: schedules.Shown) -> dict[str, Any]:
    element, traffic = shown.bytes_per_element, asdict(shown.traffic)
    del traffic["round_of"]
    for counts in (traffic, *traffic["levels"]):
        counts["bytes"] = counts.pop("elements") * element
    rounds = [
        [{"from": sender, "to": receiver, "bytes": elements * element} for sender, receiver, elements in messages]
        for messages in rounds_of(shown)
    ]
    head = {"title": shown.title, "operation": shown.problem.operation, "ranks": shown.problem.ranks}
    for name in ("reduced", "scratch", "most_sent"):
        traffic[f"{name}_bytes"] = traffic.pop(name) * element
    return {**head, **traffic, "messages_by_round": rounds}


@command.command(
    "verify",
    epilog="\b\nExamples:\n  rankwise schedule verify mine.py -n 8\n  rankwise schedule verify mine.json\n"
    "  rankwise schedule verify allreduce ring -n 64 --size 1000",
)
@what_argument
@_problem_options
@json_option
def verify_command(what: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Prove that a schedule is right: the data of every rank, also in place, and no deadlock.

    The schedule is executed symbolically. If it is wrong, the rank and the step are reported, and the exit code
    is 1.
    """
    title, proof = schedules.verify(Asked(what, **options))
    plain = {"what": title, "right": proof.right, "in_place": proof.in_place, "faults": proof.faults}
    print_answer(plain, proof_parts(title, proof), as_json=as_json)
    return EXIT_OK if proof.right else EXIT_ANSWER_IS_NO


@command.command(
    "export",
    epilog="\b\nExamples:\n  rankwise schedule export bcast binomial -n 4 --format json\n"
    "  rankwise schedule export allreduce ring -n 8 --format msccl -o ring.xml\n"
    "  rankwise schedule export mine.py -n 8 --format goal --size 1M",
)
@what_argument
@_problem_options
@click.option("--format", "form", type=click.Choice(schedules.FORMATS), default="json", show_default=True,
              help="Rankwise's JSON, GOAL (LogGOPSim), MSCCL's XML, or the text that C reads.")  # fmt: skip
@click.option("--chunks", type=click.IntRange(0, 1 << 16), default=0,
              help="Number of parts that an algorithm divides a block into.  [default: the number of "
                   "ranks]")  # fmt: skip
@out_option
def export_command(
    what: tuple[str, ...], form: schedules.Format, chunks: int, output: Path | None, **options: Any
) -> None:
    """Write a schedule in another format. A wrong schedule is refused."""
    text = schedules.export(Asked(what, **options), form, chunks)
    if output is None:
        out(text, end="")
    else:
        schedules.write(output, text)


command.add_command(synthesise_command)
