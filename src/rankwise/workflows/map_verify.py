"""Is a mapping faster? The program that was recorded runs again, placed as before and as mapped, in turn."""

from __future__ import annotations

from pathlib import Path

from rankwise.analysis.trace.reading import about, started_by
from rankwise.core.errors import InputError
from rankwise.core.programs import Program
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows.compare import CompareResult, compare_program
from rankwise.workflows.events import Events
from rankwise.workflows.map import MapRequest, MapResult
from rankwise.workflows.measure import Request
from rankwise.workflows.programs import ProgramRequest

LAUNCHES = 10
"""Of each placement."""


def program_of(trace: Path) -> tuple[tuple[str, ...], str]:
    """Return the program that a trace is of, with its arguments, and the implementation that it ran with.

    Raises InputError for a matrix, and for a trace that does not tell.
    """
    program = started_by(trace)
    implementation = about(trace).get("implementation") if program else None
    if not isinstance(implementation, str):
        raise InputError(
            f"{trace} does not name its program",
            "give a folder of rankwise trace; or compare by hand: rankwise compare --placement ... -- ./app",
        )
    return program, implementation


def testbed_for(request: MapRequest) -> TestbedKind:
    """Return where the program can run. Raises InputError if its ranks were placed on a platform's nodes."""
    if request.testbed is None:
        raise InputError("--compare cannot run the program on a platform", "give --testbed or --hostfile")
    return request.testbed


def verify(
    request: MapRequest, result: MapResult, rankfile: Path, command_line: str, store: Path, events: Events
) -> CompareResult:
    """Measure the program with both placements, of which `rankfile` has the mapped one, and compare its wall time.

    Raises what `compare_program` raises.
    """
    arguments, implementation = program_of(request.recording)
    how = Request(
        command_line, implementations=(implementation,), ranks=(len(result.hosts),),
        placements=(request.placement, str(rankfile.absolute())), min_launches=LAUNCHES, max_launches=LAUNCHES,
        time_budget_seconds=3600.0,
    )  # fmt: skip
    program = Program(arguments, folder=str(Path.cwd()))
    return compare_program(ProgramRequest(program, how, (testbed_for(request),)), store, events)
