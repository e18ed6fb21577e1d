"""Messages of the NAS Parallel Benchmarks by size, from traces: ours, and the official ones where their source is
given, beside table 2 of Hablot et al. 2007 (class B, 16 ranks).

python benchmarks/npb_messages.py [ep is cg ...] [--class B] [-n 16] [--mpi openmpi-4] [--source NPB3.4-MPI]
    [--official-class A]

Ours compute nothing, but for is, whose sizes depend on its keys. The official ones compute all that they are.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from rankwise.analysis.trace.messages import sent
from rankwise.analysis.trace.reading import read
from rankwise.artifacts import apps, npb_tree
from rankwise.core.records import Implementation
from rankwise.core.units import exact_size
from rankwise.mpi.select import working
from rankwise.studies.papers import paper

RANKWISE = Path(sys.executable).with_name("rankwise")
KERNELS = ("ep", "is", "cg", "mg", "ft", "lu", "sp", "bt")
MESSAGES = "messages"
NEAR = 1.3
"""Sizes that differ by no more are told as one range."""
MOST_RANGES = 4
LIMIT_SECONDS = 3600

Counts = Counter[tuple[str, int]]
"""How many of which call and size, over all ranks; all that send to one rank are called MESSAGES."""


def counted(folder: Path) -> Counts:
    """Count messages and calls of collectives in a trace, by the bytes that a rank sends."""
    found: Counts = Counter()
    for one in read(folder).ranks:
        for row, calls in zip(one.signatures, one.statistics["calls"].tolist(), strict=False):
            name, kind = one.functions[row[0]]
            for message in sent(one, row):
                found[MESSAGES, message.bytes] += calls
            if kind == "collective" and len(row) > 3:
                found[name.removeprefix("MPI_"), row[3]] += calls
    return found


def told(counts: Counts) -> str:
    """Say how many of each call there are: near sizes as one range, and all as one if there would be many."""
    parts = []
    for call in sorted({call for call, _ in counts}, key=lambda one: (one != MESSAGES, one)):
        sizes = sorted((size, number) for (name, size), number in counts.items() if name == call)
        ranges: list[list[tuple[int, int]]] = []
        for size, number in sizes:
            if ranges and size <= NEAR * ranges[-1][-1][0]:
                ranges[-1].append((size, number))
            else:
                ranges.append([(size, number)])
        for each in [sizes] if len(ranges) > MOST_RANGES else ranges:
            first, last = exact_size(each[0][0]), exact_size(each[-1][0])
            parts.append(f"{call} {sum(number for _, number in each)} x {first}" + f" to {last}" * (first != last))
    return ", ".join(parts) or "none"


def recorded(one: Implementation, words: Sequence[str], ranks: int) -> Counts:
    """Run a program under the tracer on this host. Raises click.ClickException with what it says if it fails."""
    with tempfile.TemporaryDirectory(prefix="rankwise-npb-") as name:
        line = [
            str(RANKWISE),
            "trace",
            "-q",
            "--summary-only",
            "--mpi",
            one.id,
            "-n",
            str(ranks),
            "-o",
            f"{name}/t",
        ]
        done = subprocess.run(
            [*line, "--", *words], capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False, cwd=name,
            env={**os.environ, "RANKWISE_STORE": f"{name}/results.sqlite"},
        )  # fmt: skip
        if done.returncode:
            raise click.ClickException(done.stderr)
        return counted(Path(name, "t"))


@click.command()
@click.argument("kernels", nargs=-1, type=click.Choice(KERNELS))
@click.option("--class", "class_name", default="B", show_default=True)
@click.option("-n", "ranks", default=16, show_default=True)
@click.option("--mpi", default="openmpi-4", show_default=True, help="With a Fortran compiler, for --source.")
@click.option("--source", type=click.Path(path_type=Path), help="The official benchmarks' source for MPI.")
@click.option("--official-class", help="Of those, if it is another one.")
def main(
    *, kernels: tuple[str, ...], class_name: str, ranks: int, mpi: str, source: Path | None, official_class: str
) -> None:
    """Print a table of messages of all ranks together, and of calls of collectives."""
    one, stated = working((mpi,))[0][0], paper("hablot2007")["table2_npb"]
    tree, theirs = source and npb_tree.find(source), official_class or class_name
    heads = ["kernel", "2007, class B on 16 ranks", f"ours, class {class_name} on {ranks}"]
    heads += [f"official, class {theirs} on {ranks}"] if tree else []
    click.echo(f"| {' | '.join(heads)} |\n" + "|---" * len(heads) + "|")
    for kernel in kernels or KERNELS:
        computing = () if kernel == "is" else ("--computing", "0")
        ours = recorded(one, (str(apps.build(one)), kernel, "--class", class_name, *computing), ranks)
        cells = [kernel, stated[kernel.upper()], told(ours)]
        if tree:
            cells.append(told(recorded(one, (str(npb_tree.build(tree, one, kernel, theirs, ranks)),), ranks)))
        click.echo(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
