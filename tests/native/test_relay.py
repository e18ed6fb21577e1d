"""What goes through two relays arrives whole and in order, whatever happens to the link; strangers get nowhere."""

from __future__ import annotations

import contextlib
import hashlib
import random
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from rankwise.core.native_programs import program
from support.closed_port import closed_port
from support.relays import (
    CONNECT,
    LISTENS,
    CutLink,
    Relay,
    call,
    joined_pair,
    key_file,
    two_relays,
)
from support.strangers import SAY, strangers

pytestmark = pytest.mark.timeout(120)


def send(to: socket.socket, total: int, seed: int, pause: float = 0.0) -> str:
    """Random pieces of random bytes; their digest."""
    dice, digest = random.Random(seed), hashlib.sha256()
    while total:
        piece = dice.randbytes(min(total, dice.choice([1, 8, 500, 16352, 16353, 70_000])))
        digest.update(piece)
        to.sendall(piece)
        total -= len(piece)
        time.sleep(pause)
    to.shutdown(socket.SHUT_WR)
    return digest.hexdigest()


def receive(source: socket.socket) -> tuple[int, str]:
    digest, total = hashlib.sha256(), 0
    while data := source.recv(1 << 16):
        digest.update(data)
        total += len(data)
    return total, digest.hexdigest()


def assert_carried(
    one: socket.socket, other: socket.socket, total: int, *, pause: float = 0.0, seed: int = 1
) -> None:
    """So many bytes in each direction at once, to the end."""
    with ThreadPoolExecutor(4) as pool:
        sent = [pool.submit(send, to, total, seed + n, pause) for n, to in enumerate((one, other))]
        got = [pool.submit(receive, source) for source in (other, one)]
        for there, here in zip(sent, got, strict=True):
            assert here.result(90) == (total, there.result(90))


@pytest.mark.parametrize("spin", ["50", "0"])
def test_both_directions_arrive_in_order_and_ends_too(spin: str, tmp_path: Path) -> None:
    with two_relays(tmp_path, "--spin", spin) as (rennes, nancy, link):
        with joined_pair(rennes, nancy) as (near, far):
            assert_carried(near, far, 20_000_000)
        assert link.carried > 40_000_000
        said, _ = nancy.end()
    assert said.startswith("to rennes: 1 connections, 20.000 MB sent, 20.000 MB received; kept at most ")
    assert "sent again" not in said and "refused" not in said


def test_many_connections_at_once(tmp_path: Path) -> None:
    def one(rank: int) -> None:
        with joined_pair(rennes, nancy, rank) as (near, far):
            assert_carried(near, far, 300_000, seed=rank)

    with two_relays(tmp_path) as (rennes, nancy, _), ThreadPoolExecutor(16) as pool:
        list(pool.map(one, range(40)))


def test_whoever_has_nothing_to_carry_sleeps(tmp_path: Path) -> None:
    with two_relays(tmp_path) as (rennes, nancy, _), joined_pair(rennes, nancy) as (near, far):
        near.sendall(b"x")
        assert far.recv(1) == b"x"
        both = [psutil.Process(one.process.pid) for one in (rennes, nancy)]
        used = sum(sum(one.cpu_times()[:2]) for one in both)
        time.sleep(2)
        assert sum(sum(one.cpu_times()[:2]) for one in both) < used + 0.2


def test_a_slow_receiver_stops_its_sender_and_nobody_else(tmp_path: Path) -> None:
    with (
        two_relays(tmp_path, "--window", "1048576") as (rennes, nancy, _),
        joined_pair(rennes, nancy, 1) as (near, far),
        joined_pair(rennes, nancy, 2) as (quick, quicker),
    ):
        before = [psutil.Process(one.process.pid).memory_info().rss for one in (rennes, nancy)]
        near.settimeout(2)
        sent = 0
        with pytest.raises(TimeoutError):  # nobody reads at the other end
            while sent < 200_000_000:
                sent += near.send(bytes(1 << 16))
        assert sent < 20_000_000
        assert_carried(quick, quicker, 5_000_000)
        for process, memory in zip((rennes, nancy), before, strict=True):
            assert psutil.Process(process.process.pid).memory_info().rss - memory < 32 << 20
        near.settimeout(40)
        near.shutdown(socket.SHUT_WR)
        assert receive(far)[0] == sent
        kept = [one.end()[0].rpartition("kept at most ")[2] for one in (rennes, nancy)]
        assert all(float(words.split()[0]) <= 2.1 for words in kept), kept


