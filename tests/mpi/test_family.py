"""Each compiler is of the right family, whose launch line and evidence are as recorded from real ones."""

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.errors import HostError, UnknownNameError
from rankwise.core.jobs import Job, RemoteShellStart
from rankwise.core.records import Implementation
from rankwise.mpi import preload
from rankwise.mpi.family import Ask, FamilyLauncher, families, family_named
from rankwise.mpi.lammpi import family as lammpi

SAID = {
    "openmpi": {"--showme:version": "mpicc: Open MPI 5.0.11 (Language: C)"},
    "mpich": {"-v": "mpicc for MPICH version 4.0.2\nUsing built-in specs."},
    "intelmpi": {
        "-v": "mpigcc for the Intel(R) MPI Library 2021.18 for Linux*\nUsing built-in specs.",
        "--version": "Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 20260626 (id: b44796a)",
    },
    "lammpi": {
        "-showme": "gcc -I/usr/lib/lam/include -L/usr/lib/lam/lib -llammpio -lmpi -llam -lutil",
        "-version": "             LAM/MPI: 7.1.4",
    },
}
VERSIONS = {"openmpi": "5.0.11", "mpich": "4.0.2", "intelmpi": "2021.18.1", "lammpi": "7.1.4"}


def answering(words: dict[str, str]) -> Ask:
    return lambda _program, argument, *_rest: words.get(argument, "gcc: error: unrecognized command-line option")


@pytest.mark.parametrize("asked", VERSIONS)
@pytest.mark.parametrize("family", VERSIONS)
def test_a_family_knows_its_own_compiler_and_no_other(family: str, asked: str, tmp_path: Path) -> None:
    for name in ("mpicc", "mpiexec.hydra", "laminfo"):
        (tmp_path / name).touch()
    version = family_named(family).identify(tmp_path / "mpicc", answering(SAID[asked]))
    assert version == (VERSIONS[family] if family == asked else "")


def test_the_launcher_has_the_suffix_of_its_compiler(tmp_path: Path) -> None:
    for name in ("mpicc.openmpi", "mpiexec", "mpiexec.openmpi"):
        (tmp_path / name).touch()
    assert family_named("openmpi").launcher(tmp_path / "mpicc.openmpi") == tmp_path / "mpiexec.openmpi"
    assert family_named("openmpi").launcher(tmp_path / "mpicc.other") is None


def test_an_unknown_family_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as caught:
        family_named("opnmpi")
    assert "openmpi" in caught.value.remedy


def an(family: str, version: str = "", root: str = "") -> Implementation:
    return Implementation(
        id=family, family=family, version=version or VERSIONS[family], prefix="/p", mpicc="/p/bin/mpicc",
        mpiexec="/p/bin/mpiexec", source="path", environment=(("I_MPI_ROOT", root),) if root else (),
    )  # fmt: skip


