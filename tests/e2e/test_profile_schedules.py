"""A profile that has chosen a schedule: load.sh alone makes a program's ranks, on all hosts, do as it says."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.jobs import Outcome
from rankwise.core.tuning import Choice, Decision, Rule, Tuning
from rankwise.measurement.job import build_job
from rankwise.mpi.family import FamilyLauncher
from rankwise.profiles.writing import write
from rankwise.testbeds.emulated import EmulatedTestbed
from rankwise.workflows.overlay import whole_native
from support import overlay
from support.emulated import needs_emulation, two_sites
from support.mpis import FOUND, working
from support.profiles import part, profile

IDS = [one.id for one in FOUND if one.source == "pypi"]
RANKS = 4
LANES_ABOVE_4K = Decision("bcast", RANKS, (Rule(4096, Choice()), Rule(None, Choice("schedule:lanes"))))
START = '{load} launcher=$1 && shift && exec "$launcher" {arguments} "$@"'
REPORT = "RANKWISE_OVERLAY_REPORT"
pytestmark = [pytest.mark.mpi, needs_emulation]


@pytest.fixture(scope="module")
def testbed() -> Iterator[EmulatedTestbed]:
    with EmulatedTestbed(two_sites("loaded")) as up:
        yield up


def started(implementation_id: str, testbed: EmulatedTestbed, home: Path, load: str) -> Outcome:
    """Run an ordinary program as its launcher's line would, behind this line of a plain shell."""
    one = working(implementation_id)
    program = overlay.compiled(implementation_id, "broadcast")
    job = replace(build_job(testbed, (str(program),), RANKS), oversubscribed=False)  # else it preloads, too
    steps = FamilyLauncher().steps(one, job)
    forwarded = f"-x {REPORT}" if one.family == "openmpi" else ""
    script = START.format(load=load, arguments=f"${{RANKWISE_MPIEXEC_ARGUMENTS-}} {forwarded}")
    main = replace(
        steps.main, argv=("sh", "-c", script, "sh", *steps.main.argv),
        environment=(*steps.main.environment, ("MPIEXEC", one.mpiexec), (REPORT, f"{home}/report")),
    )  # fmt: skip
    return testbed.run(replace(steps, main=main), job.hosts, 60)


@pytest.mark.parametrize("implementation_id", IDS)
def test_a_program_that_knows_nothing_of_it_takes_the_schedule(
    implementation_id: str, testbed: EmulatedTestbed, tmp_path: Path
) -> None:
    one, tuning = working(implementation_id), Tuning(decisions=(LANES_ABOVE_4K,))
    made = profile(part(one.id, whole_native(one, tuning, testbed.topology()), tuning))
    folder = write(made, tmp_path) / one.id
    plain = started(implementation_id, testbed, tmp_path, "")
    assert "all right" in plain.stdout and not [*tmp_path.glob("report.*")], plain
    done = started(implementation_id, testbed, tmp_path, f". {folder}/load.sh &&")
    assert done.returncode == 0 and "all right" in done.stdout, done
    reports = [json.loads(file.read_text()) for file in sorted(tmp_path.glob("report.*"))]
    assert [one["algorithms"] for one in reports] == [{"bcast.lanes": 3}] * RANKS
    assert [one["functions"]["MPI_Bcast"] for one in reports] == [{"replaced": 3, "passed": 2}] * RANKS
