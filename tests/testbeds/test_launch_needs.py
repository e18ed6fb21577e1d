"""Each condition that makes launches fail is made really, and `rankwise doctor` finds it beforehand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rankwise.core.errors import EXIT_HOST
from rankwise.testbeds import launch_needs
from rankwise.testbeds.emulated import EmulatedTestbed
from support.emulated import launch_steps, needs_emulation, two_sites

DOCTOR = (str(Path(sys.executable).with_name("rankwise")), "doctor", "--json", "-n", "2")
NO_READING = """
import ctypes, os, struct, sys
program = b"".join(struct.pack("HBBI", *one) for one in (
    (0x20, 0, 0, 0), (0x15, 0, 1, 310), (6, 0, 0, 0x00050001), (6, 0, 0, 0x7FFF0000)))  # process_vm_readv: EPERM
buffer = ctypes.create_string_buffer(program)
filters = struct.pack("HxxxxxxQ", 4, ctypes.addressof(buffer))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, filters) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""


def found_by(*argv: str, cwd: Path | None = None, **variables: str | None) -> dict[str, dict[str, str]]:
    """What a doctor finds whose command is this, by question."""
    environment = {name: value for name, value in {**os.environ, **variables}.items() if value is not None}
    done = subprocess.run(argv, capture_output=True, text=True, env=environment, cwd=cwd, check=False, timeout=120)
    assert done.stdout, done.stderr
    return {one["question"]: one for one in json.loads(done.stdout)}


def level(finding: dict[str, str]) -> str:
    assert finding["level"] == "ok" or finding["remedy"]
    return finding["level"]


def with_shm_of(size: str, then: str = "true") -> tuple[str, ...]:
    if os.geteuid() or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("cannot mount here")
    return (
        "unshare",
        "-m",
        "sh",
        "-c",
        f'mount -t tmpfs -o size={size} tmpfs /dev/shm && {then} && exec "$@"',
        "sh",
    )


@pytest.mark.parametrize(("size", "expected"), [("1m", "bad"), ("20m", "note"), ("64m", "ok")])
def test_a_small_shared_memory_is_found(size: str, expected: str) -> None:
    assert level(found_by(*with_shm_of(size), *DOCTOR)["shared memory"]) == expected


def test_a_shared_memory_that_others_have_filled_is_found() -> None:
    full = with_shm_of("64m", "head -c 60M /dev/zero >/dev/shm/full")
    assert level(found_by(*full, *DOCTOR)["shared memory"]) == "bad"


def test_processes_that_may_not_read_from_one_another_are_found() -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("the filter has the numbers of another processor")
    allowed = found_by(*DOCTOR)["copies"]
    refused = found_by(sys.executable, "-c", NO_READING, *DOCTOR)["copies"]
    assert (level(allowed), level(refused)) == ("ok", "bad")


def test_a_home_that_cannot_be_written_is_found(tmp_path: Path) -> None:
    assert level(found_by(*DOCTOR, HOME=None)["HOME"]) == "ok", "it is that of the user database"
    assert level(found_by(*DOCTOR, HOME=str(tmp_path / "absent"))["HOME"]) == "bad"
    assert level(found_by(*DOCTOR, HOME=str(tmp_path))["HOME"]) == "ok"


@pytest.mark.skipif(os.geteuid() != 0, reason="as root LAM/MPI runs as nobody, whom no host lets in")
def test_a_current_folder_that_ranks_of_another_user_cannot_enter_is_found(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    assert level(found_by(*DOCTOR, cwd=closed)["current folder"]) == "note"


def test_a_tmpdir_that_is_long_or_absent_is_found(tmp_path: Path) -> None:
    long = tmp_path / ("t" * 100)
    long.mkdir()
    assert level(found_by(*DOCTOR, TMPDIR=str(long))["TMPDIR"]) == "note"
    assert level(found_by(*DOCTOR, TMPDIR=str(tmp_path / "absent"))["TMPDIR"]) == "bad"
    assert level(found_by(*DOCTOR, TMPDIR="/tmp")["TMPDIR"]) == "ok"


@needs_emulation
def test_an_address_that_two_hosts_have_is_found() -> None:
    with EmulatedTestbed(two_sites("equal-addresses", per_site=1)) as testbed:
        assert launch_needs.of_testbed(testbed).level == "ok"
        for node in ("a1", "b1"):
            for words in (
                "link add docker0 type veth peer name docker1",
                "link set docker0 up",
                "addr add 172.17.0.1/16 dev docker0",
            ):
                outcome = testbed.run(launch_steps("ip", *words.split()), [node], 20)
                assert outcome.returncode == 0, outcome
        found = launch_needs.of_testbed(testbed)
    assert found.level == "bad" and "172.17.0.1 (docker0) of a1, b1" in found.answer
    assert "docker0" in found.remedy


def test_what_is_bad_shows_in_the_exit_code() -> None:
    done = subprocess.run([*with_shm_of("1m"), *DOCTOR], capture_output=True, check=False, timeout=120)
    assert done.returncode == EXIT_HOST
