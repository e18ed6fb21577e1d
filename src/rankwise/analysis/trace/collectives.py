"""Collectives as plain messages, for formats that have none, or have them for all ranks alone.

Textbook algorithms, whatever the library did: binomial trees, dissemination, linear exchange.
"""

from __future__ import annotations

from collections.abc import Iterator

Exchange = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]
"""What is sent and what is received at the same time: pairs of a member and bytes."""


def exchanges(operation: str, place: int, members: int, root: int, size_bytes: int) -> Iterator[Exchange]:
    """Yield what the member at `place` sends and receives, one exchange after another.

    `size_bytes`: of the whole buffer of bcast, reduce, allreduce and scans, else of one block.
    """
    if members < 2:
        return
    if operation == "barrier":
        yield from _dissemination(place, members, 0)
    elif operation == "bcast":
        yield from _down(place, members, max(root, 0), size_bytes)
    elif operation == "reduce":
        yield from _up(place, members, max(root, 0), size_bytes)
    elif operation in {"allreduce", "reduce_scatter"}:
        yield from _up(place, members, 0, size_bytes)
        yield from _down(place, members, 0, size_bytes)
    elif operation in {"gather", "gatherv", "scatter", "scatterv"}:
        yield from _linear(place, members, max(root, 0), size_bytes, operation.startswith("gather"))
    elif operation in {"scan", "exscan"}:
        if place:
            yield (), ((place - 1, size_bytes),)
        if place < members - 1:
            yield ((place + 1, size_bytes),), ()
    elif operation in {"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"}:
        for distance in range(1, members):
            to, source = (place + distance) % members, (place - distance) % members
            yield ((to, size_bytes),), ((source, size_bytes),)


def _dissemination(place: int, members: int, size_bytes: int) -> Iterator[Exchange]:
    distance = 1
    while distance < members:
        yield (((place + distance) % members, size_bytes),), (((place - distance) % members, size_bytes),)
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


def _down(place: int, members: int, root: int, size_bytes: int) -> Iterator[Exchange]:
    parent, children = _tree(place, members, root)
    if parent is not None:
        yield (), ((parent, size_bytes),)
    for child in children:
        yield ((child, size_bytes),), ()


def _up(place: int, members: int, root: int, size_bytes: int) -> Iterator[Exchange]:
    parent, children = _tree(place, members, root)
    for child in reversed(children):
        yield (), ((child, size_bytes),)
    if parent is not None:
        yield ((parent, size_bytes),), ()


def _linear(place: int, members: int, root: int, size_bytes: int, gathers: bool) -> Iterator[Exchange]:
    if place != root:
        message = ((root, size_bytes),)
        yield (message, ()) if gathers else ((), message)
        return
    others = tuple((one, size_bytes) for one in range(members) if one != root)
    yield ((), others) if gathers else (others, ())
