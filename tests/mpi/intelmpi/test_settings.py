"""Intel MPI's knobs and tables of presets are in force between emulated hosts as they were written."""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core import bound_variables
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.jobs import Job, Outcome
from rankwise.core.records import Environment, Implementation
from rankwise.core.tuning import Choice, Decision, Native, Rule, Setting, Tuning
from rankwise.mpi.family import FamilyLauncher, family_named
from rankwise.mpi.intelmpi import settings
from rankwise.profiles.writing import write
from rankwise.testbeds.emulated import EmulatedTestbed
from support.both_send_first import END, both_send_first
from support.emulated import needs_emulation, two_sites
from support.mpis import FOUND, harness, working
from support.profiles import part, profile

INTEL = [one for one in FOUND if one.family == "intelmpi"]
pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(not INTEL, reason="Intel MPI is not installed"),
]
FAMILY = family_named("intelmpi")
TREE, RING = Choice("preset-1"), Choice("preset-3")
SWITCH = Decision("bcast", 4, (Rule(32768, TREE), Rule(None, RING)))


@pytest.fixture(scope="module")
def intel() -> Implementation:
    return working(INTEL[0].id)


@pytest.fixture(scope="module")
def with_systems_libfabric(intel: Implementation) -> Implementation:
    """As with I_MPI_OFI_LIBRARY_INTERNAL=0: only there an eager threshold acts."""
    kept = tuple(pair for pair in intel.environment if pair[0] == "I_MPI_ROOT")
    return replace(intel, environment=kept)


@pytest.fixture(scope="module")
def hosts() -> Iterator[EmulatedTestbed]:
    with EmulatedTestbed(two_sites("intel-tuning", delay_seconds=1e-3)) as testbed:
        yield testbed


def native(intel: Implementation, *settings: tuple[str, str], decisions: tuple[Decision, ...] = ()) -> Native:
    return FAMILY.native(intel, Tuning(tuple(Setting(*one) for one in settings), decisions))


def start(
    intel: Implementation, testbed: EmulatedTestbed, program: tuple[str, ...], placed: tuple[str, ...],
    environment: Environment, *, limit_seconds: float = 40, end: str = "",
) -> Outcome:  # fmt: skip
    job = Job(program, len(placed), hosts=placed, start=testbed.process_start(), environment=environment)
    return testbed.run(FamilyLauncher().steps(intel, job), placed, limit_seconds, end)


def cells(intel: Implementation, *names: str) -> tuple[str, ...]:
    few = ("--min-repetitions", "8", "--max-repetitions", "8", "--warmup", "2", "--limit", "30")
    return (str(harness(intel.id)), "--seconds", "0.001", *few, *names)


@needs_emulation
@pytest.mark.parametrize(
    "settings",
    [
        (("eager-threshold", "8192"),),
        (("eager-threshold", "262144"), ("fabrics", "ofi")),
    ],
)
def test_values_are_in_force_in_a_run(
    with_systems_libfabric: Implementation, hosts: EmulatedTestbed, settings: tuple[tuple[str, str], ...]
) -> None:
    intel = with_systems_libfabric
    environment = (*FAMILY.reporting(intel).environment, *native(intel, *settings).environment)
    outcome = start(intel, hosts, cells(intel, "pingpong:8"), ("a1", "b1"), environment)
    assert outcome.returncode == 0, outcome
    in_force = FAMILY.read_back(intel, outcome.stdout + outcome.stderr).in_force
    assert set(settings) <= set(in_force)


@needs_emulation
@pytest.mark.nightly
def test_a_raised_threshold_lets_a_send_return_before_its_receive_is_posted(
    with_systems_libfabric: Implementation, hosts: EmulatedTestbed, tmp_path: Path
) -> None:
    intel = with_systems_libfabric

    def ends(size_bytes: str, threshold: str) -> bool:
        program = (str(both_send_first(intel, tmp_path)), size_bytes)
        loaded = native(intel, ("eager-threshold", threshold))
        return (
            END in start(intel, hosts, program, ("a1", "b1"), loaded.environment, limit_seconds=8, end=END).stdout
        )

    assert ends("120000", "131072") and ends("30000000", "33554432")
    assert not ends("120000", "65536")


@needs_emulation
def test_its_own_libfabric_is_loaded_and_makes_no_send_wait(
    intel: Implementation, hosts: EmulatedTestbed, tmp_path: Path
) -> None:
    program = (str(both_send_first(intel, tmp_path)), "30000000")
    debug = (("I_MPI_DEBUG", "5"),)
    outcome = start(intel, hosts, program, ("a1", "b1"), debug, limit_seconds=8, end=END)
    assert END in outcome.stdout
    assert "libfabric provider: tcp\n" in outcome.stdout, outcome.stdout  # and not the system's tcp;ofi_rxm
    assert "eager-threshold" not in {knob.name for knob in FAMILY.knobs(intel)}


@needs_emulation
@pytest.mark.parametrize(
    ("placed", "size_bytes", "rings"),
    [
        (("a1", "a2", "b1", "b2"), 32768, False),
        (("a1", "a2", "b1", "b2"), 32769, True),
        (("a1", "a2", "b1"), 32768, False),
        (("a1", "a2", "b1"), 32769, False),
    ],
)
def test_a_table_switches_at_its_size_for_its_number_of_ranks_alone(
    intel: Implementation, hosts: EmulatedTestbed, placed: tuple[str, ...], size_bytes: int, rings: bool
) -> None:
    """A ring carries data back to the root's site, which neither a tree nor the default does."""
    environment = native(intel, decisions=(SWITCH,)).environment
    outcome = start(intel, hosts, cells(intel, f"bcast:{size_bytes}"), placed, environment)
    assert outcome.returncode == 0, outcome
    carried = {one.link: one.bytes for one in outcome.links}
    assert (carried["b-a"] > carried["a-b"] / 3) is rings, carried


