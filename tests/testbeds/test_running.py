"""Folders of running testbeds are listed and cleared when their owner is gone, and no others are touched."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rankwise.core import paths, process
from rankwise.core.errors import HostError, InputError
from rankwise.testbeds import running
from support.emulated import needs_emulation, processes_naming, state_of, supervisor_of, two_sites, wait_until


@pytest.fixture
def apart(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of running testbeds of this test's own: in the real one every verb clears what was left."""
    folder = tmp_path_factory.mktemp("run")
    monkeypatch.setattr(paths, "runtime_folder", lambda: folder)
    return folder


def named() -> list[str]:
    return [one.name for one in running.running()]


@pytest.mark.parametrize(
    "path",
    ["", ".", "/", "..", "name", "/tmp", "/tmp/run", "/tmp/run/.", "/tmp/run/..", "/tmp/run/.lock", "/tmp/run/a/b",
     "/tmp/run/../x", "/tmp/other/a"],
)  # fmt: skip
def test_only_what_is_directly_below_is_a_testbeds_folder(path: str) -> None:
    assert not running.is_testbed_folder(Path("/tmp/run"), Path(path))
    assert running.is_testbed_folder(Path("/tmp/run"), Path("/tmp/run/name"))


def test_links_that_lead_elsewhere_are_no_testbeds_folders(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "link").symlink_to(tmp_path / "elsewhere")
    assert not running.is_testbed_folder(tmp_path / "run", tmp_path / "run" / "link")


@pytest.mark.parametrize("path", ["", ".", "kept", None])
def test_to_stop_anything_else_is_refused_and_removes_nothing(
    path: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="is not the folder of a testbed"):
        running.stop(tmp_path if path is None else Path(path))
    assert (tmp_path / "kept").is_dir()


@needs_emulation
def test_a_detached_one_outlives_who_started_it_and_is_listed_until_it_is_stopped() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
        "from support.emulated import two_sites\nfrom rankwise.testbeds import running\n"
        "running.start(two_sites('lasting', per_site=1), attached=False)"
    )
    folder = paths.runtime_folder() / "lasting"
    outcome = process.run([sys.executable, "-c", code], 30)  # which ends all that it marked
    assert outcome.returncode == 0, outcome
    try:
        one = state_of(folder)
        assert (one.name, one.attached, one.nodes, one.is_up) == ("lasting", False, ("a1", "b1"), True)
        assert "lasting" not in running.clear_left_over()
        shell = [str(folder / "rsh"), "b1", "hostname"]
        assert subprocess.run(shell, capture_output=True, text=True, check=False, timeout=10).stdout == "b1\n"
        with pytest.raises(InputError, match="testbed lasting is up already"):
            running.start(two_sites("lasting"), attached=False)
    finally:
        running.stop(folder)
    assert "lasting" not in named() and not folder.exists()
    assert processes_naming(str(folder)) == []
    running.stop(folder)  # again


@needs_emulation
@pytest.mark.usefixtures("apart")
def test_what_a_killed_supervisor_left_is_cleared_and_the_living_are_not_touched() -> None:
    living = running.start(two_sites("living", per_site=1), attached=False)
    dead = running.start(two_sites("dead", per_site=1), attached=False)
    try:
        os.kill(supervisor_of(dead), signal.SIGKILL)
        wait_until(lambda: "dead" not in named())
        assert running.clear_left_over() == ["dead"]
        assert not dead.exists() and "living" in named()
    finally:
        running.stop(living)
        running.stop(dead)


@needs_emulation
@pytest.mark.usefixtures("apart")
def test_an_attached_one_that_broke_is_left_to_its_living_owner() -> None:
    folder = running.start(two_sites("broken", per_site=1), attached=True)
    try:
        os.kill(supervisor_of(folder), signal.SIGKILL)
        wait_until(lambda: "broken" not in named())
        assert folder.name not in running.clear_left_over()
        state = json.loads((folder / "state.json").read_text())
        (folder / "state.json").write_text(json.dumps({**state, "owner": "1-1"}))
        assert folder.name in running.clear_left_over()
    finally:
        running.stop(folder)


@pytest.mark.parametrize("state", [None, "", "{}", "[1]", '{"nodes": 3}'])
def test_folders_that_make_no_sense_are_cleared(state: str | None, apart: Path) -> None:
    folder = apart / "nonsense"
    folder.mkdir()
    if state is not None:
        (folder / "state.json").write_text(state)
    assert "nonsense" not in named()
    assert "nonsense" in running.clear_left_over()
    assert not folder.exists()


def test_the_runtime_folder_must_be_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = paths.runtime_folder()
    assert folder == Path(f"/tmp/rankwise-{os.getuid()}")
    assert folder.stat().st_mode & 0o777 == 0o755
    trap = Path("/tmp/rankwise-4294967294")
    monkeypatch.setattr(os, "getuid", lambda: 4294967294)  # whose name another user has taken
    for take, leave in (
        (lambda: trap.symlink_to(tmp_path), trap.unlink),
        (lambda: trap.symlink_to("/tmp/rankwise-nowhere"), trap.unlink),
        (lambda: trap.write_text("mine"), trap.unlink),
        (lambda: trap.mkdir(mode=0o777), trap.rmdir),
    ):
        take()
        try:
            with pytest.raises(HostError, match="is not a folder of this user"):
                paths.runtime_folder()
        finally:
            leave()
    assert not list(tmp_path.iterdir()) and not Path("/tmp/rankwise-nowhere").exists()


@needs_emulation
def test_why_it_ended_is_awaited_for_a_moment_only() -> None:
    folder = running.start(two_sites("asked", per_site=1), attached=True)
    try:
        assert running.why_ended(folder) == ""
        (folder / "ended").write_text("for this reason\n")
        assert running.why_ended(folder, 5.0) == "for this reason"
    finally:
        running.stop(folder)
    assert running.why_ended(folder) == running.TAKEN_DOWN
