"""A profile's folder is written whole or not at all."""

import errno
import os
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.errors import HostError, InputError
from rankwise.profiles import writing
from rankwise.profiles.profile_file import read
from rankwise.profiles.writing import remove, require_free, write
from support.profiles import NATIVE, part, profile
from support.stored import plain


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_written(tmp_path: Path) -> None:
    place = write(profile(part(), part("mpich-5.0.2", replace(NATIVE, files=()))), tmp_path / "deep" / "profiles")
    assert place == tmp_path / "deep/profiles/wan"
    assert sorted(everything(place)) == [
        "90-rankwise.conf", "README.md", "modulefiles/wan/mpich-5.0.2", "modulefiles/wan/openmpi-5.0.11",
        "mpich-5.0.2/load.sh", "openmpi-5.0.11/load.sh", "openmpi-5.0.11/mca-params.conf",
        "openmpi-5.0.11/rules.conf", "profile.toml",
    ]  # fmt: skip
    assert [path.name for path in place.parent.iterdir()] == ["wan"]
    assert plain(read(place).profile.parts[0]) == plain(part())
    assert place.stat().st_mode & 0o777 == 0o755 and (place / "README.md").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("name", ["", "default", "../up", ".hidden", "a b", "a/b"])
def test_a_name_that_cannot_be(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be the name"):
        require_free(name, tmp_path)


def test_a_name_that_is_taken_needs_force(tmp_path: Path) -> None:
    place = write(profile(), tmp_path)
    before = everything(place)
    with pytest.raises(InputError, match="already") as caught:
        write(profile(part("mpich-5.0.2")), tmp_path)
    assert "--force" in caught.value.remedy
    assert everything(place) == before
    write(profile(part("mpich-5.0.2")), tmp_path, force=True)
    assert [one.implementation for one in read(place).profile.parts] == ["mpich-5.0.2"]
    assert not (place / "openmpi-5.0.11").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["wan"]


def test_a_profile_that_is_taken_away_is_gone_but_nothing_else(tmp_path: Path) -> None:
    place = write(profile(), tmp_path)
    (place / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"notes\.txt"):
        remove(place)
    assert (place / "profile.toml").exists()
    (place / "notes.txt").unlink()
    remove(place)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("strange", ["notes.txt", "openmpi-5.0.11/mine.conf"])
def test_what_is_not_ours_is_never_replaced(strange: str, tmp_path: Path) -> None:
    place = write(profile(), tmp_path)
    (place / strange).write_text("mine")
    before = everything(place)
    with pytest.raises(InputError, match="is not part of the profile"):
        write(profile(), tmp_path, force=True)
    assert everything(place) == before


def test_a_folder_that_is_no_profile_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "wan").mkdir()
    with pytest.raises(InputError, match=r"cannot read .*profile\.toml"):
        write(profile(), tmp_path, force=True)
    assert (tmp_path / "wan").is_dir()


@pytest.mark.parametrize("replacing", [False, True])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_an_end_midway_leaves_what_was_there(
    error: BaseException, replacing: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything(write(profile(), tmp_path)) if replacing else {}
    real, written = writing.write_text, []

    def full(path: Path, text: str) -> None:
        if len(written) == 4:
            raise error
        written.append(path)
        real(path, text)

    monkeypatch.setattr(writing, "write_text", full)
    with pytest.raises(HostError if isinstance(error, OSError) else KeyboardInterrupt) as caught:
        write(profile(part("mpich-5.0.2")), tmp_path, force=replacing)
    if isinstance(error, OSError):
        assert "No space left on device" in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == (["wan"] if replacing else [])
    assert everything(tmp_path / "wan") == before


class _WithoutExchange:
    """A C library on a file system that cannot let two folders trade places."""

    def renameat2(self, *_: object) -> int:
        return -1


def test_a_file_system_that_cannot_exchange_two_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_libc", _WithoutExchange())
    write(profile(), tmp_path)
    place = write(profile(part("mpich-5.0.2")), tmp_path, force=True)
    assert [one.implementation for one in read(place).profile.parts] == ["mpich-5.0.2"]
    assert [path.name for path in tmp_path.iterdir()] == ["wan"]


def test_a_failed_exchange_puts_the_old_one_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = everything(write(profile(), tmp_path))
    monkeypatch.setattr(writing, "_libc", _WithoutExchange())
    real = Path.rename

    def refused(path: Path, target: Path) -> Path:
        if path.name == "new":
            raise OSError(errno.EIO, "Input/output error")
        return real(path, target)

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(HostError):
        write(profile(part("mpich-5.0.2")), tmp_path, force=True)
    assert everything(tmp_path / "wan") == before


def test_a_disk_that_takes_no_more(tmp_path: Path) -> None:
    before = everything(write(profile(), tmp_path))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(HostError, match="File too large"):
            write(profile(part("mpich-5.0.2")), tmp_path, force=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert everything(tmp_path / "wan") == before
    assert [path.name for path in tmp_path.iterdir()] == ["wan"]


_AGAIN_AND_AGAIN = """
import itertools, sys
from pathlib import Path
from rankwise.profiles.writing import write
from support.profiles import part, profile

for turn in itertools.count():
    write(profile(part("mpich-5.0.2" if turn % 2 else "openmpi-5.0.11")), Path(sys.argv[1]), force=True)
    print(turn, flush=True)
"""


@pytest.mark.nightly
def test_a_killed_write_leaves_a_whole_profile(tmp_path: Path) -> None:
    whole = [
        set(everything(write(profile(part(name)), tmp_path / name))) for name in ("mpich-5.0.2", "openmpi-5.0.11")
    ]
    support = Path(__file__).parents[1]
    for _ in range(2):
        argv = [sys.executable, "-c", _AGAIN_AND_AGAIN, str(tmp_path / "many")]
        environment = {**os.environ, "PYTHONPATH": str(support)}
        with subprocess.Popen(argv, stdout=subprocess.PIPE, env=environment) as writer:
            assert writer.stdout is not None
            for _ in range(3):
                assert writer.stdout.readline()
            writer.kill()
        assert set(everything(tmp_path / "many/wan")) in whole
        read(tmp_path / "many/wan")
