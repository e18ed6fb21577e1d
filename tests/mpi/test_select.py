"""What was typed leads to the implementations that are meant, or to the nearest names."""

from pathlib import Path

import pytest

from rankwise.core.errors import HostError, UnknownNameError
from rankwise.core.records import Implementation
from rankwise.mpi import select
from support.bare_host import bare_host, fake_mpich
from support.mpis import FOUND


def an(name: str) -> Implementation:
    family, _, version = name.partition("-")
    return Implementation(name, family, version, "/p", "/p/mpicc", "/p/mpiexec", "path")


HERE = [an("openmpi-5.0.11"), an("openmpi-5.0.1"), an("openmpi-4.1.4"), an("mpich-5.0.2")]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("openmpi-5.0.1", ["openmpi-5.0.1"]),
        ("openmpi", ["openmpi-5.0.11", "openmpi-5.0.1", "openmpi-4.1.4"]),
        ("openmpi-4", ["openmpi-4.1.4"]),
        ("mp", ["mpich-5.0.2"]),
    ],
)
def test_an_id_a_family_or_a_unique_start(typed: str, meant: list[str]) -> None:
    assert [one.id for one in select.matching(typed, HERE)] == meant


@pytest.mark.parametrize(("typed", "near"), [("openmpi-5", "openmpi-5.0.1"), ("mpihc", "mpich")])
def test_what_is_unknown_or_ambiguous_is_answered_with_the_nearest(typed: str, near: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        select.matching(typed, HERE)
    assert near in caught.value.remedy


def test_no_mpi_at_all_says_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare_host(tmp_path, monkeypatch)
    with pytest.raises(HostError, match="no MPI implementation was found") as caught:
        select.working()
    assert "rankwise mpis install" in caught.value.remedy


def test_a_broken_one_that_was_named_is_an_error_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_mpich(bare_host(tmp_path, monkeypatch), compiling="echo 'no licence' >&2; exit 1")
    with pytest.raises(HostError, match="no licence"):
        select.working(["mpich"])


@pytest.mark.mpi
@pytest.mark.skipif(not FOUND, reason="no MPI here")
def test_only_what_was_named_is_proved() -> None:
    proved: list[str] = []
    working, broken = select.working([FOUND[0].id, FOUND[0].id], progress=proved.append)
    assert proved == [FOUND[0].id] == [one.id for one in working]
    assert broken == []
