"""`rankwise predict`: what communication will take on a platform, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from rankwise.cli.answer import print_answer
from rankwise.cli.options import COUNT, RANK, SIZE, SIZES
from rankwise.cli.predict_options import ANSWER, PLATFORM, counting, only_one, request_of, with_options
from rankwise.cli.schedule import SITES
from rankwise.cli.screen import Screen, out
from rankwise.core.errors import InputError
from rankwise.report.prediction_csv import comparison_csv, prediction_csv, sweep_csv
from rankwise.report.prediction_view import comparison_parts, prediction_parts, sweep_parts, tolerance_parts
from rankwise.workflows.predict import pages, predictor
from rankwise.workflows.predict.asking import collectives
from rankwise.workflows.predict.questions import Collective, Files, Question, ScheduleFile
from rankwise.workflows.predict.tolerance import tolerance
from rankwise.workflows.schedules import DEFAULT_RANKS, Asked

Answer = Callable[[tuple[Question, ...], dict[str, Any]], None]

_ONE = "give --algorithm and one --size"
_EXAMPLES = """\b
Examples:
  rankwise predict collective allreduce --size 1M --platform platform.toml
  rankwise predict collective bcast --sites 4x256 --size 1M --platform p.toml
  rankwise predict pattern flows.txt --platform p.toml -o flows.html
  rankwise predict trace app.goal --platform p.toml --what-if wan.rate=10G
  rankwise predict trace a.goal@nodes=0-3 b.goal@nodes=2-5 --testbed cluster
  rankwise predict trace app.goal --sweep wan.delay=1ms:9ms --platform p.toml
  rankwise predict tolerance trace app.goal --platform platform.toml
