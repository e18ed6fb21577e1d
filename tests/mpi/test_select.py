"""What was typed leads to the implementations that are meant, or to the nearest names."""

import subprocess
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
        ("openmpi-5", ["openmpi-5.0.11"]),
    ],
)
def test_an_id_a_family_or_the_newest_that_starts_so(typed: str, meant: list[str]) -> None:
    assert [one.id for one in select.matching(typed, HERE)] == meant


@pytest.mark.parametrize(("typed", "near"), [("mpich-6", "mpich-5.0.2"), ("mpihc", "mpich")])
def test_what_is_unknown_is_answered_with_the_nearest(typed: str, near: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        select.matching(typed, HERE)
    assert near in caught.value.remedy


def test_several_families_are_not_one_implementation() -> None:
    with pytest.raises(UnknownNameError):
        select.matching("m", [an("mpich-5.0.2"), an("mvapich-4.0")])


def test_what_was_chosen_is_named_once(caplog: pytest.LogCaptureFixture) -> None:
    here = [an("mpich-5.0.2"), an("mpich-5.0.10")]
    for _ in range(2):
        select.matching("mpich-5.0", here)
    (message,) = caplog.messages
    assert message.index("mpich-5.0.10") < message.index("mpich-5.0.2")


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


def test_a_library_of_the_programs_own_is_no_mpi(tmp_path: Path) -> None:
    library, program = tmp_path / "libmpirunner.so", tmp_path / "program"
    (tmp_path / "library.c").write_text("int answer(void) { return 42; }\n")
    (tmp_path / "main.c").write_text("int answer(void);\nint main(void) { return answer() != 42; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "library.c"], check=True, timeout=60)
    linked = [f"-L{tmp_path}", "-lmpirunner", f"-Wl,-rpath,{tmp_path}"]
    subprocess.run(["cc", "-o", program, tmp_path / "main.c", *linked], check=True, timeout=60)
    assert not select.asks_for(program)