@pytest.mark.parametrize("fault", ["cut", "stall"])
def test_a_link_that_was_away_for_seconds_loses_nothing(fault: str, tmp_path: Path) -> None:
    with two_relays(tmp_path) as (rennes, nancy, link):

        def disturb() -> None:
            for seconds in (0.5, 3.0) if fault == "cut" else (7.0,):
                time.sleep(0.5)
                link.stall()
                time.sleep(0.1)  # what goes now cannot be acknowledged before the link is cut
                getattr(link, fault)()
                time.sleep(seconds)
                link.mend()

        with joined_pair(rennes, nancy) as (near, far):
            disturber = threading.Thread(target=disturb)
            disturber.start()
            assert_carried(near, far, 30_000_000, pause=1e-3)
            disturber.join()
        said, _ = rennes.end()
        _, words = nancy.end()
    assert "the link to rennes is broken: " in words and "the link to rennes is back after" in words
    assert "pieces were sent again" in said and "; 0 pieces" not in said


def test_a_link_that_stays_away_ends_the_relay_with_the_reason(tmp_path: Path) -> None:
    with (
        two_relays(tmp_path, "--patience", "5") as (rennes, nancy, link),
        joined_pair(rennes, nancy) as (near, far),
    ):
        link.cut()
        assert nancy.process.wait(40) == 1
        _, words = nancy.end()
        assert "the relay of rennes could not be reached for 5.0 s" in words
        assert far.recv(1) == b""
        assert rennes.process.wait(40) == 1
        assert near.recv(1) == b""


def test_a_relay_that_was_killed_takes_its_connections_with_it_and_another_is_taken_up(tmp_path: Path) -> None:
    with two_relays(tmp_path) as (rennes, nancy, link):
        with joined_pair(rennes, nancy) as (near, far):
            nancy.process.kill()
            nancy.process.wait()
            assert far.recv(1) == b""
            again = Relay(1, tmp_path / "key", "--peer", f"0=127.0.0.1:{link.port}")
            try:
                assert near.recv(1) == b""
                with joined_pair(rennes, again, 5) as pair:
                    assert_carried(*pair, 100_000)
            finally:
                again.end()
        _, words = rennes.end()
    assert "the relay of nancy was started anew: its connections are gone" in words


def test_a_process_that_dies_is_told_to_its_peer(tmp_path: Path) -> None:
    with two_relays(tmp_path) as (rennes, nancy, _), joined_pair(rennes, nancy) as (near, far):
        far.sendall(b"last words")
        far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        far.close()  # with a reset
        while data := near.recv(100):
            assert b"last words".startswith(data)


def test_whom_nobody_knows_or_hears_is_said(tmp_path: Path) -> None:
    with two_relays(tmp_path, "--patience", "5") as (rennes, nancy, _), closed_port() as nobody:
        rennes.listens(7, nobody)
        with pytest.raises(ConnectionError, match=r"site rennes, rank 7: its relay cannot connect to it"):
            nancy.connect(0, 7)
        with pytest.raises(ConnectionError, match=r"site rennes, rank 8: it did not come within the time"):
            nancy.connect(0, 8)


def test_strangers_are_refused_and_said_and_do_no_harm(tmp_path: Path) -> None:
    with two_relays(tmp_path) as (rennes, nancy, _), joined_pair(rennes, nancy) as (near, far):
        tls = bytes.fromhex("160301") + b"\x02\x00" + random.Random(1).randbytes(600)
        for words in (b"GET / HTTP/1.0\r\n\r\n", bytes(100), tls, call(CONNECT, 1, 0, key="wrong"), b"r" * 116,
                      call(CONNECT, 1, 0, version=0), call(CONNECT, 5, 0), b""):  # fmt: skip
            with rennes.guest() as stranger:
                stranger.sendall(words)
                if not words:
                    stranger.shutdown(socket.SHUT_WR)
                assert stranger.recv(100)[:1] in (b"", b"\x15")  # TLS says why
        begun = time.monotonic()
        with rennes.guest() as silent, rennes.guest() as half:
            half.sendall(b"rankga")
            assert silent.recv(1) == half.recv(1) == b""
            assert 5 < time.monotonic() - begun < 40
        assert_carried(near, far, 1_000_000)
        _, words = rennes.end()
    for reason in ("it is of another job", "it is neither a relay nor a process of this job", "TLS says: ",
                   "another version of the relays' protocol", "a site that there is no way to",
                   "it did not say in time who it is", "it closed the connection"):  # fmt: skip
        assert "127.0.0.1, port" in words and reason in words, words


