"""`rankwise mpis` lists every installation with its state, and says how to get or mend one."""

import json
from pathlib import Path

import pytest

from rankwise.cli import main
from support.bare_host import bare_host, fake_mpich
from support.command_line import rankwise
from support.mpis import FOUND

FIELDS = {
    "id", "family", "version", "library_version", "mpi_standard", "abi", "source", "prefix", "mpicc", "mpiexec",
    "transports", "environment", "status", "reason", "remedy",
}  # fmt: skip


@pytest.mark.mpi
@pytest.mark.skipif(not FOUND, reason="no MPI here")
def test_the_list_has_every_installation_and_fits_80_columns(tmp_path: Path) -> None:
    listed = rankwise("mpis", home=tmp_path, timeout=300)
    assert listed.returncode == 0, listed.stderr
    assert listed.stderr == ""
    assert all(one.id in listed.stdout for one in FOUND)
    assert max(map(len, listed.stdout.splitlines())) <= 80


@pytest.mark.mpi
@pytest.mark.skipif(not FOUND, reason="no MPI here")
def test_json_has_every_field(tmp_path: Path) -> None:
    listed = json.loads(rankwise("mpis", "--json", home=tmp_path, timeout=300).stdout)
    assert {one["id"] for one in listed} == {one.id for one in FOUND}
    assert all(set(one) == FIELDS for one in listed)


def test_no_mpi_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bare_host(tmp_path, monkeypatch)
    assert main.run(["mpis"]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "no MPI implementation was found" in captured.err
    assert "rankwise mpis install" in captured.err
    assert main.run(["mpis", "--json"]) == 3
    assert json.loads(capsys.readouterr().out) == []


def test_a_broken_one_is_shown_with_reason_and_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_mpich(bare_host(tmp_path, monkeypatch), compiling="echo '[no] licence' >&2; exit 1")
    assert main.run(["mpis"]) == 3
    captured = capsys.readouterr()
    assert "mpich-9.1" in captured.out
    assert "mpicc failed to build smoke_test" in captured.out and "[no] licence" in captured.out
    assert "remedy: try it:" in captured.out


def test_input_that_makes_no_sense(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bare_host(tmp_path, monkeypatch)
    for words in (["install", "opnmpi"], ["install"], ["remove", "mpich-1"], ["--prefix", str(tmp_path)]):
        assert main.run(["mpis", *words]) == 2
        assert capsys.readouterr().err
