"""What another user cannot read, change, lead elsewhere or take the name of; and that nothing of it stays."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankwise.core import paths, private
from rankwise.core.errors import HostError, InputError
from support.ordinary_user import NOBODY, folder_of, needs_root
from support.other_user import BOB, EVE, run_as, running_as

READ = "import sys\nprint(open(sys.argv[1]).read())"
PLANT = """
import sys, time, itertools
folder, target = sys.argv[1:]
print("begun", flush=True)
for number in itertools.count():
    for name in ("rank-000000.trace", "about", "copy"):
        try:
            os.symlink(target, os.path.join(folder, name))
            print("planted", name, flush=True)
        except OSError:
            pass
    try:
        os.rename(folder, folder + f".{number}")
        print("renamed", flush=True)
    except OSError:
        pass
"""


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder of root's that all can enter, in a place where all can write."""
    with folder_of(0) as folder:
        yield folder


def test_a_secret_is_for_this_user_and_goes() -> None:
    with private.secret("word\n") as file:
        assert file.read_text() == "word\n" and stat.S_IMODE(file.stat().st_mode) == 0o600
        assert file.parent == paths.runtime_folder()
    assert not file.exists()


@needs_root
def test_other_users_cannot_read_a_secret() -> None:
    with private.secret("word\n") as file:
        for user in (BOB, EVE, NOBODY):
            done = run_as(user, READ, file)
            assert "PermissionError" in done.stderr and "word" not in done.stdout


@needs_root
def test_a_folder_is_for_its_user_alone_who_cannot_move_it() -> None:
    with private.folder_of(BOB) as folder:
        assert run_as(BOB, "import sys\nopen(sys.argv[1], 'x')", folder / "own").returncode == 0
        assert run_as(EVE, "import sys\nos.listdir(sys.argv[1])", folder).returncode != 0
        for code in ("os.rename(sys.argv[1], sys.argv[1] + '2')", "os.rmdir(sys.argv[1])"):
            assert "PermissionError" in run_as(BOB, f"import sys\n{code}", folder).stderr
    assert not folder.exists()


def test_what_a_killed_process_left_goes_and_what_a_living_one_has_stays() -> None:
    code = (
        "import os, time\nfrom rankwise.core import private\n"
        "with private.secret('x') as file, private.folder_of(os.geteuid()) as folder:\n"
        "    (folder / 'one').write_text('')\n    print(file, folder, flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        there = [Path(word) for word in child.stdout.readline().split()]
        private.clear_left()
        assert len(there) == 2 and all(one.exists() for one in there)
        child.send_signal(signal.SIGKILL)
        child.wait(10)
    private.clear_left()
    assert not any(one.exists() for one in there)


def test_a_folder_is_made_or_found_and_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    for mode in (None, 0o777, 0o750):
        if mode is not None:
            folder.chmod(mode)
        with private.opened(folder) as descriptor:
            assert os.fstat(descriptor).st_ino == folder.stat().st_ino
            assert not folder.stat().st_mode & 0o022


def test_a_link_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(InputError) as caught, private.opened(tmp_path / "link"):
        pass
    assert str(tmp_path / "real") in caught.value.remedy


@needs_root
@pytest.mark.parametrize(
    "made", ["os.mkdir(sys.argv[1])", "os.symlink(sys.argv[2], sys.argv[1])"], ids=["folder", "link"]
)
def test_what_another_user_has_made_there_is_refused(made: str, public: Path) -> None:
    public.chmod(0o1777)
    (public / "own").mkdir()
    (public / "own" / "kept").write_text("kept")
    assert run_as(BOB, f"import sys\n{made}", public / "it", public / "own").returncode == 0
    with pytest.raises(InputError), private.opened(public / "it"):
        pass
    assert (public / "own" / "kept").read_text() == "kept"


def test_a_new_file_is_new(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept")
    folder = tmp_path / "folder"
    with private.opened(folder) as descriptor:
        (folder / "link").symlink_to(victim)
        (folder / "dangling").symlink_to(tmp_path / "nowhere")
        for name in ("link", "dangling"):
            with pytest.raises(FileExistsError):
                private.create(descriptor, name)
        os.close(private.create(descriptor, "new"))
    assert victim.read_text() == "kept" and not (tmp_path / "nowhere").exists()


@needs_root
def test_nobody_wins_a_race_for_a_folder(public: Path) -> None:
    """Where another user may enter but not write, and where everybody may write (as in /tmp)."""
    victim = public / "victim"
    victim.write_text("precious")
    victim.chmod(0o600)
    for mode, parent in ((0o755, public / "closed"), (0o1777, public / "sticky")):
        parent.mkdir()
        parent.chmod(mode)
        folder = parent / "app.trace"
        with running_as(BOB, PLANT, folder, victim) as planter:
            assert planter.stdout is not None
            planter.stdout.readline()
            for _ in range(200):
                with private.opened(folder) as descriptor:
                    os.close(private.create(descriptor, "about"))
                    os.unlink("about", dir_fd=descriptor)
                folder.rmdir()
            planter.kill()
            assert planter.stdout.read() == ""
    assert victim.read_text() == "precious"


@needs_root
def test_of_what_another_user_wrote_only_its_own_files_are_taken(public: Path) -> None:
    victim = public / "victim"
    victim.write_text("precious")
    folder = public / "trace"
    code = (
        "import sys\nfolder, victim = sys.argv[1:]\nos.chdir(folder)\n"
        "open('rank-000000.trace', 'w').write('recorded')\nos.symlink(victim, 'rank-000001.trace')\n"
        "os.mkfifo('rank-000002.trace')\nos.mkdir('rank-000003.trace')\n"
        "open('named', 'w').write('twice')\nos.link('named', 'rank-000004.trace')\n"
    )
    with private.opened(folder), private.written_by(NOBODY, folder) as theirs:
        assert theirs.stat().st_uid == NOBODY and stat.S_IMODE(theirs.stat().st_mode) == 0o700
        done = run_as(NOBODY, code, theirs, victim)
        assert done.returncode == 0, done.stderr
        with pytest.raises(FileNotFoundError):
            (folder / "rank-000000.trace").stat()
    assert [one.name for one in folder.iterdir()] == ["rank-000000.trace"]
    copy = folder / "rank-000000.trace"
    assert copy.read_text() == "recorded" and copy.stat().st_uid == 0 and not theirs.exists()


@needs_root
def test_copies_follow_no_link_of_another_user(public: Path) -> None:
    folder = public / "trace"
    with pytest.raises(HostError), private.opened(folder), private.written_by(NOBODY, folder) as theirs:
        assert run_as(NOBODY, "import sys\nopen(sys.argv[1], 'x')", theirs / "one").returncode == 0
        (folder / "one").symlink_to(public / "nowhere")
    assert not (public / "nowhere").exists()


def test_processes_of_this_user_write_to_the_folder_itself(tmp_path: Path) -> None:
    with private.written_by(os.geteuid(), tmp_path) as folder:
        assert folder == tmp_path
