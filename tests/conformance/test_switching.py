"""A candidate that is switched to within a launch sends what the same choice sends that a profile has loaded."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from rankwise.artifacts.harness import build
from rankwise.core.configuration import plain
from rankwise.core.records import DEFAULT, Cell, Options, Plan
from rankwise.core.tuning import Candidate, Choice, Decision, Native, Rule, Setting, Tuning
from rankwise.measurement.launch import Launching
from rankwise.mpi.family import FamilyLauncher, family_named, with_switching
from rankwise.profiles.loading import place_apart
from rankwise.testbeds.emulated import EmulatedTestbed
from rankwise.workflows.tune.choices import own_choices
from support.emulated import needs_emulation, two_sites
from support.mpis import FOUND, by_day, working

SIZES = {
    **dict.fromkeys(("bcast", "allreduce", "ibcast", "iallreduce"), 262144), "exscan": 131072, "iallgather": 32768,
    **dict.fromkeys(("allgather", "allgatherv", "alltoallv", "reduce_scatter_block"), 32768),
}  # fmt: skip
"""Bytes. Of the last ones each rank has that of every rank, and full queues would lose some of more."""
OPERATIONS = ("bcast", "allreduce")
OTHER_OPERATIONS = ("allgatherv", "alltoallv", "reduce_scatter_block", "exscan")
NONBLOCKING = ("ibcast", "iallreduce", "iallgather")
WITHOUT_SWITCHING = {"openmpi": {"allgatherv"}}
"""By the family: each of their candidates has a launch of its own."""
BY_DAY: Mapping[str, Mapping[str, Sequence[str]]] = {
    "openmpi": {"bcast": ("basic_linear", "scatter_allgather"), "allreduce": ("basic_linear", "rabenseifner")},
    "mpich": {
        "bcast": ("scatter_ring_allgather", "binomial"),
        "allreduce": ("recursive_doubling", "reduce_scatter_allgather"),
    },
}
"""Algorithms that send unlike amounts."""
SWITCHING = [one.id for one in FOUND if one.family in BY_DAY]
Sent = list[tuple[float, ...]]
"""By cell, in the order of the launch: bytes of each rank's host for an operation, over the size."""

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(600), needs_emulation]


@pytest.fixture(scope="module")
def testbed() -> Iterator[EmulatedTestbed]:
    with EmulatedTestbed(two_sites("switching", delay_seconds=2e-4)) as found:
        yield found


