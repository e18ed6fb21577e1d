"""An installation is `works` or `broken` for the right reason, and tested again when anything changed."""

import os
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from rankwise.core import process
from rankwise.core.jobs import Job
from rankwise.core.process import run_steps
from rankwise.core.records import Implementation
from rankwise.mpi import smoke_test as module
from rankwise.mpi.discover import installations
from rankwise.mpi.family import FamilyLauncher
from rankwise.mpi.lammpi import family as lammpi
from rankwise.mpi.smoke_test import smoke_test
from support.bare_host import bare_host, fake_mpich
from support.emulated import wait_until
from support.mpis import FOUND, working

COMPILES = 'while [ "$1" != -o ]; do shift; done; printf "#!/bin/sh" >"$2"'
ONE_WORLD_EACH = "for i in 1 2; do printf 'rankwise-smoke-test %s\\n' 'ranks 1' 'standard 4.0' 'end -'; done"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return bare_host(tmp_path, monkeypatch)


def result_of_fake(path: Path, limit_seconds: float = 20, **faults: str) -> Implementation:
    fake_mpich(path, **faults)
    (one,) = installations()
    return smoke_test(one, limit_seconds)


def test_a_compiler_that_fails_is_quoted(path: Path) -> None:
    one = result_of_fake(path, compiling="echo 'ld: cannot find -lmpi' >&2; exit 1")
    assert one.status == "broken"
    assert "cannot find -lmpi" in one.reason
    assert str(path / "mpicc") in one.remedy


def test_missing_headers_name_the_package(path: Path) -> None:
    one = result_of_fake(path, compiling="echo 'fatal error: mpi.h: No such file' >&2; exit 1")
    assert "apt install" in one.remedy
    assert "libmpich-dev" in one.remedy


def test_no_c_compiler_names_the_package(path: Path, tmp_path: Path) -> None:
    for name in ("gcc", "cc"):
        (tmp_path / "tools" / name).unlink()
    one = result_of_fake(path, compiling="gcc nothing.c")
    assert "apt install gcc" in one.remedy


def test_a_missing_launcher_names_the_package(path: Path) -> None:
    fake_mpich(path)
    (path / "mpiexec").unlink()
    one = smoke_test(installations()[0])
    assert one.status == "broken"
    assert "apt install mpich" in one.remedy


def test_a_launcher_that_hangs_is_ended_at_the_limit(path: Path) -> None:
    one = result_of_fake(path, limit_seconds=1, compiling=COMPILES, running="echo waiting; sleep 60")
    assert one.status == "broken"
    assert "timed out after 1 s: last output: waiting" in one.reason


def test_a_launcher_that_dies_is_quoted(path: Path) -> None:
    one = result_of_fake(path, compiling=COMPILES, running="echo 'no daemon' >&2; exit 7")
    assert "exit code 7" in one.reason and "no daemon" in one.reason


def test_a_launcher_of_another_mpi_is_told_by_its_lonely_ranks(path: Path) -> None:
    one = result_of_fake(path, compiling=COMPILES, running=ONE_WORLD_EACH)
    assert one.status == "broken"
    assert "belongs to another MPI" in one.reason


WORKS = """\
echo run >>{log}
printf 'rankwise-smoke-test %s\\n' 'ranks 2' 'standard 4.0' 'wrong 0' 'blind 0' 'loaded {library}' 'end -'
"""


