"""Predictions as comma-separated values, for spreadsheets and scripts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from rankwise.analysis.predict.results import AlgorithmComparison, Prediction, Sweep


def prediction_csv(found: Prediction) -> str:
    """Return a row for each message of patterns; where there are programs, for the end of each rank."""
    jobs = found.simulation.jobs
    if all(job.flows for job in jobs):
        return _table(
            ("job", "from", "to", "size_bytes", "start_seconds", "end_seconds"),
            (
                (job.name, one.from_rank, one.to_rank, one.size_bytes, one.start_seconds, one.end_seconds)
                for job in jobs
                for one in job.flows
            ),
        )
    ends = [(job.name, rank, seconds) for job in jobs for rank, seconds in enumerate(job.finish_seconds)]
    return _table(
        ("job", "rank", "node", "finish_seconds"),
        (
            (job, rank, node, seconds)
            for (job, rank, seconds), node in zip(ends, found.nodes_of_ranks, strict=True)
        ),
    )


def comparison_csv(found: AlgorithmComparison) -> str:
    """Return a row for each algorithm and size; one that cannot do it says why."""
    return _table(
        ("algorithm", "size_bytes", "total_seconds", "contention_seconds", "messages", "refused"),
        (
            (one.name, one.size_bytes, *("", "", ""), one.refused)
            if one.refused
            else (one.name, one.size_bytes, one.total_seconds, one.contention_seconds, one.messages, "")
            for one in found.rows
        ),
    )


def sweep_csv(found: Sweep) -> str:
    """Return a row for each point; delays in seconds, rates in bytes a second."""
    return _table(
        (found.name, "total_seconds", "contention_seconds"),
        ((one.value, one.total_seconds, one.contention_seconds) for one in found.points),
    )


def _table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue()
