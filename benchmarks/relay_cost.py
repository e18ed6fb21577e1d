"""What a message between two sites takes by way of two relays, beside direct connections and raw TCP.

Both sites and both relays are on this host, or on a testbed of two sites. MPI and a TCP connection of the same two
processes take turns in each launch, and launches with and without relays do too. The least of all passes counts.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import click
from joined_cost import Times, compiled, run


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("--turns", default=3, show_default=True, help="Launches of each kind.")
@click.option("--passes", default=10, show_default=True)
@click.option("--rounds", default=300, show_default=True, help="In a pass; a twentieth of it from 100 kB on.")
@click.option("--sizes", default="8,1048576,16777216", show_default=True)
@click.option("--testbed", default="", help="Of two sites.  [default: this host]")
@click.option("--sites", default="a,b", show_default=True, help="Their names there.")
def main(  # noqa: PLR0917
    first: str, second: str, turns: int, passes: int, rounds: int, sizes: str, testbed: str, sites: str
) -> None:
    """Time messages between ranks of the MPIs FIRST and SECOND."""
    direct: Times = {}
    relayed: Times = {}
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder))
        asked = [str(rounds), str(passes), *sizes.split(","), "network" if testbed else "tcp"]
        one, other = sites.split(",")
        join = ["--join", f"{one}={first}:1,{other}={second}:1", *(["--testbed", testbed] if testbed else [])]
        for _ in range(turns):
            for least, how in ((direct, join), (relayed, [*join, "--relay"])):
                for key, value in run(program, how, asked).items():
                    least[key] = min(value, least.get(key, value))
    print(f"one way, microseconds (MB/s)   {first} and {second}")
    print(f"{'bytes':>9} {'raw TCP':>20} {'direct':>20} {'two relays':>20}")
    for size in map(int, sizes.split(",")):
        raw = min(one["tcp", size] for one in (direct, relayed))
        row = (raw, direct["mpi", size], relayed["mpi", size])
        print(f"{size:9} " + " ".join(f"{f'{value:.2f} ({size / value:.0f})':>20}" for value in row))


if __name__ == "__main__":
    main()
