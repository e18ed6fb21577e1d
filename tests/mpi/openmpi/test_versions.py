"""The numbers of tuned's algorithms that we know of versions are those of the installations that are here."""

import pytest

from rankwise.mpi.family import family_named
from rankwise.mpi.openmpi.versions import published
from rankwise.profiles.lint.openmpi_han import OF_HAN
from support.mpis import FOUND


@pytest.mark.mpi
@pytest.mark.parametrize("one", [one for one in FOUND if one.family == "openmpi"], ids=lambda one: one.id)
def test_an_installation_counts_as_its_version_does(one) -> None:  # type: ignore[no-untyped-def]
    version = ".".join(one.version.split(".")[:2])
    known = next(found for found in published() if found.version == version)
    algorithms = family_named("openmpi").vocabulary(one).algorithms
    of_tuned = {subject: names for subject, names in algorithms.items() if not subject.startswith(OF_HAN)}
    assert of_tuned == known.algorithms
