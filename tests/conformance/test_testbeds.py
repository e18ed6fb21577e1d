"""Every implementation on an emulated testbed: each rank where it was asked for, and the right data everywhere."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from rankwise.bench import plan as planning
from rankwise.bench.launch import Launching, list_benchmarks
from rankwise.bench.placement import place
from rankwise.core import process
from rankwise.core.records import Cell, Job, Launch, Outcome, Plan
from rankwise.mpi import family
from rankwise.testbed import description
from rankwise.testbed.base import TestbedKind, make
from support.mpis import FOUND, harness, proved

LIMIT_SECONDS = 60.0
TWO_SITES = """\
[card]
rate = "1 Gbit/s"
delay = "5 us"

[site.a]
nodes = 2
delay = "10 us"

[site.b]
nodes = 2
delay = "10 us"

[[link]]
between = ["a", "b"]
rate = "1 Gbit/s"
delay = "1 ms"
"""
WHERE = """\
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **words)
{
    int rank, sum = 0;
    char host[256];
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    gethostname(host, sizeof host);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("at %d %s %d\\n", rank, host, sum);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("end\\n"), fflush(stdout);
    MPI_Finalize();
    return 0;
}
"""

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def testbed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestbedKind]:
    file = tmp_path_factory.mktemp("testbed") / "two-sites-of-two.toml"
    file.write_text(TWO_SITES)
    with make(description.load(str(file))) as found:
        yield found


@pytest.fixture(params=[one.id for one in FOUND])
def implementation_id(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("where")
    (folder / "where.c").write_text(WHERE)
    return folder


@cache
def where(implementation_id: str, folder: Path) -> Path:
    """The program that tells where its ranks are."""
    implementation = proved(implementation_id)
    program = folder / f"where-{implementation_id}"
    argv = [implementation.mpicc, "-o", str(program), str(folder / "where.c")]
    outcome = process.run(argv, LIMIT_SECONDS, environment=implementation.environment)
    assert outcome.returncode == 0, outcome.stderr
    return program


def start(testbed: TestbedKind, implementation_id: str, hosts: tuple[str, ...], folder: Path) -> Outcome:
    implementation = proved(implementation_id)
    job = Job(
        (str(where(implementation_id, folder)),), len(hosts), hosts=hosts, remote_shell=testbed.remote_shell(),
        oversubscribed=testbed.oversubscribed(hosts),
        environment=family.family_named(implementation.family).probe_environment,
        launcher_arguments=family.family_named(implementation.family).probe,
    )  # fmt: skip
    steps = family.FamilyLauncher().steps(implementation, job)
    return testbed.run(steps, hosts, LIMIT_SECONDS, "end")


def hosts_of_ranks(outcome: Outcome) -> tuple[str, ...]:
    found = {}
    for line in outcome.stdout.splitlines():
        if line.startswith("at "):
            _, rank, host, sum_of_ranks = line.split()
            found[int(rank)] = host, int(sum_of_ranks)
    assert all(total == sum(found) for _, total in found.values())
    return tuple(found[rank][0] for rank in sorted(found))


ORDERS = {
    "one rank, then a block of others": "a1 b1 b1 b2 a2 a1",
    "backwards": "b2 b1 a2 a1",
    "the first host in the middle": "a1 b2 a1 a1 b2",
}


@pytest.mark.parametrize("ranks", [2, 4, 8])
@pytest.mark.parametrize("word", ["block", "cyclic", "across-sites"])
def test_every_rank_is_where_it_was_asked_for(
    testbed: TestbedKind, implementation_id: str, word: str, ranks: int, programs: Path
) -> None:
    asked = place(word, testbed.hosts(), ranks)
    outcome = start(testbed, implementation_id, asked, programs)
    assert hosts_of_ranks(outcome) == asked, f"{outcome.stdout}\n{outcome.stderr[-2000:]}"
    assert outcome.returncode == 0 or outcome.finished_early


@pytest.mark.parametrize("order", ORDERS)
def test_any_order_is_kept(testbed: TestbedKind, implementation_id: str, order: str, programs: Path) -> None:
    asked = named(testbed, ORDERS[order])
    outcome = start(testbed, implementation_id, asked, programs)
    assert hosts_of_ranks(outcome) == asked, f"{outcome.stdout}\n{outcome.stderr[-2000:]}"


def test_sixteen_ranks(testbed: TestbedKind, implementation_id: str, programs: Path) -> None:
    asked = place("cyclic", testbed.hosts(), 16)
    outcome = start(testbed, implementation_id, asked, programs)
    assert hosts_of_ranks(outcome) == asked, f"{outcome.stdout}\n{outcome.stderr[-2000:]}"


def named(testbed: TestbedKind, order: str) -> tuple[str, ...]:
    """`a1` is the first node of site a, whatever its name."""
    nodes = {f"{host.site}{number % 2 + 1}": host.name for number, host in enumerate(testbed.hosts())}
    return tuple(nodes[word] for word in order.split())


def test_tcp_between_nodes_and_shared_memory_within(
    testbed: TestbedKind, implementation_id: str, programs: Path
) -> None:
    implementation = proved(implementation_id)
    one = family.family_named(implementation.family)
    within = start(testbed, implementation_id, named(testbed, "a1 a1"), programs)
    between = start(testbed, implementation_id, named(testbed, "a1 b1"), programs)
    near = " ".join(one.transports(within.stdout + within.stderr))
    far = " ".join(one.transports(between.stdout + between.stderr))
    if implementation.family == "lammpi":
        assert near == far == "sysv"  # names its module for shared memory, which takes TCP between hosts
        return
    assert "tcp" in far, far
    assert any(word in near for word in ("shm", "sm", "vader", "sysv")), near


@pytest.mark.parametrize(("word", "ranks"), [("block", 2), ("block", 4), ("cyclic", 8)])
def test_the_harness_finds_the_right_data(
    testbed: TestbedKind, implementation_id: str, word: str, ranks: int
) -> None:
    launch, cells = verify(testbed, implementation_id, word, ranks)
    assert launch.failures == ()
    assert launch.status == "finished", f"{launch.reason}\n{launch.stderr_tail}"
    assert set(launch.verified) == cells
    assert {notice.kind for notice in launch.notices} <= {"hangs-at-exit", "late-link", "emulator-busy"}


def verify(testbed: TestbedKind, implementation_id: str, word: str, ranks: int) -> tuple[Launch, set[Cell]]:
    known = {one.name: one for one in list_benchmarks(proved(implementation_id), harness(implementation_id))}
    names = ("pingpong", "allreduce")
    selection = planning.Selection(
        names, (1, 4099, 65536), testbed.hosts(), (ranks,), testbed=testbed.name, placements=(word,)
    )
    cells, _ = planning.make_cells([proved(implementation_id)], {implementation_id: known}, selection)
    plan = Plan(cells, seed=1, time_budget_seconds=100.0, verify=True, launch_limit_seconds=90.0)
    launching = Launching(family.FamilyLauncher(), testbed, plan)
    return launching.launch(proved(implementation_id), harness(implementation_id), cells), set(cells)
