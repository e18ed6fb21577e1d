"""The module file loads exactly what was measured for the MPI in PATH, and takes back that and nothing else."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.tuning import FOLDER, Native
from rankwise.profiles.writing import write
from support.profiles import NATIVE, part, profile
from support.shells import INTEL_MPI, OPEN_MPI, launcher, module

pytestmark = pytest.mark.skipif(not shutil.which("tclsh"), reason="no tclsh")
MODULE = "modulefiles/wan/openmpi-5.0.11"
EAGER, RULES = "OMPI_MCA_btl_tcp_eager_limit", "OMPI_MCA_coll_tuned_dynamic_rules_filename"
VARIABLES = Native((("rules.conf", "1\n"),), ((EAGER, "33554432"), (RULES, f"{FOLDER}/rules.conf")))


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    return launcher(tmp_path / "bin", OPEN_MPI)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return write(profile(part(native=VARIABLES)), tmp_path / "a b")


def test_it_sets_what_is_loaded(tmp_path: Path, bin_folder: Path) -> None:
    native = replace(NATIVE, environment=(*NATIVE.environment, ("LD_PRELOAD", "/a/lib.so"), ("TAB", "a\tb{")))
    place = write(profile(part(native=native)), tmp_path)
    names = "OMPI_MCA_mca_base_param_files ODD TAB RANKWISE_MPIEXEC_ARGUMENTS"
    said = module(place / MODULE, "load", bin_folder)
    assert said.lines == (
        "LD_PRELOAD</a/lib.so",
        f"OMPI_MCA_mca_base_param_files={place}/openmpi-5.0.11/mca-params.conf",
        'ODD=a "b" $c [d] \\',
        "TAB=a\tb{",
        "RANKWISE_MPIEXEC_ARGUMENTS=--mca btl tcp,self",
        f"RANKWISE_LOADED={names}",
    )
    assert said.stderr == ""
    assert (place / MODULE).read_text().startswith("#%Module")
    back = module(place / MODULE, "unload", bin_folder, RANKWISE_LOADED=names)
    assert set(back.lines) == {
        "LD_PRELOAD</a/lib.so",
        *(f"{name}=" for name in [*names.split(), "RANKWISE_LOADED"]),
    }


@pytest.mark.parametrize("says", [INTEL_MPI, "mpiexec (Open MPI) 5.0.110", "mpiexec (Open MPI) 5.0.1"])
def test_another_mpi_is_refused(says: str, place: Path, tmp_path: Path) -> None:
    said = module(place / MODULE, "load", launcher(tmp_path / "other", says))
    assert said.lines == ()
    assert "profile wan is for Open MPI 5.0.11, and the MPI in PATH reports: " + says[:40] in said.stderr
    assert "nothing was loaded" in said.stderr


def test_a_folder_that_was_moved_is_found(place: Path, bin_folder: Path) -> None:
    moved = place.rename(place.with_name("moved"))
    assert module(moved / MODULE, "load", bin_folder).variables[RULES] == f"{moved}/openmpi-5.0.11/rules.conf"


def test_a_file_that_cannot_be_read_is_named(place: Path, bin_folder: Path) -> None:
    (place / "openmpi-5.0.11/rules.conf").unlink()
    said = module(place / MODULE, "load", bin_folder)
    assert said.lines == ()
    assert said.stderr == f"{place}/openmpi-5.0.11/rules.conf cannot be read; nothing was loaded\n"


def test_what_the_user_has_set_stays_also_at_the_end(place: Path, bin_folder: Path) -> None:
    said = module(place / MODULE, "load", bin_folder, **{EAGER: "1"})
    assert set(said.variables) == {RULES, "RANKWISE_LOADED"}
    assert said.stderr == f"your {EAGER}=1 stays in force; the profile has 33554432\n"
    back = module(place / MODULE, "unload", bin_folder, **{EAGER: "1", "RANKWISE_LOADED": RULES})
    assert set(back.variables) == {RULES, "RANKWISE_LOADED"}


def test_what_the_users_own_parameter_file_sets_stays(place: Path, bin_folder: Path) -> None:
    (bin_folder / ".openmpi").mkdir()
    (bin_folder / ".openmpi/mca-params.conf").write_text("# x\n\n btl_tcp_eager_limit = 9 \nbtl_tcp_links=2\n")
    said = module(place / MODULE, "load", bin_folder)
    assert set(said.variables) == {RULES, "RANKWISE_LOADED"}
    assert said.stderr == (
        f"your {EAGER}=9 of ~/.openmpi/mca-params.conf stays in force; the profile has 33554432\n"
    )
