"""What schedules are called: benchmarks OPERATION.ALGORITHM, choices `schedule:ALGORITHM`, parameters."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.core.tuning import Choice

ScheduleFiles = Mapping[int, Mapping[str, tuple[str, str]]]
"""Schedules of users: ranks -> benchmark -> its name and the path of its text for these ranks."""
_FILE = "file:"
_CHOSEN = "schedule:"


def is_schedule(benchmark: str) -> bool:
    """Return whether this benchmark is a collective by one algorithm of ours, and not the MPI's own."""
    return "." in benchmark


def has_parameters(benchmark: str) -> bool:
    """Return whether its name has parameters, which the harness lists only where it is asked for them."""
    return ":" in benchmark and not is_file(benchmark)


def file_benchmark(operation: str, name: str) -> str:
    """Return what the benchmark of a schedule file is called, whose blocks are all of one length."""
    return f"{'reduce_scatter_block' if operation == 'reduce_scatter' else operation}.{_FILE}{name}"


def is_file(benchmark: str) -> bool:
    """Return whether this is a schedule from a file, which the harness must be given."""
    return benchmark.partition(".")[2].startswith(_FILE)


def operation_of(benchmark: str) -> str:
    """Return the benchmark of the operation as the MPI does it: `bcast` of `bcast.chain`, and of `bcast`."""
    return benchmark.partition(".")[0]


def choice_name(algorithm: str) -> str:
    """Return what a choice of this schedule is called, so that no MPI's own algorithm has the same name."""
    return f"{_CHOSEN}{algorithm}"


def chosen_schedule(choice: Choice) -> str:
    """Return the name of the schedule that a choice stands for; '' for an MPI's own algorithm and the default."""
    return choice.algorithm.removeprefix(_CHOSEN) if choice.algorithm.startswith(_CHOSEN) else ""


def benchmark_of(operation: str, choice: Choice) -> str:
    """Return the benchmark that measures a choice of a schedule: `bcast.chain:segment=65536`."""
    parameters = {"segment": choice.segment_bytes, "fan_out": choice.fanout}
    suffixes = (f":{name}={value}" for name, value in parameters.items() if value)
    return f"{operation}.{chosen_schedule(choice)}{''.join(suffixes)}"
