"""What placements cost that `rankwise map` and others find, how long they look, and what the program then takes.

    apt-get install scotch; pip install kahip chszlablib
    python benchmarks/mapping_beside_peers.py [--graphs halo-32x32,geometric-1024,cg-64,...] [--repeats 3] \
        [--programs cg,mg,halo] [--ranks 16] [--time 20s] [--mpi mpich-5]

First: the sum of bytes times distance on 4 cores a node, 4 nodes a site, distances 1, 10, 100. Of each mapper the
cheapest of its repeats (with seeds of their own) and the median of its processors' seconds. A placement with more
ranks on a node than cores is mended, at the least cost, before it counts: `+6` tells that six ranks were too many.
Then: what programs are predicted to take, contention included, placed by cost alone and by `--objective time`.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import click
import numpy as np
from mapping_peers import (
    CORES,
    DISTANCES,
    NODES,
    IntArray,
    Made,
    Mapper,
    halo,
    installed,
    random_geometric,
    timed,
)
from mapping_programs import NETWORKS, Programs, network
from scipy.sparse import csr_array

from rankwise.analysis.map.cost import Machine, cost, machine_of
from rankwise.analysis.map.matrix import CommunicationMatrix
from rankwise.analysis.map.placing import Placed, Problem, place_ranks
from rankwise.analysis.trace.matrix import communication_matrix
from rankwise.analysis.trace.reading import read
from rankwise.core.jobs import Host
from rankwise.core.units import format_time, parse_duration_seconds
from rankwise.measurement.placement import place
from rankwise.workflows.map_time import map_by_time
from rankwise.workflows.testbeds import testbed_of
from rankwise.workflows.trace import look

OURS = "rankwise"
GRAPHS = "halo-32x32,halo-16x16x16,geometric-1024,geometric-4096,cg-16,cg-32,cg-64,mg-16,mg-32,mg-64,lu-16"


def machine_for(ranks: int) -> Machine:
    """Describe nodes and sites enough for the ranks."""
    return machine_of(
        [Host(f"n{node}", CORES, f"s{node // NODES}") for node in range(-(-ranks // CORES))], DISTANCES
    )


def ours(weights: csr_array, seed: int) -> IntArray:
    """Place the ranks as `rankwise map` does, which now are in blocks."""
    del seed
    ranks = weights.shape[0]
    found = place_ranks(Problem(weights, machine_for(ranks), np.arange(ranks) // CORES, {}), 30.0)
    return found[0].slots[:ranks]


def mended(weights: csr_array, slots: IntArray) -> tuple[IntArray, int]:
    """Move ranks off nodes that have too many, each for the least; return the slots and how many were moved."""
    ranks, machine = len(slots), machine_for(len(slots))
    nodes = slots // CORES
    moved = 0
    for node in np.flatnonzero(np.bincount(nodes, minlength=ranks // CORES) > CORES):
        while np.sum(nodes == node) > CORES:
            free = np.flatnonzero(np.bincount(nodes, minlength=ranks // CORES) < CORES)
            best = (np.inf, -1, -1)
            for rank in np.flatnonzero(nodes == node):
                near = slice(weights.indptr[rank], weights.indptr[rank + 1])
                there = CORES * nodes[weights.indices[near]]
                farther = [
                    _to(machine, CORES * int(one), there) - _to(machine, CORES * int(node), there) for one in free
                ]
                losses = np.array(farther) @ weights.data[near]
                best = min(best, (float(np.min(losses)), int(rank), int(free[np.argmin(losses)])))
            nodes[best[1]] = best[2]
            moved += 1
    return machine.slots_of(nodes), moved


def _to(machine: Machine, slot: int, others: IntArray) -> IntArray:
    steps = np.diff(machine.distances)
    return np.asarray(steps @ (machine.groups[:, others] != machine.groups[:, [slot]]))


@dataclass(frozen=True)
class Result:
    """Of one mapper: the least cost of its repeats, ranks beyond the cores, median seconds."""

    cost: float
    moved: int
    seconds: float

    def __str__(self) -> str:
        wrong = f" +{self.moved}" if self.moved else ""
        return f"{self.cost:.4g}{wrong} ({self.seconds:.3f} s)"


def result_of(weights: csr_array, runs: list[Made | None]) -> Result | None:
    """Judge the runs of a mapper."""
    known = [one for one in runs if one is not None]
    if not known:
        return None
    found = []
    for one in known:
        slots, moved = mended(weights, one.slots)
        found.append((cost(weights, machine_for(len(slots)), slots), moved))
    least = min(found)
    return Result(least[0], least[1], median(one.seconds for one in known))


def costs(graphs: list[str], programs: Programs, mappers: dict[str, Mapper], repeats: int) -> None:
    """Print a row for each graph: what all mappers find, in turn."""
    click.echo(f"| graph | blocks | random | {' | '.join(mappers)} | cost, of the best | time, of the fastest |")
    click.echo("|---" * (len(mappers) + 5) + "|")
    for name in graphs:
        weights = graph_of(name, programs)
        runs: dict[str, list[Made | None]] = {mapper: [] for mapper in mappers}
        for seed in range(repeats):
            for mapper, call in mappers.items():
                runs[mapper].append(timed(call, weights, seed))
        results = {mapper: result_of(weights, own) for mapper, own in runs.items()}
        peers = [one for mapper, one in results.items() if one and mapper != OURS]
        own = results[OURS]
        assert own is not None
        ratios = ["–", "–"]
        if peers:
            ratios = [f"{own.cost / min(one.cost for one in peers):.3f}"]
            ratios.append(f"{own.seconds / max(min(one.seconds for one in peers), 1e-3):.2f}")
        ranks = weights.shape[0]
        fixed = (np.arange(ranks), np.random.default_rng(1).permutation(ranks))
        cells = [f"{cost(weights, machine_for(ranks), slots):.4g}" for slots in fixed]
        cells += [str(one or "failed") for one in results.values()]
        click.echo(f"| {' | '.join([name, *cells, *ratios])} |")


def graph_of(name: str, programs: Programs) -> csr_array:
    """Return what `halo-4x4`, `geometric-64` or `cg-16` sends."""
    kind, _, size = name.partition("-")
    if kind == "halo":
        return halo(*map(int, size.split("x")))
    if kind == "geometric":
        return random_geometric(int(size))
    return CommunicationMatrix.of_table(look(programs.trace(kind, int(size))).matrix.bytes).weights()


def predictions(
    names: list[str], ranks: int, seconds: float, programs: Programs, mappers: dict[str, Mapper]
) -> None:
    """Print what programs are predicted to take on two networks, by placement."""
    by_cost = {
        name: one for name, one in mappers.items() if name in {"Scotch", "KaHIP strong", "SharedMap strong"}
    }
    heads = ["cyclic", "block", *by_cost, "rankwise, bytes", "rankwise, time", "of the best by bytes"]
    click.echo(f"\n| {ranks} ranks, network | {' | '.join(heads)} |")
    click.echo("|---" * (len(heads) + 1) + "|")
    with tempfile.TemporaryDirectory() as name:
        for one in names:
            for testbed_name in NETWORKS:
                testbed = testbed_of(str(network(testbed_name, Path(name), -(-ranks // 4))), None)
                recorded, hosts = read(programs.trace(one, ranks)), testbed.hosts()
                machine = machine_of(hosts)
                numbers = {host: number for number, host in enumerate(machine.names)}
                at = {how: np.array([numbers[host] for host in place(how, hosts, ranks)]) for how in heads[:2]}
                weights = CommunicationMatrix.of_table(communication_matrix(recorded).bytes).weights()
                problem = Problem(weights, machine, at["cyclic"], {})
                starts = [Placed(machine.slots_of(nodes), 0.0, how) for how, nodes in at.items()]
                for peer, call in by_cost.items():
                    made = timed(call, weights, 1)
                    if made:
                        slots, _ = mended(weights, made.slots)
                        starts.append(Placed(slots, 0.0, peer))
                found = next(placed for placed in place_ranks(problem, seconds) if placed.start != "now")
                own = [*starts[: len(at)], Placed(found.slots, found.cost, "rankwise, bytes")]
                others = map_by_time(problem, starts[len(at) :], recorded, None, testbed.name, 0.0).timed
                done = map_by_time(problem, own, recorded, None, testbed.name, seconds).timed
                told = {each.start: each.seconds for each in (*others, *done)}
                told["rankwise, time"] = done[0].seconds
                least = min(told.get(each, np.inf) for each in [*by_cost, "rankwise, bytes"])
                cells = [format_time(told[each]) if each in told else "failed" for each in heads[:-1]]
                click.echo(f"| {one}, {testbed_name} | {' | '.join(cells)} | {done[0].seconds / least:.3f} |")


@click.command()
@click.option("--graphs", default=GRAPHS, show_default=True, help="Of 16 ranks, or multiples of that.")
@click.option("--repeats", default=3, show_default=True)
@click.option("--programs", "names", default="cg,mg,halo", show_default=True)
@click.option("--ranks", default=16, show_default=True, help="Of the programs, on four nodes.")
@click.option("--time", "limit", default="20s", show_default=True, help="For each search by predicted time.")
@click.option("--mpi", default="mpich-5", show_default=True, help="Which records the programs.")
@click.option("--scotch", "gmap", default=lambda: shutil.which("scotch_gmap") or shutil.which("gmap") or "")
def main(*, graphs: str, repeats: int, names: str, ranks: int, limit: str, mpi: str, gmap: str) -> None:
    """Place graphs with every mapper that is installed, then predict programs."""
    mappers = {OURS: ours, **installed(gmap)}
    with tempfile.TemporaryDirectory(prefix="rankwise-map-") as folder:
        programs = Programs(mpi, Path(folder))
        costs([name for name in graphs.split(",") if name], programs, mappers, repeats)
        predictions(
            [one for one in names.split(",") if one], ranks, parse_duration_seconds(limit), programs, mappers
        )


if __name__ == "__main__":
    main()
