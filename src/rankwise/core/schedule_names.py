"""What the benchmarks of schedules are called: OPERATION.ALGORITHM, and parameters `bcast.chain:segment=64K`."""

from __future__ import annotations


def is_schedule(benchmark: str) -> bool:
    """Return whether this benchmark is a collective by one algorithm of ours, and not the MPI's own."""
    return "." in benchmark


def has_parameters(benchmark: str) -> bool:
    """Return whether its name has parameters, which the harness lists only where it is asked for them."""
    return ":" in benchmark


def operation_of(benchmark: str) -> str:
    """Return the benchmark of the operation as the MPI does it: `bcast` of `bcast.chain`, and of `bcast`."""
    return benchmark.partition(".")[0]