"""


SECTION = "Explain and predict"


@click.group(name="predict", short_help="Predict the time of patterns, traces, collectives.", epilog=_EXAMPLES)
def command() -> None:
    """Predict what communication will take, contention included.

    The platform is what `rankwise fit` measured: its file, or with --mpi its stored run. With --testbed alone it
    is taken from the description of the testbed, without any measurement.
    """


@click.group("tolerance", epilog="\b\nExamples:\n"
             "  rankwise predict tolerance trace app.goal --platform platform.toml\n"
             "  rankwise predict tolerance pattern flows.txt --testbed cluster")  # fmt: skip
def tolerance_command() -> None:
    """Predict how much delay a program tolerates.

    For each class of links: how the time changes with the delay and with the rate, and how much the delay may
    grow until the program takes 1, 2 and 5 % longer. The latter is found with the simulator.
    """


def _predict(questions: tuple[Question, ...], parameters: dict[str, Any]) -> None:
    only_one(parameters, ("swept", "--sweep"), ("compare_with", "--compare-with"))
    only_one(parameters, ("swept", "--sweep"), ("page", "--report"))
    if parameters["noise"] and not parameters["seeds"]:
        raise InputError("--noise needs --seeds", "give the number of simulations: --seeds 100")
    only_one(parameters, ("swept", "--sweep"), ("seeds", "--seeds"))
    only_one(parameters, ("swept", "--sweep"), ("trace_file", "--trace-out"))
    if parameters["as_csv"] and parameters["as_json"]:
        raise InputError("--csv and --json are mutually exclusive", "give one of them")
    request = request_of(questions[0], parameters)
    page = parameters["page"] and parameters["page"].absolute()
    result: Any
    csv: Callable[[Any], str]
    parts: Callable[[Any], Iterable[Any]]
    with counting(quiet=parameters["quiet"]) as progress:
        if len(questions) > 1:
            if any(parameters[name] for name in ("page", "swept", "seeds", "trace_file")):
                raise InputError(
                    "--report, --sweep, --seeds and --trace-out need one algorithm and one size",
                    "give --algorithm and one --size",
                )
            several = tuple(question for question in questions if isinstance(question, Collective))
            result = predictor.compare(request, several, parameters["store"], progress)
            csv, parts = comparison_csv, comparison_parts
        elif parameters["swept"]:
            change, ends = parameters["swept"]
            result = predictor.sweep(request, change, ends, parameters["steps"], progress)
            csv, parts = sweep_csv, sweep_parts
        else:
            result = predictor.predict(request, parameters["store"], progress)
            csv, parts = prediction_csv, prediction_parts
    if page:
        pages.write(page, result)
    if parameters["as_csv"]:
        out(csv(result), end="")
    else:
        print_answer(result, parts(result), as_json=parameters["as_json"])
    if page:
        Screen(quiet=parameters["quiet"]).say(f"\nreport: {page}", whole=True)


def _tolerate(questions: tuple[Question, ...], parameters: dict[str, Any]) -> None:
    if len(questions) > 1:
        raise InputError("tolerance needs one --algorithm and one --size", _ONE)
    with counting(quiet=parameters["quiet"]) as progress:
        result = tolerance(request_of(questions[0], parameters), progress)
    print_answer(result, tolerance_parts(result), as_json=parameters["as_json"])


def _pattern(answer: Answer, *options: tuple[Any, ...]) -> click.Command:
    @click.command("pattern", epilog="\b\nExamples:\n"
                   "  rankwise predict pattern flows.txt --platform platform.toml\n"
                   "  rankwise predict pattern flows.txt --testbed cluster --model max-min")  # fmt: skip
    @click.argument("file", type=click.Path())
    @with_options(*options)
    def pattern(file: str, **parameters: Any) -> None:
        """Predict messages that are sent at given times.

        FILE has a line for each message: `from to bytes [start]`, ranks from 0 on, the start in seconds. Ranks
        fill the nodes of the platform in equal blocks; where there are fewer ranks than nodes, one on each.
        """
        answer((Files((file,)),), parameters)

    return pattern


def _trace(answer: Answer, *options: tuple[Any, ...]) -> click.Command:
    @click.command("trace", epilog="\b\nExamples:\n"
                   "  rankwise predict trace app.trace --platform platform.toml\n"
                   "  rankwise predict trace app.trace --mpi openmpi --compare-with 12\n"
                   "  rankwise predict trace traces/ --algorithm allreduce=ring --testbed cluster\n"
                   "  rankwise predict trace a.goal@nodes=0-3 b.goal@nodes=2-5 --testbed cluster")  # fmt: skip
    @click.argument("files", nargs=-1, required=True, metavar="FILE[@nodes=FROM-TO,...]...")
    @click.option("--algorithm", "algorithms", multiple=True, metavar="OPERATION=NAME",
                  help="Algorithm of a trace's collective operations.")  # fmt: skip
    @with_options(*options)
    def trace(files: tuple[str, ...], algorithms: tuple[str, ...], **parameters: Any) -> None:
        """Predict programs that were traced; several run at the same time.

        A FILE is what `rankwise trace` recorded, an OTF2 archive, a GOAL schedule (text or binary), SimGrid's
        time-independent trace, also a folder with a file for each rank, or the first of the Chakra execution
        traces app.0.et, app.1.et, ...
        """
        pairs = []
        for algorithm in algorithms:
            operation, equals, name = algorithm.partition("=")
            if not equals:
                raise InputError(f"'{algorithm}' names no algorithm", "write OPERATION=NAME: allreduce=ring")
            pairs.append((operation, name))
        answer((Files(files, tuple(pairs)),), parameters)

    return trace


def _collective(answer: Answer, *options: tuple[Any, ...]) -> click.Command:
    default: dict[str, Any] = {"default": "", "help": "See `rankwise schedule list`.  [default: compare all]"}
    required = {"required": True, "help": "See `rankwise schedule list`."}

    @click.command("collective", epilog="\b\nExamples:\n"
                   "  rankwise predict collective allreduce --testbed cluster\n"
                   "  rankwise predict collective bcast --size 1K,1M --sites 2x8 --platform p.toml\n"
                   "  rankwise predict collective bcast -n 64 --platform p.toml --compare-with 12")  # fmt: skip
    @click.argument("operation")
    @click.option("--algorithm", metavar="NAME", **(default if answer is _predict else required))
    @click.option("--size", "sizes", type=SIZES, default=None, metavar="SIZES",
                  help="Size of a rank's block.  [default: 1M, or those of --compare-with]")  # fmt: skip
    @click.option("-n", "ranks", type=click.IntRange(1, 1 << 22), default=None,
                  help="Number of ranks.  [default: those of --sites, or one on each node]")  # fmt: skip
    @click.option("--sites", "network", type=SITES, metavar="LAYOUT",
                  help="Sites of the ranks: 4x256 (sites x ranks), 4x64x4 (sites x nodes x ranks), "
                       "3,2,1.")  # fmt: skip
    @click.option("--root", type=RANK, default=0, help="Root rank.")
    @click.option(
        "--segment",
        "segment_bytes",
        type=SIZE,
        default="0",
        help="Segment size.  [default: the algorithm's choice]",
    )
    @click.option(
        "--fan-out",
        type=COUNT,
        default=0,
        help="Fan-out of a tree.  [default: the algorithm's choice]",
    )
    @click.option(
        "--lanes",
        type=COUNT,
        default=0,
        help="Number of parallel lanes between sites.  [default: the algorithm's choice]",
    )
    @with_options(*options)
    def collective(operation: str, algorithm: str, sizes: tuple[int, ...] | None, **parameters: Any) -> None:
        """Predict a collective operation, by one algorithm or by each.

        With --sites the platform is extended to as many sites and nodes as asked for; those that it lacks are
        assumed to be like those that it has.
        """
        names = ("root", "segment_bytes", "fan_out", "lanes", "network")
        more = {name: parameters.pop(name) for name in names} | {"ranks": parameters.pop("ranks") or 0}
        store: Path | None = parameters.get("store")
        questions = collectives(operation, algorithm, sizes, more, store, parameters.get("compare_with"))
        answer(questions, parameters)

    return collective


def _schedule(answer: Answer, *options: tuple[Any, ...]) -> click.Command:
    @click.command("schedule", epilog="\b\nExamples:\n"
                   "  rankwise predict schedule mine.py -n 8 --size 64K --platform platform.toml")  # fmt: skip
    @click.argument("file", type=click.Path())
    @click.option("-n", "ranks", type=click.IntRange(1, 1 << 14), default=None,
                  help="Number of ranks.  [default: those of the file, or 8 of a Python file]")  # fmt: skip
    @click.option(
        "--size", "size_bytes", type=SIZE, default="1M", show_default=True, help="Size of a rank's block."
    )
    @click.option("--name", default="", help="Name of the schedule, in a Python file that has several.")
    @with_options(*options)
    def schedule(file: str, ranks: int | None, size_bytes: int, name: str, **parameters: Any) -> None:
        """Predict a schedule of your own: Python, JSON or MSCCL's XML."""
        count = ranks or (DEFAULT_RANKS if file.endswith(".py") else 0)
        answer((ScheduleFile(Asked((file,), count, size_bytes=size_bytes, name=name)),), parameters)

    return schedule


for _make in (_pattern, _collective, _trace, _schedule):
    command.add_command(_make(_predict, PLATFORM, ANSWER))
    tolerance_command.add_command(_make(_tolerate, PLATFORM))
command.add_command(tolerance_command)