@needs_emulation
@pytest.mark.parametrize(("size_bytes", "gathers"), [(32768, False), (32769, True)])
def test_sizes_of_allgather_are_counted_per_rank(
    intel: Implementation, hosts: EmulatedTestbed, size_bytes: int, gathers: bool
) -> None:
    """A ring carries as much one way as the other; gathering to the root and broadcasting does not."""
    decision = Decision("allgather", 4, (Rule(32768, RING), Rule(None, Choice("preset-4"))))
    environment = native(intel, decisions=(decision,)).environment
    outcome = start(intel, hosts, cells(intel, f"allgather:{size_bytes}"), ("a1", "a2", "b1", "b2"), environment)
    assert outcome.returncode == 0, outcome
    carried = {one.link: one.bytes for one in outcome.links}
    assert (carried["a-b"] > 2 * carried["b-a"]) is gathers, carried


def test_a_job_gets_the_tables_of_its_number_of_ranks(with_systems_libfabric: Implementation) -> None:
    intel = with_systems_libfabric
    other = Decision("bcast", 3, (Rule(None, TREE),))
    made = native(intel, ("eager-threshold", "32768"), decisions=(SWITCH, other)).environment
    threshold = (("FI_OFI_RXM_SAR_LIMIT", "32768"), ("FI_OFI_RXM_ENABLE_DYN_RBUF", "0"))
    table = "1:0-32768;3:32769-2147483647"
    assert bound_variables.of_job(made, 4) == (*threshold, ("I_MPI_ADJUST_BCAST", table))
    assert bound_variables.of_job(made, 3) == (*threshold, ("I_MPI_ADJUST_BCAST", "1:0-2147483647"))
    assert bound_variables.of_job(made, 8) == threshold


def test_a_table_is_in_force_after_load_sh_was_sourced_by_hand(intel: Implementation, tmp_path: Path) -> None:
    decision = replace(SWITCH, ranks=2)
    made = native(intel, ("cells-shm", "32768"), decisions=(decision,))
    place = write(profile(part(intel.id, made, Tuning(decisions=(decision,)))), tmp_path)
    script = f'. "$0"; {intel.mpiexec} -genv I_MPI_DEBUG 5 -n 2 "$1" 8'
    words = ["sh", "-c", script, place / intel.id / "load.sh", both_send_first(intel, tmp_path)]
    environment = {"PATH": "/usr/bin:/bin", "MPIEXEC": intel.mpiexec, **dict(intel.environment)}
    for ranks, table in (({"RANKS": "2"}, ["1:0-32768;3:32769-2147483647"]), ({}, [])):
        ran = subprocess.run(
            words, env={**environment, **ranks}, capture_output=True, text=True, timeout=40, check=True
        )
        said = dict(FAMILY.read_back(intel, ran.stdout).in_force)
        assert [value for name, value in said.items() if name == "algorithms of bcast"] == table, ran
        assert said["cells-shm"] == "32768"
        assert ("RANKS=2 . load.sh" in ran.stderr) is (not ranks)


def test_every_operation_has_the_presets_that_the_installation_counts(intel: Implementation) -> None:
    found = FAMILY.algorithms(intel)
    assert {"bcast", "reduce", "allreduce", "allgather", "alltoall", "gather", "scatter", "barrier"} <= set(found)
    assert all(one.native == str(number) for names in found.values() for number, one in enumerate(names))
    assert "preset-14" in {one.name for one in found["bcast"]}


def test_an_empty_tuning_and_a_default_everywhere_load_nothing(intel: Implementation) -> None:
    default = Decision("bcast", 4, (Rule(1024, Choice()), Rule(None, Choice())))
    assert FAMILY.native(intel, Tuning()) == native(intel, decisions=(default,)) == Native()


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("eager-threshold", "4294967297"), ("eager-threshold", "0"), ("eager-threshold", "64k"),
        ("transport", "tcp;ofi_rxm"), ("fabrics", "shm"), ("socket-buffers", "65536"),
    ],
)  # fmt: skip
def test_a_value_outside_of_the_domain_is_refused_with_a_remedy(
    with_systems_libfabric: Implementation, knob: str, value: str
) -> None:
    with pytest.raises(InputError) as error:
        native(with_systems_libfabric, (knob, value))
    assert error.value.remedy


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (Decision("bcast", 4, (Rule(1024, Choice()), Rule(None, TREE))), "cannot leave some sizes to its default"),
        (Decision("bcast", 4, (Rule(None, Choice("preset-1", segment_bytes=1024)),)), "segment size"),
        (Decision("bcast", 4, (Rule(None, Choice("preset-99")),)), "unknown algorithm of bcast 'preset-99'"),
    ],
)
def test_a_decision_that_it_cannot_express_is_refused(
    intel: Implementation, decision: Decision, words: str
) -> None:
    with pytest.raises(InputError, match=words) as error:
        native(intel, decisions=(decision,))
    assert error.value.remedy


def test_an_operation_without_presets_is_refused(intel: Implementation) -> None:
    with pytest.raises(UnknownNameError):
        native(intel, decisions=(Decision("bcasts", 4, (Rule(None, TREE),)),))


def test_tables_are_read_back_from_what_a_run_says() -> None:
    said = "[0] MPI startup(): I_MPI_FABRICS=ofi\n[0] MPI startup(): I_MPI_ADJUST_BCAST=1:0-9;3:10-99\n"
    found = dict(settings.read_back(said).in_force)
    assert found == {"fabrics": "ofi", "algorithms of bcast": "1:0-9;3:10-99"}
