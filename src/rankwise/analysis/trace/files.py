"""A rank's files as blocks: `rank-N.trace`, and `rank-N.open` of a rank that did not come to its end.

The layout is that of csrc/tracer/stream.h; docs/traces.md describes it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankwise.analysis.trace.numbers import Damaged

_HEADING = struct.Struct("<c3sIQ")
_STATE = struct.Struct("<8sIIQQQqIIIIII")
_KINDS = tuple(bytes([kind]) for kind in b"MDNTSCKE")
_MAGIC = b"rwopen\n\0"
_VERSION = 1
_DEEPEST, _FUNCTIONS, _NODES, _DEFINITIONS, _TIMES = 32, 1024, 16384, 1 << 18, 1 << 16
_LEVEL = np.dtype([("done", "<u8"), ("rule", "<u4"), ("index", "<u4")])
_NODE = np.dtype([("count", "<u8"), ("symbol", "<u4"), ("unused", "<u4")])
STATISTICS = np.dtype([("calls", "<u8"), ("duration", "<u8"), ("gap", "<u8"), ("least", "<u4"), ("most", "<u4")])
"""Of one signature: calls, nanoseconds in all of them and before them, of the shortest and the longest."""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a trace: `M`eta, `D`efinitions, `N`odes, `T`imes, `S`tatistics, `C`hapter, `K` clock, `E`nd."""

    kind: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Open:
    """What a rank had not yet written when it was ended."""

    stream_bytes: int
    definitions: bytes
    times: bytes
    nodes: tuple[tuple[int, int], ...]
    """Symbol and count."""
    levels: tuple[tuple[int, int, int], ...]
    """Where it was in the loop that is the last node: rule, item, repetitions of that item."""
    statistics: bytes
    idle: tuple[tuple[int, int, int], ...]
    """Function, calls, nanoseconds."""
    last_exit: int
    torn: bool
    """It was ended while the nodes were changed: they are left out."""
    stopped: int
    """The error number after which nothing was written; 0 without one."""

    @property
    def structure_bytes(self) -> int:
        """Return how much room the order of calls takes."""
        return len(self.definitions) + _NODE.itemsize * len(self.nodes)


def checksum(kind: bytes, data: bytes) -> int:
    """Return kind * 2^56 + the sum of all bytes, each times twice its place plus one, modulo 2^64."""
    octets = np.frombuffer(data, np.uint8).astype(np.uint64)
    weights = 2 * np.arange(len(octets), dtype=np.uint64) + np.uint64(1)
    return ((kind[0] << 56) + int(np.sum(octets * weights, dtype=np.uint64))) % 2**64


def block(kind: str, data: bytes) -> bytes:
    """Return a block as a file has it."""
    return _HEADING.pack(kind.encode(), bytes(3), len(data), checksum(kind.encode(), data)) + data


def blocks(path: Path, problems: list[str], most_bytes: int | None = None) -> Iterator[Block]:
    """Yield the file's blocks up to the first that is torn or damaged, which `problems` gets to know."""
    content = path.read_bytes()[:most_bytes]
    at = 0
    while at < len(content):
        if at + _HEADING.size > len(content):
            problems.append(f"{path.name} ends within a heading: {len(content) - at} bytes are left out")
            return
        kind, unused, length, expected = _HEADING.unpack_from(content, at)
        data = content[at + _HEADING.size : at + _HEADING.size + length]
        if len(data) < length:
            problems.append(f"{path.name} ends within a block: {len(content) - at} bytes are left out")
            return
        if checksum(kind, data) != expected or any(unused) or kind not in _KINDS:
            problems.append(f"{path.name} is damaged at byte {at}: nothing after it is read")
            return
        yield Block(kind.decode("latin-1"), data)
        at += _HEADING.size + length


def read_open(path: Path) -> Open:
    """Read what a rank had in hand when it was ended. Raises Damaged."""
    content = path.read_bytes()
    arrays = (_DEEPEST * _LEVEL.itemsize, _FUNCTIONS * 16, _NODES * _NODE.itemsize, _DEFINITIONS, _TIMES)
    if len(content) < _STATE.size + sum(arrays):
        raise Damaged("it is too short")
    (magic, version, busy, stream_bytes, _, signatures, last_exit, definitions, times, nodes, depth, stopped,
     _) = _STATE.unpack_from(content)  # fmt: skip
    if magic != _MAGIC or version != _VERSION:
        raise Damaged("it is not a trace of Rankwise, or of another version")
    if definitions > _DEFINITIONS or times > _TIMES or nodes > _NODES or depth > _DEEPEST:
        raise Damaged("its contents are inconsistent")
    parts, at = [], _STATE.size
    for length in arrays:
        parts.append(content[at : at + length])
        at += length
    levels = np.frombuffer(parts[0], _LEVEL, depth)
    idle = np.frombuffer(parts[1], np.dtype(("<u8", 2)))
    kept = np.frombuffer(parts[2], _NODE, nodes)
    return Open(
        stream_bytes, parts[3][:definitions], parts[4][:times],
        () if busy else tuple((int(symbol["symbol"]), int(symbol["count"])) for symbol in kept),
        () if busy else tuple((int(level["rule"]), int(level["index"]), int(level["done"])) for level in levels),
        content[at : at + signatures * STATISTICS.itemsize],
        tuple((int(i), int(idle[i][0]), int(idle[i][1])) for i in np.flatnonzero(idle[:, 0])),
        last_exit, bool(busy), stopped,
    )  # fmt: skip
