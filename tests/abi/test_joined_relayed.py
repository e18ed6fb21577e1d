"""Sites whose hosts cannot see one another are one job by their relays, and it ends as a whole if a relay does."""

from __future__ import annotations

import os
import re
import subprocess
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

from rankwise.cli.screen import Screen
from rankwise.testbeds import running
from rankwise.testbeds.emulated import EmulatedTestbed
from rankwise.workflows.joined import JoinRequest, run_joined
from rankwise.workflows.joined import parts_of as parts_of_job
from support import command_line
from support.abi import compiled, needs_compiler, prepare
from support.command_line import assert_error, started
from support.emulated import may_emulate, output_of, parts_of, two_sites

pytestmark = [pytest.mark.mpi, needs_compiler, pytest.mark.timeout(900)]
rankwise = partial(command_line.rankwise, timeout=400)
SITES = "rennes=mpich-5:2,nancy=openmpi-5:2"


@pytest.fixture(scope="module", autouse=True)
def _prepared() -> None:
    prepare("openmpi-5", "mpich-5")


def megabytes_there(said: str, site: str, other: str) -> float:
    """What the relay of a site says that it has carried to another."""
    found = re.search(rf"^\[{site} relay\] to {other}: \d+ connections, ([\d.]+) MB sent", said, re.MULTILINE)
    assert found, said
    return float(found[1])


@pytest.mark.parametrize(("name", "least"), [("joined_messages", 15), ("joined_groups", 1)])
def test_what_goes_directly_goes_by_relays(name: str, least: float, tmp_path: Path) -> None:
    done = rankwise("run", "--join", SITES, "--relay", "--limit", "300s", "--", str(compiled(name)), home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"checked \d+ lacking 0 wrong 0$", done.stdout, re.MULTILINE), done.stdout
    for site, other in (("rennes", "nancy"), ("nancy", "rennes")):
        assert megabytes_there(done.stderr, site, other) > least


@pytest.mark.nightly
def test_three_sites(tmp_path: Path) -> None:
    done = rankwise("run", "--join", "a=mpich-5:1,b=openmpi-5:2,c=intelmpi:2", "--relay", "--limit", "300s", "--",
                    str(compiled("joined_messages")), home=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    for site, other in (("a", "b"), ("a", "c"), ("b", "c")):
        assert megabytes_there(done.stderr, site, other) > 1
        assert megabytes_there(done.stderr, other, site) > 1


@pytest.mark.skipif(os.geteuid() != 0 or not may_emulate(), reason="/dev/net/tun cannot be opened")
def test_only_the_hosts_of_relays_have_to_see_one_another(capfd: pytest.CaptureFixture[str]) -> None:
    topology = two_sites("parted")
    addresses = {node.name: node.address for node in topology.nodes}
    testbed = EmulatedTestbed(topology)
    folder = testbed.start()
    try:
        for node, hidden in (("a1", ["b2"]), ("a2", ["b1", "b2"]), ("b1", ["a2"]), ("b2", ["a1", "a2"])):
            inside = ["nsenter", "-t", str(parts_of(folder)[node]), "-n"]
            for other in hidden:
                route = ["ip", "route", "add", "prohibit", addresses[other]]
                subprocess.run([*inside, *route], check=True, timeout=10)
        with testbed:
            see = "ping -c 1 -W 2 {} >/dev/null 2>&1 && echo seen || echo hidden"
            assert output_of(testbed, "b2", "sh", "-c", see.format(addresses["a2"])) == "hidden"
            assert output_of(testbed, "b1", "sh", "-c", see.format(addresses["a1"])) == "seen"
        request = JoinRequest(
            (str(compiled("joined_messages")),), parts_of_job("a=mpich-5:2,b=openmpi-5:2"), testbed,
            limit_seconds=300, relayed=True,
        )  # fmt: skip
        assert run_joined(request, Screen(quiet=True)) == 0
    finally:
        running.stop(folder)
    said = capfd.readouterr()
    assert re.search(r"checked \d+ lacking 0 wrong 0$", said.out, re.MULTILINE), said
    assert megabytes_there(said.err, "b", "a") > 1


def test_a_relay_that_dies_ends_all(tmp_path: Path) -> None:
    program = str(compiled("joined_where"))
    with started("run", "--join", SITES, "--relay", "--", program, "wait", home=tmp_path) as job:
        assert job.stdout is not None and job.stderr is not None
        job.stdout.readline()
        relays = [
            one for one in psutil.Process(job.pid).children(recursive=True) if one.name() == "rankwise-relay"
        ]
        assert len(relays) == 2
        relays[0].kill()
        begun = time.monotonic()
        job.wait(60)
        said = job.stderr.read()
    assert time.monotonic() - begun < 30
    assert job.returncode not in (0, None)
    assert re.search(r"rankwise: (the relay of )?site \w+ ended with exit code", str(said)), said
    assert not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in relays)


def test_keys_are_in_no_command_line_and_gone_afterwards(tmp_path: Path) -> None:
    program = str(compiled("joined_where"))
    with started("run", "--join", SITES, "--relay", "--", program, "wait", home=tmp_path) as job:
        assert job.stdout is not None
        job.stdout.readline()
        relay = next(one for one in psutil.Process(job.pid).children(True) if one.name() == "rankwise-relay")
        file = Path(relay.cmdline()[relay.cmdline().index("--key") + 1])
        assert file.stat().st_mode & 0o077 == 0
        key = file.read_text().split()[0]
        assert not any(key in " ".join(one.info["cmdline"] or ()) for one in psutil.process_iter(["cmdline"]))
        job.send_signal(2)
        job.wait(30)
    assert not file.exists() and not relay.is_running()


def test_output_is_the_programs_alone(tmp_path: Path) -> None:
    line = ["run", "--join", "rennes=mpich-5:1,nancy=mpich-5:1", "--relay", "--"]
    loud = rankwise(*line, str(compiled("joined_where")), home=tmp_path)
    assert len(loud.stdout.splitlines()) == 2 and "[nancy relay] to rennes: " in loud.stderr
    quiet = rankwise("run", "-q", *line[1:], str(compiled("joined_where")), home=tmp_path)
    assert len(quiet.stdout.splitlines()) == 2 and "relay" not in quiet.stderr


def test_a_relay_is_for_a_joined_job(tmp_path: Path) -> None:
    done = rankwise("run", "--relay", "-n", "2", "--", str(compiled("joined_where")), home=tmp_path)
    assert_error(done, 2, "--relay is for a job over several sites", "--join")
