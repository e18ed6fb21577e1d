"""Where ranks share cores, one that waits between hosts gives up its core: with every network layer of an MPI."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankwise.artifacts import builder
from rankwise.artifacts.builder import Artifact
from rankwise.core.jobs import Job
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.emulated import EmulatedTestbed
from support.emulated import needs_emulation, two_sites
from support.mpis import FOUND, working

pytestmark = [pytest.mark.mpi, needs_emulation]
SOURCE = Path(__file__).with_name("waiting.c")
LAYERS = {"mpich": ({"MPIR_CVAR_CH4_NETMOD": "ucx"}, {"MPIR_CVAR_CH4_NETMOD": "ofi"}), "intelmpi": ({},)}
CASES = [(one.id, layer) for one in FOUND for layer in LAYERS.get(one.family, ())]
"""Open MPI yields by itself, which is not counted where nobody else wants the core; LAM/MPI always sleeps."""
FEWEST = 30
"""A rank that only spins does not give it up at all."""


@pytest.fixture(scope="module")
def duo() -> Iterator[EmulatedTestbed]:
    with EmulatedTestbed(two_sites("waiting", delay_seconds=2e-4)) as testbed:
        yield testbed


@pytest.mark.parametrize(
    ("name", "layer"), CASES, ids=lambda it: it if isinstance(it, str) else "".join(it.values())
)
def test_a_rank_that_waits_gives_up_its_core(name: str, layer: dict[str, str], duo: EmulatedTestbed) -> None:
    installation = working(name)
    program = str(builder.build(Artifact("waiting", (SOURCE,), flags=("-std=gnu99",)), installation))
    hosts = ("a1", "b1")
    job = Job(
        (program,), 2, oversubscribed=True, hosts=hosts, start=duo.process_start(), files=(program,),
        environment=tuple(layer.items()),
    )  # fmt: skip
    # UCX 1.13 may hang in MPI_Finalize, also natively, where two ranks connected to each other at once
    outcome = duo.run(FamilyLauncher().steps(installation, job), hosts, 60, end_marker="gave up")
    assert outcome.returncode == 0 or outcome.finished_early, outcome.stdout + outcome.stderr
    found = re.search(r"gave up its core (\d+) times", outcome.stdout)
    assert found
    assert int(found[1]) >= FEWEST
