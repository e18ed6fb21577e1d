"""What is wrong with hosts, program or network of a joined job is said, with a remedy."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from rankwise.cli.screen import Screen
from rankwise.testbeds import running
from rankwise.testbeds.emulated import EmulatedTestbed
from rankwise.workflows import joined
from support.abi import compiled, needs_compiler, prepare
from support.command_line import assert_error, rankwise
from support.emulated import may_emulate, needs_emulation, parts_of, two_sites
from support.special import needs_root, special_copy

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(900)]
SITES = "a=mpich-5:2,b=openmpi-5:2"


def test_a_host_is_in_one_site(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("n1 slots=2 site=a\nn2 site=b\nn1 site=b\n")
    line = ["run", "--join", SITES, "--hostfile", "hosts", "--", str(compiled("joined_where"))]
    done = rankwise(*line, home=tmp_path)
    assert_error(done, 2, "hosts:3: n1 has another user or site in an earlier line")


@needs_emulation
def test_more_ranks_than_slots_are_told_of(tmp_path: Path) -> None:
    prepare("mpich-5", "openmpi-5")
    line = ["run", "--join", "north=mpich-5:2,south=openmpi-5:5", "--testbed", "two-clusters", "--limit", "200s"]
    done = rankwise(*line, "--", str(compiled("joined_where")), home=tmp_path, timeout=300)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 7, done.stdout + done.stderr
    said = " ".join(done.stderr.split())
    assert re.search(r"warning: site south has 5 ranks on \d slots: oversubscribed, times mean little", said)
    assert "site north" not in said


@needs_root
def test_what_has_rights_of_its_own_is_refused(tmp_path: Path) -> None:
    special = special_copy(compiled("joined_where"), tmp_path)
    done = rankwise("run", "--join", SITES, "--", str(special), home=tmp_path)
    assert_error(done, 2, "special is set-user-ID or set-group-ID", "LD_PRELOAD", "without special rights")


@pytest.mark.skipif(os.geteuid() != 0 or not may_emulate(), reason="/dev/net/tun cannot be opened")
@pytest.mark.parametrize("way", [pytest.param("prohibit", marks=pytest.mark.nightly), "blackhole"])
def test_a_firewall_is_named_with_its_port_and_the_remedy(
    way: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`prohibit`: whoever connects is told so at once; `blackhole`: answers do not come, as most firewalls do."""
    prepare("mpich-5", "openmpi-5")
    monkeypatch.setattr(joined, "MEETING_SECONDS", 8.0)
    topology = two_sites("walled")
    addresses = {node.name: node.address for node in topology.nodes}
    testbed = EmulatedTestbed(topology)
    folder = testbed.start()
    try:
        for node, hidden in (("a2", ["b1", "b2"]),) if way == "blackhole" else (("b1", ["a2"]), ("b2", ["a2"])):
            inside = ["nsenter", "-t", str(parts_of(folder)[node]), "-n"]
            for other in hidden:
                subprocess.run([*inside, "ip", "route", "add", way, addresses[other]], check=True, timeout=10)
        request = joined.JoinRequest(
            (str(compiled("joined_where")),), joined.parts_of(SITES), testbed, limit_seconds=200
        )
        begun = time.monotonic()
        assert joined.run_joined(request, Screen(quiet=True)) == 1
    finally:
        running.stop(folder)
    assert time.monotonic() - begun < 60, "connect() by itself waits for two minutes"
    said = capfd.readouterr().err
    remedy = "if a firewall closes that port, open it, or connect the sites by relays: --relay"
    there = rf"site b cannot reach a at {addresses['a2']}, port \d+: [A-Z][\w ]+; {remedy}"
    here = rf"not all processes came to port \d+ within 8 s: a later site cannot reach this one; {remedy}"
    assert re.search(f"{there}|{here}", said), said
