"""What keeps the overlay from its work is said, with what to do about it."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.artifacts import overlay
from support.mpis import FOUND, working
from support.overlay import compiled, run
from support.special import needs_root, special_copy

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]
MODERN = [one.id for one in FOUND if not one.id.startswith("lammpi")]
NEWEST = next((one for one in MODERN if one.startswith("mpich-5")), "")


def test_an_overlay_for_another_version_is_refused(tmp_path: Path) -> None:
    """As where the library was replaced by a newer one below the same prefix."""
    one = working(NEWEST)
    other = overlay.build(replace(one, version="3.3.2"))
    variables = {"LD_PRELOAD": str(other), "RANKWISE_OVERLAY": "default", **dict(one.environment)}
    done = subprocess.run(
        [one.mpiexec, "-n", "2", compiled(NEWEST, "broadcast")], env={**os.environ, **variables},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode != 0 and "all right" not in done.stdout
    said = done.stdout + done.stderr
    assert "this overlay was built for version 3.3.2 of the MPI library" in said
    assert "MPICH Version" in said and "rankwise run --overlay builds the right one" in said


@needs_root
@pytest.mark.parametrize("bit", [stat.S_ISUID, stat.S_ISGID], ids=["user", "group"])
def test_a_program_of_another_user_is_refused(bit: int, tmp_path: Path) -> None:
    program = special_copy(compiled(NEWEST, "broadcast"), tmp_path, bit)
    ran = run(NEWEST, 2, "default", tmp_path, [str(program)])
    assert ran.done.returncode == 2 and not ran.done.stdout
    assert "special is set-user-ID or set-group-ID: the loader ignores LD_PRELOAD" in ran.done.stderr
    assert "remedy:" in ran.done.stderr


@pytest.mark.parametrize("implementation_id", MODERN)
def test_a_network_without_a_ranks_host_is_refused(implementation_id: str, tmp_path: Path) -> None:
    network = tmp_path / "network"
    network.write_text("# rankwise network 1\nsite a some-host\nsite b another-host\n")
    program = [str(compiled(implementation_id, "broadcast"))]
    ran = run(implementation_id, 2, "default", tmp_path, program, RANKWISE_NETWORK=str(network))
    assert ran.done.returncode != 0 and "all right" not in ran.done.stdout
    said = f"rank 0 is on host {socket.gethostname()}, which is in no site: add it to a line 'site NAME HOST'"
    assert f"rankwise overlay: {network}: {said}" in ran.done.stdout + ran.done.stderr
