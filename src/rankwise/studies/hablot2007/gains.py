"""What the overlay, a tuned profile and a mapped placement gain for the applications; not in the paper."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.studies.base import Results, Table
from rankwise.studies.gains import gain_table
from rankwise.studies.hablot2007 import applications
from rankwise.studies.hablot2007.applications import KERNELS, NPB_GAINS, RAY2MESH_GAINS, seconds_of

_TITLES = {
    NPB_GAINS: "What NPB on 8 + 8 nodes of two sites would have gained",
    RAY2MESH_GAINS: "What ray2mesh would have gained",
}
_FIGURES = {
    NPB_GAINS: {kernel.upper(): seconds_of(kernel) for kernel in KERNELS},
    RAY2MESH_GAINS: {"computing": "tracing_seconds", "merging": "merging_seconds", "total": "total"},
}
_NOTES = {
    NPB_GAINS: "The profiles are the newest for two nodes of this grid, tuned with a ping-pong. The placement is "
    "one for all kernels, from the bytes of all of them together.",
    RAY2MESH_GAINS: "The profiles are the newest for two nodes of the grid, the overlay replaces the Alltoall of "
    "the merge. Nothing is mapped: which worker sends how much is decided while it runs.",
}


def gain_tables(results: Mapping[str, Results]) -> tuple[Table, ...]:
    """Return a table for each run that was measured in more than one way."""
    return tuple(
        table
        for run in applications.RUNS
        if run.further
        for table in gain_table(
            _TITLES[run.label], run, results.get(run.label), _FIGURES[run.label], _NOTES[run.label]
        )
    )