@pytest.mark.nightly
@pytest.mark.parametrize("kinds", [["silent"] * 4, list(SAY)], ids=["silent", "all"])
def test_strangers_at_full_speed_break_nothing(kinds: list[str], tmp_path: Path) -> None:
    """Data arrive whole, a process with the key gets in, memory is bounded and no link is given up."""
    with two_relays(tmp_path) as (rennes, nancy, _), joined_pair(rennes, nancy) as (near, far):
        process = psutil.Process(rennes.process.pid)
        before = process.memory_info().rss
        with strangers(("127.0.0.1", rennes.port), kinds, 15) as made:
            assert_carried(near, far, 2_000_000)
            rennes.listens(9, 9)
        assert sum(made) > 1000
        assert process.memory_info().rss - before < 100 << 20
        _, words = rennes.end()
    assert "broken" not in words, words


def test_a_relay_with_a_wrong_key_gets_nowhere(tmp_path: Path) -> None:
    with two_relays(tmp_path) as (rennes, nancy, _), joined_pair(rennes, nancy) as (near, far):
        other = key_file(tmp_path, "other")
        wrong = Relay(1, other, "--peer", f"0=127.0.0.1:{rennes.port}", "--patience", "3")
        assert wrong.process.wait(40) == 1
        _, words = wrong.end()
        assert "the relay of rennes could not be reached for 3.0 s: it has another key" in words
        assert_carried(near, far, 1_000_000)
        _, words = rennes.end()
    assert "refused 127.0.0.1, port " in words and "it has another key" in words


def test_what_is_sent_cannot_be_read_on_the_way(tmp_path: Path) -> None:
    seen = bytearray()

    class Listening(CutLink):
        def _carry(self, one: socket.socket) -> None:
            with contextlib.suppress(OSError):  # a relay that ends may reset its connection
                seen.extend(one.recv(1 << 16, socket.MSG_PEEK))
            super()._carry(one)

    rennes = Relay(0, key := key_file(tmp_path))
    link = Listening(rennes.port)
    nancy = Relay(1, key, "--peer", f"0=127.0.0.1:{link.port}")
    with joined_pair(rennes, nancy) as (near, far):
        far.sendall(b"nobody may read this")
        assert near.recv(100) == b"nobody may read this"
    nancy.end(), rennes.end()
    link.close()
    assert len(seen) > 500 and b"nobody may read" not in seen


def test_who_came_when_there_was_no_descriptor_left_is_let_in_later(tmp_path: Path) -> None:
    rennes = Relay(0, key_file(tmp_path), around=("prlimit", "--nofile=24"))
    with contextlib.ExitStack() as stack:
        stack.callback(rennes.end)
        silent = [stack.enter_context(rennes.guest()) for _ in range(30)]
        patient = stack.enter_context(rennes.guest())
        patient.sendall(call(LISTENS, 0, 3, 1))
        assert all(one.recv(1) == b"" for one in silent)  # sent away, in two turns
        assert patient.recv(1) == b"y"


def test_a_port_that_somebody_has_is_told_and_is_not_ours(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        line = [program("rankwise-relay"), "--sites", "rennes,nancy", "--site", "0", "--key", key_file(tmp_path)]
        told = subprocess.run(
            [*line, "--port", str(port)], capture_output=True, text=True, timeout=40, check=False
        )
    assert told.returncode == 3 and f"cannot listen at port {port}" in told.stderr
    assert "name another port" in told.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--sites", "a,b", "--site", "0", "--port", "7"], "no key is given"),
        (["--sites", "a", "--key", "KEY", "--site", "1", "--port", "7"], "--sites names the sites of the job"),
        (
            ["--sites", "a,b", "--key", "KEY", "--site", "1", "--port", "7"],
            "--peer is given for each site of a lower",
        ),
        (["--sites", "a,b", "--key", "KEY", "--site", "0"], "no port to listen at is given"),
        (["--sites", "a,b", "--key", "NONE"], "cannot read "),
        (["--sites", "a,b", "--key", "ONE"], "does not have two lines with a key in each"),
        (["--sites", "a,b", "--key", "SHORT"], "the key does not have 64 hexadecimal digits"),
        (["--prot", "1"], "unknown option or value: --prot 1"),
        (["--port", "70000"], "is not a number from 0"),
        (["--port"], "--port needs a value"),
        (["--spin", "-1"], "is not a number from 0"),
    ],
)
def test_wrong_usage_is_told(words: list[str], said: str, tmp_path: Path) -> None:
    files = {"KEY": key_file(tmp_path), "NONE": tmp_path / "none", "SHORT": key_file(tmp_path, "short", "1234")}
    files["ONE"] = tmp_path / "one"
    files["ONE"].write_text("00\n")
    line = [str(files.get(word, word)) for word in words]
    told = subprocess.run(
        [program("rankwise-relay"), *line], capture_output=True, text=True, timeout=40, check=False
    )
    assert told.returncode == 2 and said in told.stderr
