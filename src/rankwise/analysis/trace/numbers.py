"""Numbers as a trace writes them: seven bits a byte, the lowest first; signed ones with their sign at the end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint64]
_LONGEST = 10


class Damaged(Exception):  # noqa: N818 - what a reader says to itself
    """A part of a trace says what cannot be."""


def decode(data: bytes) -> Numbers:
    """Return all numbers in `data`. Raises Damaged if it ends within one, or if one is too long."""
    octets = np.frombuffer(data, np.uint8)
    if not len(octets):
        return np.empty(0, np.uint64)
    ends = np.flatnonzero(octets < 128)
    if not len(ends) or ends[-1] != len(octets) - 1:
        raise Damaged("it ends within a number")
    starts = np.concatenate(([0], ends[:-1] + 1))
    lengths = ends - starts + 1
    if lengths.max() > _LONGEST:
        raise Damaged("a number is too long")
    places = np.arange(len(octets)) - np.repeat(starts, lengths)
    shifted = (octets & 127).astype(np.uint64) << (7 * places).astype(np.uint64)
    return np.asarray(np.bitwise_or.reduceat(shifted, starts), np.uint64)


def encode(numbers: Numbers) -> bytes:
    """Return the bytes that `decode` reads these numbers from."""
    parts = numbers[:, None] >> np.arange(0, 7 * _LONGEST, 7, dtype=np.uint64)[None, :]
    lengths = np.maximum(np.sum(parts != 0, axis=1), 1)
    places = np.arange(_LONGEST)[None, :]
    octets = (parts & np.uint64(127)).astype(np.uint8)
    octets[places < lengths[:, None] - 1] |= 128
    kept: npt.NDArray[np.uint8] = octets[places < lengths[:, None]]
    return kept.tobytes()


def with_sign(numbers: npt.NDArray[np.int64]) -> Numbers:
    """Return what `signed` makes these numbers of."""
    return ((numbers << 1) ^ (numbers >> 63)).astype(np.uint64)


def signed(numbers: Numbers) -> npt.NDArray[np.int64]:
    """Return what was written with its sign at the end."""
    half = (numbers >> np.uint64(1)).astype(np.int64)
    return np.where(numbers & np.uint64(1), ~half, half)


class Cursor:
    """Reads numbers and bytes one after another."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def more(self) -> bool:
        """Return whether anything is left."""
        return self.at < len(self._data)

    def byte(self) -> int:
        """Return the next byte."""
        if not self.more():
            raise Damaged("it ends too early")
        self.at += 1
        return self._data[self.at - 1]

    def number(self, most: int = 2**63 - 1) -> int:
        """Return the next number. Raises Damaged if it is more than `most`."""
        value = 0
        for place in range(_LONGEST):
            octet = self.byte()
            value |= (octet & 127) << 7 * place
            if octet < 128:
                if value > most:
                    raise Damaged(f"there is a number {value}, more than {most}")
                return value
        raise Damaged("a number is too long")

    def count(self) -> int:
        """Return a number of things that follow, each of a byte at least."""
        return self.number(len(self._data) - self.at)

    def signed(self) -> int:
        """Return the next number with its sign."""
        value = self.number(2**64 - 1)
        return ~(value >> 1) if value & 1 else value >> 1

    def text(self, length: int) -> str:
        """Return that many bytes as text."""
        text = self._data[self.at : self.at + length]
        self.at += length
        if len(text) < length:
            raise Damaged("it ends within a name")
        return text.decode(errors="replace")
