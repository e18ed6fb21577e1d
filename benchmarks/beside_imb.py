"""Rankwise's ping-pong beside that of Intel's IMB-MPI1, launch by launch in turn, on MPICH and Intel MPI.

    python benchmarks/beside_imb.py [--launches 20]

IMB comes inside PyPI's impi-rt. It prints one mean per size and launch; so ours is shown as the mean of its
repetitions as well as the median, with the ratio's 95 % interval: once at the median over launches, once at
their lower quartile, because a virtual machine can have a fast and a slow mode, and a median between two modes
belongs to neither. Then: how long each takes until the median over launches is known within 2 %.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np

from rankwise.cli.screen import Screen
from rankwise.core import process
from rankwise.core.jobs import Job, Outcome
from rankwise.core.records import Cell, FloatArray, Implementation, Plan
from rankwise.core.units import format_size, parse_sizes_bytes
from rankwise.measurement.launch import Launching
from rankwise.measurement.runner import Ready
from rankwise.mpi.family import FamilyLauncher
from rankwise.stats.intervals import relative_half_width
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows.prepare import prepare

SIZES = parse_sizes_bytes("1:4M")
ROW = re.compile(r"^\s+(\d+)\s+(\d+)\s+([\d.]+)\s+([\d.]+)\s*$")
Times = defaultdict[int, list[float]]
"""Size in bytes -> one time per launch, seconds."""


@click.command()
@click.option("--launches", default=20, show_default=True)
@click.option("--seconds-per-cell", default=0.02, show_default=True)
def main(launches: int, seconds_per_cell: float) -> None:
    """Measure and print one table per implementation."""
    # IMB is linked to libmpi.so.12, which Debian's MPICH 4 does not provide by that name
    built = prepare(["mpich-5", "intelmpi"], (), Screen())
    intel = next(one.implementation for one in built.ready.values() if one.implementation.family == "intelmpi")
    imb = Path(intel.prefix) / "bin" / "IMB-MPI1"
    for ready in built.ready.values():
        _beside(ready, imb, launches, seconds_per_cell)


def _beside(ready: Ready, imb: Path, launches: int, seconds_per_cell: float) -> None:
    one = ready.implementation
    cells = tuple(Cell(one.id, "pingpong", size, 2) for size in SIZES)
    plan = Plan(cells, seed=1, time_budget_seconds=1e6, seconds_per_cell=seconds_per_cell)
    launching = Launching(FamilyLauncher(), LocalTestbed(), plan)
    theirs, means, medians = Times(list), Times(list), Times(list)
    spent = {"imb": 0.0, "rankwise": 0.0}
    for _ in range(launches):
        for turn in random.sample(["imb", "rankwise"], 2):
            if turn == "imb":
                outcome = _launch_imb(one, imb)
                spent[turn] += outcome.seconds
                for size, seconds in _rows(outcome.stdout):
                    theirs[size].append(seconds)
            else:
                launch = launching.launch(one, ready.program, random.sample(cells, len(cells)))
                spent[turn] += launch.seconds
                for series in launch.series:
                    means[series.cell.size_bytes].append(float(series.samples_seconds.mean()))
                    medians[series.cell.size_bytes].append(float(np.median(series.samples_seconds)))
    _print_table(one.id, theirs, means, medians)
    for name, times in (("imb", theirs), ("rankwise", medians)):
        _print_precision(name, times, spent[name] / launches)


def _launch_imb(one: Implementation, imb: Path) -> Outcome:
    program = (str(imb), "PingPong", "-iter", "1000", "-msglog", "0:22")
    job = Job(program, 2, environment=(("LD_LIBRARY_PATH", f"{one.prefix}/lib"),))
    return process.run_steps(FamilyLauncher().steps(one, job), 120.0)


def _rows(output: str) -> Iterator[tuple[int, float]]:
    for match in filter(None, map(ROW.match, output.splitlines())):
        if int(match[1]) in SIZES:
            yield int(match[1]), float(match[3]) * 1e-6


def _print_table(name: str, theirs: Times, means: Times, medians: Times) -> None:
    launches = len(theirs[SIZES[0]])
    for share, word in ((0.5, "median"), (0.25, "lower quartile")):
        print(f"\n{name}: one way, us, {word} over {launches} launches; ratio = ours / IMB's [95 %]")
        heads = ("size", "IMB t", "our mean", "ratio", "our median", "ratio")
        print(" ".join(f"{head:>{width}}" for head, width in zip(heads, (8, 9, 9, 20, 11, 20), strict=True)))
        for size in SIZES:
            imb, mean, middle = (np.asarray(times[size]) for times in (theirs, means, medians))
            print(
                f"{format_size(size):>8} {np.quantile(imb, share) * 1e6:>9.2f} "
                f"{np.quantile(mean, share) * 1e6:>9.2f} {_ratio(imb, mean, share):>20} "
                f"{np.quantile(middle, share) * 1e6:>11.2f} {_ratio(imb, middle, share):>20}"
            )


def _ratio(baseline: FloatArray, candidate: FloatArray, share: float) -> str:
    """The ratio of the quantiles over launches, and its bootstrap interval."""
    generator = np.random.default_rng(1)
    ratio = np.quantile(candidate, share) / np.quantile(baseline, share)
    resampled = [
        np.quantile(generator.choice(values, (2000, values.size)), share, axis=1)
        for values in (candidate, baseline)
    ]
    low, high = np.quantile(resampled[0] / resampled[1], [0.025, 0.975])
    return f"{ratio:.2f} [{low:.2f}, {high:.2f}]"


def _print_precision(name: str, times: Times, seconds_a_launch: float) -> None:
    """After how long the median over launches is within 2 %, and how well it is known in the end."""
    reached = []
    for size in SIZES:
        values = np.asarray(times[size])
        counts = (n for n in range(6, values.size + 1) if relative_half_width(values[:n]) <= 0.02)
        reached.append(next(counts, 0) * seconds_a_launch)
    launches = len(times[SIZES[0]])
    final = [relative_half_width(np.asarray(times[size])) for size in SIZES]
    print(
        f"{name}: {seconds_a_launch:.2f} s a launch; "
        f"within 2 % for {sum(map(bool, reached))} of {len(SIZES)} sizes "
        f"(after {', '.join(f'{seconds:.0f} s' if seconds else '-' for seconds in reached)}); "
        f"within {np.median(final):.1%} after {launches} launches, {launches * seconds_a_launch:.0f} s "
        "(median over sizes)"
    )


if __name__ == "__main__":
    main()
