"""What a placement costs: bytes times distance, summed over pairs of ranks (Hoefler and Snir 2011, dilation)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankwise.core.errors import InputError
from rankwise.core.jobs import Host
from rankwise.core.records import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

IntArray = np.ndarray
DISTANCES = (1.0, 10.0, 100.0)
"""Within a node, within a site, between sites: as in the literature on process mapping (Schulz and Träff 2017)."""
PACKAGE_DISTANCES = (1.0, 2.0, *DISTANCES[1:])
"""Within a package of cores, within a node, within a site, between sites."""


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """Nodes with slots, numbered site by site and node by node, and how far they are from one another."""

    names: tuple[str, ...]
    """Of the nodes."""
    node_of: IntArray
    """The node of each slot, shape (slots,)."""
    core_of: IntArray
    """The number of each slot within its node, shape (slots,)."""
    groups: IntArray
    """By level, the innermost first, the group of each slot: neighbours, counted from 0. Shape (levels, slots)."""
    distances: FloatArray
    """Of two ranks that share a group of the innermost level, of the next, ..., none. Shape (levels + 1,)."""

    @property
    def node_level(self) -> int:
        """The level whose groups are nodes: above packages, below sites."""
        return len(self.groups) - 2

    def slots_of(self, nodes: IntArray) -> IntArray:
        """Return a slot for each rank on its node, then the slots that stay free; shape (slots,).

        Raises InputError where a node has fewer slots than ranks.
        """
        taken = np.zeros(len(self.node_of), dtype=bool)
        slots = np.empty(len(nodes), dtype=np.int64)
        first = np.full(len(self.names), len(self.node_of))
        np.minimum.at(first, self.node_of, np.arange(len(self.node_of)))
        for rank, node in enumerate(nodes):
            slot = first[node]
            if slot >= len(self.node_of) or self.node_of[slot] != node:
                raise InputError(
                    f"{self.names[node]} has fewer slots than ranks", "give it more, or start fewer ranks"
                )
            slots[rank], taken[slot] = slot, True
            first[node] += 1
        return np.concatenate([slots, np.flatnonzero(~taken)])


def machine_of(
    hosts: Sequence[Host], distances: Sequence[float] = DISTANCES, packages: Sequence[int] = ()
) -> Machine:
    """Describe hosts by the distances of two ranks of one node, of one site, of different sites.

    With `packages`, the number of cores in each package of every host, there is one more distance before these.
    """
    numbers = {
        site: number for number, site in enumerate(dict.fromkeys(host.site for host in hosts if host.slots))
    }
    used = sorted((host for host in hosts if host.slots > 0), key=lambda host: numbers[host.site])
    counts = [host.slots for host in used]
    node_of = np.repeat(np.arange(len(used)), counts)
    core_of = np.concatenate([np.arange(count) for count in counts])
    levels = [node_of, np.array([numbers[used[node].site] for node in node_of])]
    if packages:
        of_core = np.repeat(np.arange(len(packages)), packages)
        package = node_of * len(packages) + of_core[np.minimum(core_of, len(of_core) - 1)]
        levels.insert(0, np.unique(package, return_inverse=True)[1])
    names = tuple(host.name for host in used)
    return Machine(names, node_of, core_of, np.array(levels), np.array(distances, dtype=np.float64))


def cost(weights: csr_array, machine: Machine, slots: IntArray) -> float:
    """Return the sum of bytes times distance over all pairs; `slots`: of each rank, at least shape (ranks,)."""
    pairs = weights.tocoo()
    source, other = slots[pairs.row], slots[pairs.col]
    total = machine.distances[0] * np.sum(pairs.data)
    for groups, step in zip(machine.groups, np.diff(machine.distances), strict=True):
        total += step * np.sum(pairs.data[groups[source] != groups[other]])
    return float(total) / 2
