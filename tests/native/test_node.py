"""The remote shell and a node's agent run commands as ssh would, for those who may, and end what they began."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rankwise.core.native_programs import program
from rankwise.testbeds import running
from support.emulated import (
    needs_emulation,
    two_sites,
    wait_until,
)  # fmt: skip
from support.ordinary_user import NOBODY, needs_root
from support.remote_shell import rsh, started

pytestmark = needs_emulation


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A testbed that is up."""
    one = running.start(two_sites("shells"), attached=True)
    yield one
    running.stop(one)


def test_exit_codes_are_the_commands_own(folder: Path) -> None:
    for code in (0, 1, 7, 255):
        assert rsh(folder, "a1", "exit", str(code)).returncode == code
        assert rsh(folder, "-e", "a1", "sh", "-c", f"exit {code}").returncode == code
    assert rsh(folder, "-e", "a1", "sh", "-c", "kill -SEGV $$").returncode == 128 + signal.SIGSEGV
    assert rsh(folder, "-e", "a1", "no-such-program").returncode == 127
    assert rsh(folder, "-e", "a1", "/etc").returncode == 126


def test_a_node_that_is_not_there_is_unreachable(folder: Path) -> None:
    for name in ("c9", "../a1", ""):
        assert rsh(folder, name, "true").returncode == 255
    assert "cannot reach node c9" in rsh(folder, "c9", "true").stderr
    assert rsh(folder).returncode == rsh(folder, "a1").returncode == rsh(folder, "-e", "a1").returncode == 255


@pytest.mark.parametrize(
    "argv",
    [
        ("a1", "hostname"),
        ("someone@a1", "hostname"),
        ("-x", "-q", "a1", "hostname"),
        ("-o", "StrictHostKeyChecking=no", "-oBatchMode=yes", "-p", "22", "-l", "me", "a1", "hostname"),
        ("-qp", "22", "a1", "-n", "hostname"),
        ("a1", "-T", "--", "hostname"),
        ("-s", "a1", "net.ipv4.ip_forward"),
        ("-e", "a1", "hostname"),
    ],
)
def test_it_understands_ssh_words_and_its_own(folder: Path, argv: tuple[str, ...]) -> None:
    outcome = rsh(folder, *argv)
    assert outcome.returncode == 0, outcome
    assert outcome.stdout.strip() == ("0" if argv[0] == "-s" else "a1")


def test_like_ssh_words_make_one_line_for_a_shell(folder: Path) -> None:
    assert rsh(folder, "a1", "echo", "'two  words';", "echo $((1 + 1))").stdout == "two  words\n2\n"
    assert rsh(folder, "-e", "a1", "echo", "'two  words';", "$HOME").stdout == "'two  words'; $HOME\n"


def test_environment_and_folder(folder: Path, tmp_path: Path) -> None:
    variables = {**os.environ, "SECRET": "1", "RANKWISE_LAUNCH": "mark", "HOME": str(tmp_path)}
    like_ssh = rsh(folder, "a1", "pwd; env", env=variables, cwd="/usr").stdout.splitlines()
    assert like_ssh[0] == str(tmp_path)
    names = {line.partition("=")[0] for line in like_ssh[1:]}
    assert "SECRET" not in names and {"HOME", "PATH", "RANKWISE_LAUNCH"} <= names
    assert names <= {
        "HOME",
        "PATH",
        "USER",
        "LOGNAME",
        "SHELL",
        "RANKWISE_LAUNCH",
        "TMPDIR",
        "HOSTNAME",
        "PWD",
        "_",
    }
    exact = rsh(folder, "-e", "a1", "sh", "-c", "pwd; env", env=variables, cwd="/usr").stdout.splitlines()
    assert exact[0] == "/usr"
    assert {"SECRET=1", f"TMPDIR={folder}/a1", "HOSTNAME=a1"} <= set(exact)
    assert rsh(folder, "a1", "pwd", env={**variables, "HOME": "/no/such"}).stdout == "/\n"


