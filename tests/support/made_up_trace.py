"""Traces that no program made: files as csrc/tracer writes them, for readers and all that comes after them."""

import json
import struct
from collections.abc import Sequence
from pathlib import Path

from rankwise.analysis.trace.files import checksum

FUNCTIONS = (
    "region region", "MPI_Send send", "MPI_Recv recv", "MPI_Isend isend", "MPI_Irecv irecv",
    "MPI_Waitall completion", "MPI_Allreduce collective", "MPI_Bcast collective", "MPI_Barrier collective",
    "MPI_Win_fence other", "MPI_Win_create window", "MPI_Put rma", "MPI_Get rma", "MPI_Win_lock sync",
    "MPI_Win_unlock sync", "MPI_Win_free window_free", "MPI_File_write_all file", "MPI_Startall start",
)  # fmt: skip
NUMBER = {name.split()[0]: place for place, name in enumerate(FUNCTIONS)}
Call = tuple[tuple[int, ...], int, int]
"""A signature, the nanoseconds before it, and those in it."""


def varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    found = bytearray()
    while number >= 128:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def zigzag(number: int) -> bytes:
    """With its sign at the end."""
    return varint(number << 1 if number >= 0 else (~number << 1) | 1)


def block(kind: str, data: bytes) -> bytes:
    """One part of a file."""
    return struct.pack("<c3xIQ", kind.encode(), len(data), checksum(kind.encode(), data)) + data


def signature(row: Sequence[int]) -> bytes:
    return b"S" + varint(len(row)) + b"".join(map(zigzag, row))


def communicator(number: int, members: Sequence[int]) -> bytes:
    before = [-1, *members]
    gaps = b"".join(zigzag(one - last - 1) for last, one in zip(before, members, strict=False))
    return b"C" + varint(number) + varint(0) + varint(0) + varint(len(members)) + gaps


def rank_file(rank: int, ranks: int, calls: Sequence[Call], *, begin: int = 0, host: str = "here") -> bytes:
    """A rank's file with these calls, each a node of its own, on MPI_COMM_WORLD (0) and the even ranks (1)."""
    known = list(dict.fromkeys(row for row, _, _ in calls))
    definitions = communicator(0, range(ranks)) + communicator(1, range(0, ranks, 2))
    definitions += b"G" + varint(0) + varint(6) + b"solver" + b"".join(map(signature, known))
    nodes = b"".join(varint(2 * known.index(row)) + varint(1) for row, _, _ in calls)
    times = b"".join(zigzag(gap) + varint(spent) for _, gap, spent in calls)
    meta = {"format": 1, "rank": rank, "ranks": ranks, "keep": "all", "begin_ns": begin, "host": host, "boot": "b",
            "library": "", "functions": FUNCTIONS}  # fmt: skip
    end = {"events": len(calls), "end_ns": begin + sum(gap + spent for _, gap, spent in calls), "idle": {}}
    parts = [("M", json.dumps(meta).encode()), ("D", definitions), ("N", nodes), ("T", times)]
    return b"".join(block(*part) for part in [*parts, ("E", json.dumps(end).encode())])


def write_trace(folder: Path, calls: Sequence[Sequence[Call]]) -> Path:
    """Write the files of as many ranks as there are lists of calls."""
    for rank, own in enumerate(calls):
        (folder / f"rank-{rank:06d}.trace").write_bytes(rank_file(rank, len(calls), own))
    return folder
