"""What the tracer adds to the run time of programs: kernels of the NAS Parallel Benchmarks, recorded with all
times and not recorded, in turn.

python benchmarks/tracer_run_time.py [mpich-5] [--kernels cg,mg,is] [--class W] [-n 4] [--launches 10]
    [--repeats 3]
"""

from __future__ import annotations

import json
import random
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
from tracer_overhead import output

from rankwise.artifacts import apps
from rankwise.cli.screen import Screen
from rankwise.core.records import Implementation
from rankwise.core.units import format_time
from rankwise.stats.intervals import MIN_FOR_RATIO, ratio_intervals
from rankwise.workflows.prepare import prepare

RECORDED = "all"
AIM = 1.02
"""At most so many times as long."""


def kernel_seconds(
    one: Implementation, words: Sequence[str], ranks: int, folder: Path, kept: str
) -> dict[str, float]:
    """Run kernels in one launch, and return the median seconds of each. Raises SystemExit if a result is wrong."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for line in output(one, (str(apps.build(one)), *words), ranks, folder, kept).splitlines():
        if line.startswith("{"):
            told = json.loads(line)
            found[told["app"]].append(told["seconds"])
    return {kernel: float(np.median(values)) for kernel, values in found.items()}


@click.command()
@click.argument("names", nargs=-1)
@click.option("--kernels", default="cg,mg,is", show_default=True)
@click.option("--class", "class_name", default="W", show_default=True)
@click.option("-n", "ranks", default=4, show_default=True)
@click.option("--launches", default=10, show_default=True, help="Of each MPI, recorded and not.")
@click.option(
    "--repeats", default=3, show_default=True, help="Of each kernel in a launch, of which the median counts."
)
def main(
    *, names: tuple[str, ...], kernels: str, class_name: str, ranks: int, launches: int, repeats: int
) -> None:
    """Print for each MPI and kernel the median times, and their ratio with its 95 % interval."""
    asked = kernels.split(",")
    words = [word for kernel in asked * repeats for word in ("then", kernel, "--class", class_name)][1:]
    implementations = [ready.implementation for ready in prepare(list(names), (), Screen()).ready.values()]
    seconds: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)  # LAM/MPI's ranks run as nobody
        for _ in range(launches):
            plan = [(one, kept) for one in implementations for kept in ("", RECORDED)]
            random.shuffle(plan)
            for one, kept in plan:
                found = kernel_seconds(one, words, ranks, folder, kept)
                for kernel, value in found.items():
                    seconds[one.id, kernel, kept].append(value)
    for one in implementations:
        for kernel in asked:
            without, traced = (np.array([seconds[one.id, kernel, kept]]) for kept in ("", RECORDED))
            (low,), (high,) = ratio_intervals(without, traced)
            ratio = float(np.median(traced) / np.median(without))
            print(
                f"{one.id}: {kernel} {format_time(float(np.median(without)))}, recorded "
                f"{format_time(float(np.median(traced)))}: ratio {ratio:.3f} [{low:.3f}, {high:.3f}], "
                f"{judged(low, high, launches)} {AIM}"
            )


def judged(low: float, high: float, launches: int) -> str:
    """Say where the ratio's interval lies; of fewer than MIN_FOR_RATIO launches it is none of 95 %."""
    if launches < MIN_FOR_RATIO:
        return "too few launches to tell whether within"
    return "within" if high <= AIM else "beyond" if low > AIM else "not shown to be within"


if __name__ == "__main__":
    main()
