"""What `rankwise map` writes for a launcher puts each rank where it should run: each family's own, on hosts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.analysis.map.writing import HEADER, WRITERS, Mapped, use
from rankwise.artifacts import builder
from rankwise.artifacts.builder import Artifact
from rankwise.core import process
from rankwise.core.jobs import Job, LaunchSteps
from rankwise.core.records import Implementation
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.emulated import EmulatedTestbed
from support.emulated import needs_emulation, two_sites
from support.mpis import FOUND, by_day, working
from support.traces import open_folder

pytestmark = [pytest.mark.mpi, needs_emulation]
SOURCE = Path(__file__).parents[1] / "analysis" / "map" / "placed.c"
HOSTS = ("b1", "a1", "a1", "b1")
"""Open MPI's rankfile counts cores, of which all hosts here have those of this machine: two or more."""
FORMS = {"openmpi": "rankfile", "mpich": "machinefile", "intelmpi": "machinefile", "lammpi": "schema"}


@pytest.fixture(scope="module")
def duo() -> Iterator[EmulatedTestbed]:
    with EmulatedTestbed(two_sites("mapped", delay_seconds=2e-4)) as testbed:
        yield testbed


@pytest.fixture(params=[one.id for one in FOUND])
def one(request: pytest.FixtureRequest) -> Implementation:
    return working(request.param)


def hosts_for(one: Implementation) -> tuple[str, ...]:
    """Each rank's; Debian's MPICH 4 hangs in MPI_Finalize with several ranks a host."""
    return HOSTS[:2] if one.id.startswith("mpich-4") else HOSTS


def program(one: Implementation) -> str:
    return str(builder.build(Artifact("placed", (SOURCE,), flags=(f"-I{HEADER.parent}", "-std=gnu99")), one))


def hosts_by_rank(
    one: Implementation, duo: EmulatedTestbed, steps: LaunchSteps, names: tuple[str, ...]
) -> tuple[str, ...]:
    outcome = duo.run(steps, names, 60)
    hangs = outcome.timed_out and one.id.startswith("mpich-4")  # in MPI_Finalize, by UCX 1.13, in some networks
    assert outcome.returncode == 0 or hangs, outcome.stdout + outcome.stderr
    said = dict(re.findall(r"^rank (\d+) on (\S+)$", outcome.stdout, re.M))
    assert len(said) == len(names), outcome.stdout + outcome.stderr
    return tuple(said[str(rank)] for rank in range(len(names)))


def steps_by_file(duo: EmulatedTestbed, one: Implementation, words: tuple[str, ...], file: Path) -> LaunchSteps:
    """The family's own launch, with what `rankwise map` says in place of the hosts that we would name."""
    hosts = hosts_for(one)
    job = Job(words, len(hosts), oversubscribed=True, hosts=hosts, start=duo.process_start(), files=(words[0],))
    form = FORMS[one.family]
    if form != "schema":
        before = "before: " if one.id.startswith("openmpi-4") else ""
        arguments = re.search(rf"{before}mp(?:irun|iexec) (.*?)(?: \(|\))", use(form, Mapped(hosts), file))
        assert arguments
        own = replace(job, hosts=(), launcher_arguments=tuple(arguments[1].split()))
        return FamilyLauncher().steps(one, replace(own, oversubscribed=form != "rankfile"))
    steps = FamilyLauncher().steps(one, job)
    argv = list(steps.main.argv)
    where = argv.index("n0,1,1,0")
    started = argv[argv.index("-x", where) + 2 :]
    file.write_text(WRITERS[form](Mapped(hosts, program=started)))
    argv = [word for word in argv[: -len(started)] if word != "n0,1,1,0"]
    return replace(steps, main=replace(steps.main, argv=(*argv, str(file))))


def test_each_rank_is_where_its_launchers_file_says(one: Implementation, duo: EmulatedTestbed) -> None:
    with open_folder() as folder:
        file, hosts = folder / "mapped", hosts_for(one)
        file.write_text(WRITERS[FORMS[one.family]](Mapped(hosts)))
        steps = steps_by_file(duo, one, (program(one),), file)
        file.chmod(0o644)
        assert hosts_by_rank(one, duo, steps, hosts) == hosts


@pytest.mark.parametrize("one", by_day([one.id for one in FOUND], "mpich-5"), indirect=True)
def test_a_program_gets_the_order_of_a_permutation(one: Implementation, duo: EmulatedTestbed) -> None:
    now = ("a1", "a1", "b1", "b1")
    with open_folder() as folder:
        file = folder / "order"
        file.write_text(WRITERS["permutation"](Mapped(HOSTS, now)))
        file.chmod(0o644)
        job = Job(
            (program(one), str(file)), len(now), oversubscribed=True, hosts=now, start=duo.process_start(),
            files=(program(one),),
        )  # fmt: skip
        assert hosts_by_rank(one, duo, FamilyLauncher().steps(one, job), now) == HOSTS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0\n1\n", "has fewer ranks"),
        ("0\n1\n1\n", "does not have each rank"),
        ("0\n1\n2\n3\n", "has more ranks"),
        (None, "cannot be opened"),
    ],
)
def test_a_wrong_order_is_told_and_ranks_stay(text: str | None, words: str) -> None:
    one = working(max(found.id for found in FOUND if found.family == "mpich"))
    with open_folder() as folder:
        file = folder / "order"
        if text is not None:
            file.write_text(text)
        steps = FamilyLauncher().steps(one, Job((program(one), str(file)), 3, oversubscribed=True))
        outcome = process.run_steps(steps, 60)
    assert words in outcome.stderr
    assert len(re.findall(r"^rank \d on .*, not ordered$", outcome.stdout, re.M)) == 3
