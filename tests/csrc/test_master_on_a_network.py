"""A master and its workers come to an end between hosts too, where receives from any source may hang."""

from __future__ import annotations

import pytest

from rankwise.testbeds import description
from rankwise.testbeds.base import make
from rankwise.workflows.apps import AppsRequest, run_apps
from rankwise.workflows.events import Silent
from support.emulated import needs_emulation
from support.mpis import FOUND

BY_DAY = [one.id for one in FOUND if one.id.startswith(("mpich-5", "openmpi-5"))]
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not BY_DAY, reason="no MPI here"), needs_emulation]


@pytest.mark.parametrize(
    "mpi", [one if one.startswith("mpich-5") else pytest.param(one, marks=pytest.mark.nightly) for one in BY_DAY]
)
def test_each_worker_gets_its_rays(mpi: str) -> None:
    request = AppsRequest(
        ("ray2mesh",), "", ("rays=12000", "mesh_bytes=8000"), (mpi,), 4,
        make(description.load("two-clusters")), limit_seconds=60.0,
    )  # fmt: skip
    (result,) = run_apps(request, Silent())
    assert (result.remark, result.verified) == ("", True)
