"""What the control socket says is read, and one that talks nonsense is an error."""

import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rankwise.core.errors import HostError
from rankwise.core.network import LinkCounters
from rankwise.testbeds import running
from rankwise.testbeds.link_control import LinkControl
from support.emulated import needs_emulation, two_sites, wait_until


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


NEARLY = b'{"links":[],"delivered_packets":Infinity,"lateness_seconds":{},"cpu_seconds":0,"wall_seconds":1}\n'


@pytest.mark.parametrize(
    "line",
    [b"", b"hello\n", b"{}\n", b"[]\n", b'{"links":[{}]}\n', b"null\n", b"\xff\xfe\n", NEARLY,
     NEARLY.replace(b"{}", b'{"p50":0,"p99":0,"max":0}')],
)  # fmt: skip
def test_nonsense_is_an_error_of_the_host(tmp_path: Path, line: bytes) -> None:
    thread = answering(tmp_path / "link", line)
    with pytest.raises(HostError, match="invalid counters"):
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


SEND = "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(bytes(1000), ('10.77.2.1', 9))"
WIRE_BYTES = 1000 + 8 + 20 + 14 + 24
"""Of such a datagram: UDP, IP, Ethernet, and what the wire adds."""


def send(folder: Path) -> None:
    """One datagram from a1 to b1."""
    argv = [folder / "rsh", "-e", "a1", sys.executable, "-c", SEND]
    subprocess.run(argv, timeout=20, check=True)


@needs_emulation
def test_a_real_one_counts_what_is_sent_and_loses_what_a_link_that_is_down_gets() -> None:
    folder = running.start(two_sites("control", per_site=1), attached=True)
    try:
        control = LinkControl(folder / "link")

        def counted(name: str) -> LinkCounters:
            return next(one for one in control.counters()[0] if one.link == name)

        control.reset()
        send(folder)
        wait_until(lambda: counted("b1-in").packets >= 1)
        links, figures = control.counters()
        assert {"a-b", "b-a", "a1-out", "b1-in"} <= {one.link for one in links}
        assert counted("a-b").bytes >= WIRE_BYTES and counted("a-b").lost_packets == 0
        assert figures.delivered_packets >= 1
        assert 0 < figures.cpu_fraction <= 1.01
        assert 0 <= figures.lateness_p50_seconds <= figures.lateness_p99_seconds <= figures.lateness_max_seconds
        control.set_link("a-b", up=False)
        control.reset()
        assert control.counters()[1].delivered_packets == 0
        send(folder)
        wait_until(lambda: counted("a-b").lost_packets == 1)
        assert counted("a1-out").packets == 1 and counted("b1-in").packets == 0
        control.set_link("a-b", up=True)
        send(folder)
        wait_until(lambda: counted("b1-in").packets == 1)
        with pytest.raises(HostError, match="refused 'down nosuch'"):
            control.set_link("nosuch", up=False)
    finally:
        running.stop(folder)
