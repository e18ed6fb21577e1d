"""There is one way from a testbed and a program to a job, and several launches can be started as one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core import process
from rankwise.core.configuration import plain
from rankwise.core.errors import InputError
from rankwise.core.jobs import Command, Job, LaunchSteps, LocalStart, Outcome, RemoteShellStart
from rankwise.core.records import Cell, Implementation, Plan
from rankwise.core.tuning import Loaded
from rankwise.measurement.job import build_job, program_line, together
from rankwise.measurement.launch import Launching
from rankwise.measurement.part import LaunchPart
from rankwise.testbeds.local import LocalTestbed
from support.replay import ReplayTestbed

NOTHING = Outcome("", 0, "", "", 0.0)
MPI = Implementation("openmpi-5.0.11", "openmpi", "5.0.11", "/p", "mpicc", "mpiexec", "path")
LOADED = Loaded((("A", "1"),), ("--mca", "x", "1"), ("/file",))


class Remote(ReplayTestbed):
    """A replay whose processes are started by a remote shell."""

    def process_start(self) -> RemoteShellStart:
        return RemoteShellStart("/rsh")


def test_on_this_host_no_hosts_are_named() -> None:
    job = build_job(ReplayTestbed(lambda _: NOTHING), ("app", "x y"), 4, loaded=LOADED, arguments=("-v",))
    assert job == Job(
        ("app", "x y"), 4, environment=LOADED.environment, launcher_arguments=(*LOADED.arguments, "-v"),
        files=LOADED.files,
    )  # fmt: skip
    assert job.start == LocalStart() and job.remote_shell == ""
    assert program_line(job) == "app 'x y'"


@pytest.mark.parametrize(
    ("benchmark", "devices", "skips"),
    [("bcast", set(), True), ("init", set(), False), ("bcast", {"mlx5_0"}, False)],
)
def test_fabrics_are_skipped_where_there_are_none_and_nobody_times_looking_for_them(
    benchmark: str, devices: set[str], skips: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankwise.testbeds.host.fabric_devices", lambda: devices)
    jobs: list[Job] = []

    class Noting:
        def steps(self, implementation: Implementation, job: Job) -> LaunchSteps:
            jobs.append(job)
            return steps("true")

    launching = Launching(Noting(), ReplayTestbed(lambda _: NOTHING), Plan((), 0, 1.0))
    launching.launch(MPI, Path("p"), [Cell(MPI.id, benchmark, 8, 2)])
    assert [job.skips_fabrics for job in jobs] == [skips]


def test_elsewhere_every_rank_has_a_host() -> None:
    job = build_job(Remote(lambda _: NOTHING), ("app",), 3)
    assert (job.hosts, job.remote_shell) == (("replay",) * 3, "/rsh")


def test_more_ranks_than_slots_are_told() -> None:
    testbed = ReplayTestbed(lambda _: NOTHING, slots=2)
    assert [build_job(testbed, ("app",), ranks).oversubscribed for ranks in (2, 3)] == [False, True]


def test_ranks_that_cannot_be_placed_are_refused() -> None:
    with pytest.raises(InputError):
        build_job(ReplayTestbed(lambda _: NOTHING), ("app",), 2, placement="no-such-placement")


def steps(script: str, **variables: str) -> LaunchSteps:
    return LaunchSteps(Command(("sh", "-c", script), tuple(variables.items())))


@pytest.mark.parametrize(("codes", "told"), [((0, 0), 0), ((0, 3), 3), ((5, 3), 5), ((5, 0), 5)])
def test_launches_that_are_started_together_end_together(
    codes: tuple[int, int], told: int, tmp_path: Path
) -> None:
    """Each waits for a file that the other makes, so that one after the other would never end."""
    scripts = [
        f"touch {tmp_path}/{number}; until [ -e {tmp_path}/{1 - number} ]; do sleep 0.01; done; "
        f'echo $NAME "it\'s"; exit {code}'
        for number, code in enumerate(codes)
    ]
    both = together([steps(scripts[0], NAME="one"), steps(scripts[1], NAME="two")])
    outcome = process.run_steps(both, 20.0)
    assert outcome.returncode == told
    assert sorted(outcome.stdout.split()) == ["it's", "it's", "one", "two"]


def test_what_each_launch_needs_is_done_for_all() -> None:
    one = replace(steps("true"), before=(Command(("a",)),), files=("f",), settings=(("k", "v"),), yielding="y")
    two = replace(steps("true"), after=(Command(("b",)),), files=("f", "g"), settings=(("k", "v"),))
    both = together([one, two])
    assert (both.before, both.after) == ((Command(("a",)),), (Command(("b",)),))
    assert (both.files, both.settings, both.yielding) == (("f", "g"), (("k", "v"),), "y")
    assert together([one]) is one


class TwoWords:
    """A launcher whose launch line is the program itself."""

    def steps(self, implementation: Implementation, job: Job) -> LaunchSteps:
        return LaunchSteps(Command(job.program, (("MPI", implementation.id),)))


def test_a_launch_of_two_segments_says_who_ran_what() -> None:
    testbed, parts = LocalTestbed(), []
    for name, ranks in (("openmpi-5.0.11", 2), ("mpich-5.0.2", 3)):
        one = Implementation(name, name.partition("-")[0], "1", "/p", "mpicc", "mpiexec", "path")
        parts.append(LaunchPart(one, plain(one), build_job(testbed, ("sh", "-c", "echo $MPI"), ranks)))
    launch = Launching(TwoWords(), testbed, Plan((), 0, 1.0, launch_limit_seconds=20.0)).start(parts, [])
    assert (launch.implementation, launch.ranks) == ("openmpi-5.0.11 + mpich-5.0.2", 5)
    assert [one.configuration for one in launch.segments] == [part.configuration.id for part in parts]
    assert {one.program for one in launch.segments} == {"sh -c 'echo $MPI'"}
    assert "MPI=openmpi-5.0.11" in launch.command and "MPI=mpich-5.0.2" in launch.command
