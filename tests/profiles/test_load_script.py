"""load.sh, in POSIX shells, loads what was measured with the MPI in PATH, or says why not and changes nothing."""

import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.bound_variables import bound
from rankwise.core.tuning import FOLDER, Native
from rankwise.profiles.writing import write
from support.profiles import NATIVE, part, profile
from support.shells import INTEL_MPI, OPEN_MPI, SHELLS, Said, launcher, shell

EAGER, RULES = "OMPI_MCA_btl_tcp_eager_limit", "OMPI_MCA_coll_tuned_dynamic_rules_filename"
VARIABLES = Native((("rules.conf", "1\n"),), ((EAGER, "33554432"), (RULES, f"{FOLDER}/rules.conf")))
OTHERS = ("OMPI_MCA", "I_MPI", "FI_", "RANKWISE", "_rankwise")

every_shell = pytest.mark.parametrize("name", list(SHELLS))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return write(profile(part(native=VARIABLES)), tmp_path / "a b") / "openmpi-5.0.11"


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    return launcher(tmp_path / "bin", OPEN_MPI)


def settings(said: Said) -> dict[str, str]:
    return {name: value for name, value in said.variables.items() if name.startswith(OTHERS)}


@every_shell
def test_what_was_measured_is_set_and_nothing_else_is_left(name: str, place: Path, bin_folder: Path) -> None:
    said = shell(name, '. "$0"', place / "load.sh", bin_folder)
    assert settings(said) == {
        EAGER: "33554432", RULES: f"{place}/rules.conf", "RANKWISE_LOADED": f" {EAGER} {RULES}",
    }  # fmt: skip
    assert said.stderr == ""
    left = shell(name, '. "$0"; set | grep -i ^_rankwise >&2 || :', place / "load.sh", bin_folder)
    assert left.stderr == ""


@every_shell
@pytest.mark.parametrize(
    "says", ["mpirun (Open MPI) 5.0.1", "mpirun (Open MPI) 5.0.110", "mpirun (Open MPI) 5.0.11rc1", INTEL_MPI]
)
def test_another_mpi_is_refused_and_nothing_is_changed(name: str, says: str, place: Path, tmp_path: Path) -> None:
    """Not even the variables of a profile that was loaded before; a shell without -e goes on."""
    other, mine = launcher(tmp_path / "other", says), {EAGER: "1", "RANKWISE_LOADED": EAGER}
    said = shell(name, '. "$0" || code=$?; echo "code $code" >&2', place / "load.sh", other, "-u", **mine)
    assert settings(said) == mine
    assert "profile wan is for Open MPI 5.0.11, and the MPI in PATH reports: " + says[:40] in said.stderr
    assert said.stderr.endswith("nothing was loaded\ncode 1\n")


