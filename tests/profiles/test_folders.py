"""The name of a profile leads to one folder, and only to one that is whole."""

from pathlib import Path

import pytest

from rankwise.core.errors import UnknownNameError
from rankwise.profiles.folders import complete, find, known
from rankwise.profiles.writing import write
from support.profiles import profile


@pytest.fixture(autouse=True)
def _places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def test_here_comes_before_the_data_folder(tmp_path: Path) -> None:
    write(profile(name="wan"), tmp_path / "data/rankwise/profiles")
    write(profile(name="lan"), tmp_path / "data/rankwise/profiles")
    assert find("wan") == tmp_path / "data/rankwise/profiles/wan"
    write(profile(name="wan"), Path("profiles"))
    assert find("wan") == Path("profiles/wan")
    assert sorted(known()) == ["lan", "wan"]
    assert complete(None, None, "w") == ["wan"]


def test_a_path_is_a_path(tmp_path: Path) -> None:
    place = write(profile(), tmp_path / "elsewhere")
    assert find(str(place)) == place
    assert find(f"{place}/profile.toml") == place
    assert find("./nothing") == Path("nothing")


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    write(profile(), Path("profiles"))
    with pytest.raises(UnknownNameError) as caught:
        find("wam")
    assert caught.value.remedy == "did you mean wan?"


def test_a_write_that_is_under_way_is_no_profile() -> None:
    place = write(profile(), Path("profiles"))
    (place.parent / ".wan.1234").mkdir()
    (place / "profile.toml").rename(place.parent / ".wan.1234/profile.toml")
    assert known() == {}
