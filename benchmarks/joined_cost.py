"""What a message between two sites of a joined job takes beside raw TCP, and one within a site beside native MPI.

Sites are on this host. Between sites, MPI and a TCP connection of the same two processes take turns, with
--encrypt in encrypted jobs too; within a site, launches of the joined job and of a single one do, each with
a third rank that sleeps. The least of all passes counts.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import click

from rankwise.mpi.select import working

SOURCE = Path(__file__).with_name("joined_cost.c")
RANKWISE = Path(sys.executable).with_name("rankwise")
Times = dict[tuple[str, int], float]


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("--turns", default=3, show_default=True, help="Launches of each kind.")
@click.option("--passes", default=20, show_default=True)
@click.option("--rounds", default=500, show_default=True, help="In a pass; a twentieth of it from 100 kB on.")
@click.option("--sizes", default="8,1024,65536,1048576,4194304", show_default=True)
@click.option("--encrypt", is_flag=True, help="Also encrypted (`rankwise run --join ... --encrypt`).")
def main(  # noqa: PLR0917
    first: str, second: str, turns: int, passes: int, rounds: int, sizes: str, encrypt: bool
) -> None:
    """Time messages between ranks of the MPIs FIRST and SECOND, and within a site of FIRST."""
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder))
        asked = [str(rounds), str(passes), *sizes.split(",")]
        between = ["--join", f"a={first}:1,b={second}:1"]
        lines = {
            "between sites": (between, [*asked, "tcp"]),
            **({"encrypted": ([*between, "--encrypt"], [*asked, "tcp"])} if encrypt else {}),
            "within a joined": (["--join", f"a={first}:2,b={second}:1"], asked),
            "native": (["--mpi", first, "-n", "3"], asked),
        }
        times: dict[str, Times] = {name: {} for name in lines}
        for _ in range(turns):
            for name, (how, arguments) in lines.items():
                for key, value in run(program, how, arguments).items():
                    times[name][key] = min(value, times[name].get(key, value))
    print(f"one way, microseconds (MB/s)   {first} and {second}")
    print(" ".join([f"{'bytes':>9}", *(f"{name:>18}" for name in ("raw TCP", *times))]))
    for size in map(int, sizes.split(",")):
        raw = min(one["tcp", size] for one in times.values() if ("tcp", size) in one)
        row = (raw, *(one["mpi", size] for one in times.values()))
        print(f"{size:9} " + " ".join(f"{f'{value:.2f} ({size / value:.0f})':>18}" for value in row))


def compiled(folder: Path) -> Path:
    """The program, of the standard ABI."""
    compiler = next(path for one in working()[0] if (path := Path(one.mpicc).with_name("mpicc_abi")).exists())
    folder.chmod(0o755)
    program = folder / "joined_cost"
    subprocess.run([compiler, "-O2", "-std=gnu99", "-o", program, SOURCE], check=True)
    return program


def run(program: Path, how: list[str], arguments: list[str]) -> Times:
    """Microseconds by way and size."""
    line: list[str | Path] = [RANKWISE, "run", "-q", "--limit", "80s", *how, "--", program, *arguments]
    done = subprocess.run(line, capture_output=True, text=True, timeout=100, check=True)
    words = (line.split() for line in done.stdout.splitlines())
    return {(way, int(size)): float(value) for way, size, value in words}


if __name__ == "__main__":
    main()