@pytest.fixture
def fake(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Implementation:
    """A made-up installation that works, and writes a line for each run of its launcher."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "libucp.so.0").write_text("library")
    running = WORKS.format(log=tmp_path / "log", library=tmp_path / "libucp.so.0")
    fake_mpich(path, compiling=COMPILES, running=running)
    (one,) = installations()
    return one


def runs(folder: Path) -> int:
    return len((folder / "log").read_text().splitlines())


def test_what_works_is_not_run_again(fake: Implementation, tmp_path: Path) -> None:
    first = smoke_test(fake)
    assert first.status == "works", first.reason
    assert first.transports == (f"libucp ({tmp_path / 'libucp.so.0'})",)
    assert smoke_test(fake) == first
    assert runs(tmp_path) == 1
    assert smoke_test(fake, fresh=True) == first
    assert runs(tmp_path) == 2


def append(file: Path) -> None:
    file.write_text(file.read_text() + "\n# newer\n")


CHANGES: dict[str, Callable[[Path, pytest.MonkeyPatch], object]] = {
    "loaded library": lambda folder, _: append(folder / "libucp.so.0"),
    "compiler": lambda folder, _: append(folder / "path" / "mpicc"),
    "launcher": lambda folder, _: append(folder / "path" / "mpiexec"),
    "usable cores": lambda _, patch: patch.setattr(os, "sched_getaffinity", lambda _pid: set(range(77))),
    "cores of the machine": lambda _, patch: patch.setattr(psutil, "cpu_count", lambda logical: 77),
    "user": lambda _, patch: patch.setattr(os, "getuid", lambda: 4711),
    "variable of the family": lambda _, patch: patch.setenv("MPIR_CVAR_NOLOCAL", "1"),
    "variable of the loader": lambda _, patch: patch.setenv("LD_LIBRARY_PATH", "/nowhere"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_noticed(
    fake: Implementation, change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    smoke_test(fake)
    CHANGES[change](tmp_path, monkeypatch)
    assert smoke_test(fake).status == "works"
    assert runs(tmp_path) == 2


def test_a_variable_of_something_else_changes_nothing(
    fake: Implementation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    smoke_test(fake)
    monkeypatch.setenv("EDITOR", "ed")
    smoke_test(fake)
    assert runs(tmp_path) == 1


def test_that_it_is_broken_is_never_kept(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    running = f"echo run >>{tmp_path / 'log'}; exit 7"
    assert result_of_fake(path, compiling=COMPILES, running=running).status == "broken"
    assert result_of_fake(path, compiling=COMPILES, running=running).status == "broken"
    assert runs(tmp_path) == 2


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"loaded": 1}'])
def test_a_damaged_record_is_tested_again(fake: Implementation, tmp_path: Path, text: str) -> None:
    first = smoke_test(fake)
    (record,) = (tmp_path / "cache" / "rankwise" / "builds").glob("*/result-*.json")
    record.write_text(text)
    assert smoke_test(fake) == first
    assert runs(tmp_path) == 2


def marked(mark: str) -> list[int]:
    found = []
    for one in psutil.process_iter():
        try:
            if one.environ().get(process.MARK) == mark:
                found.append(one.pid)
        except (psutil.AccessDenied, psutil.NoSuchProcess):
            continue
    return found


def system_v_objects() -> set[str]:
    """Shared memory of `nobody`, as whom LAM/MPI runs here, also for other processes of tests."""
    rows = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return {row.split()[1] for row in rows if row.split()[7] == str(lammpi.NOBODY)}


@pytest.mark.mpi
@pytest.mark.parametrize("name", [one.id for one in FOUND if one.status != "broken"])
class TestEveryInstallation:
    def test_works_and_tells_about_itself(self, name: str) -> None:
        one = working(name)
        assert one.mpi_standard
        assert one.abi
        assert one.transports
        if one.family != "intelmpi":  # PyPI's package and the library in it may differ in the last digits
            assert one.version in one.library_version

    @pytest.mark.parametrize("ranks", [1, 2, 4, 5])
    def test_ranks_and_variables_and_nothing_left(
        self, name: str, ranks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one = working(name)
        mark = process.new_mark()
        monkeypatch.setattr(process, "new_mark", lambda: mark)
        session = lammpi.session_folder()
        monkeypatch.setattr(lammpi, "session_folder", lambda: session)
        program = tmp_path / "smoke_test"
        source = module.PROGRAM.sources[0]
        built = process.run([one.mpicc, str(source), "-o", str(program)], 60, environment=one.environment)
        assert built.returncode == 0, built.stderr
        job = Job(
            (str(program),), ranks, oversubscribed=ranks > 2, environment=(("RANKWISE_SMOKE_TEST", "one, two"),)
        )
        outcome = run_steps(FamilyLauncher().steps(one, job), 60, "rankwise-smoke-test end")
        assert not outcome.timed_out
        assert f"rankwise-smoke-test ranks {ranks}\n" in outcome.stdout, outcome.stderr
        assert "rankwise-smoke-test wrong 0\nrankwise-smoke-test blind 0\n" in outcome.stdout
        assert marked(mark) == []
        assert not session.exists()

    @pytest.mark.nightly
    def test_a_job_that_never_ends_is_ended_and_leaves_nothing(
        self, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one = working(name)
        mark = process.new_mark()
        monkeypatch.setattr(process, "new_mark", lambda: mark)
        (tmp_path / "hang.c").write_text(
            "#include <mpi.h>\n#include <unistd.h>\n"
            "int main(int c, char **v) { MPI_Init(&c, &v); sleep(60); return 0; }\n"
        )
        program = tmp_path / "hang"
        built = process.run(
            [one.mpicc, str(tmp_path / "hang.c"), "-o", str(program)], 60, environment=one.environment
        )
        assert built.returncode == 0, built.stderr
        before = system_v_objects()
        outcome = run_steps(FamilyLauncher().steps(one, Job((str(program),), 2)), 4, "never")
        assert outcome.timed_out
        assert outcome.seconds < 30
        assert marked(mark) == []
        left = system_v_objects() - before
        wait_until(lambda: not left & system_v_objects(), 60)  # those of others end with their jobs
