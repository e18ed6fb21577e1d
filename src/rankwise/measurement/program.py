"""A user's own program as what a launch measures: its wall time, or figures in its output."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rankwise.core.jobs import Job, Outcome
from rankwise.core.programs import Program
from rankwise.core.records import Cell, CellFailure, Plan, Series
from rankwise.measurement.protocol import NOTHING, Spoken


class WholeProgram:
    """A whole program is started afresh by each launch, and gives one value of every metric.

    Its cells are named like the metrics. It has finished when it ended by itself with exit code 0.
    """

    end_marker = ""

    def times_start(self, cells: Sequence[Cell]) -> bool:
        """Return True: its wall time begins with it."""
        return True

    def __init__(self, program: Program) -> None:
        self._program = program
        self._metrics = {metric.name: metric for metric in program.metrics}

    def arm(self, job: Job, cells: Sequence[Cell], plan: Plan, seconds_per_cell: float, *, verifying: bool) -> Job:
        """Add the program's arguments; an output file of the launch before goes."""
        if self._program.output_file:
            self._output_file.unlink(missing_ok=True)
        command = self._program.command(job.program[0], cells[0].implementation)
        return replace(job, program=command, folder=self._program.folder)

    def read(self, outcome: Outcome, cells: Sequence[Cell]) -> Spoken:
        """Return a series of one value for each metric, or why there is none."""
        if outcome.broken or outcome.timed_out or outcome.returncode != 0:
            return NOTHING
        output = "\n".join((outcome.stdout, outcome.stderr, self._written()))
        if self._program.verify and not re.search(self._program.verify, output, re.MULTILINE):
            reason = f"its output has nothing that matches '{self._program.verify}' (--verify-output)"
            wrong = tuple(CellFailure(cell, reason, "wrong data") for cell in cells)
            return Spoken(begun=True, ended=True, series=(), failures=wrong, verified=())
        results = [self._value(cell, outcome.seconds, output) for cell in cells]
        return Spoken(
            begun=True, ended=True, verified=(),
            series=tuple(result for result in results if isinstance(result, Series)),
            failures=tuple(result for result in results if isinstance(result, CellFailure)),
        )  # fmt: skip

    def _value(self, cell: Cell, seconds: float, output: str) -> Series | CellFailure:
        metric = self._metrics[cell.benchmark]
        if not metric.pattern:
            return Series(cell, "time", np.array([seconds]))
        try:
            value = metric.find(output)
        except ValueError as error:
            return CellFailure(cell, str(error))
        if value <= 0:
            return CellFailure(cell, f"it is {value:g}: only figures above 0 can be compared")
        return Series(cell, "metric", np.array([value]))

    def _written(self) -> str:
        with contextlib.suppress(FileNotFoundError):
            return self._output_file.read_text(errors="replace") if self._program.output_file else ""
        return ""

    @property
    def _output_file(self) -> Path:
        return Path(self._program.folder, self._program.output_file)
