"""`rankwise run`: the user's own program, here and on emulated nodes; launchers start programs without MPI too."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.core.tuning import FOLDER, Native, Setting, Tuning
from rankwise.profiles.writing import write
from support.command_line import rankwise
from support.emulated import needs_emulation
from support.profiles import RMEM, part, profile

pytestmark = pytest.mark.mpi


def test_output_and_exit_code_are_the_programs(tmp_path: Path) -> None:
    done = rankwise("run", "-n", "2", "--mpi", "mpich-5", "--", "sh", "-c", "echo said; exit 3", home=tmp_path)
    assert done.returncode == 3
    assert done.stdout.splitlines() == ["said", "said"]


@needs_emulation
@pytest.mark.parametrize("mpi", ["mpich-5", "openmpi-5", "intelmpi"])
def test_each_rank_runs_on_the_node_it_was_given(mpi: str, tmp_path: Path) -> None:
    line = ["run", "-n", "4", "--mpi", mpi, "--testbed", "two-clusters", "--placement", "across-sites"]
    # Open MPI 5's launcher may miss the end of a program that ends at once, and then waits forever: 1 start in 100
    done = rankwise(*line, "--", "sh", "-c", "hostname; sleep 1", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == ["north-1", "north-2", "south-1", "south-2"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-n", "2"], "no program given"),
        (["--", "no-such-program"], "program not found: no-such-program"),
        (["--", "true"], "true does not show which MPI it was built with"),
        (["--testbed", "nowhere", "--", "true"], "nowhere"),
        (["--mpi", "mpich-5", "--placement", "spiral", "--", "true"], "spiral"),
        (["--testbed", "cluster", "--hostfile", "hosts", "--", "true"], "are mutually exclusive"),
    ],
)
def test_what_makes_no_sense_is_said(words: list[str], message: str, tmp_path: Path) -> None:
    done = rankwise("run", *words, home=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr and "remedy:" in done.stderr


def test_a_job_that_does_not_end_is_ended(tmp_path: Path) -> None:
    line = ["run", "-n", "1", "--mpi", "mpich-5", "--limit", "2s", "--", "sleep", "77"]
    done = rankwise(*line, home=tmp_path)
    assert done.returncode == 3
    assert "timed out after 2 s" in done.stderr


_SHOW = 'echo "$RANKWISE_TRIED $1"; cat /proc/sys/net/ipv4/tcp_rmem'


def _profile(home: Path, *, settings: bool = True) -> Path:
    """A profile whose variable and word every launcher passes on; a name that stands for MPICH 5's."""
    native = Native((("one.conf", FOLDER),), (("RANKWISE_TRIED", f"{FOLDER}/one.conf"),), ("-prepend-rank",))
    host_settings = ((RMEM, "4096 131072 9999999"),) if settings else ()
    return write(profile(part("mpich-5.0.2", native, Tuning(host_settings=host_settings))), home / "profiles")


def test_a_profile_is_in_every_ranks_environment(tmp_path: Path) -> None:
    folder = _profile(tmp_path)
    line = ["run", "-n", "2", "--mpi", "mpich-5", "--profile", "wan", "--", "sh", "-c", _SHOW]
    done = rankwise(*line, home=tmp_path)
    assert done.returncode == 0, done.stderr
    said = sorted(line.split() for line in done.stdout.splitlines() if "one.conf" in line)
    assert [rank for rank, _ in said] == ["[0]", "[1]"] and said[0][1] == said[1][1]
    conf = Path(said[0][1])
    assert conf.read_text() == str(conf.parent), "what the profile has, where it is"
    told = " ".join(done.stderr.split())
    assert "made for another network" in told
    assert f"sudo sysctl -p {folder}/90-rankwise.conf" in told
    assert "9999999" not in done.stdout


@needs_emulation
def test_emulated_nodes_get_the_profiles_kernel_settings(tmp_path: Path) -> None:
    _profile(tmp_path)
    line = ["run", "-n", "2", "--mpi", "mpich-5", "--profile", "wan", "--testbed", "two-clusters"]
    done = rankwise(*line, "--placement", "across-sites", "--", "sh", "-c", _SHOW, home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("9999999") == 2
    assert done.stdout.count("one.conf") == 2
    assert "sysctl" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--profile", "wam"], "unknown profile 'wam'"),
        (["--mpi", "openmpi-5", "--profile", "wan"], "has nothing for openmpi-5.0.11, only mpich-5.0.2"),
    ],
)
def test_a_profile_that_cannot_be_loaded(words: list[str], said: str, tmp_path: Path) -> None:
    _profile(tmp_path)
    done = rankwise("run", "-n", "2", "--mpi", "mpich-5", *words, "--", "true", home=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr and "remedy: " in done.stderr


@pytest.mark.nightly
def test_another_version_is_translated_or_refused(tmp_path: Path) -> None:
    lacked = Tuning((Setting("no-such-knob", "1"),))
    write(profile(part("mpich-5.0.2", Native(), lacked)), tmp_path / "profiles")
    line = ["run", "-n", "1", "--mpi", "mpich-4", "--profile", "wan"]
    done = rankwise(*line, "--", "true", home=tmp_path)
    assert done.returncode == 2
    assert "made for mpich-5.0.2, and mpich-4" in done.stderr and "--any-version" in done.stderr
    done = rankwise(*line, "--any-version", "--", "true", home=tmp_path, XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert done.returncode == 0, done.stderr
    assert "runs without no-such-knob" in " ".join(done.stderr.split())