def test_streams_are_the_callers_own(folder: Path) -> None:
    outcome = rsh(folder, "a1", "cat; echo to stderr >&2", stdin="from stdin\n")
    assert (outcome.stdout, outcome.stderr) == ("from stdin\n", "to stderr\n")
    assert rsh(folder, "-n", "a1", "cat", stdin="not this").stdout == ""


def test_big_output_and_input_arrive_whole(folder: Path) -> None:
    text = "0123456789abcdef" * (1 << 18)
    assert rsh(folder, "a1", "cat", stdin=text).stdout == text
    assert len(rsh(folder, "-e", "a1", "head", "-c", "50000000", "/dev/zero").stdout) == 50_000_000


def test_long_command_lines_arrive_whole(folder: Path) -> None:
    argv = ["x" * 100_000] * 10
    assert rsh(folder, "-e", "a1", "printf", "%s", *argv).stdout == "".join(argv)


def test_two_hundred_commands_at_once(folder: Path) -> None:
    def one(number: int) -> tuple[int, str]:
        outcome = rsh(folder, ("a1", "b2")[number % 2], f"echo {number}; exit {number}")
        return outcome.returncode, outcome.stdout

    with ThreadPoolExecutor(200) as pool:
        answers = list(pool.map(one, range(200)))
    assert answers == [(number, f"{number}\n") for number in range(200)]


def test_every_orphan_is_reaped(folder: Path) -> None:
    rsh(folder, "a1", "for i in 1 2 3 4 5; do (setsid sh -c 'sleep 0.05' &) ; done")

    def zombies() -> str:
        return rsh(folder, "-e", "a1", "sh", "-c", "grep -l '^State:.Z' /proc/[0-9]*/status; true").stdout

    wait_until(lambda: not zombies() and "sleep" not in rsh(folder, "a1", "cat /proc/[0-9]*/comm").stdout)


def test_what_goes_into_the_background_may_stay(folder: Path) -> None:
    pid = rsh(folder, "a1", "sleep 77.25 >/dev/null 2>&1 </dev/null & echo $!").stdout.strip()
    assert rsh(folder, "a1", f"grep -q sleep /proc/{pid}/comm").returncode == 0
    assert rsh(folder, "b1", f"grep -q sleep /proc/{pid}/comm").returncode != 0  # which is another host
    assert rsh(folder, "a1", f"kill {pid}").returncode == 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_command_ends_with_its_remote_shell(folder: Path, number: int) -> None:
    script = "trap '' HUP; echo started; sleep 78.5 & sleep 78.5; wait"
    with started(folder, "-e", "a2", "env", "--default-signal", "sh", "-c", script) as child:
        assert child.stdout is not None and child.stdout.readline() == b"started\n"
        child.send_signal(number)
        if number == signal.SIGINT and signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
            child.kill()  # tests that run in the background hand down that it is ignored
        child.wait(10)
    wait_until(lambda: "sleep" not in rsh(folder, "a2", "cat /proc/[0-9]*/comm").stdout)


def test_one_that_ignores_sigterm_is_killed(folder: Path) -> None:
    with started(folder, "-e", "a2", "sh", "-c", "trap '' TERM; echo started; sleep 79.5; sleep 79.5") as child:
        assert child.stdout is not None and child.stdout.readline() == b"started\n"
        child.kill()
    wait_until(lambda: "sleep" not in rsh(folder, "a2", "cat /proc/[0-9]*/comm").stdout)


def test_a_stranger_who_says_nothing_or_nonsense_hurts_nobody(folder: Path) -> None:
    silent = [socket.socket(socket.AF_UNIX) for _ in range(20)]
    for one in silent:
        one.connect(str(folder / "sockets" / "a1"))
    silent[0].sendall(b"GET / HTTP/1.0\r\n\r\n" * 100)
    silent[1].sendall(b"\x31\x77\x6b\x72")
    assert rsh(folder, "a1", "echo still here").stdout == "still here\n"
    for one in silent:
        one.close()
    wait_until(lambda: int(rsh(folder, "a1", "ls -d /proc/[0-9]* | wc -l").stdout) <= 4)


