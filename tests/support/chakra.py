"""Chakra execution traces in bytes: protobuf messages, each with its length before it."""

from __future__ import annotations

from pathlib import Path

COMPUTE, SEND, RECEIVE = 4, 5, 6
METADATA = (1, b"0.0.4")


def _varint(value: int) -> bytes:
    low = b""
    while value > 127:
        low += bytes([value & 127 | 128])
        value >>= 7
    return low + bytes([value])


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _message(*fields: tuple[int, int | bytes]) -> bytes:
    told = b"".join(_field(number, value) for number, value in fields)
    return _varint(len(told)) + told


def node(number: int, kind: int, *, micros: int = 0, **attributes: int) -> bytes:
    """A node that waits for nothing; attributes are unsigned 64-bit ones."""
    of_it = [_field(1, name.encode()) + _field(13, value) for name, value in attributes.items()]
    return _message((1, number), (3, kind), (7, micros), *((10, one) for one in of_it))


def write_a_send(folder: Path, size_bytes: int) -> Path:
    """Write the traces of two ranks, of which the first one sends to the other, and return the first one's."""
    sides = (node(1, SEND, comm_dst=1, comm_size=size_bytes), node(1, RECEIVE, comm_src=0, comm_size=size_bytes))
    for rank, one in enumerate(sides):
        (folder / f"app.{rank}.et").write_bytes(_message(METADATA) + one)
    return folder / "app.0.et"
