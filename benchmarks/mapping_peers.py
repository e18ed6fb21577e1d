"""Graphs that are placed on a machine of levels, and the mappers of others: Scotch, KaHIP, SharedMap.

Each is asked for a slot of every rank, on a machine of 4 cores a node, 4 nodes a site, with distances 1, 10, 100.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import multiprocessing
import os
import resource
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.spatial import cKDTree

CORES, NODES = 4, 4
DISTANCES = (1, 10, 100)
WEIGHT = 100.0
"""Of each edge of a graph that is made here."""
MOST_WEIGHT = 1 << 16
"""Of an edge, as it is given to those that count in whole numbers of 32 bits."""
LIMIT_SECONDS = 120.0
IntArray = np.ndarray
Mapper = Callable[[csr_array, int], IntArray]
"""From weights and a seed to the slot of each rank."""


def halo(*sides: int) -> csr_array:
    """Return a grid in which neighbours exchange messages."""
    numbers = np.arange(int(np.prod(sides))).reshape(sides)
    pairs = [
        (np.take(numbers, range(side - 1), axis).ravel(), np.take(numbers, range(1, side), axis).ravel())
        for axis, side in enumerate(sides)
    ]
    return _graph(numbers.size, *(np.concatenate(ends) for ends in zip(*pairs, strict=True)))


def random_geometric(ranks: int, seed: int = 1) -> csr_array:
    """Return points of the unit square, those nearer than 0.55 sqrt(ln n / n) being neighbours (KaHIP's rgg)."""
    points = np.random.default_rng(seed).random((ranks, 2))
    ends = cKDTree(points).query_pairs(0.55 * np.sqrt(np.log(ranks) / ranks), output_type="ndarray")
    return _graph(ranks, ends[:, 0], ends[:, 1])


def _graph(ranks: int, ends: IntArray, others: IntArray) -> csr_array:
    both = np.r_[ends, others], np.r_[others, ends]
    return csr_array(coo_array((np.full(2 * len(ends), WEIGHT), both), shape=(ranks, ranks)))


def levels(ranks: int) -> list[tuple[int, int]]:
    """Return how many of the level below are in each, and their distance, from the cores on."""
    counts = (CORES, NODES, ranks // (CORES * NODES))
    return [(count, distance) for count, distance in zip(counts, DISTANCES, strict=True) if count > 1]


def _whole(weights: csr_array) -> IntArray:
    scale = min(1.0, MOST_WEIGHT / float(np.max(weights.data)))
    return np.maximum(np.rint(weights.data * scale), 1).astype(np.int32)


def scotch(program: str, *options: str) -> Mapper:
    """Return the mapper of Scotch's `gmap`, which is called with these options."""

    def place(weights: csr_array, seed: int) -> IntArray:
        del seed  # it always begins with the same
        ranks, whole = weights.shape[0], _whole(weights)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            lines = [f"0\n{ranks} {weights.nnz}\n0 010"]
            for begin, end in zip(weights.indptr[:-1], weights.indptr[1:], strict=True):
                edges = zip(whole[begin:end], weights.indices[begin:end], strict=True)
                lines.append(" ".join([str(end - begin), *(f"{weight} {other}" for weight, other in edges)]))
            (folder / "graph").write_text("\n".join(lines) + "\n")
            machine = [word for level in reversed(levels(ranks)) for word in level]
            (folder / "machine").write_text(f"tleaf {len(machine) // 2} {' '.join(map(str, machine))}\n")
            subprocess.run([program, *options, "graph", "machine", "mapping"], cwd=folder, check=True)
            found = np.loadtxt(folder / "mapping", skiprows=1, dtype=int)
        slots = np.zeros(ranks, dtype=int)
        slots[found[:, 0]] = found[:, 1]
        return slots

    return place


def kahip(mode: int) -> Mapper:
    """Return KaHIP's process mapping (Schulz and Träff 2017) in a mode: 0 fast, 1 eco, 2 strong."""

    def place(weights: csr_array, seed: int) -> IntArray:
        found = importlib.util.find_spec("kahip")
        assert found is not None and found.origin is not None
        library = ctypes.CDLL(str(Path(found.origin).parents[1] / "lib" / "libkahip.so"))
        ranks = weights.shape[0]
        slots = np.zeros(ranks, dtype=np.int32)
        counts, distances = (np.array(row, dtype=np.int32) for row in zip(*levels(ranks), strict=True))
        arrays = [weights.indptr.astype(np.int32), _whole(weights), weights.indices.astype(np.int32)]
        pointers = [ctypes.c_void_p(one.ctypes.data) for one in (*arrays, counts, distances)]
        size, balance, cut, cost = ctypes.c_int(ranks), ctypes.c_double(0), ctypes.c_int(), ctypes.c_int()
        library.process_mapping(
            ctypes.byref(size), None, *pointers, len(counts), mode, 0, ctypes.byref(balance), True, seed,
            ctypes.byref(cut), ctypes.byref(cost), ctypes.c_void_p(slots.ctypes.data),
        )  # fmt: skip
        return slots

    return place


def shared_map(mode: str) -> Mapper:
    """Return SharedMap (Schulz and Woydt 2025)."""
    library = importlib.import_module("chszlablib")

    def place(weights: csr_array, seed: int) -> IntArray:
        ends = weights.indices.astype(np.int64)
        graph = library.Graph.from_csr(
            weights.indptr.astype(np.int64), ends, edge_weights=_whole(weights).astype(np.int64)
        )
        counts, distances = map(list, zip(*levels(weights.shape[0]), strict=True))
        found = library.Decomposition.process_map(graph, counts, distances, mode=mode, imbalance=0.0, seed=seed)
        return np.asarray(found.assignment)

    return place


def installed(gmap: str) -> dict[str, Mapper]:
    """Return the mappers that are here, by name."""
    found: dict[str, Mapper] = {}
    if gmap:
        found |= {"Scotch": scotch(gmap), "Scotch -b0": scotch(gmap, "-b0")}
    if importlib.util.find_spec("kahip"):
        found |= {f"KaHIP {name}": kahip(mode) for mode, name in enumerate(("fast", "eco", "strong"))}
    if importlib.util.find_spec("chszlablib"):
        found |= {f"SharedMap {mode}": shared_map(mode) for mode in ("fast", "eco", "strong")}
    return found


@dataclass(frozen=True)
class Made:
    """A slot of each rank, and the processors' seconds that finding it took, its files included."""

    slots: IntArray
    seconds: float


def timed(mapper: Mapper, weights: csr_array, seed: int) -> Made | None:
    """Run a mapper in a process of its own; None: it has failed or took too long."""
    here, there = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_run, args=(mapper, weights, seed, there))
    child.start()
    there.close()
    try:
        return here.recv() if here.poll(LIMIT_SECONDS) else None
    except EOFError:
        return None
    finally:
        child.kill()
        child.join()


def _run(mapper: Mapper, weights: csr_array, seed: int, told: Connection) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    begin = _processor_seconds()
    slots = mapper(weights, seed)
    told.send(Made(slots, _processor_seconds() - begin))


def _processor_seconds() -> float:
    who: Sequence[int] = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, who))
