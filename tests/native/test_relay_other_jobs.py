"""Relays of two jobs: who has a port's key reaches those that let others in, and nobody else."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from support.relays import CutLink, Relay, key_file

pytestmark = pytest.mark.timeout(120)
PORT_KEY, WRONG_KEY = "0123456789abcdef" * 2, "f" * 32


@contextlib.contextmanager
def two_jobs(folder: Path, *words: str) -> Iterator[tuple[Relay, Relay, CutLink]]:
    """The relay of a job that is visited, that of one that comes, each with keys of its own, and a link there."""
    with contextlib.ExitStack() as stack:
        host = Relay(0, key_file(folder, "host"), *words, sites="host")
        stack.callback(host.end)
        link = CutLink(host.port)
        stack.callback(link.close)
        visitor = Relay(0, key_file(folder, "visitor"), *words, sites="visitor")
        stack.callback(visitor.end)
        yield host, visitor, link


@contextlib.contextmanager
def visited(host: Relay, visitor: Relay, link: CutLink) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a connection, to the process of rank 7."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(40)
        host.let_in(7, listener.getsockname()[1], PORT_KEY)
        with visitor.visit(link.port, 7, PORT_KEY) as far, listener.accept()[0] as near:
            near.settimeout(40)
            far.settimeout(40)
            yield near, far


def received(source: socket.socket, total: int) -> bytes:
    """All of it: a socket with a limit of time returns what there is."""
    got = b""
    while len(got) < total:
        got += source.recv(total - len(got)) or pytest.fail(f"it ended after {len(got)} bytes")
    return got


def test_both_ways_and_again_after_the_port_was_closed(tmp_path: Path) -> None:
    with two_jobs(tmp_path) as (host, visitor, link):
        for words in (b"first", b"second"):
            with visited(host, visitor, link) as (near, far):
                far.sendall(words * 100_000)
                assert received(near, len(words) * 100_000) == words * 100_000
                near.sendall(words)
                assert received(far, len(words)) == words
            host.let_in(7, 0, PORT_KEY)
        said, _ = visitor.end()
    assert said.startswith(f"to another job at 127.0.0.1, port {link.port}: 2 connections, 1.100 MB sent")


def test_a_wrong_key_is_refused_and_both_sides_say_so(tmp_path: Path) -> None:
    with two_jobs(tmp_path) as (host, visitor, link), visited(host, visitor, link) as (near, far):
        begun = time.monotonic()
        with pytest.raises(ConnectionError, match="it has another key"):
            visitor.visit(link.port, 7, WRONG_KEY)
        assert time.monotonic() - begun < 5
        far.sendall(b"still there")
        assert received(near, 11) == b"still there"
        _, words = host.end()
    assert "refused 127.0.0.1" in words and "it has another key" in words


def test_whoever_has_not_let_others_in_is_not_reached(tmp_path: Path) -> None:
    """Neither a process of the job that listens for its own, nor one that lets others in by another key."""
    with (
        two_jobs(tmp_path, "--patience", "2") as (host, visitor, link),
        visited(host, visitor, link),
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        host.listens(3, listener.getsockname()[1])
        host.let_in(4, listener.getsockname()[1], WRONG_KEY)
        for rank in (3, 4):
            with pytest.raises(ConnectionError, match=rf"rank {rank}: it did not come"):
                visitor.visit(link.port, rank, PORT_KEY)


def test_a_port_that_was_closed_is_closed(tmp_path: Path) -> None:
    with two_jobs(tmp_path) as (host, visitor, link):
        host.let_in(7, 1, PORT_KEY)
        host.let_in(7, 0, PORT_KEY)
        time.sleep(0.3)
        with pytest.raises(ConnectionError, match="it has another key"):
            visitor.visit(link.port, 7, PORT_KEY)


@pytest.mark.parametrize("how", ["ends", "is lost"])
def test_a_job_that_is_gone_takes_its_connections_and_leaves_the_other_its_relay(how: str, tmp_path: Path) -> None:
    with two_jobs(tmp_path, "--patience", "2") as (host, visitor, link):
        with visited(host, visitor, link) as (_, far):
            if how == "ends":
                host.end()
            else:
                link.cut()
            assert far.recv(1) == b""
        visitor.listens(1, 1)
        _, words = visitor.end()
    reason = "has ended, and these connections with it: 1" if how == "ends" else "could not be reached for 2.0 s"
    assert f"the relay of another job at 127.0.0.1, port {link.port}" in words and reason in words


def test_a_link_that_breaks_is_made_again_and_loses_nothing(tmp_path: Path) -> None:
    with two_jobs(tmp_path) as (host, visitor, link), visited(host, visitor, link) as (near, far):
        host.let_in(7, 0, PORT_KEY)  # the port is closed: the connections that it has stay
        far.sendall(bytes(1_000_000))
        link.cut()
        time.sleep(0.5)
        link.mend()
        far.sendall(b"x" * 1_000_000)
        assert received(near, 2_000_000) == bytes(1_000_000) + b"x" * 1_000_000


@pytest.mark.nightly
def test_links_that_are_not_used_any_more_are_closed_at_both_ends(tmp_path: Path) -> None:
    with two_jobs(tmp_path) as (host, visitor, link):
        with visited(host, visitor, link):
            assert len(psutil.Process(visitor.process.pid).net_connections()) > 1
        deadline = time.monotonic() + 20
        for one in (host, visitor):
            while len(psutil.Process(one.process.pid).net_connections()) > 1:
                assert time.monotonic() < deadline
                time.sleep(0.1)
        with visited(host, visitor, link) as (near, far):
            far.sendall(b"again")
            assert received(near, 5) == b"again"
