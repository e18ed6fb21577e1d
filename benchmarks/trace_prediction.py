"""How well does `rankwise predict trace` know what a recorded program took on its testbed?

    python benchmarks/trace_prediction.py [--launches 5] [--testbeds two-clusters,grid5000-2007-tuned,cluster] \
        [--programs cg,mg,halo] [--class S] [-n 4] [--fit-time 3m] [--platforms FOLDER] [openmpi-5 mpich-5]

CG and MG (rankwise's own, waiting as long as computing took on this host) and an exchange of halos on a torus,
which sleeps between, are recorded with `rankwise trace`, all programs and testbeds in random order in each round.
Measured: from the first rank's MPI_Init to the last one's MPI_Finalize, of each recorded run. Predicted: that very
trace on the platform that was fitted there with the same MPI (--fit-time 0: on the testbed as described). The
interval is of 95 %, Student's, over launches. Platforms that are in FOLDER are taken; those fitted are put there.
"""

import json
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import click
import numpy as np
from scipy.stats import t

from rankwise.artifacts import builder
from rankwise.artifacts.builder import Artifact
from rankwise.cli.screen import Screen
from rankwise.core.records import Implementation
from rankwise.workflows.prepare import prepare

HALO = r"""
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
enum { BYTES = 32 << 10, SIDES = 4 };
static char in[SIDES][BYTES], out[SIDES][BYTES];
int main(int argc, char **argv)
{
    int ranks, rank, dims[2] = {0, 0}, around[2] = {1, 1}, sides[SIDES];
    const struct timespec work = {0, 2000000};
    MPI_Comm torus;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, around, 0, &torus);
    MPI_Comm_rank(torus, &rank);
    MPI_Cart_shift(torus, 0, 1, &sides[0], &sides[1]);
    MPI_Cart_shift(torus, 1, 1, &sides[2], &sides[3]);
    for (int i = 0; i < atoi(argv[1]); i++) {
        MPI_Request requests[2 * SIDES];
        for (int s = 0; s < SIDES; s++)
            MPI_Irecv(in[s], BYTES, MPI_BYTE, sides[s], s ^ 1, torus, &requests[s]);
        for (int s = 0; s < SIDES; s++)
            MPI_Isend(out[s], BYTES, MPI_BYTE, sides[s], s, torus, &requests[SIDES + s]);
        MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
        nanosleep(&work, NULL);
    }
    MPI_Finalize();
    return 0;
}
"""
ITERATIONS = 100
LIMIT_SECONDS = 900.0
Case = tuple[str, str, str]
"""Implementation, testbed, program."""


