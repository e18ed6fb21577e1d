"""The largest error that clocks are said to have contains the true one, even if the ways there and back differ."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core import process
from rankwise.core.jobs import Job
from rankwise.core.records import Implementation
from rankwise.mpi.family import FamilyLauncher, family_named
from rankwise.testbeds.emulated import EmulatedTestbed
from support.emulated import needs_emulation, two_sites
from support.mpis import FOUND, by_day, working
from support.real_harness import CSRC, INCLUDES, WARNINGS

PROGRAM = Path(__file__).with_name("clock_program.c")
SAID = ("off_seconds", "error_seconds", "ranks")
THERE_SECONDS, BACK_SECONDS = 10e-3, 2e-3

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(300)]


def with_delays(there_seconds: float, back_seconds: float) -> EmulatedTestbed:
    """A node at each of two sites, and a link between them that is slower one way."""
    plain = two_sites("askew", per_site=1)
    delays = {"a-b": there_seconds, "b-a": back_seconds}
    links = [replace(one, delay_seconds=delays.get(one.name, one.delay_seconds)) for one in plain.links]
    return EmulatedTestbed(replace(plain, links=tuple(links)))


@pytest.fixture(scope="module")
def askew() -> Iterator[EmulatedTestbed]:
    with with_delays(THERE_SECONDS, BACK_SECONDS) as testbed:
        yield testbed


@pytest.fixture(params=by_day([one.id for one in FOUND], "mpich-5"))
def one(request: pytest.FixtureRequest) -> Implementation:
    return working(str(request.param))


def compiled(one: Implementation, folder: Path) -> Path:
    target = folder / "clock-program"
    sources = [str(PROGRAM), *map(str, sorted(CSRC.glob("runtime/*.c")))]
    argv = [one.mpicc, *WARNINGS, "-O2", INCLUDES[0], *sources, "-o", str(target), "-lm"]
    done = process.run(argv, 60, environment=one.environment)
    assert done.returncode == 0, done.stderr
    return target


def said(testbed: EmulatedTestbed, one: Implementation, program: Path) -> dict[str, float]:
    hosts = tuple(host.name for host in testbed.hosts())
    family = family_named(one.family)
    job = Job(
        (str(program),), len(hosts), hosts=hosts, start=testbed.process_start(),
        environment=family.probe_environment, launcher_arguments=family.probe,
    )  # fmt: skip
    outcome = testbed.run(FamilyLauncher().steps(one, job), hosts, 60, "end")
    lines = [line.split() for line in outcome.stdout.splitlines()]
    found = {words[0]: float(words[1]) for words in lines if words and words[0] in SAID}
    assert found.get("ranks") == len(hosts), outcome
    return found


@needs_emulation
def test_half_of_what_the_ways_differ_by_is_within_the_error(
    askew: EmulatedTestbed, one: Implementation, tmp_path: Path
) -> None:
    tmp_path.chmod(0o755)
    found = said(askew, one, compiled(one, tmp_path))
    asymmetry = (THERE_SECONDS - BACK_SECONDS) / 2
    round_trip = THERE_SECONDS + BACK_SECONDS
    assert found["off_seconds"] > asymmetry / 2  # no exchange of messages can tell
    assert found["off_seconds"] <= found["error_seconds"]
    assert round_trip / 2 <= found["error_seconds"] < 3 * round_trip  # and the bound is of use
