"""Where nobody says which hosts are near each other, the overlay finds out, once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.emulated import needs_emulation
from support.mpis import FOUND, by_day
from support.overlay import Ran, compiled, run

pytestmark = [pytest.mark.mpi, needs_emulation]
IDS = [one.id for one in FOUND if one.id.startswith(("mpich-5", "openmpi-5"))]
HEADING = "# rankwise network 1"
TESTBED = "grid5000-2007-tuned"
BEHIND = """
[nic]
rate = "1 Gbit/s"

[site.a]
nodes = 2

[site.b]
nodes = 2

[node.a-1.nic]
delay = "200 us"

[node.b-1.nic]
delay = "200 us"

[[link]]
between = ["a", "b"]
delay = "1 ms"
"""
"""Two hosts of each site, of which the first reaches the other site by a longer way."""


def unsaid(implementation_id: str, home: Path, *variables: str, testbed: str = TESTBED) -> Ran:
    """Five broadcasts of four hosts in two sites, none of which is told so."""
    env = [shutil.which("env") or "env", "-u", "RANKWISE_NETWORK", f"XDG_CACHE_HOME={home}", *variables]
    program = [*env, str(compiled(implementation_id, "broadcast"))]
    where = ("--testbed", testbed, "--placement", "across-sites")
    ran = run(implementation_id, 4, "default", home, program, *where)
    assert "all right" in ran.done.stdout, ran.done.stderr
    return ran


def measured(implementation_id: str, home: Path, testbed: str = TESTBED) -> tuple[Ran, Path]:
    """What found two hosts in each site, in one of three tries: on a busy machine near hosts may seem far."""
    for attempt in range(3):
        cache = home / str(attempt)
        cache.mkdir()
        ran = unsaid(implementation_id, cache, testbed=testbed)
        (file,) = kept(cache)
        if [len(line.split()) for line in file.read_text().splitlines()[1:]] == [4, 4]:
            return ran, file
    raise AssertionError(f"never two hosts in each site: {file.read_text()}")


def kept(home: Path) -> list[Path]:
    return [*(home / "rankwise" / "networks").glob("*")]


@pytest.mark.parametrize("implementation_id", by_day(IDS, "openmpi-5"))
def test_sites_are_measured_once(implementation_id: str, tmp_path: Path) -> None:
    first, file = measured(implementation_id, tmp_path)
    assert first.algorithms() == {"bcast.lanes": 4 * 3, "bcast.one_crossing": 4 * 2}
    assert first.replaced() == {"MPI_Bcast": 4 * 5}
    heading, *sites = file.read_text().splitlines()
    assert heading == HEADING
    hosts = " ".join(host for site in sites for host in site.split()[2:])
    file.write_text(f"{HEADING}\nsite all {hosts}\n")
    cache = file.parents[2]
    assert not unsaid(implementation_id, cache).replaced()
    file.write_text("cut short")
    unsaid(implementation_id, cache)
    assert file.read_text().splitlines()[0] == heading, "measured again"


@pytest.mark.nightly
@pytest.mark.parametrize("implementation_id", IDS)
def test_the_nearest_host_of_a_site_comes_first(implementation_id: str, tmp_path: Path) -> None:
    testbed = tmp_path / "behind.toml"
    testbed.write_text(BEHIND)
    _, file = measured(implementation_id, tmp_path, str(testbed))
    assert [line.split()[2:] for line in file.read_text().splitlines()[1:]] == [["a-2", "a-1"], ["b-2", "b-1"]]


@pytest.mark.parametrize("implementation_id", IDS)
def test_measuring_can_be_switched_off(implementation_id: str, tmp_path: Path) -> None:
    ran = unsaid(implementation_id, tmp_path, "RANKWISE_OVERLAY_MEASURE=0")
    assert not ran.replaced() and not kept(tmp_path)
