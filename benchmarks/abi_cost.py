"""What a call costs through the standard ABI's table, beside the same call of a natively linked program.

One source, compiled by each implementation's mpicc and once by mpicc_abi, runs on one rank: calls to
MPI_PROC_NULL, which leave the library's own work small. Native and through the table take turns; the least of all
passes counts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from rankwise.mpi.select import working

SOURCE = Path(__file__).with_name("abi_cost.c")
RANKWISE = Path(sys.executable).with_name("rankwise")


@click.command()
@click.argument("names", nargs=-1)
@click.option("--turns", default=5, show_default=True)
@click.option("--calls", default=50000, show_default=True, help="In each of 25 passes, of which the best counts.")
def main(names: tuple[str, ...], turns: int, calls: int) -> None:
    """Time calls natively and through the table, on the implementations NAMES or all that work."""
    found, _ = working(names)
    abi_compiler = next(path for one in working()[0] if (path := Path(one.mpicc).with_name("mpicc_abi")).exists())
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        through = compiled(str(abi_compiler), Path(folder, "through"), {})
        for one in found:
            native = compiled(one.mpicc, Path(folder, one.id), dict(one.environment))
            least = [dict[str, float](), dict[str, float]()]
            for _ in range(turns):
                for times, program in zip(least, (native, through), strict=True):
                    for name, value in run(one.id, program, calls).items():
                        times[name] = min(value, times.get(name, value))
            row = "  ".join(f"{name} {before:.1f} -> {least[1][name]:.1f}" for name, before in least[0].items())
            print(f"{one.id:20} {row}", flush=True)


def compiled(compiler: str, program: Path, environment: dict[str, str]) -> Path:
    line: list[str | Path] = [compiler, "-O2", "-std=gnu99", "-w", "-o", program, SOURCE]
    subprocess.run(
        line, env={**os.environ, **environment}, check=False, capture_output=True
    )  # LAM's code is no code
    return program.resolve(strict=True)


def run(implementation: str, program: Path, calls: int) -> dict[str, float]:
    """Nanoseconds of each call."""
    line: list[str | Path] = [RANKWISE, "run", "-q", "-n", "1", "--mpi", implementation, "--", program, str(calls)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=100, check=True)
    return {name: float(value) for name, value in map(str.split, done.stdout.splitlines())}


if __name__ == "__main__":
    main()
