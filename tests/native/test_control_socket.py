"""Whatever comes over the control socket, the emulator answers the next command, and packets arrive."""

import random
import select
import socket
from collections.abc import Iterator

import pytest

from support.bare_link import LIMIT_SECONDS, BareLink, needs_tap, star, wait_until

pytestmark = needs_tap

COMMANDS = [b"counters", b"reset", b"down n1.in", b"up n1.in", b"down", b"up ", b"down \xff\x00", b"x" * 5000]


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BareLink]:
    """One emulator for all that is sent to it."""
    with BareLink(tmp_path_factory.mktemp("link"), 2, star(2, "0 0 0 0 normal 0 1", "0 0 0 0 normal 0 1")) as one:
        yield one


def damaged(dice: random.Random) -> bytes:
    lines = bytearray(b"\n".join(dice.choices(COMMANDS, k=dice.randrange(1, 20))) + b"\n")
    for _ in range(dice.randrange(5)):
        at = dice.randrange(len(lines))
        lines[at : at + dice.randrange(4)] = dice.randbytes(dice.randrange(4))
    return bytes(lines)


@pytest.mark.parametrize("seed", range(5))
def test_damaged_commands(link: BareLink, seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(100):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(LIMIT_SECONDS)
            client.connect(str(link.control))
            try:
                client.sendall(damaged(dice))
                client.shutdown(socket.SHUT_WR)
                if dice.random() < 0.5:
                    client.recv(100)
            except OSError:  # a line was too long: it has hung up
                pass
    assert link.ask("up n1.in") == link.ask("up n2.in") == "ok"
    receiver = link.nodes[1].socket(socket.SOCK_DGRAM, ("10.9.0.2", 0))
    sender = link.nodes[0].socket(socket.SOCK_DGRAM)
    with receiver, sender:
        sender.sendto(b"still here", receiver.getsockname())
        assert receiver.recv(100) == b"still here"


def test_many_who_connect_and_say_nothing(link: BareLink) -> None:
    silent = [socket.socket(socket.AF_UNIX) for _ in range(200)]
    for one in silent:
        one.connect(str(link.control))
        one.settimeout(LIMIT_SECONDS)
    wait_until(lambda: len(select.select(silent, [], [], 0)[0]) >= 200 - 64)
    assert all(one.recv(1) == b"" for one in select.select(silent, [], [], 0)[0])
    for one in silent:
        one.close()
    assert link.ask("reset") == "ok"
