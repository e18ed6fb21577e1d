"""Where nobody says which hosts are near each other, the overlay finds out, once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.emulated import needs_emulation
from support.mpis import FOUND
from support.overlay import Ran, compiled, run

pytestmark = [pytest.mark.mpi, needs_emulation]
IDS = [one.id for one in FOUND if one.id.startswith(("mpich-5", "openmpi-5"))]
HEADING = "# rankwise network 1"


def unsaid(implementation_id: str, home: Path, *variables: str) -> Ran:
    """Five broadcasts of four hosts in two sites, none of which is told so."""
    env = [shutil.which("env") or "env", "-u", "RANKWISE_NETWORK", f"XDG_CACHE_HOME={home}", *variables]
    program = [*env, str(compiled(implementation_id, "broadcast"))]
    where = ("--testbed", "grid5000-2007-tuned", "--placement", "across-sites")
    ran = run(implementation_id, 4, "default", home, program, *where)
    assert "all right" in ran.done.stdout, ran.done.stderr
    return ran


def kept(home: Path) -> list[Path]:
    return [*(home / "rankwise" / "networks").glob("*")]


@pytest.mark.parametrize("implementation_id", IDS)
def test_sites_are_measured_once(implementation_id: str, tmp_path: Path) -> None:
    measured = unsaid(implementation_id, tmp_path)
    assert measured.algorithms() == {"bcast.lanes": 4 * 3, "bcast.one_crossing": 4 * 2}
    assert measured.replaced() == {"MPI_Bcast": 4 * 5}
    (file,) = kept(tmp_path)
    heading, *sites = file.read_text().splitlines()
    assert heading == HEADING
    assert [len(site.split()) for site in sites] == [4, 4]
    hosts = " ".join(host for site in sites for host in site.split()[2:])
    file.write_text(f"{HEADING}\nsite all {hosts}\n")
    assert not unsaid(implementation_id, tmp_path).replaced()
    file.write_text("cut short")
    assert unsaid(implementation_id, tmp_path).replaced() == measured.replaced()
    assert file.read_text().splitlines() == [heading, *sites]


@pytest.mark.parametrize("implementation_id", IDS)
def test_measuring_can_be_switched_off(implementation_id: str, tmp_path: Path) -> None:
    ran = unsaid(implementation_id, tmp_path, "RANKWISE_OVERLAY_MEASURE=0")
    assert not ran.replaced() and not kept(tmp_path)
