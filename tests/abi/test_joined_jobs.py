"""A second job joins a running one: connect and accept, by a published name, whatever the MPIs."""

from __future__ import annotations

import itertools
import re
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.abi import IDS, compiled, needs_compiler, prepare
from support.command_line import rankwise, started
from support.joined import OTHER_ORDER, hello

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(600)]
BY_DAY = (
    ("sim=openmpi-5:2,more=mpich-5:1", "viz=intelmpi:2"),
    ("sim=mpich-5:2", "viz=openmpi-5:1,more=mpich-5:1"),
)
OTHERS = [one for one in IDS if not one.startswith("lammpi")]
"""LAM/MPI has no MPI_Comm_idup that could be refused."""
ENTRY = "!4sHHi32s64s"
"""What a job's root tells of each process: address, port, representation, rank, site, relay."""
OTHER_REPRESENTATION = 120 + (sys.byteorder == "big")
"""The usual sizes, long doubles of IEEE, the other order of bytes."""


def together(sites: str, others: str, home: Path, *options: str) -> tuple[str, str]:
    """One job serves, another one comes and goes; both have to find that all is right. Returns their errors."""
    prepare(*re.findall(r"=([\w.-]+):", f"{sites},{others}"))
    program, end = str(compiled("joined_other_job")), home / "end"
    name = f"test {home.name}"
    line = ["run", *(options or ["-q"]), "--limit", "200s", "--join"]
    serving = [*line, sites, "--", program, "serve", name, str(end)]
    with started(*serving, home=home, RANKWISE_NAMES=str(home)) as server:
        visiting = [*line, others, "--", program, "visit", name]
        done = rankwise(*visiting, home=home, timeout=300, RANKWISE_NAMES=str(home))
        assert done.returncode == 0, done.stdout + done.stderr
        assert server.poll() is None, "it must not end with its visitor"
        end.touch()
        said, errors = server.communicate(timeout=200)
    assert server.returncode == 0, said + errors
    for text in (said, done.stdout):
        counts = re.search(r"checked (\d+) lacking 0 wrong 0$", text, re.MULTILINE)
        assert counts and int(counts[1]) > 20, said + done.stdout + errors + done.stderr
    assert list(home.glob("*.port")) == [], "what is unpublished must be gone"
    return errors, done.stderr


@pytest.mark.parametrize(("sites", "others"), BY_DAY)
def test_a_second_job_joins_a_running_one(sites: str, others: str, tmp_path: Path) -> None:
    together(sites, others, tmp_path)


def test_by_relays_alone(tmp_path: Path) -> None:
    """Each job's processes reach its own relays, and these one another: also of a job of one site."""
    for said in together("sim=mpich-5:1,more=mpich-5:1", "viz=mpich-5:2", tmp_path, "--relay"):
        carried = re.findall(r"^\[\w+ relay\] to another job[^:]*: \d+ conn.*, ([\d.]+) MB sent", said, re.M)
        assert carried, said
    assert sum(map(float, carried)) > 0


@pytest.mark.nightly
def test_a_job_without_relays_is_told_that_it_needs_one(tmp_path: Path) -> None:
    done = visitor_of_a_relayed_job(tmp_path, "serve", str(tmp_path / "end"))
    assert done.returncode != 0
    assert "the port is reached by relays alone: start this job with --relay" in done.stderr


@pytest.mark.nightly
def test_a_relayed_job_that_ends_while_another_is_connected_ends_it_with_the_reason(tmp_path: Path) -> None:
    begun = time.monotonic()
    done = visitor_of_a_relayed_job(tmp_path, "vanish", "", "--relay")
    assert done.returncode != 0 and time.monotonic() - begun < 90
    assert "lost the connection to" in done.stderr and "site sim" in done.stderr, done.stderr


