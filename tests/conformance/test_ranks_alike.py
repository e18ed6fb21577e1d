"""Protects: on every kind of testbed the ranks of every MPI family get the same from whoever starts them.

A variable that reaches one host alone (OMP_NUM_THREADS) makes one MPI seem hundreds of times slower than another.
"""

import os
import pickle
import resource
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from rankwise.core import caller, process
from rankwise.core.errors import HostError
from rankwise.core.jobs import Job, Outcome
from rankwise.core.records import Implementation
from rankwise.measurement.job import build_job
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.base import TestbedKind, make
from rankwise.testbeds.local import this_host
from rankwise.workflows.events import Silent
from rankwise.workflows.joined import JoinRequest, parts_of, run_joined
from rankwise.workflows.run import RunRequest, run
from support import start_by_ssh
from support.abi import needs_compiler
from support.emulated import needs_emulation, two_sites
from support.mpis import FOUND, by_day, working
from support.sshd import Servers, servers_on_nodes
from support.start_by_ssh import StartRequest
from support.traces import open_folder

RANKS = 4
LIMIT_SECONDS = 60.0
VARIABLES = {"OMP_NUM_THREADS": "1", "SOME": "a 'b' $c", "MV2_SOMETHING": "2", "RANKS_EMPTY": ""}
"""One of a threads' library, one hard to quote, one of an MPI that is not here, one without a value."""
MASK, OPEN_FILES, STACK_BYTES = 0o027, 777, 4 << 20
OF_ONE_RANK = {"host", "stdin"}
STAY = "stay=5"
"""Seconds: running ranks are looked at ever more seldom."""
IDS = [one.id for one in FOUND]
BY_SSH = by_day(IDS, "openmpi-5")
"""Hydra's launchers hand over all that the caller has, by ssh as on emulated hosts."""

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(300)]


@dataclass(frozen=True)
class Start:
    """A way to start a job: on a testbed, or by ssh from its first node to the others."""

    testbed: TestbedKind
    servers: Servers | None = None

    def run(self, job: Job, implementation: Implementation, folder: Path) -> Outcome:
        if self.servers is None:
            return self.testbed.run(FamilyLauncher().steps(implementation, job), job.hosts, LIMIT_SECONDS, "end")
        asked = StartRequest(self.servers.topology(), implementation, job, LIMIT_SECONDS, "end")
        file = folder / f"job-{implementation.id}"
        file.write_bytes(pickle.dumps(asked))
        argv = [self.testbed.remote_shell(), "-e", job.hosts[0], sys.executable, start_by_ssh.__file__, str(file)]
        return process.run(argv, LIMIT_SECONDS * 2)


@pytest.fixture(scope="module")
def testbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    with ExitStack() as stack:
        found = stack.enter_context(make(this_host() if request.param == "local" else two_sites("alike")))
        if request.param != "ssh":
            yield Start(found)
            return
        names = [host.name for host in found.hosts()]
        folder = tmp_path_factory.mktemp("servers")
        yield Start(found, stack.enter_context(servers_on_nodes(folder, found.remote_shell(), *names)))


