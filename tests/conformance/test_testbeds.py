"""Protects: every MPI on an emulated testbed has its ranks where they were asked for, and the right data."""

import os
import pickle
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from rankwise.core import process
from rankwise.core.jobs import Job, Outcome
from rankwise.core.records import Cell, Launch, Plan
from rankwise.measurement import plan as planning
from rankwise.measurement.launch import Launching, list_benchmarks
from rankwise.measurement.placement import place
from rankwise.mpi import family
from rankwise.testbeds import description
from rankwise.testbeds.base import TestbedKind, make
from support import start_by_ssh
from support.mpis import FOUND, harness, working
from support.sshd import Servers, servers_on_nodes
from support.start_by_ssh import StartRequest

LIMIT_SECONDS = 60.0
TWO_SITES = """\
[nic]
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

/* Every rank tells rank 0 where it is, which alone speaks: launchers keep no order between ranks. */
int main(int count, char **words)
{
    static char all[64][64], host[64];
    int rank, ranks, sum = 0, i;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    gethostname(host, sizeof host - 1);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Gather(host, sizeof host, MPI_CHAR, all, sizeof host, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (i = 0; rank == 0 && i < ranks; i++)
        printf("at %d %s %d\\n", i, all[i], sum);
    if (rank == 0)
        printf("end\\n");
    fflush(stdout);
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
    implementation = working(implementation_id)
    program = folder / f"where-{implementation_id}"
    argv = [implementation.mpicc, "-o", str(program), str(folder / "where.c")]
    outcome = process.run(argv, LIMIT_SECONDS, environment=implementation.environment)
    assert outcome.returncode == 0, outcome.stderr
    return program


def start(testbed: TestbedKind, implementation_id: str, hosts: tuple[str, ...], folder: Path) -> Outcome:
    implementation = working(implementation_id)
    job = Job(
        (str(where(implementation_id, folder)),), len(hosts), hosts=hosts, start=testbed.process_start(),
        oversubscribed=testbed.oversubscribed(hosts),
        environment=family.family_named(implementation.family).probe_environment,
        launcher_arguments=family.family_named(implementation.family).probe,
    )  # fmt: skip
    steps = family.FamilyLauncher().steps(implementation, job)
    return testbed.run(steps, hosts, LIMIT_SECONDS, "end")


def hosts_of_ranks(outcome: Outcome) -> tuple[str, ...]:
    lines = [line.split() for line in outcome.stdout.splitlines() if line.startswith("at ")]
    assert [int(rank) for _, rank, _, _ in lines] == list(range(len(lines)))
    assert {int(total) for *_, total in lines} <= {sum(range(len(lines)))}
    return tuple(host for _, _, host, _ in lines)


SHOWN_BY_DAY = {("cyclic", 8)}
"""Words become hosts before a launch; some hosts in another order are below, and two at two sites."""
ORDERS = {
    "one rank, then a block of others": "a1 b1 b1 b2 a2 a1",
    "backwards": "b2 b1 a2 a1",
    "the first host in the middle": "a1 b2 a1 a1 b2",
}


NIGHTLY = pytest.mark.nightly
PLACEMENTS = [
    pytest.param(word, ranks, marks=() if (word, ranks) in SHOWN_BY_DAY else NIGHTLY)
    for word in ("block", "cyclic", "across-sites")
    for ranks in (2, 4, 8)
]


@pytest.mark.parametrize(("word", "ranks"), PLACEMENTS)
def test_every_rank_is_where_it_was_asked_for(
    testbed: TestbedKind, implementation_id: str, word: str, ranks: int, programs: Path
) -> None:
    asked = place(word, testbed.hosts(), ranks)
    outcome = start(testbed, implementation_id, asked, programs)
    assert hosts_of_ranks(outcome) == asked, f"{outcome.stdout}\n{outcome.stderr[-2000:]}"
    assert outcome.returncode == 0 or outcome.finished_early


@pytest.mark.parametrize(
    "order", [pytest.param(one, marks=() if "middle" in one else NIGHTLY) for one in ORDERS]
)  # the first host in the middle: hosts come again, and none is in the order of the description
def test_any_order_is_kept(testbed: TestbedKind, implementation_id: str, order: str, programs: Path) -> None:
    asked = named(testbed, ORDERS[order])
    outcome = start(testbed, implementation_id, asked, programs)
    assert hosts_of_ranks(outcome) == asked, f"{outcome.stdout}\n{outcome.stderr[-2000:]}"


@pytest.mark.nightly
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
    implementation = working(implementation_id)
    one = family.family_named(implementation.family)
    within = start(testbed, implementation_id, named(testbed, "a1 a1"), programs)
    between = start(testbed, implementation_id, named(testbed, "a1 b1"), programs)
    assert hosts_of_ranks(within) == named(testbed, "a1 a1")
    assert hosts_of_ranks(between) == named(testbed, "a1 b1")
    near = " ".join(one.transports(within.stdout + within.stderr))
    far = " ".join(one.transports(between.stdout + between.stderr))
    if implementation.family == "lammpi":
        assert near == far == "sysv"  # names its module for shared memory, which takes TCP between hosts
        return
    assert "tcp" in far, far
    assert any(word in near for word in ("shm", "sm", "vader", "sysv")), near


@pytest.mark.parametrize(
    ("word", "ranks"),
    [pytest.param("block", 2, marks=NIGHTLY), pytest.param("block", 4, marks=NIGHTLY), ("cyclic", 8)],
)
def test_the_harness_finds_the_right_data(
    testbed: TestbedKind, implementation_id: str, word: str, ranks: int
) -> None:
    launch, cells = verify(testbed, implementation_id, word, ranks)
    assert launch.failures == ()
    assert launch.status == "finished", f"{launch.reason}\n{launch.stderr}"
    assert set(launch.verified) == cells
    unexpected = [one for one in launch.notices if one.kind not in ("hangs-at-exit", "late-link", "emulator-busy")]
    assert unexpected == [], f"{unexpected}\n{launch.stderr}"


def verify(testbed: TestbedKind, implementation_id: str, word: str, ranks: int) -> tuple[Launch, set[Cell]]:
    known = {one.name: one for one in list_benchmarks(working(implementation_id), harness(implementation_id))}
    names = ("pingpong", "allreduce")
    selection = planning.Selection(
        names, (1, 4099, 65536), testbed.hosts(), (ranks,), testbed=testbed.name, placements=(word,)
    )
    cells, _ = planning.make_cells([working(implementation_id)], {implementation_id: known}, selection)
    plan = Plan(cells, seed=1, time_budget_seconds=100.0, verify=True, launch_limit_seconds=90.0)
    launching = Launching(family.FamilyLauncher(), testbed, plan)
    return launching.launch(working(implementation_id), harness(implementation_id), cells), set(cells)


@pytest.fixture(scope="module")
def reached_by_ssh(testbed: TestbedKind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """An OpenSSH server on every node."""
    names = [host.name for host in testbed.hosts()]
    with servers_on_nodes(tmp_path_factory.mktemp("servers"), testbed.remote_shell(), *names) as found:
        yield found


@pytest.mark.nightly
@pytest.mark.parametrize("word", ["block", "cyclic"])
def test_the_same_by_ssh_from_one_node_to_the_others(
    testbed: TestbedKind, reached_by_ssh: Servers, implementation_id: str, word: str, programs: Path
) -> None:
    """The kind `ssh`, used on the first node over the emulated network."""
    if implementation_id.startswith("lammpi") and os.geteuid() == 0:
        pytest.skip("as root LAM/MPI runs as nobody, whom no host lets in")
    asked = place(word, testbed.hosts(), 6)
    job = Job((str(where(implementation_id, programs)),), 6, oversubscribed=True, hosts=asked)
    told = StartRequest(reached_by_ssh.topology(), working(implementation_id), job, LIMIT_SECONDS, "end")
    file = programs / f"job-{implementation_id}-{word}"
    file.write_bytes(pickle.dumps(told))
    argv = [testbed.remote_shell(), "-e", asked[0], sys.executable, start_by_ssh.__file__, str(file)]
    outcome = process.run(argv, LIMIT_SECONDS * 2)
    assert hosts_of_ranks(outcome) == asked, f"{outcome.stdout}\n{outcome.stderr[-2000:]}"
    assert outcome.returncode == 0, outcome.stderr[-2000:]
