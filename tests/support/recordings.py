"""The smallest recording in each format, and damaged ones."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from rankwise.analysis.trace.otf2_writing import write_archive
from rankwise.analysis.trace.reading import read
from support.made_up_trace import NUMBER, write_trace

CSV = "operation,size_bytes,ranks,count\nbcast,64,4,10\n"
MPIP = (
    "@ mpiP\n@ MPI Task Assignment : 0 here\n@ MPI Task Assignment : 1 there\n"
    "@--- Callsite Message Sent statistics (all, sent bytes) ---\nBcast 1 0 3 64 64 64 192\n"
)
MONITORED = "E\t0\t1\t100 bytes\t1 msgs sent\t0,0,0,0,0,0,0,1\n"


def text_file(name: str, text: str) -> Callable[[Path], Path]:
    def written(folder: Path) -> Path:
        (folder / name).write_text(text)
        return folder / name

    return written


def a_trace(folder: Path) -> Path:
    (folder / "app.trace").mkdir()
    send = (NUMBER["MPI_Send"], 0, 1, 7, 100)
    receive = (NUMBER["MPI_Recv"], 0, 0, 7, 100, 0, 7, 100)
    return write_trace(folder / "app.trace", [[(send, 1, 1)], [(receive, 1, 1)]])


def a_damaged_trace(folder: Path) -> Path:
    found = a_trace(folder)
    for file in found.iterdir():
        file.write_bytes(file.read_bytes()[:20])
    return found


def an_archive(folder: Path) -> Path:
    if importlib.util.find_spec("otf2") is None:
        pytest.skip("there is no OTF2 library for this Python (pip install otf2)")
    write_archive(read(a_trace(folder)), folder / "o")
    return folder / "o" / "traces.otf2"


def a_damaged_archive(folder: Path) -> Path:
    found = an_archive(folder)
    found.write_text("no archive")
    return found