def rankwise(*words: str, folder: Path, codes: tuple[int, ...] = (0,)) -> str:
    """Return what the command says; it may end with one of these codes."""
    done = subprocess.run(
        [str(Path(sys.executable).with_name("rankwise")), *words], cwd=folder, capture_output=True, text=True,
        timeout=LIMIT_SECONDS, check=False,
    )  # fmt: skip
    if done.returncode not in codes:
        raise click.ClickException(f"rankwise {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


@click.command()
@click.argument("names", nargs=-1)
@click.option("--launches", type=click.IntRange(1), default=5, show_default=True, help="Of each program.")
@click.option("--testbeds", default="two-clusters,grid5000-2007-tuned,cluster", show_default=True)
@click.option("--programs", default="cg,mg,halo", show_default=True)
@click.option("--class", "class_name", default="S", show_default=True, help="Of CG and MG.")
@click.option("-n", "ranks", type=click.IntRange(2), default=4, show_default=True)
@click.option("--fit-time", default="3m", show_default=True, help="0: predict with the testbed as described.")
@click.option("--platforms", type=click.Path(path_type=Path, file_okay=False), help="Fitted ones, kept here.")
def main(  # noqa: PLR0917 -- click passes every option by its name
    names: tuple[str, ...], launches: int, testbeds: str, programs: str, class_name: str, ranks: int,
    fit_time: str, platforms: Path | None,
) -> None:  # fmt: skip
    """Record, predict, and print predicted beside measured time of each program on each testbed."""
    ready = prepare(names or ("openmpi-5", "mpich-5"), (), Screen()).ready.values()
    found = {one.implementation.id: one.implementation for one in ready}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        kept = (platforms or folder / "platforms").absolute()
        kept.mkdir(exist_ok=True)
        where = {
            (one, testbed): platform_arguments(one, testbed, fit_time, kept, folder)
            for one in found for testbed in testbeds.split(",")
        }  # fmt: skip
        argv = {
            (one.id, program): _program(one, program, class_name, ranks, folder)
            for one in found.values() for program in programs.split(",")
        }  # fmt: skip
        cases = [(*key, program) for key in where for program in programs.split(",")]
        seen: defaultdict[Case, list[tuple[float, float]]] = defaultdict(list)
        for _ in range(launches):
            for case in random.sample(cases, len(cases)):
                launch = ["-n", str(ranks), "--mpi", case[0], "--testbed", case[1]]
                rankwise("trace", *launch, "-o", "run", "-q", "--", *argv[case[0], case[2]], folder=folder)
                seen[case].append(_seconds(where[case[0], case[1]], folder))
        print(f"{'':<38}{'predicted':>10}{'measured':>11}   predicted over measured")
        for case in cases:
            _tell(case, np.array(seen[case]))


def platform_arguments(one: str, testbed: str, fit_time: str, kept: Path, folder: Path) -> tuple[str, ...]:
    """Arguments that name the platform of an implementation on a testbed."""
    if fit_time == "0":
        return ("--testbed", testbed)
    file = kept / f"{Path(testbed).stem}-{one}.toml"
    if not file.exists():
        rankwise(
            "fit", "--mpi", one, "--testbed", testbed, "--time", fit_time, "-o", str(file),
            "--store", "fits.sqlite", "-q", folder=folder, codes=(0, 1),
        )  # fmt: skip
    return ("--platform", str(file))


def _program(one: Implementation, program: str, class_name: str, ranks: int, folder: Path) -> list[str]:
    """The program with its arguments."""
    if program == "halo":
        (folder / "halo.c").write_text(HALO)
        made = builder.build(Artifact("halo", (folder / "halo.c",), flags=("-std=gnu99", "-O2")), one)
        return [str(made), str(ITERATIONS)]
    (told,) = json.loads(
        rankwise("npb", program, "--class", class_name, "-n", str(ranks), "--mpi", one.id, "--json", folder=folder)
    )
    waits = ",".join(f"{seconds:.9g}" for seconds in told["computing_seconds"])
    return [told["program"], program, "--class", class_name, "--computing", waits]


def _seconds(platform: tuple[str, ...], folder: Path) -> tuple[float, float]:
    """Predicted and measured."""
    told = json.loads(rankwise("predict", "trace", "run", *platform, "--json", "-q", folder=folder))
    shown = json.loads(rankwise("trace", "show", "run", "--json", folder=folder))
    return float(told["total_seconds"]), float(shown["summary"]["seconds"])


def _tell(case: Case, seconds: np.ndarray) -> None:
    predicted, measured = np.median(seconds, axis=0)
    ratios = np.log(seconds[:, 0] / seconds[:, 1])
    half = float("nan")
    if len(ratios) > 1:
        half = float(t.ppf(0.975, len(ratios) - 1) * np.std(ratios, ddof=1) / np.sqrt(len(ratios)))
    off, low, high = (np.exp(np.mean(ratios) + one) - 1 for one in (0, -half, half))
    print(
        f"{case[1]:<20}{case[2]:<6}{case[0].partition('-')[0]:<12}{predicted:>8.3f} s{measured:>9.3f} s"
        f"   {off:+.1%} [{low:+.1%}, {high:+.1%}]"
    )


if __name__ == "__main__":
    main()
