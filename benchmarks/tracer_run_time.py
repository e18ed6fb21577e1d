"""What the tracer adds to the run time of programs: kernels of the NAS Parallel Benchmarks, recorded with all
times and not recorded.

python benchmarks/tracer_run_time.py [mpich-5] [--kernels cg,mg,is] [--class W] [-n 2] [--launches 20]
    [--repeats 10]

Of a kernel that runs `repeats` times in a launch the least time counts, since other work only adds to it. Launches
come in pairs, recorded and not, one right after the other in random order; told is the median of their ratios.
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
from rankwise.stats.intervals import MIN_FOR_MEDIAN, median_interval
from rankwise.workflows.prepare import prepare

RECORDED = "all"
AIM = 1.02
"""At most so many times as long."""


def kernel_seconds(
    one: Implementation, words: Sequence[str], ranks: int, folder: Path, kept: str
) -> dict[str, float]:
    """Run kernels in one launch, and return the least seconds of each. Raises SystemExit if a result is wrong."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for line in output(one, (str(apps.build(one)), *words), ranks, folder, kept).splitlines():
        if line.startswith("{"):
            told = json.loads(line)
            found[told["app"]].append(told["seconds"])
    return {kernel: min(values) for kernel, values in found.items()}


@click.command()
@click.argument("names", nargs=-1)
@click.option("--kernels", default="cg,mg,is", show_default=True)
@click.option("--class", "class_name", default="W", show_default=True)
@click.option("-n", "ranks", default=2, show_default=True)
@click.option("--launches", default=20, show_default=True, help="Of each MPI, recorded and not.")
@click.option(
    "--repeats", default=10, show_default=True, help="Of each kernel in a launch, of which the least counts."
)
def main(
    *, names: tuple[str, ...], kernels: str, class_name: str, ranks: int, launches: int, repeats: int
) -> None:
    """Print for each MPI and kernel the median times, and the pairs' median ratio with its 95 % interval."""
    asked = kernels.split(",")
    words = [word for kernel in asked * repeats for word in ("then", kernel, "--class", class_name)][1:]
    implementations = [ready.implementation for ready in prepare(list(names), (), Screen()).ready.values()]
    seconds: defaultdict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)  # LAM/MPI's ranks run as nobody
        for one in [one for _ in range(launches) for one in random.sample(implementations, len(implementations))]:
            pair = {
                kept: kernel_seconds(one, words, ranks, folder, kept) for kept in random.sample(("", RECORDED), 2)
            }
            for kernel in asked:
                seconds[one.id, kernel].append({kept: found[kernel] for kept, found in pair.items()})
    for (mpi, kernel), pairs in seconds.items():
        without, traced = (np.array([pair[kept] for pair in pairs]) for kept in ("", RECORDED))
        ratios = traced / without
        low, high = median_interval(ratios)
        print(
            f"{mpi}: {kernel} {format_time(float(np.median(without)))}, recorded "
            f"{format_time(float(np.median(traced)))}: ratio {np.median(ratios):.3f} [{low:.3f}, {high:.3f}], "
            f"{judged(low, high, launches)} {AIM}"
        )


def judged(low: float, high: float, launches: int) -> str:
    """Say where the ratio's interval lies; of fewer than MIN_FOR_MEDIAN launches it is none of 95 %."""
    if launches < MIN_FOR_MEDIAN:
        return "too few launches to tell whether within"
    return "within" if high <= AIM else "beyond" if low > AIM else "not shown to be within"


if __name__ == "__main__":
    main()
