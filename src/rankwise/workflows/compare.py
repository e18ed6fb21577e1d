"""Comparisons: measure implementations against one another, or look at a stored run again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import RenderableType

from rankwise.analysis.without_results import NO_RESULT
from rankwise.core.errors import InputError
from rankwise.core.programs import ProgramAnswer
from rankwise.core.records import OWN, FloatArray, launch_value
from rankwise.core.results import Comparison, SummaryRow, Verdict
from rankwise.report import page
from rankwise.report.comparison_page import comparison_page
from rankwise.report.comparison_view import comparison_html, comparison_parts, short_comparison
from rankwise.report.context import ReportContext
from rankwise.report.program_page import program_page
from rankwise.report.program_view import program_html, program_parts, short_program
from rankwise.store.store import Store
from rankwise.workflows import answer, measure, program_answer, programs
from rankwise.workflows.events import Events

if TYPE_CHECKING:
    import pandas

__all__ = ["CompareResult", "compare", "compare_program", "load"]


@dataclass(frozen=True, slots=True, eq=False)
class CompareResult:
    """What a run found: verdicts, a summary, and the samples behind them."""

    run_id: int
    comparison: Comparison = field(repr=False)
    context: ReportContext = field(repr=False)
    store: Path = field(repr=False)
    program: ProgramAnswer | None = field(default=None, repr=False)
    """Of a run of a user's own program: its rows, in the metrics' own units."""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """One verdict for each cell and candidate, against the baseline."""
        return self.comparison.verdicts

    @property
    def summary(self) -> tuple[SummaryRow, ...]:
        """Geometric means over cells of one class, as multiples of the baseline's time."""
        return self.comparison.summary

    def objections(self, fail_on: str = "") -> tuple[str, ...]:
        """Return why a check of this comparison fails; nothing if it passes.

        It fails by wrong data, and by a variant without any result. With `fail_on` it also fails if nothing was
        compared, by a cell that failed in any launch (a variant that crashes is worse than a slower one), and by
        verdicts: `slower`, or by `different` also faster.
        """
        comparison = self.comparison
        reasons = [notice.message for notice in comparison.notices if notice.kind in NO_RESULT]
        if comparison.has_wrong_data:
            reasons.append(f"{len(comparison.wrong_data)} cells delivered wrong data")
        if not fail_on:
            return tuple(reasons)
        failed = Counter(failure.cell.variant for failure in comparison.failures if failure.kind == "failed")
        reasons += [f"{name} failed in {count} cells" for name, count in failed.items()]
        verdicts = {"slower": {"slower"}, "different": {"slower", "faster"}}[fail_on]
        for word in sorted(verdicts):
            count = sum(verdict.verdict == word for verdict in comparison.verdicts)
            reasons += [f"{count} verdicts are '{word}'"] if count else []
        if not comparison.verdicts:
            reasons.append("nothing was compared")
        return tuple(reasons)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What can be said of the run, in sentences."""
        return tuple(self.context.sentences)

    def samples(
        self, implementation: str, benchmark: str, size_bytes: int | None = None
    ) -> Mapping[int, tuple[FloatArray, ...]]:
        """Return the samples in seconds by size in bytes: one array of shape (repetitions,) for each launch.

        `implementation` is an id, or a variant with the profile's name; `size_bytes` takes one size alone. Raises
        InputError if nothing of the kind was measured.
        """
        by_size: dict[int, list[FloatArray]] = {}
        with Store(self.store, create=False) as opened:
            for launch in opened.iter_launches(self.run_id):
                for (cell, quantity), visits in launch.visits().items():
                    named = implementation in (cell.variant, cell.implementation) and cell.benchmark == benchmark
                    if named and quantity in OWN and size_bytes in (None, cell.size_bytes):
                        samples = np.concatenate([visit.samples_seconds for visit in visits])
                        by_size.setdefault(cell.size_bytes, []).append(samples)
        if not by_size:
            raise InputError(
                f"run {self.run_id} has no samples of {benchmark} with {implementation}",
                f"measured: {', '.join(self.comparison.implementations)}; rankwise show {self.run_id}",
            )
        return {size: tuple(arrays) for size, arrays in sorted(by_size.items())}

    def to_frame(self) -> pandas.DataFrame:
        """Return one row for each launch and cell, as a pandas DataFrame (`pip install 'rankwise[frame]'`).

        Columns: variant, benchmark, size_bytes, ranks, placement, launch (1 is the run's first), samples,
        median_seconds (the launch's value: see `rankwise.core.records.launch_value`), min_seconds, max_seconds.
        """
        import pandas  # noqa: PLC0415 - optional and large

        rows = []
        with Store(self.store, create=False) as opened:
            for number, launch in enumerate(opened.iter_launches(self.run_id), start=1):
                rows += [
                    {
                        "variant": cell.variant, "benchmark": cell.benchmark, "size_bytes": cell.size_bytes,
                        "ranks": cell.ranks, "placement": cell.placement, "launch": number,
                        "samples": sum(visit.samples_seconds.size for visit in visits),
                        "median_seconds": launch_value(visits),
                        "min_seconds": min(float(visit.samples_seconds.min()) for visit in visits),
                        "max_seconds": max(float(visit.samples_seconds.max()) for visit in visits),
                    }
                    for (cell, quantity), visits in launch.visits().items()
                    if quantity in OWN
                ]  # fmt: skip
        return pandas.DataFrame(rows)

    def report(self, path: str | Path = "") -> Path:
        """Write the page, one HTML file that works offline, and return its absolute path.

        Without a path it is `rankwise-RUN.html` in the current folder. Raises HostError if it cannot be written.
        """
        target = Path(path or f"rankwise-{self.run_id}.html").absolute()
        if self.program is None:
            page.write(target, comparison_page(self.comparison, self.context))
        else:
            page.write(target, program_page(self.comparison, self.program, self.context))
        return target

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the sentences and the summary."""
        if self.program is not None:
            return program_html(self.program, self.comparison.baseline, self.sentences)
        return comparison_html(self.comparison, self.sentences)

    def parts(self, *, as_long: bool = False) -> Iterator[RenderableType]:
        """Yield what a terminal shows: the answer, or all that is behind it too."""
        if as_long:
            if self.program is None:
                return comparison_parts(self.comparison, self.sentences)
            return program_parts(self.comparison, self.program, self.sentences)
        if self.program is None:
            return short_comparison(self.comparison, self.run_id)
        return short_program(self.comparison, self.program, self.sentences, self.run_id)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer for programs, as `--json` prints it: the keys are a promise."""
        if self.program is None:
            return answer.to_dict(self.comparison)
        return program_answer.to_dict(self.program, self.comparison)


def compare(request: measure.Request, store: Path, events: Events, *, delta: float = 0.05) -> CompareResult:
    """Measure what was asked and return the comparison. Raises InterruptedRun with the way to go on."""
    with Store(store) as opened:
        run_id = measure.measure(request, opened, events)
    return load(run_id, store, delta=delta)


def compare_program(
    request: programs.ProgramRequest, store: Path, events: Events, *, delta: float = 0.05
) -> CompareResult:
    """Measure a user's own program and return the comparison. Raises InterruptedRun with the way to go on."""
    with Store(store) as opened:
        run_id = programs.measure_program(request, opened, events)
    return load(run_id, store, delta=delta)


def load(
    run_id: int | None, store: Path, *, baseline: str = "", delta: float = 0.05, beside: Sequence[int] = ()
) -> CompareResult:
    """Return the comparison of a stored run (None: of the newest); `baseline` in place of the run's own.

    Imported runs `beside` it add their curves.

    Raises InputError if there is no such run.
    """
    with Store(store, create=False) as opened:
        run = opened.run(run_id)
        known, chosen = run.id, ""
        if run.kind == "program":
            compared, program, around = program_answer.compare_program(opened, known, baseline, delta)
            return CompareResult(known, compared, around, store, program)
        if baseline:
            labels = list(dict.fromkeys(cell.label for cell in opened.plan(known).cells))
            chosen = measure.variant_meant(baseline, opened.implementations(known), labels)
        comparison = answer.compare_run(opened, known, chosen, delta, beside=beside)
        context = answer.comparison_context(opened, known, comparison)
    return CompareResult(known, comparison, context, store)
