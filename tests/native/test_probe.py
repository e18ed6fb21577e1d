"""The program rankwise-probe measures what a path really does: over the loopback, and over an emulated link."""

import contextlib
import json
import math
import random
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankwise.core.native_programs import program
from rankwise.core.ports import free_port
from support.bare_link import BareLink, needs_tap, star


def probe(*words: str, timeout: float = 30) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(program("rankwise-probe")), *words], capture_output=True, text=True, timeout=timeout, check=False
    )


@pytest.fixture
def port() -> Iterator[str]:
    """Where a server runs in the background."""
    for _ in range(5):
        number = str(free_port())
        if probe("serve", "--port", number, "--limit", "20", "--background", "yes").returncode == 0:
            break
    yield number
    probe("end", "localhost", "--port", number)


def test_all_three_figures(port: str) -> None:
    told = probe(
        "measure", "localhost", "--port", port, "--delay-samples", "50", "--delay-interval", "0.001",
        "--rate-seconds", "0.4", "--rate-skip", "0.1", "--loss-packets", "2000",
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    answer = json.loads(told.stdout)
    delay = answer["delay"]
    assert delay["sent"] == delay["received"] == 50
    assert 0 < delay["min_seconds"] <= delay["p50_seconds"] <= delay["p99_seconds"] <= delay["max_seconds"]
    assert delay["p50_seconds"] < 5e-3
    assert 0.1 < answer["rate"]["seconds"] < 0.4
    assert answer["rate"]["bytes"] * 8 / answer["rate"]["seconds"] > 100e6
    assert answer["loss"] == {"sent": 2000, "received": 2000}


def over(link: str, folder: Path, *tests: str) -> dict[str, dict[str, float]]:
    """What it measures from n1 to n2, where what comes into each is described so."""
    with BareLink(folder, 2, star(2, "0 0 0 0 normal 0 1", link, "option seed 1")) as net:
        here, there = (["nsenter", f"--net={node.path}", str(program("rankwise-probe"))] for node in net.nodes)
        with subprocess.Popen([*there, "serve", "--limit", "20"]):
            told = subprocess.run(
                [*here, "measure", "10.9.0.2", *tests], capture_output=True, timeout=20, check=True
            )
            subprocess.run([*here, "end", "10.9.0.2"], timeout=20, check=True)
    answer: dict[str, dict[str, float]] = json.loads(told.stdout)
    return answer


@needs_tap
def test_it_finds_the_delay_and_the_rate_of_an_emulated_link(tmp_path: Path) -> None:
    tests = ("--delay-samples", "100", "--rate-seconds", "1", "--rate-skip", "0.3")
    answer = over("20000000 10000000 100000 0 normal 0 1", tmp_path, *tests)
    assert 0.010 <= answer["delay"]["min_seconds"] <= answer["delay"]["p50_seconds"] < 0.016
    payload_bits_per_second = 20e6 * 1448 / 1538
    measured = answer["rate"]["bytes"] * 8 / answer["rate"]["seconds"]
    assert 0.6 * payload_bits_per_second < measured < 1.1 * payload_bits_per_second


@needs_tap
def test_it_finds_the_loss_of_an_emulated_link(tmp_path: Path) -> None:
    tests = ("--delay-samples", "0", "--rate-seconds", "0", "--loss-packets", "4000", "--loss-pace", "10000")
    answer = over("0 0 0 0 normal 0.1 1", tmp_path, *tests)
    assert answer["loss"]["sent"] == 4000
    lost = 1 - answer["loss"]["received"] / answer["loss"]["sent"]
    assert abs(lost - 0.1) < 5 * math.sqrt(0.1 * 0.9 / 4000)


def test_one_client_after_another_and_only_the_tests_asked_for(port: str) -> None:
    for _ in range(2):
        told = probe("measure", "127.0.0.1", "--port", port, "--delay-samples", "3", "--rate-seconds", "0")
        assert list(json.loads(told.stdout)) == ["delay"]


def test_a_server_ends_when_it_is_told_to(port: str) -> None:
    assert probe("end", "localhost", "--port", port).returncode == 0
    time.sleep(0.1)
    gone = probe("end", "localhost", "--port", port)
    assert gone.returncode == 3
    assert "Connection refused" in gone.stderr


@pytest.mark.parametrize("seed", range(3))
def test_a_server_outlives_clients_that_talk_nonsense(port: str, seed: int) -> None:
    dice = random.Random(seed)
    lines = [b"count", b"count 1", b"stream", b"", b"counts", b"x" * 9000, b"count\0", b"\xff" * 300]
    where = ("127.0.0.1", int(port))
    with socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        for _ in range(60):
            datagrams.sendto(dice.randbytes(dice.choice([0, 3, 63, 64, 65, 2000])), where)
            with socket.create_connection(where, 5) as client:
                said = b"\n".join(one for one in dice.choices(lines, k=dice.randrange(1, 9)) if one != b"stream")
                client.sendall(said + dice.choice([b"", b"\n", b"\nstream -9 x\n"]))
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", dice.randrange(2), 0))
                with contextlib.suppress(OSError), socket.socket() as stream:
                    if dice.random() < 0.5 and said:
                        stream.settimeout(0.05)
                        stream.connect(where)  # what it waits for after `stream`, or another client
                        stream.send(b"data")
    told = probe("measure", "127.0.0.1", "--port", port, "--delay-samples", "3", "--rate-seconds", "0")
    assert list(json.loads(told.stdout)) == ["delay"], told


def test_a_line_without_end_is_not_kept(port: str) -> None:
    with socket.create_connection(("127.0.0.1", int(port)), 5) as client:
        client.settimeout(5)
        with pytest.raises(ConnectionError):  # not a timeout
            while True:
                client.sendall(b"x" * 65536)
    assert probe("end", "localhost", "--port", port).returncode == 0


def test_nothing_waits_beyond_its_limit() -> None:
    begun = time.monotonic()
    alone = probe("serve", "--port", str(free_port()), "--limit", "0.3")
    nobody = probe("measure", "localhost", "--port", "9", "--limit", "0.3")
    assert time.monotonic() - begun < 5
    assert (alone.returncode, nobody.returncode) == (3, 3)
    assert "--limit" in alone.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "say `serve`"),
        (["mesure"], "say `serve`"),
        (["measure"], "name the host"),
        (["measure", "--port"], "name the host"),
        (["serve", "--prot", "1"], "unknown option --prot"),
        (["serve", "--port"], "--port needs a value"),
        (["serve", "--port", "70000"], "is no number from 1"),
        (["serve", "--limit", "1x"], "'1x' is no number"),
        (["serve", "--background", "maybe"], "say yes or no"),
    ],
)
def test_wrong_usage_is_told(words: list[str], said: str) -> None:
    told = probe(*words)
    assert told.returncode == 2
    assert said in told.stderr


def test_a_host_that_is_not_there() -> None:
    told = probe("measure", "no-such-host.invalid")
    assert told.returncode == 3
    assert "cannot find the host no-such-host.invalid" in told.stderr


def test_help_names_every_word() -> None:
    told = probe("--help")
    assert told.returncode == 0
    assert all(
        word in told.stdout for word in ("serve", "measure", "end", "--delay-samples", "--loss-pace", "Exit codes")
    )
