"""Rankwise compares, tunes, explains and predicts MPI communication on your own network.

    import rankwise

    result = rankwise.compare(["openmpi", "mpich"], benchmarks=["pingpong"], sizes="1:1M", time="2m")
    print(result.verdicts[0])
    with rankwise.testbed("two-clusters") as net:
        print(net.exec("north-1", "ping", "-c", "3", "south-1").stdout)

What is here is all of the public API; it is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankwise.workflows.api import (
        BenchResult,
        CompareResult,
        Comparison,
        GuidelinesResult,
        HostError,
        InputError,
        InterruptedRun,
        Metric,
        Net,
        Notice,
        Prediction,
        RankwiseError,
        StudyResult,
        TuneResult,
        Verdict,
        Where,
        bench,
        compare,
        guidelines,
        load,
        predict,
        resume,
        run,
        schedule,
        study,
        testbed,
        tune,
        verify,
    )

__version__ = "0.1.0"

__all__ = [
    "BenchResult",
    "CompareResult",
    "Comparison",
    "GuidelinesResult",
    "HostError",
    "InputError",
    "InterruptedRun",
    "Metric",
    "Net",
    "Notice",
    "Prediction",
    "RankwiseError",
    "StudyResult",
    "TuneResult",
    "Verdict",
    "Where",
    "__version__",
    "bench",
    "compare",
    "guidelines",
    "load",
    "predict",
    "resume",
    "run",
    "schedule",
    "study",
    "testbed",
    "tune",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Load the API when it is first used: `rankwise --help` needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module 'rankwise' has no attribute '{name}'")
    return getattr(importlib.import_module("rankwise.workflows.api"), name)


def __dir__() -> list[str]:
    """Return what can be used, for completion and help()."""
    return sorted({*globals(), *__all__})
