"""Starts `rankwise-map`: who sends whom how much, and a machine in; placements out."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rankwise.analysis.map.cost import IntArray, Machine
from rankwise.core.errors import HostError
from rankwise.core.native_programs import program
from rankwise.core.process import run

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_FORMAT = 1
_LIMIT_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Effort:
    """How long is searched: rounds of cutting anew, and seconds after which no more swaps are tried."""

    rounds: int
    seconds: float


def search(
    weights: csr_array, machine: Machine, now: IntArray, pinned: np.ndarray, effort: Effort
) -> list[tuple[str, IntArray]]:
    """Return placements, slots of shape (slots,), by what they began as: the machine's cuts, or `now`.

    `now` has a slot for each rank, then those that are free; `pinned`: which stay on their node, booleans. Both of
    shape (slots,). `weights` is symmetric, shape (ranks, ranks). Raises HostError where memory does not suffice.
    """
    with tempfile.TemporaryDirectory(prefix="rankwise-map-") as folder:
        file = Path(folder, "problem")
        file.write_bytes(_problem(weights, machine, now, pinned))
        argv = [str(program("rankwise-map")), str(file)]
        argv += ["--rounds", str(effort.rounds), "--seconds", f"{max(effort.seconds, 0):.3f}"]
        done = run(argv, _LIMIT_SECONDS + effort.seconds)
    if done.returncode != 0:
        raise HostError(done.stderr.strip() or "rankwise-map ended early", "check that there is enough memory")
    lines = [line.partition(" ") for line in done.stdout.splitlines()]
    return [(start, np.array(slots.split(), dtype=np.int64)) for start, _, slots in lines]


def _problem(weights: csr_array, machine: Machine, now: IntArray, pinned: np.ndarray) -> bytes:
    """The file that `rankwise-map --help` describes."""
    slots, levels = len(machine.node_of), len(machine.groups)
    ends = np.pad(weights.indptr, (0, slots - weights.shape[0]), "edge")
    # Whatever the unit is: a float has room for it.
    scaled = weights.data / max(float(np.max(weights.data, initial=0)), 1e-300)
    arrays = (
        np.array([_FORMAT, slots, weights.nnz, levels, machine.node_level], dtype=np.int64),
        ends.astype(np.int32), weights.indices.astype(np.int32),
        np.maximum(scaled, np.finfo(np.float32).tiny).astype(np.float32),
        machine.groups.astype(np.int32), np.diff(machine.distances).astype(np.float32),
        now.astype(np.int32), pinned.astype(np.uint8),
    )  # fmt: skip
    return b"".join(array.tobytes() for array in arrays)
