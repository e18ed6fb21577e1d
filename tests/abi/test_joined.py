"""One MPI_COMM_WORLD over several implementations is as good as any, and ends as a whole, whatever part fails."""

from __future__ import annotations

import itertools
import re
import subprocess
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from rankwise.artifacts import builder, compiler
from rankwise.artifacts.abi import gateway
from rankwise.core.errors import InputError
from rankwise.workflows import abi
from rankwise.workflows.joined import SitePart, parts_of
from support import command_line
from support.abi import IDS, compiled, native, needs_compiler, prepare
from support.command_line import COMMAND, assert_error, started
from support.emulated import needs_emulation
from support.joined import LEAST, PROGRAMS, assert_right, join

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(900)]
rankwise = partial(command_line.rankwise, timeout=400)
ABI_BACKEND = "RANKWISE_ABI_BACKEND"
"""The library below the front end."""
BY_DAY = (("openmpi-5.0.11", "mpich-5.0.2"),)
"""Intel MPI is one of the three sites of another test."""


@pytest.fixture(scope="module", autouse=True)
def _prepared() -> None:
    prepare("openmpi-5", "mpich-5", "intelmpi")


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(
    ("first", "second"),
    [pytest.param(*pair, marks=() if pair in BY_DAY else pytest.mark.nightly)
     for pair in itertools.product(IDS, repeat=2)],
)  # fmt: skip
def test_two_sites(first: str, second: str, name: str, tmp_path: Path) -> None:
    prepare(first, second)
    done = rankwise(
        "run", "--join", join(first, second), "--limit", "300s", "--", str(compiled(name)), home=tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr
    least = LEAST.get(name, 200)
    assert_right(done.stdout, least, lacking="lammpi" in first + second)  # it has no matched probes


@pytest.mark.parametrize("name", PROGRAMS)
def test_three_sites(name: str, tmp_path: Path) -> None:
    sites = join("mpich-5", "openmpi-5", "intelmpi", ranks=(1, 3, 2))
    done = rankwise("run", "--join", sites, "--limit", "300s", "--", str(compiled(name)), home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_right(done.stdout, LEAST.get(name, 300))


_WITHOUT_LAM = [one for one in IDS if not one.startswith("lammpi")]
"""LAM/MPI calls a program's error handler otherwise."""


@pytest.mark.parametrize(
    ("first", "second"),
    [pytest.param(*pair, marks=() if pair in BY_DAY else pytest.mark.nightly)
     for pair in itertools.product(_WITHOUT_LAM, repeat=2)],
)  # fmt: skip
def test_errors_and_answers_of_each_rank(first: str, second: str, tmp_path: Path) -> None:
    prepare(first, second)
    line = ["run", "--join", join(first, second), "--limit", "300s", "--", str(compiled("joined_errors"))]
    done = rankwise(*line, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_right(done.stdout, 100)


def test_long_messages_of_collectives_are_cut(tmp_path: Path) -> None:
    """Where 100 bytes are long: the gateway is compiled with another limit."""
    known = abi.known_standard()
    made = gateway.artifact(known)
    small = builder.build(replace(made, flags=(*made.flags, "-DLONGEST_BYTES=100")), compiler.of_host())
    line = ["run", "--join", join("mpich-5", "openmpi-5"), "--abi", "--limit", "300s", "--"]
    for name in ("conformance", "joined_intercommunicators"):
        done = rankwise(*line, "env", f"{ABI_BACKEND}={small}", str(compiled(name)), home=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert re.search(r"wrong 0$", done.stdout, re.MULTILINE), done.stdout + done.stderr


@pytest.mark.nightly
def test_collectives_of_more_than_two_gibibytes(tmp_path: Path) -> None:
    line = ["run", "--join", join("mpich-5", "openmpi-5", ranks=(1, 1)), "--limit", "800s", "--"]
    done = rankwise(*line, str(compiled("joined_large")), home=tmp_path, timeout=850)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_right(done.stdout, 5)


@pytest.mark.parametrize("handler", ["return", "fatal"])
def test_a_session_before_the_start_is_refused(handler: str, tmp_path: Path) -> None:
    program = str(compiled("joined_session"))
    line = ["run", "-q", "--join", join("mpich-5", "openmpi-5", ranks=(1, 1)), "--limit", "60s", "--", program]
    done = rankwise(*line, handler, home=tmp_path)
    if handler == "return":
        assert done.returncode == 0 and done.stdout.count("unsupported operation") == 2, done.stdout + done.stderr
    else:
        assert done.returncode != 0 and "MPI_Session_init: not possible in a joined job" in done.stderr


@pytest.mark.nightly
@pytest.mark.parametrize(("first", "second"), list(itertools.product(("openmpi-5", "mpich-5"), repeat=2)))
def test_many_groups_in_larger_sites(first: str, second: str, tmp_path: Path) -> None:
    sites = join(first, second, ranks=(4, 4))
    line = ["run", "--join", sites, "--limit", "300s", "--", str(compiled("joined_under_way"))]
    done = rankwise(*line, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_right(done.stdout, LEAST["joined_under_way"])


@pytest.mark.parametrize("name", ["joined_topologies", "joined_under_way"])
def test_one_site_alone(name: str, tmp_path: Path) -> None:
    line = ["run", "--join", join("mpich-5", ranks=(3,)), "--limit", "300s", "--", str(compiled(name))]
    done = rankwise(*line, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_right(done.stdout, LEAST.get(name, 200))


@pytest.mark.parametrize("name", ["traps", "callbacks"])
def test_what_one_mpi_does_right_two_do(name: str, tmp_path: Path) -> None:
    done = rankwise("run", "-q", "--join", join("mpich-5", "openmpi-5"), "--", str(compiled(name)), home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"checked \d+ lacking \d+ wrong 0$", done.stdout, re.MULTILINE), done.stdout + done.stderr


@needs_emulation
def test_ranks_run_on_the_nodes_of_their_site(tmp_path: Path) -> None:
    sites = "north=mpich-5:2,south=openmpi-5:2"
    line = ["run", "--join", sites, "--testbed", "two-clusters", "--limit", "300s", "--"]
    done = rankwise(*line, str(compiled("joined_where")), home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(done.stdout.splitlines()) == [
        "[north] rank 0 of 4 on north-1", "[north] rank 1 of 4 on north-2",
        "[south] rank 2 of 4 on south-1", "[south] rank 3 of 4 on south-2",
    ]  # fmt: skip


def test_output_is_plain_if_asked_and_the_first_site_reads(tmp_path: Path) -> None:
    done = subprocess.run(
        [str(COMMAND), "run", "-q", "--join",
         join("mpich-5", "openmpi-5", ranks=(1, 1)), "--", str(compiled("joined_where")), "read"],
        input="seven\n", capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert sorted(line.partition(" on ")[0] for line in done.stdout.splitlines()) == [
        "it read seven", "rank 0 of 2", "rank 1 of 2",
    ], done.stderr  # fmt: skip


def test_attributes_of_self_are_deleted_while_the_sites_are_connected(tmp_path: Path) -> None:
    program = str(compiled("joined_where"))
    done = rankwise("run", "-q", "--join", join("mpich-5", "openmpi-5"), "--limit", "60s", "--", program, "self",
                    home=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines().count("4 in the end") == 1, done.stdout


@pytest.mark.parametrize(("argument", "code"), [("exit", 7), ("abort", 9)])
def test_one_failing_site_ends_all(argument: str, code: int, tmp_path: Path) -> None:
    before = time.monotonic()
    sites = join("openmpi-5", "mpich-5")
    done = rankwise("run", "--join", sites, "--", str(compiled("joined_where")), argument, home=tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert f"rankwise: site nancy ended with exit code {code}: all others were ended" in done.stderr
    assert time.monotonic() - before < 60, "it must not have to wait for the other site"


def test_a_killed_rank_ends_all_with_the_reason(tmp_path: Path) -> None:
    sites = join("openmpi-5", "mpich-5")
    done = rankwise("run", "--join", sites, "--", str(compiled("joined_where")), "kill", home=tmp_path)
    assert done.returncode not in (0, 3), done.stdout + done.stderr
    assert "rankwise: site nancy ended with exit code" in done.stderr


def test_nothing_is_left_after_an_interruption(tmp_path: Path) -> None:
    program = str(compiled("joined_where"))
    with started("run", "--join", join("openmpi-5", "mpich-5"), "--", program, "wait", home=tmp_path) as running:
        assert running.stdout is not None
        running.stdout.readline()
        running.send_signal(2)
        running.wait(30)
    assert running.returncode == 130
    left = subprocess.run(["pgrep", "-f", f"^{program} wait"], capture_output=True, text=True, check=False).stdout
    assert left == ""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["--join", "a=mpich-5:2,a=openmpi-5:2"], ["site a is named twice"]),
        (["--join", "a=mpich-5"], ["'a=mpich-5' is not a part of a joined job", "SITE=MPI:RANKS"]),
        (["--join", "a=mpich-5:0,b=mpich-5:1"], ["'a=mpich-5:0' is not a part"]),
        (["--join", "a=mpich-5:1,b=mpich-5:99999999999"], ["too many ranks", "at most 10000"]),
        (["--join", "a=mpich-5:1,b=mpich-5:1", "-n", "2"], ["-n is for a job of one MPI", "for each site"]),
        (["--join", "a=mpich-5:1,b=mpich-5:1", "--overlay"], ["--overlay is for a job of one MPI"]),
    ],
)
def test_what_makes_no_sense_is_said(line: list[str], words: list[str], tmp_path: Path) -> None:
    done = rankwise("run", *line, "--", str(compiled("joined_where")), home=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    said = " ".join(done.stderr.replace("│", " ").split())
    assert all(word in said for word in words), said


@pytest.mark.parametrize(
    ("sites", "testbed", "words"),
    [
        ("a=mpich-5:1,b=no-such:1", [], ["no-such"]),
        ("a=mpich-5:1,b=mpich:1", [], ["could be any of", "name one of them"]),
        ("north=mpich-5:1,west=mpich-5:1", ["--testbed", "two-clusters"], ["unknown site 'west'"]),
    ],
)
def test_what_is_not_there_is_said(sites: str, testbed: list[str], words: list[str], tmp_path: Path) -> None:
    done = rankwise("run", "--join", sites, *testbed, "--", str(compiled("joined_where")), home=tmp_path)
    assert_error(done, 2, *words)


@pytest.mark.parametrize(
    ("own", "sites"),
    [("openmpi-5", ("openmpi-5", "mpich-5")), ("mpich-5", ("intelmpi", "openmpi-5")),
     pytest.param("openmpi-4", ("openmpi-4", "mpich-4"), marks=pytest.mark.nightly),
     pytest.param("mpich-4", ("intelmpi", "mpich-4"), marks=pytest.mark.nightly)],
)  # fmt: skip
@pytest.mark.parametrize("name", ["joined_messages", "traps"])
def test_programs_that_are_linked_to_one_mpi(own: str, sites: tuple[str, str], name: str, tmp_path: Path) -> None:
    program = native(name, next(one for one in IDS if one.startswith(own)))
    done = rankwise("run", "-q", "--join", join(*sites), "--limit", "300s", "--", str(program), home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_right(done.stdout, 200)


@pytest.mark.parametrize("own", ["openmpi-4", "mpich-4"])
def test_programs_in_fortran(own: str, tmp_path: Path) -> None:
    program = native("fortran", next(one for one in IDS if one.startswith(own)))
    sites = join("openmpi-4", "mpich-4")
    done = rankwise("run", "-q", "--join", sites, "--limit", "300s", "--", str(program), home=tmp_path)
    assert done.returncode == 0 and "ranks 4 wrong 0" in done.stdout, done.stdout + done.stderr


def test_what_shows_no_mpi_is_refused(tmp_path: Path) -> None:
    done = rankwise("run", "--join", join("mpich-5", "openmpi-5"), "--", "/bin/true", home=tmp_path)
    assert_error(done, 2, "true is not visibly linked to an MPI", "--linked-to")


def test_what_is_static_is_refused(tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-static", "app.c", "-o", "app"], cwd=tmp_path, check=True)
    done = rankwise("run", "--join", join("mpich-5", "openmpi-5"), "--", str(tmp_path / "app"), home=tmp_path)
    assert_error(done, 2, "app is linked statically", "link it dynamically")


def test_sites_are_read_in_order() -> None:
    assert parts_of("b=mpich-5:2, a=openmpi-5:4") == (SitePart("b", "mpich-5", 2), SitePart("a", "openmpi-5", 4))
    with pytest.raises(InputError):
        parts_of("")
