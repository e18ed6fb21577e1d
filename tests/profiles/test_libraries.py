"""The library of a profile travels with it, is loaded where it can be, and is taken out by the next profile."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from rankwise.core.errors import InputError
from rankwise.core.tuning import FOLDER, Native
from rankwise.profiles import exporting, loading
from rankwise.profiles.profile_file import read
from rankwise.profiles.writing import require_free, write
from support.profiles import part, profile
from support.shells import OPEN_MPI, SHELLS, launcher, module, shell
from support.stored import OPENMPI, plain

LIBRARY = "openmpi-5.0.11-0123/rankwise-overlay.so"
FORWARDED = "-x LD_PRELOAD -x RANKWISE_OVERLAY"
NATIVE = Native(
    (("overlay-table", "# rankwise overlay 1\n"),),
    (("LD_PRELOAD", f"{FOLDER}/rankwise-overlay.so"), ("RANKWISE_OVERLAY", f"{FOLDER}/overlay-table")),
    libraries=(LIBRARY,),
)
every_shell = pytest.mark.parametrize("name", list(SHELLS))


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library that does nothing, in a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "cache/rankwise/builds" / LIBRARY
    file.parent.mkdir(parents=True)
    source = tmp_path / "nothing.c"
    source.write_text("int rankwise_nothing;\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", file, source], check=True, timeout=60)
    return file


@pytest.fixture
def place(tmp_path: Path, built: Path) -> Path:
    return write(profile(part(native=NATIVE)), tmp_path / "profiles") / "openmpi-5.0.11"


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    return launcher(tmp_path / "bin", OPEN_MPI)


def test_the_folder_has_it_and_the_profile_is_read_as_it_was_written(place: Path, built: Path) -> None:
    assert (place / "rankwise-overlay.so").read_bytes() == built.read_bytes()
    assert plain(read(place.parent).profile.parts[0].native) == plain(NATIVE)
    require_free("wan", place.parent.parent, force=True)


def test_a_launch_names_it_among_the_files_that_hosts_need(place: Path) -> None:
    loaded = loading.loaded(place.parent, OPENMPI)
    assert dict(loaded.environment)["LD_PRELOAD"] == str(place / "rankwise-overlay.so") in loaded.files


def test_it_needs_no_cache_once_it_is_there_and_is_put_back_from_one(place: Path, built: Path) -> None:
    (place / "rankwise-overlay.so").unlink()
    loading.loaded(place.parent, OPENMPI)
    assert (place / "rankwise-overlay.so").exists()
    shutil.rmtree(built.parent)
    loading.loaded(place.parent, OPENMPI)
    (place / "rankwise-overlay.so").unlink()
    with pytest.raises(InputError, match="is missing"):
        loading.loaded(place.parent, OPENMPI)


def test_a_profile_cannot_name_files_elsewhere(place: Path) -> None:
    file = place.parent / "profile.toml"
    file.write_text(file.read_text().replace(LIBRARY, "../../rankwise-overlay.so"))
    with pytest.raises(InputError, match="cannot be the name"):
        read(place.parent)


@every_shell
def test_load_sh_puts_it_before_what_the_user_preloads(name: str, place: Path, bin_folder: Path) -> None:
    said = shell(name, '. "$0"', place / "load.sh", bin_folder)
    assert said.stderr == ""
    assert said.variables["LD_PRELOAD"] == f"{place}/rankwise-overlay.so"
    assert said.variables["RANKWISE_OVERLAY"] == f"{place}/overlay-table"
    assert said.variables["RANKWISE_MPIEXEC_ARGUMENTS"] == FORWARDED
    usual = shell(name, 'export LD_PRELOAD=libc.so.6; . "$0"', place / "load.sh", bin_folder)
    assert usual.variables["LD_PRELOAD"] == f"{place}/rankwise-overlay.so:libc.so.6"


@every_shell
def test_the_next_profile_takes_it_out(name: str, place: Path, bin_folder: Path) -> None:
    other = write(profile(part(native=Native((), (("A", "1"),))), name="lan"), place.parent.parent)
    script = f'. "$0"; . "$0"; . {shlex.quote(str(other / "openmpi-5.0.11/load.sh"))}'
    said = shell(name, script, place / "load.sh", bin_folder)
    left = [one for one in said.variables if one.startswith(("LD_", "RANKWISE_"))]
    assert (left, said.variables["A"], said.stderr) == (["RANKWISE_LOADED"], "1", "")
    mine = shell(name, f"export LD_PRELOAD=libc.so.6; {script}", place / "load.sh", bin_folder)
    assert mine.variables["LD_PRELOAD"] == "libc.so.6"


@every_shell
def test_what_does_not_load_here_is_refused_and_nothing_is_changed(
    name: str, place: Path, bin_folder: Path
) -> None:
    (place / "rankwise-overlay.so").write_bytes(b"of another kind of host")
    said = shell(name, '. "$0" || :', place / "load.sh", bin_folder, "-u")
    assert "LD_PRELOAD" not in said.variables and "RANKWISE_LOADED" not in said.variables
    assert said.stderr.startswith("load.sh: rankwise-overlay.so does not load on this host: ")
    assert said.stderr.endswith("; nothing was loaded\n")


def test_a_path_that_the_loader_would_take_for_two_is_refused(built: Path, bin_folder: Path) -> None:
    place = write(profile(part(native=NATIVE)), built.parent / "a b") / "openmpi-5.0.11"
    said = shell("dash", '. "$0" || :', place / "load.sh", bin_folder, "-u")
    assert "does not load on this host" in said.stderr and "LD_PRELOAD" not in said.variables


def test_the_module_does_the_same(place: Path, bin_folder: Path) -> None:
    file = place.parent / "modulefiles/wan/openmpi-5.0.11"
    said = module(file, "load", bin_folder)
    assert said.stderr == "" and f"LD_PRELOAD<{place}/rankwise-overlay.so" in said.lines
    assert said.variables["RANKWISE_MPIEXEC_ARGUMENTS"] == FORWARDED
    (place / "rankwise-overlay.so").write_bytes(b"of another kind of host")
    refused = module(file, "load", bin_folder)
    assert refused.lines == () and "does not load on this host" in refused.stderr


def test_an_export_has_it_and_takes_it_away_again(place: Path, tmp_path: Path) -> None:
    exporting.export(place.parent, tmp_path / "out", ["env"])
    assert (tmp_path / "out/openmpi-5.0.11/rankwise-overlay.so").exists()
    exporting.remove(place.parent, tmp_path / "out", ["env"])
    assert [*(tmp_path / "out").iterdir()] == []


def test_the_readme_says_what_it_is(place: Path) -> None:
    text = (place.parent / "README.md").read_text()
    assert "rankwise-overlay.so" in text and "the C library of the host" in text and FORWARDED not in text
    assert "mpiexec $RANKWISE_MPIEXEC_ARGUMENTS -n 4 ./app" in text
