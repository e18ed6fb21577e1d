"""MPICH's knobs and selection files act in real runs of each installed MPICH as they were written."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from rankwise.core import process
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.jobs import Job, Outcome
from rankwise.core.tuning import Choice, Decision, Native, Rule, Setting, Tuning
from rankwise.mpi.family import FamilyLauncher, family_named
from rankwise.mpi.mpich import algorithms, settings
from rankwise.profiles.loading import place
from rankwise.testbeds.emulated import EmulatedTestbed
from support.emulated import needs_emulation, two_sites
from support.mpis import FOUND, working

IDS = [one.id for one in FOUND if one.family == "mpich"]
LIMIT_SECONDS = 30.0
NIGHTLY = pytest.mark.nightly
REPETITIONS = 10
DOING = """\
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* `doing OPERATION SIZE...`: ten times each; `late`: does a send end before its receiver, 0.2 s late, is there? */
int main(int count, char **words)
{
    int rank, ranks;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *from = calloc(ranks, 1 << 20), *to = calloc(ranks, 1 << 20);
    for (int i = 2; i < count; i++) {
        int size = atoi(words[i]);
        if (!strcmp(words[1], "late")) {
            MPI_Barrier(MPI_COMM_WORLD);
            double start = MPI_Wtime();
            if (rank == 0) {
                MPI_Send(from, size, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
                printf("%d %s\\n", size, MPI_Wtime() - start < 0.1 ? "eager" : "rendezvous");
            } else if (rank == 1) {
                usleep(200000);
                MPI_Recv(to, size, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            continue;
        }
        for (int repetition = 0; repetition < 10; repetition++)
            if (!strcmp(words[1], "bcast"))
                MPI_Bcast(from, size, MPI_BYTE, 0, MPI_COMM_WORLD);
            else if (!strcmp(words[1], "allreduce"))
                MPI_Allreduce(from, to, size, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
            else if (!strcmp(words[1], "allgather"))
                MPI_Allgather(from, size, MPI_BYTE, to, size, MPI_BYTE, MPI_COMM_WORLD);
            else if (!strcmp(words[1], "alltoall"))
                MPI_Alltoall(from, size, MPI_BYTE, to, size, MPI_BYTE, MPI_COMM_WORLD);
            else if (!strcmp(words[1], "reduce_scatter_block"))
                MPI_Reduce_scatter_block(from, to, size, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
            else {
                int counts[16], starts[16], whole = !strcmp(words[1], "allgatherv");
                for (int one = 0; one < ranks; one++) {
                    counts[one] = whole ? size + (one - ranks / 2) * 16 + 8 : size / ranks;
                    starts[one] = one * (1 << 20);
                }
                if (whole)
                    MPI_Allgatherv(from, counts[rank], MPI_BYTE, to, counts, starts, MPI_BYTE, MPI_COMM_WORLD);
                else
                    MPI_Reduce_scatter(from, to, counts, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
            }
    }
    if (rank == 0)
        printf("end\\n");
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
"""

RING = Choice("scatter_ring_allgather")
Run = Callable[..., Outcome]


def deciding(operation: str, ranks: int, *rules: Rule) -> Tuning:
    return Tuning(decisions=(Decision(operation, ranks, rules),))


@cache
def program(implementation_id: str, folder: Path) -> str:
    """The compiled program above."""
    implementation = working(implementation_id)
    source, target = folder / "doing.c", folder / f"doing-{implementation_id}"
    source.write_text(DOING)
    argv = [implementation.mpicc, "-o", str(target), str(source)]
    outcome = process.run(argv, LIMIT_SECONDS, environment=implementation.environment)
    assert outcome.returncode == 0, outcome.stderr
    return str(target)


@pytest.fixture(scope="module")
def testbed() -> Iterator[EmulatedTestbed]:
    with EmulatedTestbed(two_sites("mpich-tuned", delay_seconds=1e-3)) as found:
        yield found


@pytest.fixture(params=IDS)
def implementation_id(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("doing")


@pytest.fixture
def run(testbed: EmulatedTestbed, implementation_id: str, folder: Path, tmp_path: Path) -> Run:
    """Starts the program with a tuning, rank i on the i-th of these nodes, as a launch does."""
    implementation = working(implementation_id)

    def started(tuning: Tuning, nodes: str, *words: str, reporting: bool = False) -> Outcome:
        hosts = tuple(nodes.split())
        loaded = place(settings.native(implementation, tuning), tmp_path)
        job = Job(
            (program(implementation_id, folder), *words), len(hosts), hosts=hosts,
            start=testbed.process_start(), oversubscribed=testbed.oversubscribed(hosts),
            environment=loaded.environment + (settings.REPORTING if reporting else ()), files=loaded.files,
        )  # fmt: skip
        outcome = testbed.run(FamilyLauncher().steps(implementation, job), hosts, LIMIT_SECONDS, "end")
        assert "end" in outcome.stdout.splitlines(), outcome.stdout + outcome.stderr
        return outcome

    return started


def moved(outcome: Outcome, link: str, size_bytes: int) -> float:
    """What one repetition sent over a link, in messages of this size."""
    return next(one.bytes for one in outcome.links if one.link == link) / REPETITIONS / size_bytes


@pytest.mark.parametrize(
    ("nodes", "rules", "size", "back"),
    [
        ("a1 a2 b1 b2", (Rule(65536, Choice()), Rule(None, RING)), 60000, 0.0),
        ("a1 a2 b1 b2", (Rule(65536, Choice()), Rule(None, RING)), 70000, 0.75),
        pytest.param("a1 a2 b1", (Rule(65536, RING), Rule(None, Choice())), 60000, 0.67, marks=NIGHTLY),
        pytest.param("a1 a2 b1", (Rule(65536, RING), Rule(None, Choice())), 70000, 0.0, marks=NIGHTLY),
    ],
)
@pytest.mark.mpi
@needs_emulation
def test_a_broadcast_changes_its_algorithm_at_the_size_and_ranks_that_were_decided(
    run: Run, nodes: str, rules: tuple[Rule, ...], size: int, back: float
) -> None:
    """A ring sends back over the link what a tree from rank 0 never does."""
    ranks = len(nodes.split())
    outcome = run(deciding("bcast", ranks, *rules), nodes, "bcast", str(size))
    assert moved(outcome, "b-a", size) == pytest.approx(back, abs=0.15)


@pytest.mark.mpi
@needs_emulation
def test_a_decision_holds_for_that_many_ranks_of_a_program_and_not_for_mpichs_own_groups(run: Run) -> None:
    """Four ranks on two hosts: MPICH makes a group of two, which must keep its default."""
    decided = deciding("bcast", 2, Rule(None, RING))
    assert moved(run(decided, "a1 b1", "bcast", "70000"), "b-a", 70000) == pytest.approx(0.5, abs=0.1)
    assert moved(run(decided, "a1 a1 b1 b1", "bcast", "70000"), "b-a", 70000) < 0.1


@pytest.mark.mpi
@needs_emulation
def test_an_algorithm_takes_the_whole_operation_also_where_several_ranks_share_a_host(run: Run) -> None:
    """By default only one rank of each host talks to the other host."""
    nodes, words = "a1 a1 b1 b1", ("allreduce", "70000")
    decided = deciding("allreduce", 4, Rule(None, Choice("recursive_doubling")))
    assert moved(run(Tuning(), nodes, *words), "a-b", 70000) == pytest.approx(1.0, abs=0.15)
    assert moved(run(decided, nodes, *words), "a-b", 70000) == pytest.approx(2.0, rel=0.15)


@pytest.mark.parametrize(
    ("operation", "algorithm", "limit", "crossing"),
    [
        pytest.param("allgather", "ring", 40000, (3, 4), marks=NIGHTLY),
        ("alltoall", "brucks", 40000, (6, 4)),
        pytest.param("reduce_scatter", "noncommutative", 400000, (0.5, 1), marks=NIGHTLY),
        ("allgatherv", "ring", 100000, (3, 4)),
        pytest.param("reduce_scatter_block", "noncommutative", 100000, (2, 4), marks=NIGHTLY),
    ],
)
@pytest.mark.mpi
@needs_emulation
def test_sizes_are_counted_as_the_benchmarks_count_them(
    run: Run, operation: str, algorithm: str, limit: int, crossing: tuple[float, float]
) -> None:
    """Crossing: messages over the link in one direction, for four ranks on two sites: as decided, by default."""
    tuning = deciding(operation, 4, Rule(limit, Choice(algorithm)), Rule(None, Choice()))
    for size, expected in zip((limit * 9 // 10, limit * 11 // 10), crossing, strict=True):
        outcome = run(tuning, "a1 a2 b1 b2", operation, str(size))
        assert moved(outcome, "a-b", size) == pytest.approx(expected, rel=0.15), size


@pytest.mark.mpi
@needs_emulation
def test_the_eager_threshold_between_hosts_acts_and_is_told(run: Run) -> None:
    outcome = run(
        Tuning((
            Setting("eager-threshold", "100000"), Setting("socket-buffers", "262144"),
            Setting("tcp-piece-size", "65536"),
        )),
        "a1 b1", "late", "90000", "110000", reporting=True,
    )  # fmt: skip
    assert "90000 eager" in outcome.stdout
    assert "110000 rendezvous" in outcome.stdout
    told = dict(settings.read_back(outcome.stdout + outcome.stderr).in_force)
    told.pop("eager-threshold-shm", "")
    assert told == {
        "eager-threshold": "100000", "socket-buffers": "262144", "tcp-piece-size": "65536", "transport": "ucx",
    }  # fmt: skip


@pytest.mark.mpi
@needs_emulation
def test_the_eager_threshold_within_a_host_acts_and_is_told(run: Run) -> None:
    outcome = run(
        Tuning((Setting("eager-threshold-shm", "100000"),)), "a1 a1", "late", "90000", "110000", reporting=True
    )
    assert "90000 eager" in outcome.stdout
    assert "110000 rendezvous" in outcome.stdout
    assert ("eager-threshold-shm", "100000") in settings.read_back(outcome.stdout + outcome.stderr).in_force


@pytest.mark.mpi
@needs_emulation
def test_each_transport_that_is_built_in_can_be_chosen(run: Run, implementation_id: str) -> None:
    implementation = working(implementation_id)
    values = next((one.values for one in settings.knobs(implementation) if one.name == "transport"), ())
    for value in values:
        outcome = run(Tuning((Setting("transport", value),)), "a1 b1", "bcast", "1000", reporting=True)
        said = outcome.stdout + outcome.stderr
        assert ("transport", value) in settings.read_back(said).in_force
        used = family_named("mpich").transports(said)
        assert any(one.startswith(f"{value}/") for one in used), used
        assert not any(one.startswith(("ucx/", "ofi/")) and not one.startswith(value) for one in used), used


@pytest.mark.mpi
@needs_emulation
def test_the_selection_file_in_force_is_told(run: Run, tmp_path: Path) -> None:
    outcome = run(deciding("bcast", 2, Rule(None, RING)), "a1 b1", "bcast", "1000", reporting=True)
    told = dict(settings.read_back(outcome.stdout + outcome.stderr).in_force)
    assert told["algorithms"] == str(tmp_path / "mpich-algorithms.json")


@pytest.mark.parametrize(
    ("tuning", "word"),
    [
        (Tuning((Setting("eager-treshold", "1"),)), "eager-threshold"),
        (Tuning((Setting("eager-threshold", "much"),)), "much"),
        (Tuning((Setting("eager-threshold", "-1"),)), "-1"),
        (Tuning((Setting("socket-buffers", str(2**40)),)), str(2**40)),
        (Tuning((Setting("tcp-piece-size", "131072"),)), "65536"),
        (deciding("bcats", 4, Rule(None, Choice("binomial"))), "bcast"),
        (deciding("bcast", 4, Rule(None, Choice("binomail"))), "binomial"),
        (deciding("bcast", 4, Rule(None, Choice("binomial", segment_bytes=1024))), "segment"),
        (deciding("bcast", 4, Rule(None, Choice("binomial", fanout=4))), "fan-out"),
        (deciding("gather", 4, Rule(9, Choice("binomial")), Rule(None, Choice())), "gather"),
        (deciding("allgather", 3, Rule(None, Choice("recursive_doubling"))), "power of two"),
        (deciding("allgatherv", 3, Rule(None, Choice("recursive_doubling"))), "power of two"),
        (deciding("reduce_scatter_block", 6, Rule(None, Choice("noncommutative"))), "power of two"),
        (deciding("alltoallv", 4, Rule(9, Choice("nonblocking")), Rule(None, Choice())), "alltoallv"),
        (Tuning(decisions=2 * (Decision("bcast", 4, (Rule(None, Choice("binomial")),)),)), "duplicate rule"),
    ],
)
def test_what_a_version_lacks_is_refused_before_anything_is_started(
    implementation_id: str, tuning: Tuning, word: str
) -> None:
    with pytest.raises(InputError) as caught:
        settings.native(working(implementation_id), tuning)
    assert word in f"{caught.value} {caught.value.remedy}"


def test_a_transport_that_is_not_built_in_is_refused(implementation_id: str) -> None:
    with pytest.raises(UnknownNameError):
        settings.native(working(implementation_id), Tuning((Setting("transport", "pigeons"),)))


def test_two_settings_of_one_variable_must_agree(implementation_id: str) -> None:
    implementation = working(implementation_id)
    first, second = (one for one in settings.knobs(implementation) if one.name.startswith("eager-threshold"))
    native = {one: Tuning((Setting(first.name, "4096"), Setting(second.name, one))) for one in ("4096", "8192")}
    assert settings.native(implementation, native["4096"]).environment
    if first.native == second.native:
        with pytest.raises(InputError, match="UCX_RNDV_THRESH"):
            settings.native(implementation, native["8192"])
    else:
        assert settings.native(implementation, native["8192"]).environment


def test_gather_has_one_choice_for_all_sizes(implementation_id: str) -> None:
    implementation = working(implementation_id)
    assert "binomial" in {one.name for one in algorithms.algorithms(implementation)["gather"]}
    names = ("gather", "scatter", "alltoallv", "exscan", "bcast", "alltoallw")
    assert [algorithms.choice_scope(name) for name in names] == [*4 * ["one for all sizes"], "by size", "by size"]
    assert settings.native(implementation, deciding("gather", 4, Rule(None, Choice("binomial")))).files


def test_nothing_decided_writes_no_file(implementation_id: str) -> None:
    implementation = working(implementation_id)
    assert settings.native(implementation, Tuning()) == Native()
    kept = settings.native(implementation, deciding("bcast", 4, Rule(None, Choice())))
    assert kept == Native()


def test_automatic_values_are_written_as_such(implementation_id: str) -> None:
    tuning = Tuning((Setting("socket-buffers", "auto"), Setting("eager-threshold", "auto")))
    written = dict(settings.native(working(implementation_id), tuning).environment)
    assert written == dict.fromkeys(("UCX_TCP_SNDBUF", "UCX_TCP_RCVBUF", "UCX_RNDV_THRESH"), "auto")


def test_parameters_of_an_algorithm_are_written_and_all_others_with_it(implementation_id: str) -> None:
    implementation = working(implementation_id)
    trees = [one for one in algorithms.algorithms(implementation)["bcast"] if one.segments]
    for algorithm in trees:
        choice = Choice(algorithm.name, segment_bytes=4096, fanout=3)
        files = dict(settings.native(implementation, deciding("bcast", 4, Rule(None, choice))).files)
        start = files["mpich-algorithms.json"].index(f'"algorithm={algorithm.native}"')
        written = files["mpich-algorithms.json"][start:].partition("}\n")[0]
        for word in ("k=3", "chunk_size=4096", "tree_type=kary"):
            assert f'"{word}"' in written


def test_the_threshold_that_ucx_made_of_it_counts_more_than_the_variable() -> None:
    words = """\
[1.2] [b1:34 :0]  parser.c:2364 UCX  INFO  UCX_* env variables: UCX_RNDV_THRESH=100k UCX_TCP_SNDBUF=4m
[1.2] [b1:34 :0]   +---------------------------------+----------------------------------------------+
[1.2] [b1:34 :0]   | ucp_context_0 self cfg#0 | tagged message by ucp_tag_send* from host memory |
[1.2] [b1:34 :0]   |                 8M..inf | (?) rendezvous copy from mapped remote memory | self/memory |
[1.2] [b1:34 :0]   | ucp_context_0 inter-node cfg#2  | tagged message by ucp_tag_send* from host memory    |
[1.2] [b1:34 :0]   +---------------------------------+-------------------------------------+----------+
[1.2] [b1:34 :0]   |                         0..8184 | eager short                         | tcp/b1-0 |
[1.2] [b1:34 :0]   |                     8185..102399 | multi-frag eager copy-in copy-out   | tcp/b1-0 |
[1.2] [b1:34 :0]   |                      100K..inf | rendezvous fragmented copy-in copy-out | tcp/b1-0 |
MPIR: MPII_coll_generic_json
MPID/shm: MPIDI_POSIX_coll_generic_json
"""
    told = settings.read_back(words).in_force
    assert told == (("eager-threshold", "102400"), ("socket-buffers", "4194304"))
    left_to_ucx = settings.read_back(words.replace("THRESH=100k", "THRESH=auto")).in_force
    assert dict(left_to_ucx)["eager-threshold"] == "auto"
    default = settings.read_back(words.replace("UCX_RNDV_THRESH=100k", "")).in_force
    assert dict(default)["eager-threshold"] == "102400"
