"""One launch holds all that it can switch between beside the default; whole sizes stay together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rankwise.analysis.tune.algorithm_search import AlgorithmSearch
from rankwise.analysis.tune.race import AGAIN
from rankwise.analysis.tune.search import Trial
from rankwise.core.records import DEFAULT, Cell
from rankwise.core.tuning import Candidate, Choice, Setting, Tuning
from rankwise.workflows.tune.bundles import bundled, candidates_of, most_cells, tunings_of
from support.mpis import FOUND, working

pytestmark = pytest.mark.mpi
SIZES = (1024, 65536)
NAMES = ("binomial", "smp")
SWITCHING = [one.id for one in FOUND if one.family == "mpich"]
OTHERS = [one.id for one in FOUND if one.family == "lammpi"]


def search_of(name: str) -> AlgorithmSearch:
    return AlgorithmSearch(Cell(working(name).id, "bcast", 0, 4), [Choice(one) for one in NAMES], SIZES)


@pytest.mark.parametrize("name", SWITCHING)
def test_one_launch_holds_the_default_and_all_algorithms(name: str) -> None:
    (bundle,) = bundled([search_of(name)], working(name))
    assert {(cell.label, cell.size_bytes) for cell in bundle.cells()} == {
        (label, size) for label in (DEFAULT, AGAIN, *(f"bcast@4={one}" for one in NAMES)) for size in SIZES
    }
    assert set(bundle.candidates) == {AGAIN, *(f"bcast@4={one}" for one in NAMES)}
    assert bundle.candidates[AGAIN] == Candidate(), "the default once more, on a communicator of its own"
    assert bundle.tuning(Tuning()) == Tuning(), "nothing is loaded but what is switched"
    assert {label: one.decisions[0].rules[0].choice.algorithm for label, one in tunings_of(bundle).items()} == {
        f"bcast@4={one}": one for one in NAMES
    }


@pytest.mark.parametrize("name", SWITCHING)
def test_what_does_not_fit_into_a_launch_is_parted_between_sizes(name: str) -> None:
    bundles = bundled([search_of(name)], working(name), most_cells(limit_seconds=60.0, visit_seconds=5.0))
    assert [{cell.size_bytes for cell in bundle.cells()} for bundle in bundles] == [{1024}, {65536}]
    assert all({cell.label for cell in bundle.cells()} >= {DEFAULT} for bundle in bundles)


@pytest.mark.parametrize("name", OTHERS)
def test_where_nothing_can_be_switched_each_trial_is_a_launch(name: str) -> None:
    bundles = bundled([search_of(name)], working(name))
    assert len(bundles) == 1 + len(NAMES)
    assert all(not bundle.candidates for bundle in bundles)


@pytest.mark.parametrize("name", [one.id for one in FOUND if one.family == "intelmpi"])
def test_presets_of_neighbouring_sizes_share_a_launch_and_the_default_has_its_own(name: str) -> None:
    template = Cell(working(name).id, "bcast", 0, 4)
    search = AlgorithmSearch(template, [Choice(f"preset-{number}") for number in range(1, 12)], SIZES)
    switched = [one for one in bundled([search], working(name)) if one.candidates]
    plain = [one for one in bundled([search], working(name)) if not one.candidates]
    assert {len(one.candidates) for one in switched} == {11}, "all of them fit"
    assert {(cell.label, cell.size_bytes) for one in switched for cell in one.cells()} == {
        (f"bcast@4=preset-{number}", size) for number in range(1, 12) for size in SIZES
    }
    assert {cell.label for one in plain for cell in one.cells()} == {DEFAULT}
    shorter = [one.bytes_less for one in switched[0].candidates.values()]
    assert sorted(shorter) == [4 * place for place in range(11)]
    table = dict(switched[0].table.environment)["RANKWISE_AT_4_I_MPI_ADJUST_BCAST"]
    assert table.count(";") == 2 * 11 - 1


OWN = {"mpich": ("binomial", "smp"), "intelmpi": ("preset-1", "preset-2"), "lammpi": ()}


@pytest.mark.parametrize("name", [one.id for one in FOUND if one.family in OWN])
def test_schedules_share_a_launch_with_the_default_whatever_the_mpi_can_switch(name: str) -> None:
    one = working(name)
    ours, own = ("schedule:lanes", "schedule:trees"), OWN[one.family]
    search = AlgorithmSearch(Cell(one.id, "bcast", 0, 4), [Choice(each) for each in (*own, *ours)], SIZES)
    bundles = bundled([search], one)
    (mixed,) = (each for each in bundles if any("schedule" in cell.label for cell in each.cells()))
    labels = {(cell.label, cell.size_bytes) for cell in mixed.cells()}
    assert labels >= {
        (label, size) for label in (DEFAULT, *(f"bcast@4={each}" for each in ours)) for size in SIZES
    }
    assert {label: each.benchmark for label, each in mixed.candidates.items() if each.benchmark} == {
        "bcast@4=schedule:lanes": "bcast.lanes", "bcast@4=schedule:trees": "bcast.trees",
    }  # fmt: skip
    assert mixed.tuning(Tuning()) == Tuning(), "nothing is loaded for them"
    measured = {cell.label for each in bundles for cell in each.cells()}
    again = {AGAIN} if name in SWITCHING else set()
    assert measured == {DEFAULT, *again, *(f"bcast@4={each}" for each in (*own, *ours))}
    if one.family == "intelmpi":
        apart = [each for each in bundles if each is not mixed and each.candidates]
        assert {label for each in apart for label in each.candidates} == {f"bcast@4={each}" for each in own}
    else:
        assert len(bundles) == 1


@pytest.mark.parametrize("name", SWITCHING)
def test_settings_and_unknown_algorithms_are_not_switched(name: str) -> None:
    trial = search_of(name).ask()[2]
    assert candidates_of(working(name), trial)
    assert candidates_of(working(name), replace(trial, tuning=Tuning((Setting("transport", "tcp"),)))) is None
    (odd,) = AlgorithmSearch(Cell(working(name).id, "bcast", 0, 4), [Choice("magic")], (64,)).ask()[2:]
    assert candidates_of(working(name), odd) is None


def test_a_trial_of_the_default_alone_switches_to_nothing() -> None:
    plain = Trial(DEFAULT, Tuning(), (Cell("mpi-1", "bcast", 64, 4),))
    assert candidates_of(working(FOUND[0].id), plain) == {}
