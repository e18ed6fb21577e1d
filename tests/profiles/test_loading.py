"""What a launch loads of a profile, wherever its folder has gone and whatever was done to it."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core import paths
from rankwise.core.errors import InputError
from rankwise.core.host_settings import MTU
from rankwise.core.records import Implementation
from rankwise.core.tuning import FOLDER, Native
from rankwise.profiles import moving
from rankwise.profiles.loading import (
    edits,
    loaded,
    manual_commands,
    part_of_family,
    place,
    place_apart,
    sysctl_file,
)
from rankwise.profiles.profile_file import read
from rankwise.profiles.writing import write
from support.profiles import NATIVE, RULES, TUNING, part, profile
from support.stored import OPENMPI

CONF = "openmpi-5.0.11/mca-params.conf"
MODULE = "modulefiles/wan/openmpi-5.0.11"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(profile(), tmp_path / "profiles")


def other(version: str, family: str = "openmpi") -> Implementation:
    return replace(OPENMPI, id=f"{family}-{version}", family=family, version=version)


def test_place_writes_the_files_with_their_folder_in_them(tmp_path: Path) -> None:
    found = place(NATIVE, tmp_path / "here")
    assert (tmp_path / "here/mca-params.conf").read_text().endswith(f"= {tmp_path}/here/rules.conf\n")
    assert dict(found.environment)["OMPI_MCA_mca_base_param_files"] == f"{tmp_path}/here/mca-params.conf"
    assert found.files == (f"{tmp_path}/here/mca-params.conf", f"{tmp_path}/here/rules.conf")
    assert found.arguments == NATIVE.arguments


def test_place_takes_a_relative_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert place(NATIVE, Path("here")).files[0] == f"{tmp_path}/here/mca-params.conf"


def test_a_profile_is_loaded(folder: Path) -> None:
    found = loaded(folder, OPENMPI)
    own = folder / "openmpi-5.0.11"
    assert dict(found.environment)["OMPI_MCA_mca_base_param_files"] == f"{own}/mca-params.conf"
    assert found.files == (f"{own}/mca-params.conf", f"{own}/rules.conf")
    assert found.arguments == NATIVE.arguments
    assert found.host_settings == TUNING.host_settings
    assert "tcp_rmem = 4096 131072 16777216" in sysctl_file(folder).read_text()
    assert edits(folder) == ()


@pytest.mark.parametrize("how", ["moved", "copied", "moved twice"])
def test_a_moved_folder_names_its_new_place(folder: Path, how: str, tmp_path: Path) -> None:
    new = tmp_path / "new place" / "wan"
    new.parent.mkdir()
    if how == "copied":
        shutil.copytree(folder, new)
    else:
        between = folder.rename(tmp_path / "between")
        if how == "moved twice":
            loaded(between, OPENMPI)
        between.rename(new)
    found = loaded(new, OPENMPI)
    assert found.files[0] == f"{new}/{CONF}"
    for name in (CONF, MODULE, "openmpi-5.0.11/load.sh", "README.md"):
        text = (new / name).read_text()
        assert str(new) in text
        assert str(folder) not in text and "between" not in text
    assert edits(new) == ()
    if how == "copied":
        assert str(folder) in (folder / CONF).read_text() and str(new) not in (folder / CONF).read_text()


def test_a_file_edited_by_hand_is_used_as_it_stands(folder: Path) -> None:
    (folder / CONF).write_text((folder / CONF).read_text().replace("33554432", "65536"))
    assert loaded(folder, OPENMPI).files[0] == f"{folder}/{CONF}"
    assert "65536" in (folder / CONF).read_text()
    (notice,) = edits(folder)
    assert notice.kind == "edited-profile"
    assert str(folder / CONF) in notice.message
    assert edits(folder, "mpich-5.0.2") == ()


def test_an_edited_file_is_edited_after_a_move_too(folder: Path, tmp_path: Path) -> None:
    (folder / CONF).write_text((folder / CONF).read_text().replace("33554432", "65536"))
    new = folder.rename(tmp_path / "new")
    loaded(new, OPENMPI)
    assert (new / CONF).read_text() == (
        f"btl_tcp_eager_limit = 65536\ncoll_tuned_dynamic_rules_filename = {new}/openmpi-5.0.11/rules.conf\n"
    )
    assert [notice.kind for notice in edits(new)] == ["edited-profile"]


def test_a_missing_file_is_written_again(folder: Path) -> None:
    (folder / "openmpi-5.0.11/rules.conf").unlink()
    loaded(folder, OPENMPI)
    assert (folder / "openmpi-5.0.11/rules.conf").read_text() == RULES


def test_a_moved_folder_that_cannot_be_written_is_loaded_from_the_cache(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / CONF).write_text((folder / CONF).read_text().replace("33554432", "65536"))
    new = folder.rename(tmp_path / "new")
    (cache := tmp_path / "cache").mkdir()
    monkeypatch.setattr(paths, "cache_folder", lambda: cache)
    real = moving.write_text

    def refused(path: Path, text: str) -> None:  # root may write anywhere: no permission bits can refuse it
        if path.is_relative_to(new):
            raise PermissionError(13, "Permission denied")
        real(path, text)

    monkeypatch.setattr(moving, "write_text", refused)
    before = {path: path.read_bytes() for path in new.rglob("*") if path.is_file()}
    found = loaded(new, OPENMPI)
    assert all(Path(file).is_relative_to(cache) for file in found.files)
    conf = Path(found.files[0]).read_text()
    assert f"= {Path(found.files[1])}" in conf and "65536" in conf
    assert {path: path.read_bytes() for path in new.rglob("*") if path.is_file()} == before


def test_the_same_version_under_another_id_is_the_same(folder: Path) -> None:
    assert loaded(folder, replace(OPENMPI, id="openmpi-5.0.11-mine")).files


@pytest.mark.parametrize("one", [other("4.1.4"), other("5.0.2", "mpich")])
def test_what_a_profile_lacks_is_said_with_what_it_has(folder: Path, one: Implementation) -> None:
    with pytest.raises(InputError, match=rf"nothing for {one.id}, only openmpi-5.0.11") as caught:
        loaded(folder, one)
    assert caught.value.remedy.startswith(f"tune {one.id}; recreate it with: rankwise tune --testbed duo")


def test_the_nearest_version_of_the_family_is_found() -> None:
    made = profile(part("openmpi-4.1.4"), part("openmpi-5.0.11"), part("mpich-4.0.2"))
    found = [part_of_family(made, other(version)) for version in ("4.1.9", "5.1.0", "6.0.0")]
    assert [one.implementation if one else "" for one in found] == [
        "openmpi-4.1.4", "openmpi-5.0.11", "openmpi-4.1.4",
    ]  # fmt: skip
    assert part_of_family(made, other("7.1.4", "lammpi")) is None


def test_settings_without_a_place_have_one_of_their_own_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = place_apart(NATIVE)
    again = place_apart(NATIVE)
    others = place_apart(Native((("f", FOLDER),), (("A", f"{FOLDER}/f"),)), (("net.core.somaxconn", "1"),))
    assert first == again
    assert Path(others.files[0]).parent != Path(first.files[0]).parent
    assert others.environment == (("A", others.files[0]),)
    assert others.host_settings == (("net.core.somaxconn", "1"),)
    assert [path.name for path in tmp_path.iterdir()] == ["rankwise"]


def test_what_root_does_by_hand(folder: Path) -> None:
    assert manual_commands(folder, ((MTU, "9000"),)) == ("sudo ip link set dev IFACE mtu 9000",)
    lines = manual_commands(folder, (("net.ipv4.tcp_rmem", "1 2 3"), (MTU, "9000")))
    assert lines == (f"sudo sysctl -p {sysctl_file(folder)}", "sudo ip link set dev IFACE mtu 9000")


def test_a_link_to_a_profile_is_the_profile(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    assert read(tmp_path / "link").folder == folder
    assert loaded(tmp_path / "link", OPENMPI).files[0] == f"{folder}/{CONF}"
