"""SharedMap (Schulz and Woydt 2025; `chszlablib`) cuts ranks level by level, in a process of its own.

For some machines it takes minutes, in which nothing but the end of the process can stop it.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from rankwise.core import process

LIBRARY = "chszlablib"
MOST_WEIGHT = 1 << 27
"""Of all edges together: it adds up whole numbers of 32 bits, and does not end where these overflow."""
MOST_PARTS = 8
"""At once: cutting into many parts takes long."""
_INPUT, _OUTPUT = "graph.npz", "assignment.npy"


def cut(weights: csr_array, levels: Sequence[tuple[int, float]], limit_seconds: float) -> np.ndarray | None:
    """Return the place of each rank, shape (ranks,), counted through a machine whose levels are regular.

    `levels`: how many of the level below each level has, and its distance, from the cores on. None: it is not
    installed, has failed, or took longer than the limit.
    """
    parts = [(part, max(round(apart), 1)) for many, apart in levels for part in _parts(many)]
    if importlib.util.find_spec(LIBRARY) is None or not parts:
        return None
    scale = min(MOST_WEIGHT / np.sum(weights.data), 1000 / np.min(weights.data))
    whole = np.maximum(np.rint(weights.data * scale), 1).astype(np.int64)
    with tempfile.TemporaryDirectory(prefix="rankwise-") as folder:
        np.savez(Path(folder, _INPUT), starts=weights.indptr, ends=weights.indices, weights=whole, levels=parts)
        process.run([sys.executable, "-m", __name__, folder], limit_seconds)
        made = Path(folder, _OUTPUT)
        return np.load(made) if made.exists() else None


def _parts(count: int) -> list[int]:
    """Factors of a count, none above MOST_PARTS if it has such."""
    parts = []
    while count > 1:
        part = next((one for one in range(MOST_PARTS, 1, -1) if count % one == 0), count)
        parts.append(part)
        count //= part
    return parts


def _main(folder: Path) -> None:
    import chszlablib as library  # noqa: PLC0415 -- it may be absent

    asked = np.load(folder / _INPUT)
    starts, ends = asked["starts"].astype(np.int64), asked["ends"].astype(np.int64)
    graph = library.Graph.from_csr(starts, ends, edge_weights=asked["weights"])
    counts, distances = asked["levels"].T.tolist()
    found = library.Decomposition.process_map(graph, counts, distances, mode="fast", imbalance=0.0)
    written = folder / f"new-{_OUTPUT}"
    np.save(written, np.asarray(found.assignment))
    written.rename(folder / _OUTPUT)


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
