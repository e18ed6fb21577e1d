"""Every installation is found once, with an id of its own that stays."""

from pathlib import Path

import pytest

from rankwise.mpi.discover import installations
from support.bare_host import bare_host, fake_mpich, script


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return bare_host(tmp_path, monkeypatch)


def test_no_mpi_at_all(path: Path) -> None:
    assert installations() == []


def test_an_installation_found_through_links_is_one(path: Path, tmp_path: Path) -> None:
    fake_mpich(tmp_path / "opt/mpich/bin")
    (path / "mpicc").symlink_to(tmp_path / "opt/mpich/bin/mpicc")
    (tmp_path / "opt/latest").symlink_to(tmp_path / "opt/mpich")
    (one,) = installations([tmp_path / "opt/latest", tmp_path / "opt/mpich"])
    assert (one.id, one.source, one.status) == ("mpich-9.1", "prefix", "untested")
    assert one.mpiexec == str(tmp_path / "opt/latest/bin/mpiexec")


def test_two_compilers_of_one_library_are_one(path: Path, tmp_path: Path) -> None:
    library = tmp_path / "lib/libmpi.so"
    library.parent.mkdir()
    library.touch()
    for folder in ("a", "b"):
        script(tmp_path / folder / "bin/mpiexec", "exit 1")
        script(
            tmp_path / folder / "bin/mpicc",
            f'[ "$1" = -v ] && echo "mpicc for MPICH version 9.1"; echo "gcc -L{library.parent} -lmpi"',
        )
    assert len(installations([tmp_path / "a", tmp_path / "b"])) == 1


def test_two_installations_of_one_version_have_different_stable_ids(path: Path, tmp_path: Path) -> None:
    for folder in ("a", "b", "c"):
        fake_mpich(tmp_path / folder / "bin")
    ids = [one.id for one in installations([tmp_path / folder for folder in ("a", "b", "c")])]
    assert ids[:2] == ["mpich-9.1", "mpich-9.1-prefix"]
    assert len(set(ids)) == 3
    assert ids == [one.id for one in installations([tmp_path / folder for folder in ("a", "b", "c")])]


def test_a_compiler_that_no_family_knows_is_listed_as_broken(path: Path) -> None:
    script(path / "mpicc", "echo what; exit 1")
    (one,) = installations()
    assert (one.family, one.status) == ("unknown", "broken")
    assert str(path / "mpicc") in one.reason
    assert one.remedy


def test_a_compiler_that_hangs_is_given_up(path: Path) -> None:
    script(path / "mpicc", "sleep 60")
    (one,) = installations(ask_seconds=0.3)
    assert one.status == "broken"
    assert "timed out" in one.reason
