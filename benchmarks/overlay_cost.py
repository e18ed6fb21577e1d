"""What the overlay costs where it leaves a call to the library: collectives on a communicator of one rank, whose
own cost is least, beside a table that has no rule for them and beside one whose rules never hold.

python benchmarks/overlay_cost.py [mpich-5] [--launches 10] [--calls 200000]
"""

import os
import random
import tempfile
from collections import defaultdict
from pathlib import Path

import click
import numpy as np

from rankwise.artifacts import builder
from rankwise.artifacts.builder import Artifact
from rankwise.cli.screen import Screen
from rankwise.core import process
from rankwise.core.tuning import Loaded
from rankwise.measurement.job import build_job
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows.overlay import OverlayChoice, overlaid
from rankwise.workflows.prepare import prepare

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}
int main(int argc, char **argv)
{
    MPI_Comm other;
    int x = 0, y, calls = atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_SELF, &other);
    MPI_Comm comms[2] = {MPI_COMM_SELF, other};
    for (int round = 0; round < 2; round++) { /* the first warms up */
        double bcast = now();
        for (int i = 0; i < calls; i++)
            MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_SELF);
        double allreduce = now();
        for (int i = 0; i < calls; i++)
            MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
        double two = now();
        for (int i = 0; i < calls; i++)
            MPI_Bcast(&x, 1, MPI_INT, 0, comms[i % 2]);
        double end = now();
        if (round)
            printf("%g %g %g\n", (allreduce - bcast) / calls, (two - allreduce) / calls, (end - two) / calls);
    }
    MPI_Finalize();
    return 0;
}
"""
CALLS = ("bcast", "allreduce", "bcast on two communicators in turn")
TABLES = {
    "without": "",
    "no rule": "# rankwise overlay 1\nscan linear\n",
    "rules that never hold": "# rankwise overlay 1\nbcast ranks=1M- binomial\nallreduce ranks=1M- ring\n",
}


@click.command()
@click.argument("names", nargs=-1)
@click.option("--launches", default=10, show_default=True)
@click.option("--calls", default=200_000, show_default=True, help="Of each kind in a launch.")
def main(names: tuple[str, ...], launches: int, calls: int) -> None:
    """Measure in turn on every implementation, and print the least nanoseconds a call of all launches."""
    testbed = LocalTestbed()
    found = [ready.implementation for ready in prepare(list(names), (), Screen()).ready.values()]
    least: defaultdict[tuple[str, str], list[np.ndarray]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        source = Path(folder, "cost.c")
        source.write_text(PROGRAM)
        for _ in range(launches):
            for one in random.sample(found, len(found)):
                program = builder.build(Artifact("cost", (source,), flags=("-std=gnu99", "-O2")), one)
                for label, text in random.sample(list(TABLES.items()), len(TABLES)):
                    table = Path(folder, f"{label.replace(' ', '-')}.table")
                    table.write_text(text)
                    choice = OverlayChoice(str(table) if text else "")
                    loaded = overlaid(Loaded(files=(str(program),)), choice, one, testbed, program, 1)
                    job = build_job(testbed, [str(program), str(calls)], 1, loaded=loaded)
                    outcome = process.run_steps(FamilyLauncher().steps(one, job), 100)
                    if outcome.returncode != 0:
                        raise SystemExit(outcome.stderr)
                    least[one.id, label].append(np.array([float(word) for word in outcome.stdout.split()]))
    for one in found:
        for number, call in enumerate(CALLS):
            figures = {label: min(values[number] for values in least[one.id, label]) for label in TABLES}
            added = ", ".join(
                f"{label} {figures[label] - figures['without']:+.1f} ns" for label in TABLES if label != "without"
            )
            print(f"{one.id}: {call} {figures['without']:.1f} ns; {added}")


if __name__ == "__main__":
    os.environ.pop("RANKWISE_OVERLAY_REPORT", None)
    main()
