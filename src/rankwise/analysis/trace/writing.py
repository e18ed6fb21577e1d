"""Writes what another tool recorded in the tracer's own format, so that all that reads traces reads it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from rankwise.analysis.trace.files import block
from rankwise.analysis.trace.grammar import Communicator
from rankwise.analysis.trace.numbers import Numbers, encode, with_sign
from rankwise.analysis.trace.reading import ABOUT, RankTrace, Trace

_CALLS_AT_ONCE = 1 << 18
"""In one block of times."""


def write_trace(trace: Trace, folder: Path) -> None:
    """Write a trace that has all times into an empty folder. Raises OSError."""
    for rank_trace in trace.ranks:
        (folder / f"rank-{rank_trace.rank:06d}.trace").write_bytes(_rank_file(rank_trace))
    (folder / ABOUT).write_text(json.dumps(trace.about, indent=2) + "\n")


def _rank_file(rank: RankTrace) -> bytes:
    meta = {
        "format": 1, "rank": rank.rank, "ranks": rank.ranks, "keep": "all", "begin_ns": rank.begin,
        "host": rank.host, "boot": rank.boot, "library": rank.library,
        "functions": [" ".join(function) for function in rank.functions],
    }  # fmt: skip
    end = {"events": len(rank.order), "end_ns": rank.end, "idle": {}}
    parts = [block("M", json.dumps(meta).encode()), block("D", _definitions(rank)), block("N", _nodes(rank))]
    before = np.concatenate(([rank.begin], rank.exit[:-1])) if len(rank.exit) else rank.exit
    times = np.stack((with_sign(rank.entry - before), (rank.exit - rank.entry).astype(np.uint64)), axis=1)
    for at in range(0, len(times), _CALLS_AT_ONCE):
        parts.append(block("T", encode(times[at : at + _CALLS_AT_ONCE].reshape(-1))))
    return b"".join([*parts, block("E", json.dumps(end).encode())])


def _definitions(rank: RankTrace) -> bytes:
    parts = [_communicator(number, known) for number, known in rank.communicators.items()]
    for number, name in rank.regions.items():
        text = name.encode()
        parts.append(b"G" + _plain(number, len(text)) + text)
    for row in rank.signatures:
        parts.append(b"S" + _plain(len(row)) + _signed(row))
    return b"".join(parts)


def _communicator(number: int, known: Communicator) -> bytes:
    text = b"C" + _plain(number, known.ordinal, int(known.remote is not None)) + _members(known.members)
    return text if known.remote is None else text + _members(known.remote)


def _members(ranks: tuple[int, ...]) -> bytes:
    before = (-1, *ranks[:-1])
    return _plain(len(ranks)) + _signed(tuple(rank - last - 1 for rank, last in zip(ranks, before, strict=False)))


def _nodes(rank: RankTrace) -> bytes:
    """Each call, or a row of equal ones."""
    order = rank.order.astype(np.uint64)
    starts = np.flatnonzero(np.concatenate(([True], order[1:] != order[:-1]))) if len(order) else np.empty(0, int)
    counts = np.diff(np.concatenate((starts, [len(order)])))
    pairs: Numbers = np.stack((2 * order[starts], counts.astype(np.uint64)), axis=1)
    return encode(pairs.reshape(-1))


def _plain(*numbers: int) -> bytes:
    return encode(np.array(numbers, np.uint64))


def _signed(numbers: tuple[int, ...]) -> bytes:
    return encode(with_sign(np.array(numbers, np.int64))) if numbers else b""
