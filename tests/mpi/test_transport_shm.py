"""How messages go within a host: every implementation has a choice, and says in a run which is in force."""

from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core import process
from rankwise.core.errors import InputError
from rankwise.core.jobs import Job
from rankwise.core.tuning import Knob, Setting, Tuning
from rankwise.mpi.family import FamilyLauncher, family_named, native_of
from rankwise.mpi.openmpi import settings
from rankwise.mpi.openmpi.parameters import Installation, Parameter
from rankwise.profiles.loading import place
from support.mpis import FOUND, harness, working
from support.ompi_info import example

NAME = "transport-shm"


def tuned(*settings: tuple[str, str]) -> Tuning:
    return Tuning(tuple(Setting(*one) for one in settings))


@pytest.mark.mpi
@pytest.mark.parametrize("implementation", [one.id for one in FOUND])
def test_a_choice_is_in_force_in_a_run(implementation: str, tmp_path: Path) -> None:
    one = working(implementation)
    family = family_named(one.family)
    (knob,) = (knob for knob in family.knobs(one) if knob.name == NAME)
    value = next(value for value in knob.values if value != knob.default)
    loaded, reporting = place(native_of(one, tuned((NAME, value))), tmp_path), family.reporting(one)
    job = Job(
        (str(harness(one.id)), "--seconds", "0.0005", "--limit", "20", "pingpong:8"), 2,
        environment=(*loaded.environment, *reporting.environment), files=loaded.files,
        launcher_arguments=(*loaded.arguments, *reporting.arguments),
    )  # fmt: skip
    outcome = process.run_steps(FamilyLauncher().steps(one, job), 40.0, '{"rankwise":"end"')
    said = dict(family.read_back(one, outcome.stdout + outcome.stderr).in_force)
    assert said.get(NAME) == value, outcome


@pytest.mark.mpi
@pytest.mark.parametrize("implementation", [one.id for one in FOUND])
def test_what_it_lacks_is_refused(implementation: str) -> None:
    with pytest.raises(InputError) as error:
        native_of(working(implementation), tuned((NAME, "pigeons")))
    assert error.value.remedy


@pytest.mark.mpi
@pytest.mark.skipif(all(one.family != "lammpi" for one in FOUND), reason="LAM/MPI is not installed")
def test_lam_has_one_module_for_both_transports() -> None:
    lam = working(next(one.id for one in FOUND if one.family == "lammpi"))
    assert native_of(lam, tuned((NAME, "tcp"), ("transport", "tcp"))).environment == (("LAM_MPI_SSI_rpi", "tcp"),)
    with pytest.raises(InputError, match="one parameter for transport"):
        native_of(lam, tuned((NAME, "sysv"), ("transport", "tcp")))


def open_mpi(installation: Installation) -> Knob:
    return next(knob for knob in settings.knobs(installation) if knob.name == NAME)


def test_open_mpi_4_names_its_mechanisms_in_a_parameter() -> None:
    mechanism = Parameter("cma", (("1", "cma"), ("4", "emulated"), ("3", "none")))
    four = replace(example(), parameters={**example().parameters, "btl_sm_single_copy_mechanism": mechanism})
    assert (open_mpi(four).values, open_mpi(four).default) == (("cma", "copies"), "cma")


def test_open_mpi_5_has_a_component_for_each_mechanism() -> None:
    components = example().components | {"smsc cma", "smsc xpmem", "smsc accelerator"}
    parameters = {
        **example().parameters,
        "smsc_xpmem_priority": Parameter("42"),
        "smsc_cma_priority": Parameter("37"),
    }
    five = replace(example(), components=components, parameters=parameters)
    assert (open_mpi(five).values, open_mpi(five).default) == (("cma", "xpmem", "copies"), "xpmem")


def test_without_a_mechanism_there_is_no_choice() -> None:
    assert NAME not in {knob.name for knob in settings.knobs(example())}
