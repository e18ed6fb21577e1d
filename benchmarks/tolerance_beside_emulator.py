"""How well does `rankwise predict tolerance` know what delay costs a program? The delay is moved on the emulator.

    python benchmarks/tolerance_beside_emulator.py [--launches 5] [--delays 2,3,4,6] [--iterations 100] \
        [--fit-time 3m] [openmpi-5 mpich-5 lammpi]

A program of 4 ranks exchanges 8 KiB and 48 KiB with both neighbours of a ring, over two sites of two nodes, and
computes (sleeps) between. Predicted: its trace at the first delay, on the platform that was fitted there (with
--fit-time 0: on the testbed as described). Measured: the program itself at each delay of the link, in milliseconds
one way, all delays and MPIs in random order in each round; the slope is that of a line through all launches, with
its 95 % interval. Tolerance is by how much the delay grows until the program takes 5 % longer.
"""

import json
import random
import tempfile
from collections import defaultdict
from pathlib import Path

import click
import numpy as np
from scipy.stats import linregress, t
from trace_prediction import platform_arguments, rankwise

from rankwise.artifacts import builder
from rankwise.artifacts.builder import Artifact
from rankwise.cli.screen import Screen
from rankwise.core.records import Implementation
from rankwise.workflows.prepare import prepare

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
enum { SMALL = 8 << 10, LARGE = 48 << 10 };
static char data[4][LARGE];
static void exchange(int left, int right, int bytes)
{
    MPI_Request requests[4];
    MPI_Irecv(data[0], bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(data[1], bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(data[2], bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(data[3], bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}
int main(int argc, char **argv)
{
    int rank, ranks;
    const struct timespec work = {0, 2000000};
    MPI_Init(&argc, &argv);
    const double begin = MPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    for (int i = 0; i < atoi(argv[1]); i++) {
        exchange(left, right, SMALL);
        nanosleep(&work, NULL);
        exchange(left, right, LARGE);
    }
    if (rank == 0)
        printf("took %.9f\n", MPI_Wtime() - begin);
    MPI_Finalize();
    return 0;
}
"""
TESTBED = """
description = "two sites of two nodes"
[nic]
rate = "200 Mbit/s"
delay = "5 us"
[site.north]
nodes = 2
delay = "10 us"
[site.south]
nodes = 2
delay = "10 us"
[[link]]
between = ["north", "south"]
rate = "200 Mbit/s"
delay = "{} ms"
"""
RANKS = 4
SHARE = 0.05


@click.command()
@click.argument("names", nargs=-1)
@click.option("--launches", type=click.IntRange(1), default=5, show_default=True, help="At each delay.")
@click.option(
    "--delays", default="2,3,4,6", show_default=True, help="Milliseconds; the prediction is of the first."
)
@click.option("--iterations", default=100, show_default=True)
@click.option("--fit-time", default="3m", show_default=True, help="0: predict with the testbed as described.")
def main(names: tuple[str, ...], launches: int, delays: str, iterations: int, fit_time: str) -> None:
    """Predict and measure, and print slope and tolerance of each MPI, predicted and measured."""
    found = [
        one.implementation
        for one in prepare(names or ("openmpi-5", "mpich-5", "lammpi"), (), Screen()).ready.values()
    ]
    milliseconds = [float(one) for one in delays.split(",")]
    times: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "ring.c").write_text(PROGRAM)
        for delay in milliseconds:
            (folder / f"delay-{delay:g}.toml").write_text(TESTBED.format(f"{delay:g}"))
        predicted = {one.id: _predicted(one, folder, milliseconds[0], iterations, fit_time) for one in found}
        for _ in range(launches):
            for one, delay in random.sample(
                [(a, b) for a in found for b in milliseconds], len(found) * len(milliseconds)
            ):
                times[one.id].append((1e-3 * delay, _measured(one, folder, delay, iterations)))
    print(f"{'':<18}{'slope, s/s':>24}{'':>20}{'tolerance of 5 %':>20}")
    print(f"{'':<18}{'predicted':>10}{'measured':>26}{'off':>8}{'predicted':>12}{'measured':>10}{'off':>8}")
    for one in found:
        _tell(one.id, predicted[one.id], np.array(times[one.id]), 1e-3 * milliseconds[0])


def _program(one: Implementation, folder: Path) -> str:
    return str(builder.build(Artifact("ring", (folder / "ring.c",), flags=("-std=gnu99", "-O2")), one))


def _where(one: Implementation, delay: float) -> tuple[str, ...]:
    return ("-n", str(RANKS), "--mpi", one.id, "--testbed", f"delay-{delay:g}.toml")


def _predicted(
    one: Implementation, folder: Path, delay: float, iterations: int, fit_time: str
) -> tuple[float, float, float]:
    """The total, dT/d(delay) and the tolerance, in seconds."""
    rankwise(
        "trace", *_where(one, delay), "-o", f"{one.id}.trace", "--", _program(one, folder), str(iterations),
        folder=folder,
    )  # fmt: skip
    rankwise("trace", "export", f"{one.id}.trace", "--format", "goal", "-o", f"{one.id}.goal", folder=folder)
    platform = platform_arguments(one.id, f"delay-{delay:g}.toml", fit_time, folder, folder)
    told = json.loads(
        rankwise("predict", "tolerance", "trace", f"{one.id}.goal", *platform, "--json", "-q", folder=folder)
    )
    far = max(told["classes"], key=lambda found: found["delay_seconds"])
    loss = next(loss for loss in far["losses"] if loss["share"] == SHARE)
    return told["total_seconds"], far["by_delay"], loss["solved_seconds"]


def _measured(one: Implementation, folder: Path, delay: float, iterations: int) -> float:
    said = rankwise("run", *_where(one, delay), "-q", "--", _program(one, folder), str(iterations), folder=folder)
    return next(float(line.split()[1]) for line in said.splitlines() if line.startswith("took"))


def _tell(name: str, predicted: tuple[float, float, float], seen: np.ndarray, delay: float) -> None:
    line = linregress(seen[:, 0], seen[:, 1])
    half = float(t.ppf(0.975, len(seen) - 2) * line.stderr) if len(seen) > 2 else float("nan")
    now = line.intercept + line.slope * delay
    tolerated = SHARE * now / line.slope
    total, slope, more = predicted
    measured = f"{line.slope:.1f} [{line.slope - half:.1f}, {line.slope + half:.1f}]"
    print(
        f"{name:<18}{slope:>10.1f}{measured:>26}{slope / line.slope - 1:>+8.1%}{1e3 * more:>9.3f} ms"
        f"{1e3 * tolerated:>7.3f} ms{more / tolerated - 1:>+8.1%}"
    )
    each = ", ".join(
        f"{1e3 * at:g} ms {np.median(seen[seen[:, 0] == at, 1]):.3f} s" for at in np.unique(seen[:, 0])
    )
    print(f"{'':<18}medians: {each}")
    print(f"{'':<18}the whole: predicted {total:.3f} s, measured {now:.3f} s ({total / now - 1:+.1%})")


if __name__ == "__main__":
    main()
