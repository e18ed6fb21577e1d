"""Is a program faster where `rankwise map` puts its ranks, and by as much as was predicted?

    python benchmarks/mapping_measured.py [--programs cg,mg,halo] [--networks grid5000-2007-tuned,cluster] \
        [--time 60s] [--search 20s] [--mpi mpich-5]

Each program is recorded on this host and mapped by predicted time from a cyclic placement of 8 ranks, two a node.
Then it runs on the emulated network with both placements in turn, as `rankwise map --compare` does, for `--time`;
its own seconds are compared, without what starting it takes.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import click
from mapping_programs import NETWORKS, RANKWISE, Programs, network

from rankwise.core.units import format_time

SECONDS = r'seconds"?:? ([0-9.e+-]+)'
LIMIT_SECONDS = 900.0


def told(words: list[str], folder: Path) -> dict[str, Any]:
    """Return what a verb says as JSON."""
    done = subprocess.run(
        [str(RANKWISE), *words], capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False, cwd=folder,
        env={**os.environ, "RANKWISE_STORE": str(folder / "results.sqlite")},
    )  # fmt: skip
    if "{" not in done.stdout:
        raise click.ClickException(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{") :])
    return found


@click.command()
@click.option("--programs", "names", default="cg,mg,halo", show_default=True)
@click.option("--networks", default=",".join(NETWORKS), show_default=True)
@click.option("--ranks", default=8, show_default=True)
@click.option("--time", "limit", default="60s", show_default=True, help="For the runs of each program.")
@click.option("--search", default="20s", show_default=True, help="For each mapping.")
@click.option("--mpi", default="mpich-5", show_default=True)
def main(*, names: str, networks: str, ranks: int, limit: str, search: str, mpi: str) -> None:
    """Print predicted and measured times, cyclic and mapped."""
    click.echo(
        "| program, network | predicted: cyclic | mapped | ratio | measured: cyclic | mapped | ratio | launches |"
    )
    click.echo("|---" * 8 + "|")
    with tempfile.TemporaryDirectory(prefix="rankwise-map-") as name:
        folder = Path(name)
        programs = Programs(mpi, folder)
        for testbed in networks.split(","):
            file = network(testbed, folder, ranks // 4)
            for one in names.split(","):
                row = measured(programs, one, ranks, ["--testbed", str(file)], (limit, search))
                click.echo(f"| {one}, {testbed} | {row} |")


def measured(programs: Programs, name: str, ranks: int, where: list[str], limits: tuple[str, str]) -> str:
    """Map a program, run it with both placements, and return the row's cells."""
    trace = programs.trace(name, ranks)
    file = trace.with_suffix(".ranks")
    asked = ["--placement", "cyclic", "--objective", "time", "--time", limits[1], "-o", str(file)]
    mapping = told(["map", str(trace), *where, *asked, "--json"], trace.parent)
    before, after = dict(mapping["predicted"])["now"], mapping["predicted"][0][1]
    words = [
        "compare",
        programs.mpi.id,
        *where,
        "-n",
        str(ranks),
        "--placement",
        f"cyclic,{file}",
        "--time",
        limits[0],
    ]
    words += ["--metric", SECONDS, "--baseline", "cyclic", "--json", "--", *programs.command(name, ranks)]
    found = told(words, trace.parent)
    rows = sorted(found["metrics"], key=lambda row: row["ratio"] is not None)  # the baseline has none
    predicted = f"{format_time(before)} | {format_time(after)} | {after / before:.2f}"
    if len(rows) < 2:
        return f"{predicted} | too few runs | | | |"
    cyclic, mapped = rows
    interval = (
        f"{mapped['ratio']:.2f} [{mapped['ratio_low']:.2f}, {mapped['ratio_high']:.2f}], {mapped['verdict']}"
    )
    times = " | ".join(format_time(row["median"]) for row in rows)
    return f"{predicted} | {times} | {interval} | {cyclic['launches']}, {mapped['launches']}"


if __name__ == "__main__":
    main()
