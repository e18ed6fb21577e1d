"""Collectives as plain messages, for formats that have none, or have them for all ranks alone.

Textbook algorithms, whatever the library did: binomial trees, dissemination, linear exchange.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

Exchange = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]
"""What is sent and what is received at the same time: pairs of a member and bytes."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many bytes a collective moves: its whole buffer, and the block from one member to another."""

    whole: int
    block: Callable[[int, int], int]


def alike(size_bytes: int) -> Sizes:
    """Return the sizes of a collective whose blocks, or whole buffer, are all of one size."""
    return Sizes(size_bytes, lambda _source, _destination: size_bytes)


def exchanges(operation: str, place: int, members: int, root: int, sizes: Sizes) -> Iterator[Exchange]:
    """Yield what the member at `place` sends and receives, one exchange after another."""
    if members > 1 and operation in _WAYS:
        yield from _WAYS[operation](place, members, max(root, 0), sizes)


def _barrier(place: int, members: int, _root: int, _sizes: Sizes) -> Iterator[Exchange]:
    """Dissemination."""
    distance = 1
    while distance < members:
        yield (((place + distance) % members, 0),), (((place - distance) % members, 0),)
        distance *= 2


def _tree(place: int, members: int, root: int) -> tuple[int | None, list[int]]:
    """The parent and the children in the binomial tree, those of the largest subtrees first."""
    own = (place - root) % members
    low = own & -own if own else 1 << (members - 1).bit_length()
    parent = (own - low + root) % members if own else None
    children = []
    while low > 1:
        low >>= 1
        if own + low < members:
            children.append((own + low + root) % members)
    return parent, children


def _bcast(place: int, members: int, root: int, sizes: Sizes) -> Iterator[Exchange]:
    parent, children = _tree(place, members, root)
    if parent is not None:
        yield (), ((parent, sizes.whole),)
    for child in children:
        yield ((child, sizes.whole),), ()


def _reduce(place: int, members: int, root: int, sizes: Sizes) -> Iterator[Exchange]:
    parent, children = _tree(place, members, root)
    for child in reversed(children):
        yield (), ((child, sizes.whole),)
    if parent is not None:
        yield ((parent, sizes.whole),), ()


def _allreduce(place: int, members: int, _root: int, sizes: Sizes) -> Iterator[Exchange]:
    yield from _reduce(place, members, 0, sizes)
    yield from _bcast(place, members, 0, sizes)


def _reduce_scatter(place: int, members: int, _root: int, sizes: Sizes) -> Iterator[Exchange]:
    yield from _reduce(place, members, 0, sizes)
    yield from _scatter(place, members, 0, sizes)


def _scan(place: int, members: int, _root: int, sizes: Sizes) -> Iterator[Exchange]:
    if place:
        yield (), ((place - 1, sizes.whole),)
    if place < members - 1:
        yield ((place + 1, sizes.whole),), ()


def _between_all(place: int, members: int, _root: int, sizes: Sizes) -> Iterator[Exchange]:
    for distance in range(1, members):
        to, source = (place + distance) % members, (place - distance) % members
        yield ((to, sizes.block(place, to)),), ((source, sizes.block(source, place)),)


def _gather(place: int, members: int, root: int, sizes: Sizes) -> Iterator[Exchange]:
    if place != root:
        yield ((root, sizes.block(place, root)),), ()
    else:
        yield (), tuple((other, sizes.block(other, root)) for other in range(members) if other != root)


def _scatter(place: int, members: int, root: int, sizes: Sizes) -> Iterator[Exchange]:
    if place != root:
        yield (), ((root, sizes.block(root, place)),)
    else:
        yield tuple((other, sizes.block(root, other)) for other in range(members) if other != root), ()


_WAYS: dict[str, Callable[[int, int, int, Sizes], Iterator[Exchange]]] = {
    "barrier": _barrier, "bcast": _bcast, "reduce": _reduce, "allreduce": _allreduce,
    "scan": _scan, "exscan": _scan, "reduce_scatter": _reduce_scatter,
    "gather": _gather, "gatherv": _gather, "scatter": _scatter, "scatterv": _scatter,
    **dict.fromkeys(("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"), _between_all),
}  # fmt: skip
OPERATIONS = frozenset(_WAYS)
"""Those that have messages here."""
