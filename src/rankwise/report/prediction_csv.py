"""Predictions as comma-separated values, for spreadsheets and scripts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from rankwise.analysis.predict.results import AlgorithmComparison, Prediction, Sweep


def prediction_csv(prediction: Prediction) -> str:
    """Return a row for each message of patterns; where there are programs, for the end of each rank."""
    jobs = prediction.simulation.jobs
    if all(job.flows for job in jobs):
        return _table(
            ("job", "from", "to", "size_bytes", "start_seconds", "end_seconds"),
            (
                (job.name, flow.from_rank, flow.to_rank, flow.size_bytes, flow.start_seconds, flow.end_seconds)
                for job in jobs
                for flow in job.flows
            ),
        )
    ends = [(job.name, rank, seconds) for job in jobs for rank, seconds in enumerate(job.finish_seconds)]
    return _table(
        ("job", "rank", "node", "finish_seconds"),
        (
            (job, rank, node, seconds)
            for (job, rank, seconds), node in zip(ends, prediction.nodes_of_ranks, strict=True)
        ),
    )


def comparison_csv(comparison: AlgorithmComparison) -> str:
    """Return a row for each algorithm and size; one that cannot do it says why."""
    return _table(
        ("algorithm", "size_bytes", "total_seconds", "contention_seconds", "messages", "refused"),
        (
            (row.name, row.size_bytes, *("", "", ""), row.refused)
            if row.refused
            else (row.name, row.size_bytes, row.total_seconds, row.contention_seconds, row.messages, "")
            for row in comparison.rows
        ),
    )


def sweep_csv(sweep: Sweep) -> str:
    """Return a row for each point; delays in seconds, rates in bytes a second."""
    return _table(
        (sweep.name, "total_seconds", "contention_seconds"),
        ((point.value, point.total_seconds, point.contention_seconds) for point in sweep.points),
    )


def _table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue()
