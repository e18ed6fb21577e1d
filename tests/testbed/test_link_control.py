"""The control socket: a real emulator's words, and those of one that talks nonsense."""

import socket
import threading
from pathlib import Path

import pytest

from rankwise.core.errors import HostError
from rankwise.testbed import running
from rankwise.testbed.link_control import LinkControl
from support.emulated import needs_emulation, two_sites


def answering(path: Path, line: bytes) -> threading.Thread:
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()

    def serve() -> None:
        with server, server.accept()[0] as connection:
            connection.recv(100)
            connection.sendall(line)

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


@pytest.mark.parametrize("line", [b"", b"hello\n", b"{}\n", b"[]\n", b'{"links":[{}]}\n', b"null\n"])
def test_nonsense_is_an_error_of_the_host(tmp_path: Path, line: bytes) -> None:
    thread = answering(tmp_path / "link", line)
    with pytest.raises(HostError, match="make no sense"):
        LinkControl(tmp_path / "link").counters()
    thread.join()


def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(HostError, match="does not answer") as caught:
        LinkControl(tmp_path / "link").reset()
    assert caught.value.remedy


def test_a_refusal_is_told(tmp_path: Path) -> None:
    thread = answering(tmp_path / "link", b"error no such link\n")
    with pytest.raises(HostError, match="refused 'down x': no such link"):
        LinkControl(tmp_path / "link").set_link("x", up=False)
    thread.join()


@needs_emulation
def test_a_real_one() -> None:
    folder = running.start(two_sites("control", per_site=1), attached=True)
    try:
        control = LinkControl(folder / "link")
        control.reset()
        links, figures = control.counters()
        assert {one.link for one in links} >= {"a-b", "b-a", "a1-out", "b1-in"}
        assert figures.delivered_packets >= 0 and figures.cpu_fraction >= 0
        control.set_link("a-b", up=False)
        control.set_link("a-b", up=True)
        with pytest.raises(HostError, match="refused 'down nosuch'"):
            control.set_link("nosuch", up=False)
    finally:
        running.stop(folder)
