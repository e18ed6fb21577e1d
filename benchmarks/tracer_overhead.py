"""What the tracer adds to a call: calls to MPI_PROC_NULL and collectives on a communicator of one rank, whose own
cost is least, without it, with all times, with statistics of times, and with a summary alone.

python benchmarks/tracer_overhead.py [mpich-5] [--launches 10] [--calls 200000]
"""

import random
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
import numpy as np

from rankwise.artifacts import builder, tracer
from rankwise.artifacts.builder import Artifact
from rankwise.cli.screen import Screen
from rankwise.core import process
from rankwise.core.records import Implementation
from rankwise.core.tuning import Loaded
from rankwise.measurement.job import build_job
from rankwise.mpi import preload
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows.prepare import prepare

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
enum { BLOCK = 100, MOST = 100000 };
static double blocks[4][MOST];
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}
static int ascending(const void *a, const void *b)
{
    return *(double *)a < *(double *)b ? -1 : 1;
}
int main(int argc, char **argv)
{
    int x = 0, y, count = atoi(argv[1]) / BLOCK;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    if (count > MOST)
        count = MOST;
    if (count < 1)
        count = 1;
    for (int round = 0; round < 2; round++) /* the first warms up */
        for (int b = 0; b < count; b++) {
            double t[5] = {now()};
            for (int i = 0; i < BLOCK; i++)
                MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
            t[1] = now();
            for (int i = 0; i < BLOCK; i++)
                MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
            t[2] = now();
            for (int i = 0; i < BLOCK / 4; i++) { /* four calls, of four kinds */
                MPI_Irecv(&x, 1, MPI_INT, 0, i % 2, MPI_COMM_SELF, &requests[0]);
                MPI_Isend(&y, 1, MPI_INT, 0, i % 2, MPI_COMM_SELF, &requests[1]);
                MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
                MPI_Barrier(MPI_COMM_SELF);
            }
            t[3] = now();
            for (int i = 0; i < BLOCK; i++) /* no loop is to be found */
                MPI_Send(&x, rand() % 512, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
            t[4] = now();
            for (int k = 0; k < 4; k++)
                blocks[k][b] = (t[k + 1] - t[k]) / BLOCK;
        }
    for (int k = 0; k < 4; k++) {
        qsort(blocks[k], count, sizeof(double), ascending);
        printf("%g ", blocks[k][count / 2]);
    }
    printf("\n");
    MPI_Finalize();
    return 0;
}
"""
CALLS = ("send to nobody", "allreduce alone", "exchange with itself, a call", "send of any size")
KEPT = ("all", "statistics", "summary")


def output(one: Implementation, words: Sequence[str], ranks: int, folder: Path, kept: str = "") -> str:
    """Run a program on this host, recorded into `folder` if something is to be kept, and return what it writes.

    Raises SystemExit with what it says if it fails.
    """
    loaded = Loaded()
    if kept:
        environment = preload.loading(tracer.build(one), ())
        more = (("RANKWISE_TRACE", str(folder)), ("RANKWISE_TRACE_KEEP", kept))
        loaded = replace(loaded, environment=(*environment, *more))
    job = build_job(LocalTestbed(), words, ranks, loaded=loaded)
    outcome = process.run_steps(FamilyLauncher().steps(one, job), 120)
    if outcome.returncode:
        raise SystemExit(outcome.stderr)
    return outcome.stdout


@click.command()
@click.argument("names", nargs=-1)
@click.option("--launches", default=10, show_default=True)
@click.option("--calls", default=200_000, show_default=True, help="Of each kind in a launch.")
def main(names: tuple[str, ...], launches: int, calls: int) -> None:
    """Measure in turn on every implementation, and print the medians of the medians of blocks of 100 calls."""
    found = [ready.implementation for ready in prepare(list(names), (), Screen()).ready.values()]
    medians: defaultdict[tuple[str, str], list[np.ndarray]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        source = Path(folder, "calls.c")
        source.write_text(PROGRAM)
        plan = [(one, kept) for one in found for kept in ("", *KEPT)] * launches
        random.shuffle(plan)
        for one, kept in plan:
            program = builder.build(Artifact("calls", (source,), flags=("-std=gnu99", "-O2")), one)
            lines = output(one, (str(program), str(calls)), 1, Path(folder), kept).split()
            medians[one.id, kept].append(np.array(lines, float))
    for one in found:
        without = np.median(medians[one.id, ""], axis=0)
        print(
            f"{one.id}: " + ", ".join(f"{name} {value:.0f} ns" for name, value in zip(CALLS, without, strict=True))
        )
        for kept in KEPT:
            added = np.median(medians[one.id, kept], axis=0) - without
            print(f"  {kept:<10} " + ", ".join(f"{value:+.0f} ns" for value in added))


if __name__ == "__main__":
    main()
