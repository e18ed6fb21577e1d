"""Patterns that tell how a platform shares its capacity: small ones to fit, random ones to be predicted."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

from rankwise.core.flows import Flow, Pattern

MIB = 1 << 20
FLOW_BYTES = 4 * MIB
ALONE_BYTES = (MIB, 2 * MIB, 4 * MIB)
CYCLE_BYTES = (MIB, 2 * MIB, 4 * MIB, 2 * MIB, MIB)
"""Of random patterns, as in Martinasso 2006, section 5."""
_PAIRS: Mapping[str, tuple[tuple[int, int], ...]] = {
    "0<-1->2": ((1, 0), (1, 2)),
    "0->1<-2": ((0, 1), (2, 1)),
    "0->1->2": ((0, 1), (1, 2)),
    "zigzag of 3": ((0, 1), (2, 1), (2, 3)),
    "zigzag of 5": ((0, 1), (2, 1), (2, 3), (4, 3), (4, 5)),
    "0->1->2->3": ((0, 1), (1, 2), (2, 3)),
    "0<-1->2->3->4": ((1, 0), (1, 2), (2, 3), (3, 4)),
    "3->1": ((1, 0), (2, 0), (3, 0)),
    "4->1": ((1, 0), (2, 0), (3, 0), (4, 0)),
    "1->3": ((0, 1), (0, 2), (0, 3)),
    "0->1->2, 3->2": ((0, 1), (1, 2), (3, 2)),
    "0->1, 2->1->3": ((0, 1), (2, 1), (1, 3)),
}
GUARDS = ("0<-1->2", "0->1<-2")
"""Two flows that share a NIC take twice their time alone, whatever the model."""
LEAVING, ENTERING = ("0<-1->2", "1->3"), ("0->1<-2", "3->1", "4->1")
"""Flows that leave or enter one node together: they tell the rates of its NIC."""
_LATE: Mapping[str, tuple[tuple[int, int], ...]] = {
    "0->1 <- 2 later": ((0, 1), (2, 1)),
    "0<-1 -> 2 later": ((1, 0), (1, 2)),
    "0->1 -> 2 later": ((0, 1), (1, 2)),
    "1->2 <- 0 later": ((1, 2), (0, 1)),
    "0->1<-2 <- 3 later": ((0, 1), (2, 1), (3, 1)),
    "0->1<-2 -> 3 later": ((0, 1), (2, 1), (2, 3)),
}
_LATE_BYTES, _LATE_SECONDS = MIB, 0.1
_SMALL_FLOWS, _SMALL_NODES = 9, 6


def micro_patterns(size_bytes: int = FLOW_BYTES) -> dict[str, Pattern]:
    """Return the patterns on a site of at least six nodes by name: flows of one size that start together."""
    return {
        name: tuple(Flow(source, target, size_bytes) for source, target in pairs) for name, pairs in _PAIRS.items()
    }


def late_patterns() -> dict[str, Pattern]:
    """Return patterns whose last flow, a short one, starts when the queues before it are full."""
    return {
        name: (
            *(Flow(source, target, FLOW_BYTES) for source, target in pairs[:-1]),
            Flow(*pairs[-1], _LATE_BYTES, _LATE_SECONDS),
        )
        for name, pairs in _LATE.items()
    }


def alone_patterns(sizes_bytes: tuple[int, ...] = ALONE_BYTES) -> dict[str, Pattern]:
    """Return one flow of each size: what a message costs where nothing is in its way."""
    return {f"alone, {size}": (Flow(0, 1, size),) for size in sizes_bytes}


def asynchronous_patterns() -> dict[str, Pattern]:
    """Return random patterns on six nodes to fit: flows of several sizes that begin while others go on."""
    return _small_random(range(1, 4))


def validation_patterns() -> dict[str, Pattern]:
    """Return random patterns on six nodes that no fit sees: they tell how far a model's predictions are off."""
    return _small_random(range(4, 7))


def _small_random(seeds: Iterable[int]) -> dict[str, Pattern]:
    return {
        f"random {seed}": random_pattern(
            seed, _SMALL_NODES, ends=3, flows=_SMALL_FLOWS, step_seconds=0.01 * (1 + seed % 2)
        )
        for seed in seeds
    }


def random_pattern(
    seed: int, nodes: int, *, ends: int = 2, flows: int = 30, step_seconds: float = 1e-3
) -> Pattern:  # fmt: skip
    """Return a pattern in the style of Martinasso 2006: flow i starts at i steps, sizes go 1, 2, 4, 2, 1 MiB.

    At most `ends` flows begin or end at a node, and no two are between the same nodes. Raises ValueError where the
    nodes are too few for that.
    """
    if nodes * ends < 2 * flows or nodes * (nodes - 1) < 2 * flows:
        raise ValueError(f"{nodes} nodes with {ends} flows each are too few for {flows} flows")
    choose = random.Random(seed)
    while True:
        places = [node for node in range(nodes) for _ in range(ends)]
        choose.shuffle(places)
        pairs = _pairs(places, flows)
        if pairs:
            sizes = [CYCLE_BYTES[i % len(CYCLE_BYTES)] for i in range(flows)]
            starts = [round(i * step_seconds, 6) for i in range(flows)]
            return tuple(Flow(*pair, sizes[i], starts[i]) for i, pair in enumerate(pairs))


def _pairs(places: list[int], flows: int) -> list[tuple[int, int]]:
    """Pairs of different nodes, each once, from shuffled places; [] where they do not come out."""
    pairs: list[tuple[int, int]] = []
    left = list(places)
    known: set[frozenset[int]] = set()
    while len(pairs) < flows:
        source = left.pop(0)
        fitting = (
            i
            for i, candidate in enumerate(left)
            if candidate != source and frozenset((source, candidate)) not in known
        )
        at = next(fitting, None)
        if at is None:
            return []
        target = left.pop(at)
        known.add(frozenset((source, target)))
        pairs.append((source, target))
    return pairs
