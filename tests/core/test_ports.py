"""A port that a program is told before it starts is still free when it has started."""

import socket
from pathlib import Path

import pytest

from rankwise.core import ports


def given_away() -> range:
    low, high = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    return range(low, high + 1)


def test_the_kernel_does_not_give_it_to_others() -> None:
    found = {ports.free_port() for _ in range(200)}
    assert not found & set(given_away())
    assert len(found) > 190


def test_nobody_listens_there_and_who_does_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ports.free_port()
    kernel = tmp_path / "range"  # but for two ports, all are given away
    kernel.write_text(f"{first + 2}\t65535\n")
    monkeypatch.setattr(ports, "_GIVEN_AWAY", kernel)
    monkeypatch.setattr(ports, "_FIRST", first)
    with socket.create_server(("127.0.0.1", first)):
        assert first not in {ports.free_port() for _ in range(20)}


def test_a_kernel_that_gives_all_away_gives_this_one_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = tmp_path / "range"
    kernel.write_text("1024\t65535\n")
    monkeypatch.setattr(ports, "_GIVEN_AWAY", kernel)
    assert ports.free_port() in given_away()