@pytest.fixture(params=SWITCHING)
def implementation_id(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@cache
def program(implementation_id: str) -> Path:
    return build(working(implementation_id), Path(__file__).with_name("counted.c"))


@dataclass(frozen=True)
class Counting:
    """Launches on a testbed that look at the right data and count what is sent meanwhile."""

    testbed: EmulatedTestbed
    implementation_id: str
    folder: Path
    ranks: int = 4

    def sent(
        self, native: Native, asked: Sequence[tuple[str, str]], candidates: Mapping[str, Candidate] | None = None
    ) -> Sent:
        """What the cells (operation, label) of one launch send that loads `native`."""
        implementation, where = (
            working(self.implementation_id),
            self.folder / str(len(list(self.folder.iterdir()))),
        )
        where.mkdir()
        cells = [
            Cell(
                implementation.id, f"counted_{operation}", SIZES[operation], self.ranks,
                Options(folder=str(where)), label, self.testbed.name, "cyclic",
            )
            for operation, label in asked
        ]  # fmt: skip
        plan = Plan(tuple(cells), seed=1, time_budget_seconds=90.0, verify=True, launch_limit_seconds=60.0)
        launching = Launching(FamilyLauncher(), self.testbed, plan, load=lambda one: place_apart(one.native))
        launch = launching.launch(
            implementation, program(implementation.id), cells,
            configuration=replace(plain(implementation), native=native), candidates=candidates or {},
        )  # fmt: skip
        assert launch.status == "finished", f"{launch.reason}\n{launch.stderr}"
        assert launch.verified == tuple(cells), launch.failures
        files = [(where / str(rank)).read_text().splitlines() for rank in range(self.ranks)]
        return [
            tuple(float(line.split()[0]) / cell.size_bytes for line in lines)
            for cell, *lines in zip(cells, *files, strict=True)
        ]

    def loaded(self, *choices: tuple[str, Choice]) -> dict[str, tuple[float, ...]]:
        """What these choices send by operation, loaded as a profile's are."""
        return dict(zip([name for name, _ in choices], self.sent(
            self.native(*choices), [(operation, DEFAULT) for operation, _ in choices]
        ), strict=True))  # fmt: skip

    def native(self, *choices: tuple[str, Choice]) -> Native:
        decisions = tuple(Decision(name, self.ranks, (Rule(None, choice),)) for name, choice in choices)
        implementation = working(self.implementation_id)
        return family_named(implementation.family).native(implementation, Tuning(decisions=decisions))

    def candidate(self, operation: str, choice: Choice) -> Candidate:
        implementation = working(self.implementation_id)
        found = family_named(implementation.family).candidate(implementation, operation, choice)
        assert found is not None
        return found

    def switching(self, native: Native = Native()) -> Native:  # noqa: B008 - frozen
        return with_switching(working(self.implementation_id), native)


def equal(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one == pytest.approx(other, abs=0.06, rel=0.03)


def check(counting: Counting, names: Mapping[str, Sequence[Choice]]) -> dict[str, tuple[float, ...]]:
    """Race the choices of each operation in one launch, and compare each with a launch that has loaded it.

    Returns what each sent in the race, by operation and place.
    """
    labels = {
        f"{operation} {place}": (operation, choice)
        for operation, choices in names.items()
        for place, choice in enumerate(choices)
    }
    cells = [(operation, DEFAULT) for operation in names]
    cells += [(operation, label) for label, (operation, _) in labels.items()]
    cells += cells[: len(names)]
    raced = counting.sent(
        counting.switching(), cells, {label: counting.candidate(*one) for label, one in labels.items()}
    )
    default = counting.sent(Native(), cells[: len(names)])
    for place in range(len(names)):
        assert equal(raced[place], default[place]), f"{cells[place]} with the rules on"
        assert equal(raced[place - len(names)], default[place]), f"{cells[place]} after the candidates"
    unlike = []
    for label, (operation, choice) in labels.items():  # one by one, for some algorithms take other operations
        found, expected = raced[cells.index((operation, label))], counting.loaded((operation, choice))[operation]
        if not equal(found, expected):
            unlike.append(f"{operation} {choice}: {found}, not {expected}")
    assert unlike == []
    return {label: raced[cells.index((operation, label))] for label, (operation, _) in labels.items()}


def choices_by_day(implementation_id: str) -> dict[str, list[Choice]]:
    chosen = BY_DAY[working(implementation_id).family]
    return {operation: [Choice(name) for name in names] for operation, names in chosen.items()}


def test_candidates_send_what_profiles_with_the_same_choice_send(
    testbed: EmulatedTestbed, implementation_id: str, tmp_path: Path
) -> None:
    counting = Counting(testbed, implementation_id, tmp_path)
    raced = check(counting, choices_by_day(implementation_id))
    for operation in OPERATIONS:
        assert not equal(raced[f"{operation} 0"], raced[f"{operation} 1"])


def every_choice(implementation_id: str, operation: str, ranks: int) -> list[Choice]:
    implementation = working(implementation_id)
    left = {"neighbor"} if ranks % 2 else set()
    if ranks <= 4:
        left |= {"smp"}
    if ranks & (ranks - 1) and operation.startswith("allgather"):
        left |= {"recursive_doubling"}
    if ranks & (ranks - 1):
        left |= {"noncommutative"}
    return [
        Choice(one.name, 16384 if one.segments else 0, 3 if one.fanout else 0)
        for one in family_named(implementation.family).algorithms(implementation)[operation]
        if one.name not in left
    ]


@pytest.mark.nightly
@pytest.mark.parametrize("ranks", [2, 3, 4, 5, 8])
def test_so_does_every_algorithm(
    testbed: EmulatedTestbed, implementation_id: str, ranks: int, tmp_path: Path
) -> None:
    choices = {name: every_choice(implementation_id, name, ranks) for name in (*OPERATIONS, "allgather")}
    check(Counting(testbed, implementation_id, tmp_path, ranks), choices)


@pytest.mark.parametrize(
    ("implementation_id", "ranks", "operations"),
    [
        *((one, 4, ("reduce_scatter_block",)) for one in SWITCHING if one.startswith("mpich")),
        *(
            pytest.param(one, ranks, (*OTHER_OPERATIONS, *NONBLOCKING), marks=pytest.mark.nightly)
            for one in SWITCHING
            for ranks in (3, 4, 8)
        ),
    ],
)
def test_so_does_every_algorithm_of_other_operations(
    testbed: EmulatedTestbed, implementation_id: str, ranks: int, operations: Sequence[str], tmp_path: Path
) -> None:
    left = WITHOUT_SWITCHING.get(working(implementation_id).family, set())
    choices = {name: every_choice(implementation_id, name, ranks) for name in operations if name not in left}
    check(Counting(testbed, implementation_id, tmp_path, ranks), choices)


@pytest.mark.nightly
@pytest.mark.parametrize("ranks", [4, 8])
def test_so_does_every_fan_out_that_is_tried(
    testbed: EmulatedTestbed, implementation_id: str, ranks: int, tmp_path: Path
) -> None:
    implementation = working(implementation_id)
    found = {}
    for name in (*OPERATIONS, "allgather"):
        known = [one for one in family_named(implementation.family).algorithms(implementation)[name] if one.fanout]
        choices, _ = own_choices(implementation, name, ranks, known)
        found[name] = [one for one in choices if one.fanout and one.segment_bytes in (0, 32768)]
    if any(found.values()):
        check(
            Counting(testbed, implementation_id, tmp_path, ranks),
            {name: one for name, one in found.items() if one},
        )


@pytest.mark.parametrize("implementation_id", by_day(SWITCHING, "openmpi-5"))
def test_also_where_several_ranks_share_a_host(
    testbed: EmulatedTestbed, implementation_id: str, tmp_path: Path
) -> None:
    """By default these ranks do the operation in two steps, within hosts and between them."""
    some = {name: choices[:1] for name, choices in choices_by_day(implementation_id).items()}
    check(Counting(testbed, implementation_id, tmp_path, ranks=8), some)


INTEL_MPI = [one.id for one in FOUND if one.family == "intelmpi"]


@pytest.mark.parametrize("implementation_id", INTEL_MPI)
@pytest.mark.parametrize(
    ("operation", "presets"),
    [("bcast", (1, 2, 8)), *(pytest.param(op, range(1, 7), marks=pytest.mark.nightly) for op in OPERATIONS)],
)
def test_presets_of_neighbouring_sizes_send_what_each_sends_by_itself(
    testbed: EmulatedTestbed, implementation_id: str, operation: str, presets: Sequence[int], tmp_path: Path
) -> None:
    counting, implementation = Counting(testbed, implementation_id, tmp_path), working(implementation_id)
    choices = [Choice(f"preset-{number}") for number in presets]
    native, candidates = family_named("intelmpi").candidates_by_size(
        implementation, operation, counting.ranks, [SIZES[operation]], choices
    )
    labels = [choice.algorithm for choice in choices]
    asked = [(operation, label) for label in [*labels, *reversed(labels)]]
    raced = counting.sent(native, asked, dict(zip(labels, candidates, strict=True)))
    for choice, one, again in zip(choices, raced, reversed(raced), strict=False):
        expected = counting.loaded((operation, choice))[operation]
        assert equal(one, expected), f"{choice}: {one}, not {expected}"
        assert equal(again, expected), f"{choice}: {again}, not {expected}"
    assert not equal(raced[0], raced[1])


@pytest.mark.parametrize("ranks", [4, pytest.param(8, marks=pytest.mark.nightly)])
def test_what_was_loaded_for_another_operation_stays_in_force_beside_candidates(
    testbed: EmulatedTestbed, implementation_id: str, ranks: int, tmp_path: Path
) -> None:
    counting = Counting(testbed, implementation_id, tmp_path, ranks)
    loaded, other = ((operation, choices[0]) for operation, choices in choices_by_day(implementation_id).items())
    expected = {**counting.loaded(loaded), **counting.loaded(other)}
    found = counting.sent(
        counting.switching(counting.native(loaded)),
        [(loaded[0], DEFAULT), (other[0], "other"), (loaded[0], "other"), (loaded[0], DEFAULT)],
        {"other": counting.candidate(*other)},
    )
    assert all(equal(found[place], expected[loaded[0]]) for place in (0, 2, 3))
    assert equal(found[1], expected[other[0]])


@pytest.mark.parametrize("implementation_id", [one.id for one in FOUND if one.family == "openmpi"])
def test_no_rule_acts_where_adapt_leads(testbed: EmulatedTestbed, implementation_id: str, tmp_path: Path) -> None:
    implementation, counting = working(implementation_id), Counting(testbed, implementation_id, tmp_path)
    adapt = family_named("openmpi").native(implementation, Tuning((Setting("adapt", "on"),)))
    linear = counting.native(("bcast", Choice("basic_linear")))
    alone, both, ruled = (counting.sent(one, [("bcast", DEFAULT)])[0] for one in (adapt, adapt + linear, linear))
    assert equal(both, alone)
    assert not equal(ruled, alone)