@pytest.fixture(params=IDS)
def implementation_id(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def circumstances(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whoever starts them has these variables, limits and umask."""
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    kinds = {resource.RLIMIT_NOFILE: OPEN_FILES, resource.RLIMIT_STACK: STACK_BYTES, resource.RLIMIT_CORE: 0}
    before = {kind: resource.getrlimit(kind) for kind in kinds}
    mask = os.umask(MASK)
    try:
        for kind, soft in kinds.items():
            resource.setrlimit(kind, (soft, before[kind][1]))
        yield
    finally:
        os.umask(mask)
        for kind, limits in before.items():
            resource.setrlimit(kind, limits)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Where other users may enter, as LAM/MPI's ranks have to when root starts them."""
    with open_folder() as found:
        yield found


@cache
def program(implementation_id: str, folder: Path) -> str:
    one = working(implementation_id)
    file = folder / f"circumstances-{implementation_id}"
    source = Path(__file__).with_name("circumstances.c")
    argv = [one.mpicc, "-std=gnu11", "-o", str(file), str(source)]
    outcome = process.run(argv, LIMIT_SECONDS, environment=one.environment)
    assert outcome.returncode == 0, outcome.stderr
    file.chmod(0o755)
    return str(file)


def values_by_rank(testbed: Start, implementation_id: str, folder: Path) -> dict[str, list[str]]:
    """What each rank says, by what it says it of."""
    if implementation_id.startswith("lammpi") and os.geteuid() == 0 and testbed.servers:
        pytest.skip("as root LAM/MPI runs as nobody, whom no host lets in")
    ranks = 2 if implementation_id.startswith("mpich-4") else RANKS  # more of them hang in MPI_Finalize
    words = (program(implementation_id, folder), *VARIABLES)
    job = build_job(testbed.testbed, words, ranks, placement="cyclic", folder=str(Path.cwd()))
    outcome = testbed.run(job, working(implementation_id), folder)
    found = defaultdict(list)
    for line in outcome.stdout.splitlines():
        if line[:1].isdigit():
            _, what, value = line.split(" ", 2)
            found[what].append(value)
    assert {len(values) for values in found.values()} == {ranks}, f"{outcome.stdout}\n{outcome.stderr[-2000:]}"
    return found


@pytest.mark.parametrize(
    ("testbed", "implementation_id"),
    [
        *(("local", one) for one in IDS),
        *(pytest.param("emulated", one, marks=needs_emulation) for one in IDS),
        *(pytest.param("ssh", *one.values, marks=[needs_emulation, *one.marks]) for one in BY_SSH),
    ],
    indirect=["testbed"],
)
def test_all_ranks_get_what_the_caller_has(
    testbed: Start, implementation_id: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    found = values_by_rank(testbed, implementation_id, folder)
    same = {what: set(values) for what, values in found.items() if what not in OF_ONE_RANK}
    assert {what: values for what, values in same.items() if len(values) > 1} == {}
    expected = {
        **VARIABLES, "folder": str(folder), "umask": f"{MASK:04o}", "limit-nofile": str(OPEN_FILES),
        "limit-stack": str(STACK_BYTES), "limit-core": "0",
    }  # fmt: skip
    assert {what: same[what] for what in expected} == {what: {value} for what, value in expected.items()}
    if testbed.testbed.kind == "emulated":
        assert same["cores"] == {"1"}  # as drawn


@pytest.mark.skipif(os.geteuid() != 0, reason="as an ordinary user LAM/MPI runs as this user")
@pytest.mark.parametrize("implementation_id", [one.id for one in FOUND if one.family == "lammpi"])
def test_a_folder_that_nobody_may_enter_is_named(
    implementation_id: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (closed := tmp_path / "closed").mkdir(mode=0o700)
    monkeypatch.chdir(closed)
    job = build_job(make(this_host()), (program(implementation_id, folder),), 1, folder=str(closed))
    main = FamilyLauncher().steps(working(implementation_id), job).main
    assert any("warning" in word and str(closed) in word for word in main.argv)


@pytest.mark.parametrize("where", ["local", pytest.param("two-clusters", marks=needs_emulation)])
def test_rank_0_alone_gets_the_input(
    where: str, implementation_id: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others find its end, or nothing: Hydra leaves them a pipe to which nobody writes."""
    monkeypatch.chdir(folder)
    ranks = "2" if implementation_id.startswith("mpich-4") else str(RANKS)
    argv = [
        str(Path(sys.executable).with_name("rankwise")),
        "run",
        "--testbed",
        where,
        "--mpi",
        implementation_id,
        "-n",
        ranks,
    ]
    argv += ["--limit", "60", "--", program(implementation_id, folder)]
    outcome = subprocess.run(
        argv, input="first\nsecond\n", capture_output=True, text=True, timeout=120, check=False
    )
    lines = [line.split(" ", 2) for line in outcome.stdout.splitlines() if " stdin " in line]
    found = {int(rank): text for rank, _, text in lines}
    assert found.pop(0) == "first", outcome.stderr
    assert len(found) == int(ranks) - 1
    assert set(found.values()) <= {"(end)", "(open, and nothing comes)"}


@needs_emulation
@pytest.mark.parametrize(
    "implementation_id", by_day([one.id for one in FOUND if one.family == "openmpi"], "openmpi-5")
)
def test_a_launch_whose_ranks_lack_what_others_have_fails(
    implementation_id: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a remote shell that hands on nothing, and an MPI that does not do so either."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(caller, "PASSED", "NOT_THE_NAME_THAT_THE_SHELL_KNOWS")
    testbed = make(two_sites("unlike"))
    asked = RunRequest((program(implementation_id, folder), STAY), 2, implementation_id, testbed, "cyclic")
    with pytest.raises(HostError, match=r"rank 1 .* does not have"):
        run(asked, Silent())


@needs_emulation
@needs_compiler
def test_a_joined_job_whose_ranks_lack_what_others_have_fails(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(caller, "PASSED", "NOT_THE_NAME_THAT_THE_SHELL_KNOWS")
    testbed = make(two_sites("unlike"))
    words = (program(next(one for one in IDS if one.startswith("mpich-5")), folder), STAY)
    asked = JoinRequest(words, parts_of("a=openmpi-5:2,b=mpich-5:1"), testbed)
    with pytest.raises(HostError, match=r"rank .* does not have"):
        run_joined(asked, Silent())
