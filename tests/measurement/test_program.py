"""Each launch of a program gives one value of every metric, or says why it gave none."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from rankwise.core.jobs import Command, Job, LaunchSteps, Outcome
from rankwise.core.programs import Metric, Program, metric_of
from rankwise.core.records import Cell, Implementation, Launch, Plan
from rankwise.measurement.launch import Launching
from rankwise.measurement.program import WholeProgram
from rankwise.testbeds.local import LocalTestbed

SECONDS = metric_of(r"time (\S+)")
RATE = metric_of(r"rate (\S+)", higher_is_better=True)
WALL = Metric("wall time")
CELLS = [Cell("any-1.0", one.name, 0, 1) for one in (SECONDS, RATE)]
ANY = Implementation("any-1.0", "any", "1.0", "/usr", "/usr/bin/cc", "/bin/sh", "prefix", status="works")


def outcome(stdout: str = "", returncode: int = 0, stderr: str = "", **more: object) -> Outcome:
    return dataclasses.replace(Outcome("app", returncode, stdout, stderr, 2.5), **more)


def test_the_figures_are_found_in_all_that_it_says() -> None:
    spoken = WholeProgram(Program(("app",), (SECONDS, RATE))).read(outcome("time 1.5\n", stderr="rate 7\n"), CELLS)
    assert spoken.ended and not spoken.failures
    assert [(one.cell, one.quantity, one.samples_seconds.tolist()) for one in spoken.series] == [
        (CELLS[0], "metric", [1.5]), (CELLS[1], "metric", [7.0])
    ]  # fmt: skip


def test_without_a_metric_the_wall_time_counts() -> None:
    cell = Cell("any-1.0", WALL.name, 0, 1)
    (series,) = WholeProgram(Program(("app",))).read(outcome(), [cell]).series
    assert (series.quantity, series.samples_seconds.tolist()) == ("time", [2.5])


@pytest.mark.parametrize(
    ("said", "reason"),
    [("time x\nrate 1", "not a number"), ("rate 1", "no number"), ("time -3\nrate 1", "it is -3")],
)
def test_a_figure_that_is_missing_fails_its_own_metric_alone(said: str, reason: str) -> None:
    spoken = WholeProgram(Program(("app",), (SECONDS, RATE))).read(outcome(said), CELLS)
    assert [one.cell for one in spoken.series] == [CELLS[1]]
    (failure,) = spoken.failures
    assert failure.cell == CELLS[0] and failure.kind == "failed" and reason in failure.reason


def test_wrong_results_fail_every_metric() -> None:
    program = Program(("app",), (SECONDS, RATE), verify="^VERIFIED$")
    said = "time 1\nrate 2\n"
    assert not WholeProgram(program).read(outcome(said + "VERIFIED"), CELLS).failures
    spoken = WholeProgram(program).read(outcome(said + "not VERIFIED"), CELLS)
    assert not spoken.series and {one.kind for one in spoken.failures} == {"wrong data"}
    assert {one.cell for one in spoken.failures} == set(CELLS)


@pytest.mark.parametrize("how", [{"returncode": 3}, {"timed_out": True}, {"broken": "the link ended"}])
def test_what_did_not_end_well_gives_nothing(how: dict[str, object]) -> None:
    spoken = WholeProgram(Program(("app",), (SECONDS, RATE))).read(outcome("time 1\nrate 2", **how), CELLS)
    assert not spoken.ended and not spoken.series


class Shell:
    """Starts the program by itself, as a launcher of one rank."""

    def steps(self, implementation: Implementation, job: Job) -> LaunchSteps:
        return LaunchSteps(Command(job.program))


def launched(program: Program, script: str, folder: Path, limit_seconds: float = 20.0) -> Launch:
    path = folder / "app"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    plan = Plan((), 0, 1.0, launch_limit_seconds=limit_seconds)
    cells = [Cell("any-1.0", one.name, 0, 1) for one in program.metrics]
    return Launching(Shell(), LocalTestbed(), plan, workload=WholeProgram(program)).launch(ANY, path, cells)


def test_exit_code_and_first_words_are_the_reason(tmp_path: Path) -> None:
    script = "echo cannot open input.dat >&2; echo cannot open input.dat >&2; exit 4"
    launch = launched(Program(("app",)), script, tmp_path)
    assert (launch.status, launch.reason) == ("failed", "exit code 4: cannot open input.dat")
    assert [one.reason for one in launch.failures] == [launch.reason]


def test_a_program_that_hangs_is_ended_and_has_failed(tmp_path: Path) -> None:
    launch = launched(Program(("app",), (SECONDS,)), "echo time 1; sleep 77", tmp_path, limit_seconds=0.5)
    assert launch.status == "timed out" and not launch.series
    assert launch.reason == "timed out after 0.5 s: last output: time 1"
    assert len(launch.failures) == 1


def test_arguments_name_the_implementation_and_an_old_output_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("time 99\n")
    program = Program(("app", "{mpi}"), (SECONDS,), output_file="out", folder=str(tmp_path))
    launch = launched(program, f'[ "$1" = any-1.0 ] && echo time 2 >>{tmp_path}/out', tmp_path)
    assert [one.samples_seconds.tolist() for one in launch.series] == [[2.0]]
    launch = launched(program, "true", tmp_path)
    assert launch.status == "finished" and "no number" in launch.failures[0].reason
