"""Several threads, preloaded tools, programs at a fixed address and long messages: by the table as without it."""

from __future__ import annotations

import re
import subprocess
from functools import partial
from pathlib import Path

import pytest

from support import command_line
from support.abi import IDS, compiled, compiled_tool, native, needs_compiler, prepare

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(900)]
rankwise = partial(command_line.rankwise, timeout=400)
PAIR = "rennes=openmpi-5:1,nancy=mpich-5:1"


def id_of(start: str) -> str:
    return next(one for one in IDS if one.startswith(start))


def assert_right(said: str, least: int) -> None:
    counts = re.search(r"checked (\d+) lacking 0 wrong 0$", said, re.MULTILINE)
    assert counts and int(counts[1]) >= least, said


@pytest.mark.parametrize("implementation_id", IDS)
def test_threads_call_at_the_same_time(implementation_id: str, tmp_path: Path) -> None:
    program = str(compiled("several_threads", "-pthread"))
    prepare(implementation_id)
    done = rankwise("run", "-q", "-n", "3", "--mpi", implementation_id, "--", program, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    multiple = not implementation_id.startswith("lammpi")
    assert f"several threads: {int(multiple)}" in done.stdout
    assert_right(done.stdout, 3 * 4 * 200 * 4 if multiple else 0)


@pytest.mark.parametrize("own", ["openmpi-5", pytest.param("mpich-5", marks=pytest.mark.nightly)])
@pytest.mark.parametrize("other", ["mpich-5", pytest.param("intelmpi", marks=pytest.mark.nightly)])
def test_threads_of_a_program_that_is_linked_to_one_mpi(own: str, other: str, tmp_path: Path) -> None:
    program = str(native("several_threads", id_of(own), "-pthread"))
    line = ["run", "-q", "--abi", "-n", "2", "--mpi", id_of(other), "--", program]
    done = rankwise(*line, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "several threads: 1" in done.stdout
    assert_right(done.stdout, 2 * 4 * 200 * 4)


@pytest.mark.parametrize(
    "where", [("-n", "3", "--mpi", "openmpi-5"), ("-n", "3", "--mpi", "intelmpi"),
              ("--join", "rennes=openmpi-5:1,nancy=mpich-5:2")], ids=["openmpi", "intelmpi", "joined"]
)  # fmt: skip
def test_a_tool_that_is_preloaded_sees_the_programs_calls(where: tuple[str, ...], tmp_path: Path) -> None:
    prepare("openmpi-5", "mpich-5", "intelmpi")
    tool = str(compiled_tool("pmpi_tool"))
    line = f"LD_PRELOAD={tool}:$LD_PRELOAD exec {compiled('sends')}"
    done = rankwise("run", "-q", *where, "--abi", "--", "sh", "-c", line, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_right(done.stdout, 9)
    told = sorted(line for line in done.stdout.splitlines() if line.startswith("tool: "))
    assert told == [
        "tool: rank 0 sent 6 messages, 48 bytes", "tool: rank 1 sent 0 messages, 0 bytes",
        "tool: rank 2 sent 0 messages, 0 bytes",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("own", "other"),
    [("openmpi-5", "mpich-5"), ("openmpi-5", "openmpi-5"), ("openmpi-4", "intelmpi")], ids=str,
)  # fmt: skip
def test_copies_that_a_program_at_a_fixed_address_has(own: str, other: str, tmp_path: Path) -> None:
    program = native("traps", id_of(own), "-no-pie", "-fno-pie")
    shown = subprocess.run(["readelf", "-rW", program], capture_output=True, text=True, check=True).stdout
    assert re.search(r"_COPY .*ompi_mpi_comm_world", shown), "nothing here is tested"
    done = rankwise("run", "-q", "--abi", "-n", "3", "--mpi", id_of(other), "--", str(program), home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_right(done.stdout, 45)


@pytest.mark.nightly
@pytest.mark.parametrize("implementation_id", [one for one in IDS if not one.startswith("lammpi")])
def test_a_message_of_more_than_two_gibibytes(implementation_id: str, tmp_path: Path) -> None:
    prepare(implementation_id)
    line = ["run", "-q", "-n", "2", "--mpi", implementation_id, "--", str(compiled("large"))]
    done = rankwise(*line, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_right(done.stdout, 4)


@pytest.mark.nightly
@pytest.mark.parametrize("relay", [[], ["--relay"]], ids=["direct", "by relays"])
def test_a_message_of_more_than_two_gibibytes_between_sites(relay: list[str], tmp_path: Path) -> None:
    prepare("openmpi-5", "mpich-5")
    done = rankwise("run", "-q", "--join", PAIR, *relay, "--", str(compiled("large")), home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_right(done.stdout, 4)