def test_where_no_mpi_is_in_path_the_launcher_can_be_named(place: Path, bin_folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    tools = shell("dash", '. "$0" || :', place / "load.sh", empty, "-u", MPIEXEC="no-such-launcher")
    assert "no-such-launcher" in tools.stderr and not settings(tools)
    named = shell("dash", '. "$0"', place / "load.sh", empty, MPIEXEC=str(bin_folder / "mpiexec"))
    assert settings(named)[EAGER] == "33554432"


@every_shell
def test_a_file_that_cannot_be_read_is_named_and_nothing_is_loaded(
    name: str, place: Path, bin_folder: Path
) -> None:
    (place / "rules.conf").unlink()
    said = shell(name, '. "$0" || :', place / "load.sh", bin_folder, "-u")
    assert not settings(said)
    assert said.stderr == f"load.sh: {place}/rules.conf cannot be read; nothing was loaded\n"


@every_shell
def test_every_node_is_looked_at_if_asked_for(name: str, place: Path, bin_folder: Path, tmp_path: Path) -> None:
    """Of two "nodes" the second has another file, or none."""
    every = tmp_path / "every"
    for change, lacking in ((":", 0), (f"echo 2 >'{place}/rules.conf'", 1), (f"rm '{place}/rules.conf'", 1)):
        every.write_text(f'#!/bin/sh\necho a warning >&2\n"$@"\n{change}\n"$@"\n')
        every.chmod(0o755)
        (place / "rules.conf").write_text("1\n")
        said = shell(name, '. "$0" || :', place / "load.sh", bin_folder, "-u", RANKWISE_CHECK=str(every))
        assert said.stderr.count(f": {place} is missing, or another") == lacking
        assert ("nothing was loaded" in said.stderr) == bool(lacking)
        assert bool(settings(said).keys() - {"RANKWISE_CHECK"}) == (not lacking)


def test_a_launcher_that_cannot_look_is_told(place: Path, bin_folder: Path) -> None:
    said = shell("dash", '. "$0" || :', place / "load.sh", bin_folder, "-u", RANKWISE_CHECK="no-such-launcher")
    assert "cannot check every node (no-such-launcher): " in said.stderr
    (bin_folder / "srun").write_text('#!/bin/sh\necho "asked: $1 $2" >&2\nexit 1\n')
    (bin_folder / "srun").chmod(0o755)
    slurm = {"RANKWISE_CHECK": "1", "SLURM_JOB_NUM_NODES": "3"}
    said = shell("dash", '. "$0" || :', place / "load.sh", bin_folder, "-u", **slurm)
    assert "asked: --ntasks-per-node=1 --ntasks=3; nothing was loaded" in said.stderr


@every_shell
def test_what_the_user_has_set_stays_and_is_told(name: str, place: Path, bin_folder: Path) -> None:
    said = shell(name, '. "$0"', place / "load.sh", bin_folder, **{EAGER: "1"})
    assert settings(said) == {EAGER: "1", RULES: f"{place}/rules.conf", "RANKWISE_LOADED": f" {RULES}"}
    assert said.stderr == f"load.sh: your {EAGER}=1 stays in force; the profile has 33554432\n"
    same = shell(name, '. "$0"', place / "load.sh", bin_folder, **{EAGER: "33554432"})
    assert same.stderr == "" and EAGER not in same.variables["RANKWISE_LOADED"]


def test_what_the_users_own_parameter_file_sets_stays_and_is_told(place: Path, bin_folder: Path) -> None:
    (bin_folder / ".openmpi").mkdir()
    (bin_folder / ".openmpi/mca-params.conf").write_text(
        "btl_tcp_eager_limit=7\n#mine\n btl_tcp_eager_limit =  9\n"
    )
    said = shell("dash", '. "$0"', place / "load.sh", bin_folder)
    assert EAGER not in said.variables
    assert f"your {EAGER}=9 of ~/.openmpi/mca-params.conf stays in force; the profile has 33554432" in said.stderr


@every_shell
def test_a_second_profile_takes_the_place_of_the_first(name: str, place: Path, bin_folder: Path) -> None:
    other = write(
        profile(part(native=Native((), (("OMPI_MCA_btl", "tcp,self"),))), name="lan"), place.parent.parent
    )
    script = f'. "$0"; . "$0"; . {shlex.quote(str(other / "openmpi-5.0.11/load.sh"))}'
    said = shell(name, script, place / "load.sh", bin_folder)
    assert settings(said) == {"OMPI_MCA_btl": "tcp,self", "RANKWISE_LOADED": " OMPI_MCA_btl"}
    assert said.stderr == ""


def test_bash_finds_a_folder_that_was_moved(place: Path, bin_folder: Path) -> None:
    moved = place.parent.rename(place.parent.with_name("c d")) / place.name
    assert settings(shell("bash", '. "$0"', moved / "load.sh", bin_folder))[RULES] == f"{moved}/rules.conf"
    assert "cannot be read" in shell("dash", '. "$0" || :', moved / "load.sh", bin_folder, "-u").stderr


@every_shell
def test_any_value_arrives_as_it_is(name: str, tmp_path: Path, bin_folder: Path) -> None:
    odd = (("ODD", 'a "b" $c [d] \\'), ("LINES2", "one\ntwo'"), ("LD_LIBRARY_PATH", "/a b/lib"), ("EMPTY", ""))
    place = write(profile(part(native=replace(NATIVE, environment=odd))), tmp_path)
    said = shell(name, '. "$0"', place / "openmpi-5.0.11/load.sh", bin_folder, LD_LIBRARY_PATH="/old")
    found = {**said.variables, "LD_LIBRARY_PATH": said.variables["LD_LIBRARY_PATH"]}
    assert {key: found[key] for key, _ in odd} == {**dict(odd), "LD_LIBRARY_PATH": "/a b/lib:/old"}
    assert said.variables["RANKWISE_MPIEXEC_ARGUMENTS"] == "--mca btl tcp,self"


def test_shellcheck_finds_nothing(place: Path) -> None:
    ran = subprocess.run(
        ["shellcheck", "-s", "sh", "-e", "SC3028,SC3054,SC2016,SC2128,SC2043", place / "load.sh"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout


BOUND = Native((), (
    ("FI_X", "1"), (bound(4, "I_MPI_ADJUST_BCAST"), "1:0-9;3:10-99"), (bound(8, "I_MPI_ADJUST_BCAST"), "2:0-99"),
    (bound(8, "I_MPI_ADJUST_REDUCE"), "5:0-99"),
))  # fmt: skip
INTEL = part("intelmpi-2021.18.1", BOUND)
FOUR, EIGHT = {"BCAST": "1:0-9;3:10-99"}, {"BCAST": "2:0-99", "REDUCE": "5:0-99"}


@pytest.mark.parametrize(
    ("ranks", "tables", "words"),
    [("4", FOUR, ""), ("8", EIGHT, ""), ("", {}, "RANKS=4 . load.sh"), ("3", {}, "the default is kept for 3")],
)
def test_the_tables_of_so_many_ranks_are_loaded_or_it_is_said_why_not(
    ranks: str, tables: dict[str, str], words: str, tmp_path: Path
) -> None:
    """Sourced after that for eight ranks, of which nothing may be left."""
    script = write(profile(INTEL), tmp_path) / "intelmpi-2021.18.1/load.sh"
    bin_folder = launcher(tmp_path / "bin", INTEL_MPI)
    said = shell("sh", f'RANKS=8 . "$0"; RANKS={ranks} . "$0"', script, bin_folder)
    found = {key: value for key, value in said.variables.items() if key.startswith(("I_MPI", "FI_"))}
    assert found == {"FI_X": "1", **{f"I_MPI_ADJUST_{name}": value for name, value in tables.items()}}
    assert words in said.stderr and bool(words) == bool(said.stderr)
