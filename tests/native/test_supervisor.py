"""The supervisor brings up what is described or says why not; its parts end together and leave nothing."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankwise.core.native_programs import program
from rankwise.testbeds import running
from support.emulated import (
    needs_emulation,
    parts_of,
    processes_naming,
    supervisor_of,
    two_sites,
    unique_sleep,
    wait_until,
)  # fmt: skip
from support.ordinary_user import needs_root
from support.remote_shell import rsh, started

pytestmark = needs_emulation
LINK = "link l 0 0 0 0 normal 0 1"
KINDS_OF_NAMESPACES = ("net", "pid", "uts", "mnt", "ipc")


@pytest.fixture
def mortal() -> Iterator[Path]:
    """A testbed for one test, which may kill it."""
    one = running.start(two_sites("mortal", per_site=1), attached=True)
    yield one
    running.stop(one)


def nodes(*words: object) -> subprocess.CompletedProcess[str]:
    argv = [str(program("rankwise-nodes")), "--link", str(program("rankwise-link")), *map(str, words)]
    return subprocess.run(argv, capture_output=True, text=True, timeout=30, check=False)


def namespaces(folder: Path) -> set[str]:
    """Of all its nodes, as /proc names them."""
    nodes_of_it = [name for name in parts_of(folder) if name != "link"]
    links = [f"/proc/self/ns/{kind}" for kind in KINDS_OF_NAMESPACES]
    return {name for node in nodes_of_it for name in rsh(folder, "-e", node, "readlink", *links).stdout.split()}


def in_use(names: set[str]) -> set[str]:
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        for kind in KINDS_OF_NAMESPACES:
            with contextlib.suppress(OSError):  # it may end at any moment
                found.add(str((process / "ns" / kind).readlink()))
    return found & names


@pytest.mark.parametrize(("part", "words"), [("link", "the link emulator"), ("a1", "the agent of node a1")])
def test_when_a_part_ends_all_end_and_the_reason_is_told(mortal: Path, part: str, words: str) -> None:
    own, nap = namespaces(mortal), unique_sleep(80)
    assert len(own) == 10
    with started(mortal, "-e", "b1", "sleep", nap) as job:
        wait_until(lambda: len(processes_naming(f"sleep\x00{nap}")) == 2)
        os.kill(parts_of(mortal)[part], signal.SIGKILL)
        wait_until((mortal / "ended").exists)
        assert job.wait(10) == 255
    assert (mortal / "ended").read_text() == f"{words} was ended by signal 9 (Killed)\n"
    wait_until(lambda: mortal not in [one.folder for one in running.running()])
    wait_until(lambda: not in_use(own))
    assert not processes_naming(f"sleep\x00{nap}")


def test_nothing_outlives_a_killed_supervisor(mortal: Path) -> None:
    own, parts, nap = namespaces(mortal), parts_of(mortal), unique_sleep(81)
    with started(mortal, "-e", "b1", "sh", "-c", f"setsid sleep {nap} & wait") as job:
        wait_until(lambda: processes_naming(f"sleep\x00{nap}"))
        os.kill(supervisor_of(mortal), signal.SIGKILL)
        assert job.wait(10) == 255
    wait_until(lambda: not in_use(own))
    wait_until(lambda: not Path(f"/proc/{parts['link']}").exists())
    assert not (mortal / "ended").exists()
    assert running.why_ended(mortal) == "its supervisor was ended"


def test_sigterm_ends_it_in_good_order(mortal: Path) -> None:
    own = namespaces(mortal)
    begun = time.monotonic()
    os.kill(supervisor_of(mortal), signal.SIGTERM)
    wait_until(lambda: not in_use(own))
    assert time.monotonic() - begun < 5
    assert not (mortal / "ended").exists()


def test_what_the_link_emulator_warns_of_is_kept(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.write_text(f'#!/bin/sh\necho this kernel has no tbf; exec {program("rankwise-link")} "$@"\n')
    link.chmod(0o755)
    (tmp_path / "network").write_text(f"{LINK}\nnode a S 10.0.0.1/24 l l\nroute S S\n")
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    argv = [
        str(program("rankwise-nodes")),
        str(tmp_path / "network"),
        "--folder",
        str(folder),
        "--link",
        str(link),
    ]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        child.terminate()
        assert child.wait(10) == 0
    assert (folder / "warnings").read_text() == "the link emulator: this kernel has no tbf\n"


@pytest.mark.parametrize(
    ("network", "words"),
    [
        ("", "there is no node"),
        ("node a S 10.0.0.1/24 l l\nnode a S 10.0.0.2/24 l l", ":4: there are two nodes a"),
        ("node a_b S 10.0.0.1/24 l l", ":3: 'a_b' is not a host name"),
        ("node hosts S 10.0.0.1/24 l l", "no node can be called 'hosts'"),
        ("setting a net.ipv4.tcp_rmem 1", ":3: there is no node a above this line"),
        ("node a S 10.0.0.1/24 l l\nsetting a kernel.hostname x", ":4: 'kernel.hostname' is not below net.ipv4."),
        ("node a S", ":3: expected: node NAME SITE"),
        ("node a S 10.0.0.1/24 o l", ":3: there is no link o above this line"),
        ("node a S 10.0.0.1/24 l l\noption mtu 9", ":4: mtu is 9, but must be from 576"),
        ("node \udcff S 10.0.0.1/24 l l", ":3: this is not UTF-8 text"),
    ],
)
def test_bad_networks_are_told_with_their_line(tmp_path: Path, network: str, words: str) -> None:
    (tmp_path / "network").write_bytes(f"# nothing\n{LINK}\n{network}\n".encode(errors="surrogateescape"))
    outcome = nodes(tmp_path / "network", "--folder", str(tmp_path))
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert words in outcome.stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "network"]


def test_a_folder_too_deep_for_a_socket_is_told(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir(mode=0o700)
    (tmp_path / "network").write_text(f"{LINK}\nnode a S 10.0.0.1/24 l l\n")
    outcome = nodes(tmp_path / "network", "--folder", str(deep))
    assert outcome.returncode == 2
    assert "the path of a socket would be too long" in outcome.stderr and "\ntry: " in outcome.stderr


@pytest.mark.parametrize(
    "words", [(), ("x",), ("--folder",), ("x", "--folder", "/no/such"), ("x", "y"), ("--what",)]
)
def test_bad_words_are_input_errors(words: tuple[str, ...]) -> None:
    assert nodes(*words).returncode == 2


OPEN_MODES = [0o777, 0o770, 0o755, 0o701]
"""Of folders; root's agents ask who it is, so there only those are open that others may write in."""


@pytest.mark.parametrize("mode", [mode for mode in OPEN_MODES if os.geteuid() != 0 or mode & 0o022])
def test_a_folder_that_is_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "network").write_text(f"{LINK}\nnode a S 10.0.0.1/24 l l\nroute S S\n")
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(mode)
    outcome = nodes(tmp_path / "network", "--folder", str(folder))
    assert outcome.returncode == 2
    assert "is open to other users" in outcome.stderr and "\ntry: chmod " in outcome.stderr
    assert not list(folder.iterdir())


@needs_root
def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "network").write_text(f"{LINK}\nnode a S 10.0.0.1/24 l l\nroute S S\n")
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o700)
    os.chown(folder, 4321, 4321)
    outcome = nodes(tmp_path / "network", "--folder", str(folder))
    assert (outcome.returncode, "belongs to another user" in outcome.stderr) == (2, True)


def test_help() -> None:
    assert nodes("--help").stdout.startswith("rankwise-nodes - ")
