"""Whoever else connects to a joined job while it gathers is sent away with the reason, and holds up nobody."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest

from support.abi import compiled, needs_compiler, prepare
from support.command_line import started
from support.joined import OTHER_ORDER, hello

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(900)]
SILENT = 10
LATE_SITE = """case $RANKWISE_JOIN in
*/1/1,1/*) while [ ! -e go ]; do sleep 0.05; done ;;
*) echo "$RANKWISE_JOIN/$(cat "$RANKWISE_JOIN_KEY")" > settings.part; mv settings.part settings ;;
esac
exec "$@"
"""


def meeting(folder: Path) -> tuple[tuple[str, int], str]:
    """Where the first process waits, and the job's key."""
    deadline = time.monotonic() + 120
    while not (folder / "settings").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    host, port, *_, key = (folder / "settings").read_text().strip().split("/")
    while True:
        try:
            socket.create_connection((host, int(port)), 5).close()
            return (host, int(port)), key
        except ConnectionRefusedError:
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_strangers_are_sent_away(tmp_path: Path) -> None:
    prepare("mpich-5", "openmpi-5")
    (tmp_path / "late.sh").write_text(LATE_SITE)
    program = str(compiled("joined_where"))
    line = ["run", "--join", "rennes=mpich-5:1,nancy=openmpi-5:1", "--abi", "--limit", "240s", "--",
            "/bin/sh", "late.sh", program]  # fmt: skip
    with started(*line, home=tmp_path) as job:
        where, key = meeting(tmp_path)
        silent = [socket.create_connection(where, 5) for _ in range(SILENT)]
        said = [
            b"GET / HTTP/1.1\r\nHost: rennes\r\n\r\n",
            b"\x16\x03\x01\x00\xc8" + bytes(63),
            hello("another-key"),
            hello(key, protocol=2),
            hello(key, order=OTHER_ORDER, protocol=2),
            hello(key, order=OTHER_ORDER, rank=9),
            hello(key, rank=9),
        ]
        talking = []
        for words in said:
            one = socket.create_connection(where, 5)
            one.sendall(words)
            talking.append(one)
        for one in silent:
            one.settimeout(60)
            assert one.recv(1) == b"", "who says nothing is sent away before the last rank comes"
        (tmp_path / "go").touch()
        out, err = job.communicate(timeout=240)
        for one in (*silent, *talking):
            one.close()
    assert job.returncode == 0, out + err
    assert "rank 1 of 2" in out
    no_rank = "it names a rank that this job does not have"
    for reason in ("it is not a process of a joined job", "it encrypts, and this job does not",
                   "it has another job's key", "it is of another version", no_rank):  # fmt: skip
        assert f"site rennes sent a connection from 127.0.0.1 away: {reason}" in err, err
    assert err.count(no_rank) == 2, "in either order of bytes"
    assert err.count("it is of another version") == 2
    assert "who it is" in err