def test_settings_are_the_nodes_own_and_only_the_networks(folder: Path) -> None:
    before = rsh(folder, "-s", "a1", "net.ipv4.tcp_rmem").stdout
    assert rsh(folder, "-s", "a1", "net.ipv4.tcp_rmem", "4096", "8192", "16384").returncode == 0
    assert rsh(folder, "-s", "a1", "net.ipv4.tcp_rmem").stdout == "4096 8192 16384\n"
    assert rsh(folder, "-s", "a2", "net.ipv4.tcp_rmem").stdout == before
    assert rsh(folder, "-s", "a1", "net.ipv4.tcp_rmem", *before.split()).returncode == 0
    for key in ("kernel.hostname", "net.ipv4.", "net.ipv4.../../kernel/hostname", "vm.swappiness", "net.ipv4/x"):
        outcome = rsh(folder, "-s", "a1", key, "1")
        assert outcome.returncode != 0 and "is not below net.ipv4" in outcome.stderr
    assert rsh(folder, "-s", "a1", "mtu", "9000").returncode == 0
    assert [rsh(folder, "-s", node, "mtu").stdout for node in ("a1", "a2")] == ["9000\n", "1500\n"]
    assert rsh(folder, "-s", "a1", "mtu", "1500").returncode == 0
    refused = rsh(folder, "-s", "a1", "net.ipv4.tcp_congestion_control", "nosuch")
    assert refused.returncode != 0 and "in force: 'reno'" in refused.stderr


@needs_root
def test_who_may_run_what_as_whom(folder: Path) -> None:
    as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": ()}
    assert rsh(folder, "a1", "id -u; id -g; id -G", **as_nobody).stdout.split() == [str(NOBODY)] * 3
    assert int(rsh(folder, "a1", "grep CapEff /proc/self/status", **as_nobody).stdout.split()[1], 16) == 0
    assert rsh(folder, "a1", "touch $TMPDIR/mine", **as_nobody).returncode == 0
    told = rsh(folder, "-s", "a1", "net.ipv4.tcp_rmem", "1", "2", "3", **as_nobody)
    assert told.returncode != 0 and "only the owner" in told.stderr
    stranger = rsh(folder, "a1", "id", user=4321, group=4321, extra_groups=())
    assert stranger.returncode == 255 and "user 4321 may not run anything there" in stranger.stderr


@needs_root
def test_a_stranger_is_turned_away_before_anything_is_read(folder: Path) -> None:
    """Twenty of them with 16 MiB each would be answered late, if at all, by an agent that reads first."""
    script = """
import os, socket, sys
os.setgid(4321); os.setuid(4321)
strangers = [socket.socket(socket.AF_UNIX) for _ in range(20)]
for one in strangers:
    one.settimeout(5)
    one.connect(sys.argv[1])
print(*[int.from_bytes(one.recv(4), sys.byteorder) for one in strangers])
"""
    argv = [sys.executable, "-I", "-c", script, str(folder / "sockets" / "a1")]
    answers = subprocess.run(argv, capture_output=True, text=True, timeout=30, check=True).stdout.split()
    assert answers == ["256"] * 20  # which no exit code is


def test_jobs_of_an_ordinary_user_have_no_capabilities(folder: Path) -> None:
    effective = int(rsh(folder, "a1", "grep CapEff /proc/self/status").stdout.split()[1], 16)
    assert (effective != 0) == (os.geteuid() == 0)
    assert rsh(folder, "a1", "id -u").stdout.strip() == str(os.geteuid())


def test_help() -> None:
    argv = [str(program("rankwise-rsh")), "--help"]
    outcome = subprocess.run(argv, capture_output=True, text=True, timeout=10, check=False)
    assert outcome.returncode == 0 and outcome.stdout.startswith("rsh - ")
