"""Bytes of collectives as Score-P counts them in OTF2, from those of a rank's own arguments, and back.

Score-P counts what an operation moves by its definition: a broadcast's root sends the block to each member, itself
among them. A trace has the arguments: one block, of varying blocks their sum (docs/traces.md).
"""

from __future__ import annotations

from dataclasses import dataclass

_TO_ALL = ("allreduce", "allgather", "alltoall", "reduce_scatter_block")
_SUMS = ("alltoallv", "alltoallw", "reduce_scatter")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a rank is in a collective: how many take part, which one it is, and whether it is the root."""

    members: int
    number: int
    is_root: bool


def counted(operation: str, place: Place, sent: int, received: int) -> tuple[int, int]:
    """Return the bytes sent and received as Score-P counts them."""
    many, block, root = place.members, max(sent, received), place.is_root
    if operation in _TO_ALL:
        return many * block, many * block
    known = {
        "bcast": (many * block if root else 0, block),
        "reduce": (block, many * block if root else 0),
        "gather": (sent or received, many * received if root else 0),
        "scatter": (many * sent if root else 0, received or sent),
        "gatherv": (sent, received if root else 0),
        "scatterv": (sent if root else 0, received),
        "allgatherv": (many * sent, received),
        "scan": ((many - place.number) * block, (place.number + 1) * block),
        "exscan": ((many - place.number - 1) * block, place.number * block),
    }
    return known.get(operation, (sent, received) if operation in _SUMS else (0, 0))


def arguments(operation: str, place: Place, sent: int, received: int) -> tuple[int, int]:
    """Return the bytes that a rank's arguments name, sent and received, from those that Score-P counted."""
    many, root = max(place.members, 1), place.is_root
    if operation in _TO_ALL:
        return sent // many, received // many
    before, after = place.number, many - place.number
    block = max(sent // after, received // (before + 1))
    exclusive = max(sent // max(after - 1, 1), received // max(before, 1))
    known = {
        "bcast": (received, 0) if root else (0, received),
        "reduce": (sent, sent if root else 0),
        "gather": (sent, received // many if root else 0),
        "scatter": (sent // many if root else 0, received),
        "allgatherv": (sent // many, received),
        "scan": (block, block),
        "exscan": (exclusive, exclusive),
    }
    return known.get(operation, (sent, received))
