"""What ranks write for root is changed, and led elsewhere, by no other user of the host."""

from __future__ import annotations

import os
import stat
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rankwise.analysis.trace.reading import read
from rankwise.artifacts import tracer
from rankwise.core import process
from rankwise.core.errors import HostError
from rankwise.core.records import Implementation
from rankwise.workflows import study_further
from support.command_line import started
from support.mpis import FOUND, working
from support.ordinary_user import NOBODY, folder_of, needs_root
from support.other_user import BOB, running_as
from support.overlay import compiled
from support.traces import record

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(300)]
PRECIOUS = "precious\n"
PLANT = """
import os, sys, time
folder, victim = sys.argv[1:]
print("begun", flush=True)
while True:
    for rank in range(2):
        for kind in ("trace", "open"):
            try:
                os.symlink(victim, os.path.join(folder, f"rank-{rank:06d}.{kind}"))
                print("planted", flush=True)
            except OSError:
                pass
    time.sleep(0.0005)
"""


def one_of(family: str) -> Implementation:
    return working(next(one.id for one in FOUND if one.id.startswith(family)))


@needs_root
@pytest.mark.parametrize("family", ["mpich-5", "lammpi"])
def test_nobody_leads_a_trace_elsewhere(family: str) -> None:
    one = one_of(family)
    with folder_of(0) as home:
        victim = home / "victim"
        victim.write_text(PRECIOUS)
        victim.chmod(0o600)
        with running_as(BOB, PLANT, home / "t", victim) as planter:
            assert planter.stdout is not None
            planter.stdout.readline()
            done = record(home / "t", one.id, 2, [compiled(one.id, "traced"), "4"])
            assert done.returncode == 0, done.stderr
            planter.kill()
            assert planter.stdout.read() == ""
        assert victim.read_text() == PRECIOUS
        assert stat.S_IMODE((home / "t").stat().st_mode) & 0o022 == 0
        files = sorted((home / "t").iterdir())
        assert {one.name for one in files} >= {"rank-000000.trace", "rank-000001.trace"}
        assert all(one.lstat().st_uid == 0 and stat.S_ISREG(one.lstat().st_mode) for one in files)
        assert len(read(home / "t").ranks) == 2


@needs_root
def test_no_folder_of_a_running_trace_can_be_written_by_others() -> None:
    one = one_of("lammpi")
    with folder_of(0) as home:
        line = ["trace", "-n", "1", "--mpi", one.id, "-o", "t", "--", str(compiled(one.id, "traced")), "4000000"]
        with started(*line, home=home) as running:
            deadline = time.monotonic() + 60
            while not (found := _folders_of_ranks(running.pid)):
                assert running.poll() is None and time.monotonic() < deadline
                time.sleep(0.01)
            modes = {stat.S_IMODE(Path(one).stat().st_mode) for one in (*found, home / "t")}
            assert not any(mode & 0o022 for mode in modes)
            running.terminate()
            running.wait(60)
        assert not any(Path(one).exists() for one in found)


@needs_root
@pytest.mark.parametrize("family", ["mpich-5", "lammpi"])
def test_a_placement_is_mapped_from_a_folder_of_the_ranks(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one = one_of(family)
    seen = []

    def look(*words: object) -> None:
        folder = Path(str(words[-1]))
        found = folder.stat()
        seen.append((found.st_uid, stat.S_IMODE(found.st_mode)))
        raise HostError("that is all", "")

    monkeypatch.setattr(study_further, "_record", look)
    run: Any = SimpleNamespace(further=("mapping",))
    asked: Any = None
    study_further.mapped_placement(run, asked, asked, one)
    assert seen == [(NOBODY if family == "lammpi" else 0, 0o700)]


def _folders_of_ranks(pid: int) -> set[str]:
    """What ranks that this process has started are told to write to, and is there."""
    started_by = f"{process.MARK}={process.identity(pid)}-".encode()
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if not any(one.startswith(started_by) for one in words):
            continue
        found |= {os.fsdecode(one[15:]) for one in words if one.startswith(b"RANKWISE_TRACE=/tmp/rankwise-0")}
    return {one for one in found if Path(one).exists()}


@pytest.mark.parametrize("ending", ["trace", "open"])
def test_the_tracer_follows_no_link(ending: str, tmp_path: Path) -> None:
    one = one_of("mpich-5")
    victim, folder = tmp_path / "victim", tmp_path / "t"
    victim.write_text(PRECIOUS)
    folder.mkdir()
    (folder / f"rank-000000.{ending}").symlink_to(victim)
    done = _recorded_by_hand(one, folder)
    assert done.returncode == 0 and "cannot write" not in done.stderr
    assert victim.read_text() == PRECIOUS
    assert len(read(folder).ranks) == 1 and not (folder / "rank-000000.trace").is_symlink()


def test_the_tracer_takes_no_link_for_its_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "t").symlink_to("real")
    done = _recorded_by_hand(one_of("mpich-5"), tmp_path / "t")
    assert done.returncode == 0 and "cannot write" in done.stderr
    assert not list((tmp_path / "real").iterdir())


@needs_root
def test_the_tracer_takes_no_folder_of_another_user(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    os.chown(folder, BOB, BOB)
    done = _recorded_by_hand(one_of("mpich-5"), folder)
    assert done.returncode == 0 and "cannot write" in done.stderr
    assert not list(folder.iterdir())


def _recorded_by_hand(one: Implementation, folder: Path) -> subprocess.CompletedProcess[str]:
    """As a program with the tracer linked in is, which nobody has prepared the folder for."""
    variables = {
        **os.environ, **dict(one.environment), "RANKWISE_TRACE": str(folder), "LD_PRELOAD": str(tracer.build(one)),
    }  # fmt: skip
    argv = [one.mpiexec, "-n", "1", str(compiled(one.id, "traced")), "4"]
    return subprocess.run(argv, env=variables, capture_output=True, text=True, timeout=60, check=False)