def visitor_of_a_relayed_job(home: Path, does: str, end: str, *options: str) -> subprocess.CompletedProcess[str]:
    prepare("mpich-5")
    program = str(compiled("joined_other_job"))
    line = ["run", "--limit", "100s", "--join"]
    serving = [*line, "sim=mpich-5:1", "--relay", "--", program, does, "it", end]
    visiting = [*line, "viz=mpich-5:1", *options, "--", program, "visit", "it"]
    with started(*serving, home=home, RANKWISE_NAMES=str(home)) as server:
        done = rankwise(*visiting, home=home, timeout=300, RANKWISE_NAMES=str(home))
        server.terminate()
        server.wait(60)
    return done


@pytest.mark.nightly
@pytest.mark.parametrize(("first", "second"), list(itertools.product(OTHERS, repeat=2)))
def test_all_pairs(first: str, second: str, tmp_path: Path) -> None:
    together(f"sim={first}:2", f"viz={second}:2", tmp_path)


def was_closed(connection: socket.socket) -> bool:
    """Whether the other side has closed it without a word, in order or by a reset."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_what_comes_to_a_port_without_its_key_is_sent_away(tmp_path: Path) -> None:
    """The job itself goes on, and says who came."""
    prepare("mpich-5")
    program, end = str(compiled("joined_other_job")), tmp_path / "end"
    line = ["run", "-q", "--join", "sim=mpich-5:2", "--limit", "200s", "--", program]
    end.touch()
    with started(*line, "serve", "there", str(end), home=tmp_path, RANKWISE_NAMES=str(tmp_path)) as server:
        port = tmp_path / "there.port"
        for _ in range(600):
            if port.exists():
                break
            time.sleep(0.1)
        number = int(port.read_text().split(":")[2])
        with socket.create_connection(("127.0.0.1", number)) as stranger:
            stranger.sendall(b"x" * 80)
            assert was_closed(stranger)
        done = rankwise(*line, "visit", "there", home=tmp_path, timeout=300, RANKWISE_NAMES=str(tmp_path))
        assert done.returncode == 0, done.stdout + done.stderr
        said, errors = server.communicate(timeout=200)
    assert server.returncode == 0, said + errors
    assert "sent a connection from 127.0.0.1 away: it is not a process of a joined job" in errors


def test_a_job_of_the_other_order_of_bytes_is_let_in(tmp_path: Path) -> None:
    """Played here until its process is connected, for want of such a host."""
    prepare("mpich-5")
    line = ["run", "-q", "--join", "sim=mpich-5:1", "--limit", "100s", "--", str(compiled("joined_other_job"))]
    with started(*line, "serve", "there", "", home=tmp_path, RANKWISE_NAMES=str(tmp_path)) as server:
        port = tmp_path / "there.port"
        for _ in range(300):
            if port.exists():
                break
            time.sleep(0.1)
        _, host, number, key = port.read_text().split(":")
        other = {"order": OTHER_ORDER, "rank": 0, "representation": OTHER_REPRESENTATION}
        with socket.create_connection((host, int(number)), 20) as root:
            entry = (b"\x7f\0\0\x01", 0, OTHER_REPRESENTATION, 0, b"far", b"")
            card = struct.pack("!4i", 1, 0, 32767, 0) + struct.pack(ENTRY, *entry)
            root.sendall(hello(key, **other) + card)
            with root.makefile("rb") as stream:  # MSG_WAITALL waits for nothing on a socket with a timeout
                said = stream.read(16 + struct.calcsize(ENTRY))
        size, _, _, code = struct.unpack_from("!4i", said)
        _, listens, _, rank, site, relay = struct.unpack_from(ENTRY, said, 16)
        assert (size, code, rank, site.rstrip(b"\0"), relay.strip(b"\0")) == (1, 0, 0, b"sim", b"")
        with socket.create_connection((host, listens), 20) as process:
            process.sendall(hello(key, **other))
        errors = server.communicate(timeout=60)[1]
    assert server.returncode != 0
    assert re.search(r"lost the connection to rank \d, site far", errors), errors