Line = Callable[[Implementation, Job], list[str]]


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    """The main command's words, as a user who is not root on a machine with four cores."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr("psutil.cpu_count", lambda logical: 4)
    monkeypatch.setattr(preload, "build", lambda source, _implementation: Path("/cache", source.name))
    monkeypatch.setattr(lammpi, "session_folder", lambda: Path("/t/lam"))
    return lambda implementation, job: list(FamilyLauncher().steps(implementation, job).main.argv)


PLAIN = Job(("./p", "-x"), 2, environment=(("A", "b c"),), launcher_arguments=("--verbose",))
CROWDED = Job(("./p",), 8, oversubscribed=True)
FAR = Job(("./p",), 3, hosts=("a1", "b1", "b1"), start=RemoteShellStart("/bin/agent"))
MIXED = Job(("./p",), 5, hosts=("a1", "b1", "b1", "a1", "c1"), start=RemoteShellStart("/bin/agent"))


def test_openmpi_lines(line: Line) -> None:
    assert line(an("openmpi"), PLAIN) == [
        "/p/bin/mpiexec", "-np", "2", "-x", "A=b c", "--verbose", "./p", "-x",
    ]  # fmt: skip
    assert line(an("openmpi"), CROWDED) == [
        "/p/bin/mpiexec", "-np", "8", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1",
        "./p",
    ]  # fmt: skip
    assert line(an("openmpi", "4.1.4"), FAR) == [
        "/p/bin/mpiexec", "-np", "3", "--mca", "rmaps", "seq", "--bind-to", "none", "--host", "a1,b1,b1",
        "--mca", "plm_rsh_agent", "/bin/agent", "./p",
    ]  # fmt: skip
    assert line(an("openmpi", "5.0.11"), FAR) == [
        "/p/bin/mpiexec", "-np", "3", "--map-by", "seq", "--bind-to", "none", "--host", "a1,b1,b1",
        "--prtemca", "plm_ssh_agent", "/bin/agent", "--prtemca", "plm_ssh_no_tree_spawn", "1", "./p",
    ]  # fmt: skip


def test_openmpi_5_does_not_wait_for_fabrics_that_are_not_there_unless_btls_are_chosen(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("OMPI_MCA_btl", raising=False)
    site = replace(an("openmpi"), mpicc=str(tmp_path / "bin" / "mpicc"))
    job, without = replace(PLAIN, skips_fabrics=True), "OMPI_MCA_btl=^ofi"
    assert without in line(site, job) and without not in line(site, PLAIN)
    assert without not in line(an("openmpi", "4.1.4"), job)
    profile = replace(job, environment=(("OMPI_MCA_btl", "self,tcp"),))
    assert "OMPI_MCA_btl=self,tcp" in line(site, profile) and without not in line(site, profile)
    for file in (tmp_path / "etc" / "openmpi-mca-params.conf", tmp_path / ".openmpi" / "mca-params.conf"):
        file.parent.mkdir()
        file.write_text("btl = ^tcp\n")
        assert without not in line(site, job)
        file.unlink()
    monkeypatch.setenv("OMPI_MCA_btl", "self,sm")
    assert without not in line(site, job)


def test_openmpi_on_hosts_has_a_slot_for_every_rank_but_its_ranks_still_yield(line: Line) -> None:
    words = line(an("openmpi"), replace(FAR, oversubscribed=True))
    assert "mpi_yield_when_idle" in words
    assert "--oversubscribe" not in words


def test_openmpi_takes_hardware_threads_as_slots_only_where_cores_do_not_suffice(line: Line) -> None:
    assert "--use-hwthread-cpus" in line(an("openmpi"), Job(("./p",), 5))
    assert "--use-hwthread-cpus" not in line(an("openmpi"), Job(("./p",), 4))


def test_openmpi_as_root_says_that_it_may(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--allow-run-as-root" not in line(an("openmpi"), PLAIN)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "--allow-run-as-root" in line(an("openmpi"), PLAIN)


def test_mpich_lines(line: Line) -> None:
    assert line(an("mpich"), PLAIN) == [
        "/p/bin/mpiexec", "-genv", "A", "b c", "--verbose", "-n", "2", "./p", "-x",
    ]  # fmt: skip
    assert line(an("mpich"), CROWDED) == [
        "/p/bin/mpiexec", "-genv", "LD_PRELOAD", "/cache/idle.c", "-n", "8", "./p",
    ]  # fmt: skip
    assert line(an("mpich"), FAR) == [
        "/p/bin/mpiexec", "-launcher", "ssh", "-launcher-exec", "/bin/agent", "-hosts", "a1:1,b1:2",
        "-n", "3", "./p",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("order", "counted"),
    [
        ("a a b b", "a:2,b:2"),
        ("a b c a b", "a:1,b:1,c:1"),
        ("a a b a a b a", "a:2,b:1"),
        ("a a a", "a:3"),
    ],
)
def test_mpich_repeats_a_list_of_hosts_where_that_gives_the_order(order: str, counted: str, line: Line) -> None:
    hosts = tuple(order.split())
    words = line(an("mpich"), Job(("./p",), len(hosts), hosts=hosts))
    assert words[1:3] == ["-hosts", counted]
    assert words[3] == "-n"


def test_mpich_takes_a_map_for_other_orders_from_the_version_that_obeys_it(line: Line) -> None:
    words = line(an("mpich", "5.0.2"), MIXED)
    assert words[words.index("-hosts") :][:4] == ["-hosts", "a1,b1,c1", "-rankmap", "0,1,1,0,2"]
    for version in ("4.0.2", "4.3.2", "5.0.1", "5.0.1rc3"):
        words = line(an("mpich", version), MIXED)
        assert words[words.index("-hosts") :][:5] == [
            "-hosts", "a1:1,b1:2,a1:1,c1:1", "-genv", "PMI_SUBVERSION", "0",
        ]  # fmt: skip


def test_intelmpi_lines(line: Line) -> None:
    assert line(an("intelmpi"), CROWDED) == [
        "/p/bin/mpiexec", "-genv", "I_MPI_PIN", "0", "-genv", "LD_PRELOAD", "/cache/idle.c", "-n", "8", "./p",
    ]  # fmt: skip
    assert line(an("intelmpi"), MIXED) == [
        "/p/bin/mpiexec", "-bootstrap", "ssh", "-bootstrap-exec", "/bin/agent", "-hosts", "a1,b1,b1,a1,c1",
        "-ppn", "1", "-genv", "I_MPI_PIN", "0", "-n", "5", "./p",
    ]  # fmt: skip
    assert line(an("intelmpi"), replace(MIXED, oversubscribed=True)).count("I_MPI_PIN") == 1
    steps = FamilyLauncher().steps(an("intelmpi", root="/opt/impi"), PLAIN)
    assert steps.main.environment == (("I_MPI_ROOT", "/opt/impi"),)


def test_lammpi_boots_runs_and_halts_in_a_folder_of_its_own(line: Line) -> None:
    job = replace(PLAIN, folder="/")  # where the program begins, which is not the session's
    steps = FamilyLauncher().steps(an("lammpi"), job)
    (prepare,) = steps.everywhere
    assert prepare.argv[3:] == ("", "/t/lam", "./p", "/cache/vectors.c")
    assert [command.argv for command in steps.before] == [
        ("sh", "-c", 'printf "%s\\n" "$@" >"$0" && chmod 644 "$0"', "/t/lam/hosts", "localhost cpu=2"),
        ("env", "-C", "/t/lam", "/p/bin/lamboot", "/t/lam/hosts"),
    ]
    assert line(an("lammpi"), job) == [
        "/p/bin/mpiexec", "-w", "-np", "2", "-x", "A,LD_PRELOAD", "--verbose",
        "/t/lam/p", "-x",
    ]  # fmt: skip
    assert ("A", "b c") in steps.main.environment
    (halt,) = steps.everywhere_after
    assert halt.argv[:5] == ("env", "-C", "/t/lam", "sh", "-c")
    assert steps.files == ("./p", "/cache/vectors.c")


def test_lammpi_finds_a_program_without_a_folder_by_path(line: Line) -> None:
    assert line(an("lammpi"), Job(("hostname",), 2))[-1] == "hostname"


def test_lammpi_as_root_runs_as_nobody(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert line(an("lammpi"), PLAIN)[:4] == ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def test_lammpi_as_root_needs_a_remote_shell_that_is_open_to_nobody(
    line: Line, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for shell in ("/bin/true", "/usr/bin/env"):
        assert line(an("lammpi"), replace(MIXED, start=RemoteShellStart(shell)))[0] == "setpriv"
    (tmp_path / "rsh").touch(mode=0o755)
    tmp_path.chmod(0o700)
    for shell in (str(tmp_path / "rsh"), "/only/on/other/hosts"):
        with pytest.raises(HostError, match="nobody, which may not use") as caught:
            line(an("lammpi"), replace(MIXED, start=RemoteShellStart(shell)))
        assert caught.value.remedy


def test_lammpi_over_hosts(line: Line) -> None:
    steps = FamilyLauncher().steps(an("lammpi"), MIXED)
    schema, agent, boot = steps.before
    assert schema.argv[-3:] == ("a1 cpu=2", "b1 cpu=2", "c1 cpu=1")
    assert "exec /bin/agent" in agent.argv[-1]
    assert ("LAMRSH", "/t/lam/agent") in boot.environment
    assert line(an("lammpi"), replace(MIXED, folder="/"))[1:3] == ["-w", "n0,1,1,0,2"]


def test_lammpis_agent_tells_the_other_host_where_the_session_is(tmp_path: Path, line: Line) -> None:
    shell = tmp_path / "shell"
    shell.write_text('#!/bin/sh\necho "to $1"; shift; exec sh -c "$*"\n')
    shell.chmod(0o755)
    steps = FamilyLauncher().steps(an("lammpi"), replace(MIXED, start=RemoteShellStart(str(shell))))
    agent = tmp_path / "agent"
    argv = [str(agent) if word == "/t/lam/agent" else word for word in steps.before[1].argv]
    subprocess.run(argv, check=True, timeout=10)
    called = [str(agent), "b1", "-n", "(", "echo", "$LAM_MPI_SESSION_PREFIX", ")"]
    said = subprocess.run(called, check=True, capture_output=True, text=True, timeout=10).stdout
    assert said.split() == ["to", "b1", "/t/lam"]


@pytest.mark.parametrize("others_left", [False, True])
def test_lammpis_last_host_removes_the_folder(
    others_left: bool, tmp_path: Path, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "session"
    monkeypatch.setattr(lammpi, "session_folder", lambda: folder)
    steps = FamilyLauncher().steps(an("lammpi"), replace(MIXED, program=(str(tmp_path / "p"),)))
    (tmp_path / "p").write_text("program")
    prepare = [word for word in steps.everywhere[0].argv if not word.startswith("/cache")]
    for _ in range(2):  # hosts that share the file system do it one after the other
        subprocess.run(prepare, check=True, timeout=10)
    assert (folder / "p").stat().st_mode & 0o777 == 0o700
    mine = folder / f"lam-me@{os.uname().nodename}-session"
    mine.mkdir()
    daemon = subprocess.Popen(["sleep", "60"])
    (mine / "lam-killfile").write_text(f"{daemon.pid}\n")
    if others_left:
        (folder / "lam-me@elsewhere-session").mkdir()
    subprocess.run(steps.everywhere_after[0].argv, check=True, timeout=10, capture_output=True)
    assert daemon.wait(10) == -9
    assert folder.exists() == others_left
    assert not mine.exists()


@pytest.mark.parametrize("family", VERSIONS)
def test_only_crowded_ranks_yield(family: str, line: Line) -> None:
    launcher = FamilyLauncher()
    assert launcher.steps(an(family), CROWDED).yielding
    assert not launcher.steps(an(family), PLAIN).yielding


@pytest.mark.parametrize("family", VERSIONS)
def test_what_other_hosts_need_copies_of_is_named(family: str, line: Line) -> None:
    launcher = FamilyLauncher()
    assert launcher.steps(an(family), replace(FAR, oversubscribed=True)).files[:1] == ("./p",)
    assert "hostname" not in launcher.steps(an(family), replace(FAR, program=("hostname",))).files


@pytest.mark.parametrize("family", ["mpich", "lammpi"])
def test_what_the_job_preloads_stays_beside_ours(family: str, line: Line) -> None:
    job = Job(("./p",), 8, oversubscribed=True, environment=(("LD_PRELOAD", "/their.so"), ("B", "1")))
    main = FamilyLauncher().steps(an(family), job).main
    words = [*main.argv, *(value for _, value in main.environment)]
    assert any(word.endswith(":/their.so") for word in words)
    assert "/their.so" not in words


@pytest.mark.parametrize(
    ("family", "said", "transports"),
    [
        ("openmpi", "mca: bml: Using sm btl for send to [[1,1],1]\nUsing self btl for send to [[1,1],0]", ("sm",)),
        ("openmpi", "selected ob1 best priority 20\nUsing tcp btl for send to x", ("tcp",)),
        ("openmpi", "selected ucx best priority 51", ("ucx",)),
        ("mpich", "UCX  INFO    ep_cfg[0]: tag(self/memory0 cma/memory) rma(x)", ("ucx/cma",)),
        ("mpich", "MPID/shm: MPIDI_POSIX_coll\n intra-node cfg#1 tag(sysv/memory cma/memory)", ("shm/posix",)),
        (
            "mpich",
            "MPIDI_POSIX_coll\n intra-node cfg#2 tag(sysv/memory)\n inter-node cfg#1 tag(tcp/eth0)",
            ("shm/posix", "ucx/tcp"),
        ),
        (
            "mpich",
            "ep_cfg[1]: tag(sysv/memory cma/memory)\nep_cfg[2]: tag(tcp/eth0)",
            ("ucx/sysv", "ucx/cma", "ucx/tcp"),
        ),
        ("mpich", "==== OFI provider ====\nprovider: tcp\n", ("ofi/tcp",)),
        ("intelmpi", 'MPI startup(): Load tuning file: "/x/tuning_generic_shm.dat"', ("shm",)),
        ("intelmpi", "MPI startup(): libfabric provider: tcp;ofi_rxm", ("ofi/tcp;ofi_rxm",)),
        ("lammpi", "n0<7740> ssi:rpi: selected RPI module sysv\nssi:rpi: selected RPI module sysv", ("sysv",)),
        ("mpich", "", ()),
    ],
)
def test_transports_from_what_a_run_says(family: str, said: str, transports: tuple[str, ...]) -> None:
    assert family_named(family).transports(said) == transports


def test_the_abi_is_named_after_the_library_file(tmp_path: Path) -> None:
    assert family_named("mpich").abi(Path("/l/libmpich.so.12.2.2")) == "MPICH ABI (libmpich.so.12)"
    (tmp_path / "libmpi_abi.so.1").touch()
    assert family_named("mpich").abi(tmp_path / "libmpi.so.12").endswith("(libmpi.so.12), standard ABI available")


def test_intelmpi_gets_what_its_vendors_script_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    intel = family_named("intelmpi")
    for name in ("LD_LIBRARY_PATH", "FI_PROVIDER_PATH", "I_MPI_OFI_LIBRARY_INTERNAL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libtcp-fi.so").touch()
    own = str(tmp_path / "lib")
    root = ("I_MPI_ROOT", str(tmp_path))
    assert intel.environment(tmp_path) == (root, ("LD_LIBRARY_PATH", own), ("FI_PROVIDER_PATH", own))
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/users::{own}")
    monkeypatch.setenv("FI_PROVIDER_PATH", "/providers")
    assert intel.environment(tmp_path) == (root, ("LD_LIBRARY_PATH", f"/users:{own}"))
    monkeypatch.setenv("I_MPI_OFI_LIBRARY_INTERNAL", "0")
    assert intel.environment(tmp_path) == (root,)


def test_a_family_is_one_new_file_or_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mpi").mkdir()
    (tmp_path / "mpi" / "mvapich.py").write_text(
        "from rankwise.mpi.hydra import Hydra, Yielding\n"
        "class Mvapich(Hydra):\n"
        "    name, title = 'mvapich', 'MVAPICH'\n"
        "    def identify(self, compiler, ask): return '4.0'\n"
        "    def yielding(self, implementation, environment): return Yielding('', environment)\n"
        "    def placement(self, implementation, job): return ['-hosts', ','.join(job.hosts)]\n"
    )
    folder = tmp_path / "mpi" / "wmpi"
    folder.mkdir()
    (folder / "__init__.py").write_text("from .family import Wmpi\n")
    (folder / "family.py").write_text(
        "from rankwise.mpi.family import Family\n"
        "from rankwise.mpi.openmpi import OpenMpi\n"  # imported, and therefore not registered a second time
        "class Wmpi(Family):\n"
        "    name, title = 'wmpi', 'WMPI'\n"
        "    def identify(self, compiler, ask): return ''\n"
        "    def steps(self, implementation, job): raise NotImplementedError\n"
    )
    assert not {"mvapich", "wmpi"} & set(families())
    monkeypatch.setenv("RANKWISE_PLUGINS", str(tmp_path))
    assert families()["mvapich"].title == "MVAPICH"
    assert families()["wmpi"].title == "WMPI"
    assert set(VERSIONS) < set(families())
