"""profile.toml: exact both ways, and every mistake in it is pointed at."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from rankwise.core.errors import InputError
from rankwise.core.tuning import Profile
from rankwise.profiles.profile_file import FILE, profile_text, read, with_folder
from support.profiles import profile, profiles
from support.stored import plain


@given(profiles)
def test_a_profile_is_read_as_it_was_written(made: Profile) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, FILE).write_text(profile_text(made, Path("/some/where")), encoding="utf-8", newline="")
        stored = read(Path(folder))
    assert plain(stored.profile) == plain(made)
    assert stored.written_in == "/some/where"


def test_the_folder_can_be_changed_and_all_else_stays(tmp_path: Path) -> None:
    text = profile_text(profile(), Path("/old place"))
    moved = with_folder(text + "# a remark\n", tmp_path)
    (tmp_path / FILE).write_text(moved)
    assert read(tmp_path).written_in == str(tmp_path)
    assert moved.endswith("# a remark\n")
    assert plain(read(tmp_path).profile) == plain(profile())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "wan"', "name = wan", ": this is not TOML"),
        ('name = "wan"', "name = 3", ": name: must be a string"),
        ('name = "wan"', 'nam = "wan"', ": nam: unknown key"),
        ("runs = [7, 8]", 'runs = [7, "8"]', ": runs[2]: must be a whole number"),
        ("launches = 120", "launches = true", ": parts[1].launches: must be a whole number"),
        ('verdict = "faster"', 'verdict = "fastest"', "'fastest' is not supported"),
        ('implementation = "openmpi-5.0.11"', 'implementation = "../up"', "cannot be the name of a file"),
        ('"rules.conf"', '"/etc/passwd"', "'/etc/passwd' cannot be the name of a file"),
        ("format = 1", "format = 2", "reads profiles of format 1, not 2"),
        ('version = "5.0.11"\n', "", "version is missing"),
    ],
)
def test_a_mistake_is_pointed_at(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = profile_text(profile(), tmp_path)
    assert old in text
    (tmp_path / FILE).write_text(text.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read(tmp_path)
    assert said in str(caught.value)
    file, line = str(caught.value).split(":")[:2]
    assert file == str(tmp_path / FILE)
    if new and "missing" not in said and "name of a file" not in said:
        assert new in (tmp_path / FILE).read_text().splitlines()[int(line) - 1]


def test_no_profile_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read(tmp_path)
    (tmp_path / FILE).write_bytes(b"\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        read(tmp_path)
