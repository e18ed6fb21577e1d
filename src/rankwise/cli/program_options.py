"""The options of `compare` that are about a program of the user's, and the request that is made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from rankwise.cli.options import Parsed
from rankwise.cli.program_arguments import TakesProgram
from rankwise.core import programs
from rankwise.core.errors import InputError
from rankwise.core.programs import WALL_TIME, Metric, Program
from rankwise.workflows.measure import Request
from rankwise.workflows.programs import ProgramRequest
from rankwise.workflows.testbeds import testbed_of

_OF_BENCHMARKS = (
    "bench", "thorough", "sizes", "datatype", "layout", "operation", "root", "cold_cache", "window", "messages",
    "verify_first",
)  # fmt: skip
_OF_PROGRAMS = ("metric", "higher_is_better", "lower_is_better", "verify_output", "output_file", "build")

PROGRAM_OPTIONS = (
    click.option("--metric", multiple=True, metavar="REGEX",
                 help="Compare a figure that the program prints: what the regular expression's group matches "
                      "last (repeatable).  [default: the wall time]"),
    click.option("--higher-is-better", is_flag=True, help="Larger is better for the preceding --metric (for "
                                                          "all, if given first)."),
    click.option("--lower-is-better", is_flag=True,
                 help="Smaller is better for the preceding --metric (the default)."),
    click.option("--verify-output", type=Parsed("regex", programs.check_pattern), default="", metavar="REGEX",
                 help="A run whose output does not match this regular expression has failed: its data are "
                      "wrong."),
    click.option("--output-file", default="", metavar="FILE",
                 help="File that the program writes: read as part of its output, and removed before each "
                      "launch."),
    click.option("--build", default="", metavar="LINE",
                 help="Command that builds the program for each MPI, with {mpicc}, {mpicxx}, {mpif77}, "
                      "{mpif90}, {mpi}, {prefix} and {program}, the file to write."),
)  # fmt: skip


class ComparesProgram(TakesProgram):
    """A verb with `PROGRAM_OPTIONS`: each direction is the one of the metric before it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Note in which order metrics and directions come."""
        before = args[: args.index("--")] if "--" in args else args
        with ctx.scope(cleanup=False):
            _, _, order = self.make_parser(ctx).parse_args(list(before))
        ctx.meta[__name__] = [str(parameter.name) for parameter in order]
        return super().parse_args(ctx, args)


def check_options(context: click.Context) -> None:
    """Raise InputError for options of benchmarks beside a program, or the other way round."""
    given = [
        parameter
        for parameter in context.params
        if context.get_parameter_source(parameter) is ParameterSource.COMMANDLINE
    ]
    options = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    for name in given:
        option = options[name]
        if context.obj and name in _OF_BENCHMARKS:
            raise InputError(
                f"{option} is for Rankwise's own benchmarks, not for a program",
                f"leave out {option}, or the program after `--`",
            )
        if not context.obj and name in _OF_PROGRAMS:
            raise InputError(f"{option} needs a program", "put it behind `--`: rankwise compare -- ./app")


def program_request(context: click.Context, how: Request, options: dict[str, Any]) -> ProgramRequest:
    """Return the request to measure the program after `--`. Raises InputError."""
    program = Program(
        context.obj, _metrics(options["metric"], context.meta[__name__]), options["verify_output"],
        _new(options["output_file"]), options["build"], str(Path.cwd()),
    )  # fmt: skip
    names = [options["testbed"]] if Path(options["testbed"]).exists() else options["testbed"].split(",")
    testbeds = tuple(testbed_of(name, options["hostfile"]) for name in names)
    return ProgramRequest(
        program,
        how,
        testbeds,
        joined=options["joined"],
        relayed=options["relayed"],
        encrypted=options["encrypted"],
    )


def _metrics(patterns: tuple[str, ...], order: list[str]) -> tuple[Metric, ...]:
    """The metrics; each direction counts for the metric before it, one before any for all that have none."""
    directions: list[bool | None] = []
    common = False
    for name in order:
        if name == "metric":
            directions.append(None)
        elif name in ("higher_is_better", "lower_is_better"):
            higher = name == "higher_is_better"
            if directions:
                directions[-1] = higher
            else:
                common = higher
    metrics = [
        programs.metric_of(pattern, higher_is_better=common if direction is None else direction)
        for pattern, direction in zip(patterns, directions, strict=True)
    ]
    if not metrics and (common or "lower_is_better" in order):
        raise InputError(
            "--higher-is-better and --lower-is-better need --metric", r"add it: --metric 'Gflops: *(\S+)'"
        )
    return tuple(metrics) or (Metric(WALL_TIME),)


def _new(output_file: str) -> str:
    if output_file and Path(output_file).exists():
        raise InputError(
            f"{output_file} already exists, and would be removed before each launch",
            f"move it away: mv {output_file} {output_file}.old",
        )
    return output_file
