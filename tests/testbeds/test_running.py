"""Folders of running testbeds are listed and cleared when their owner is gone, and no others are touched."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rankwise.core import paths, process
from rankwise.core.errors import InputError
from rankwise.testbeds import running
from support.emulated import needs_emulation, processes_naming, state_of, supervisor_of, two_sites, wait_until
from support.ordinary_user import needs_root
from support.other_user import BOB, EVE, run_as


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
        with pytest.raises(InputError, match="testbed lasting is already up"):
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


def test_the_runtime_folder_is_one_that_others_can_only_look_into() -> None:
    folder = paths.runtime_folder()
    assert folder == Path(f"/tmp/rankwise-{os.getuid()}")
    assert folder.stat().st_mode & 0o777 == 0o755


@needs_root
@pytest.mark.parametrize(
    "taken",
    ["os.symlink(elsewhere, name)", "os.symlink('/tmp/rankwise-nowhere', name)", "open(name, 'x')",
     "os.mkdir(name, 0o777)"],
)  # fmt: skip
def test_where_another_user_has_taken_its_name_all_find_the_same_other_one(taken: str, tmp_path: Path) -> None:
    """That is reported by the process that makes it, and by no other, also when the name is free again."""
    usual = Path(f"/tmp/rankwise-{EVE}")
    code = f"import sys\nname, elsewhere = sys.argv[1:]\n{taken}"
    assert run_as(BOB, code, usual, tmp_path).returncode == 0
    made: set[str] = set()
    try:
        first = _runtime_folder_of(EVE)
        made.add(first[0])
        second = _runtime_folder_of(EVE)
        made.add(second[0])
        _remove(usual)
        third = _runtime_folder_of(EVE)
        made.add(third[0])
    finally:
        _remove(usual)
        for one in made:
            _remove(Path(one))
    assert len(made) == 1 and first[0] != str(usual) and first[0].startswith(f"{usual}-")
    assert [str(usual) in said for _, said in (first, second, third)] == [True, False, False]
    assert not list(tmp_path.iterdir()) and not Path("/tmp/rankwise-nowhere").exists()


@needs_root
def test_processes_that_begin_at_once_take_the_same_folder() -> None:
    usual = Path(f"/tmp/rankwise-{EVE}")
    assert run_as(BOB, "import sys\nos.mkdir(sys.argv[1])", usual).returncode == 0
    found: set[str] = set()
    try:
        with ThreadPoolExecutor(4) as pool:
            found = {one for one, _ in pool.map(lambda _: _runtime_folder_of(EVE), range(8))}
    finally:
        for one in (usual, *map(Path, found)):
            _remove(one)
    assert len(found) == 1


def _runtime_folder_of(user: int) -> tuple[str, str]:
    """What a new process of this user takes, and what it says; root's modules may lie where the user cannot go."""
    code = (
        "import os, sys\nfrom rankwise.core import paths\nuser = int(sys.argv[1])\nos.setgid(user)\n"
        "os.setuid(user)\nprint(paths.runtime_folder())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(user)], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.strip(), done.stderr


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


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
