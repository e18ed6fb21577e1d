"""Each knob of a family is in the catalogue, each knob of the catalogue has a family, and old names are read."""

import re
from pathlib import Path

import rankwise.mpi
from rankwise.core import knobs
from rankwise.workflows.tune.stages import (
    KNOBS,
    KNOBS_BETWEEN_HOSTS,
    KNOBS_WITHIN_HOST,
    OF_COLLECTIVES,
    THRESHOLDS,
)

FAMILIES = [folder for folder in Path(rankwise.mpi.__path__[0]).iterdir() if (folder / "__init__.py").is_file()]
_CREATED = re.compile(r"""(?:Knob\(|_eager\(told,|\(knob, name=|name=)\s*"([a-z-]+)",""")


def named() -> dict[str, set[str]]:
    """The knobs that each family's code makes: which a build has, only its installation can tell."""
    return {
        folder.name: {name for file in folder.glob("*.py") for name in _CREATED.findall(file.read_text())}
        for folder in FAMILIES
    }


def test_the_catalogue_and_the_families_know_the_same_knobs() -> None:
    found = named()
    assert set(found) == {"openmpi", "mpich", "intelmpi", "lammpi"}
    assert all(found.values()), found
    assert set().union(*found.values()) == set(knobs.CATALOGUE)


def test_each_entry_says_what_it_is() -> None:
    for name, one in knobs.CATALOGUE.items():
        assert one.name == name
        assert one.title and one.purpose
        assert not one.purpose.endswith(".")


def test_a_plug_ins_own_knob_is_described_by_its_name() -> None:
    assert knobs.described("pigeons") == knobs.KnobDescription("pigeons", "pigeons")


def test_the_stages_of_tuning_are_what_the_catalogue_says() -> None:
    assert KNOBS_BETWEEN_HOSTS == ("socket-buffers", "tcp-connections", "tcp-piece-size", "transport")
    assert KNOBS_WITHIN_HOST == ("transport-shm", "cells-shm")
    assert THRESHOLDS == ("eager-threshold", "eager-threshold-shm")
    assert OF_COLLECTIVES == ("yielding", "han", "adapt", "fabrics")
    assert set(KNOBS) == {"tcp-limits"} | {name for name, one in knobs.CATALOGUE.items() if one.stage}
