"""LAM/MPI's knobs are in force in real runs as they were written."""

from pathlib import Path

import pytest

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.jobs import Job
from rankwise.core.records import Implementation
from rankwise.core.tuning import Choice, Decision, Native, Rule, Setting, Tuning
from rankwise.mpi.family import family_named
from rankwise.testbeds.local import LocalTestbed
from support.both_send_first import END, both_send_first
from support.mpis import FOUND, harness, working

LAM = [one for one in FOUND if one.family == "lammpi"]
pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(not LAM, reason="LAM/MPI is not installed"),
]
FAMILY = family_named("lammpi")


@pytest.fixture(scope="module")
def lam() -> Implementation:
    return working(LAM[0].id)


def native(lam: Implementation, *settings: tuple[str, str]) -> Native:
    return FAMILY.native(lam, Tuning(tuple(Setting(*one) for one in settings)))


def run(lam: Implementation, loaded: Native, *cells: str) -> str:
    """What two ranks on this host say, with what makes them tell."""
    reporting = FAMILY.reporting(lam)
    job = Job(
        (str(harness(lam.id)), "--seconds", "0.001", "--start", "barrier", "--yield", "--limit", "30", *cells), 2,
        environment=loaded.environment, launcher_arguments=(*reporting.arguments, *loaded.arguments),
    )  # fmt: skip
    outcome = LocalTestbed().run(FAMILY.steps(lam, job), (), 40)
    assert outcome.returncode == 0, outcome
    return outcome.stdout + outcome.stderr


def test_the_default_of_every_knob_is_what_a_run_has_in_force(lam: Implementation) -> None:
    in_force = dict(FAMILY.read_back(lam, run(lam, Native(), "pingpong:8")).in_force)
    assert in_force == {knob.name: knob.default for knob in FAMILY.knobs(lam)}


@pytest.mark.parametrize(
    "settings",
    [
        (("eager-threshold", "1048576"), ("socket-buffers", "262144"), ("eager-threshold-shm", "16384")),
        (("socket-buffers", "auto"), ("transport", "tcp")),
        (("transport", "usysv"), ("eager-threshold-shm", "4096"), ("eager-threshold", "33554432")),
    ],
)
def test_values_are_in_force_in_a_run(lam: Implementation, settings: tuple[tuple[str, str], ...]) -> None:
    in_force = dict(FAMILY.read_back(lam, run(lam, native(lam, *settings), "pingpong:40000")).in_force)
    assert set(settings) <= set(in_force.items())


@pytest.mark.nightly
def test_a_raised_threshold_lets_a_send_return_before_its_receive_is_posted(
    lam: Implementation, tmp_path: Path
) -> None:
    program = both_send_first(lam, tmp_path)

    def ends(threshold: str) -> bool:
        loaded = native(lam, ("transport", "tcp"), ("eager-threshold", threshold))
        job = Job((str(program), "500000"), 2, environment=loaded.environment)
        return END in LocalTestbed().run(FAMILY.steps(lam, job), (), 4, END).stdout

    assert ends("1048576")
    assert not ends("65536")


def test_messages_around_the_largest_threshold_within_a_host_arrive_whole(lam: Implementation) -> None:
    most = next(knob.most for knob in FAMILY.knobs(lam) if knob.name == "eager-threshold-shm")
    cells = [f"pingpong:{size}" for size in (most - 64, most, most + 1, 65536, 4194304)]
    said = run(lam, native(lam, ("eager-threshold-shm", str(most))), "--verify", *cells)
    assert said.count('"rankwise":"verified"') == len(cells), said


def test_settings_are_variables_alone(lam: Implementation) -> None:
    made = native(lam, ("socket-buffers", "auto"), ("transport", "sysv"))
    assert not made.files and not made.arguments
    assert dict(made.environment)["LAM_MPI_SSI_rpi_tcp_sockbuf"] == "0"
    assert dict(made.environment)["LAM_MPI_SSI_rpi"] == "sysv"


def test_an_empty_tuning_loads_nothing(lam: Implementation) -> None:
    assert FAMILY.native(lam, Tuning()) == Native()


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("eager-threshold", "0"), ("eager-threshold", "auto"), ("eager-threshold", "64k"),
        ("eager-threshold", "\u0663"),
        ("eager-threshold-shm", "24576"), ("socket-buffers", "-1"), ("transport", "gm"), ("links", "2"),
    ],
)  # fmt: skip
def test_a_value_outside_of_the_domain_is_refused_with_a_remedy(
    lam: Implementation, knob: str, value: str
) -> None:
    with pytest.raises(InputError) as error:
        native(lam, (knob, value))
    assert error.value.remedy


def test_a_near_name_of_a_knob_is_suggested(lam: Implementation) -> None:
    with pytest.raises(UnknownNameError, match="eager-treshold") as error:
        native(lam, ("eager-treshold", "1024"))
    assert "eager-threshold" in error.value.remedy


def test_a_decision_on_algorithms_is_refused(lam: Implementation) -> None:
    decision = Decision("bcast", 4, (Rule(None, Choice("binomial")),))
    with pytest.raises(InputError, match="no choice of collective algorithms"):
        FAMILY.native(lam, Tuning(decisions=(decision,)))


def test_output_without_a_word_of_lam_is_no_evidence(lam: Implementation) -> None:
    assert FAMILY.read_back(lam, "nothing of the kind").in_force == ()
