"""What a placement costs: bytes times distance, summed over pairs of ranks (Hoefler and Snir 2011, dilation)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from rankwise.core.jobs import Host
from rankwise.core.records import FloatArray

IntArray = np.ndarray
DISTANCES = (1.0, 10.0, 100.0)
"""Within a node, within a site, between sites: as in the literature on process mapping (Schulz and Träff 2017)."""


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """Nodes with slots, and how far they are from one another."""

    names: tuple[str, ...]
    slots: IntArray
    """Of each node, shape (nodes,)."""
    sites: IntArray
    """The number of each node's site, shape (nodes,)."""
    distance: FloatArray
    """Shape (nodes, nodes); on the diagonal that of two ranks of one node."""
    levels: tuple[float, ...] = DISTANCES


def machine_of(hosts: Sequence[Host], distances: Sequence[float] = DISTANCES) -> Machine:
    """Describe hosts by three distances: of two ranks of one node, of one site, of different sites."""
    used = [host for host in hosts if host.slots > 0]
    numbers = {site: number for number, site in enumerate(dict.fromkeys(host.site for host in used))}
    sites = np.array([numbers[host.site] for host in used])
    within, near, far = distances
    distance = np.where(sites[:, None] == sites[None, :], near, far).astype(np.float64)
    np.fill_diagonal(distance, within)
    slots = np.array([host.slots for host in used])
    return Machine(tuple(host.name for host in used), slots, sites, distance, tuple(distances))


def cost(weights: csr_array, machine: Machine, nodes: IntArray) -> float:
    """Return the sum of bytes times distance over all pairs; `nodes`: of each rank, shape (ranks,)."""
    pairs = weights.tocoo()
    return float(np.sum(pairs.data * machine.distance[nodes[pairs.row], nodes[pairs.col]])) / 2
