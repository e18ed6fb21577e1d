"""A testbed of emulated nodes comes up, is shared, breaks and comes up again, and nothing of it is left."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core import paths
from rankwise.core.errors import HostError, InputError
from rankwise.core.network import Node
from rankwise.testbeds import running
from rankwise.testbeds.emulated import EmulatedTestbed
from support.emulated import (
    launch_steps,
    needs_emulation,
    output_of,
    parts_of,
    processes_naming,
    state_of,
    supervisor_of,
    two_sites,
    unique_sleep,
    wait_until,
)  # fmt: skip
from support.ordinary_user import needs_root

pytestmark = needs_emulation
RMEM = "net.ipv4.tcp_rmem"


def folder_of(testbed: EmulatedTestbed) -> Path:
    return Path(testbed.remote_shell()).parent


@pytest.fixture
def mortal() -> Iterator[EmulatedTestbed]:
    """One that a test may break."""
    with EmulatedTestbed(two_sites("mortal", per_site=1)) as testbed:
        yield testbed


@pytest.mark.parametrize(("part", "told"), [("link", "the link emulator"), ("b1", "the agent of node b1")])
def test_a_part_killed_during_a_run_is_the_reason_and_the_next_run_works(
    mortal: EmulatedTestbed, part: str, told: str
) -> None:
    victim, nap = parts_of(folder_of(mortal))[part], unique_sleep(93)
    killer = threading.Timer(0.7, os.kill, (victim, signal.SIGKILL))
    killer.start()
    outcome = mortal.run(launch_steps("sleep", nap), ["a1", "b1"], 30)
    killer.join()
    assert outcome.broken == f"{told} was ended by signal 9 (Killed)"
    assert not outcome.timed_out and outcome.seconds < 10
    assert processes_naming(f"sleep\x00{nap}") == []
    assert output_of(mortal, "b1", "hostname") == "b1"


@needs_root
def test_a_job_that_deletes_its_nic_is_the_reason_and_the_next_run_works(mortal: EmulatedTestbed) -> None:
    nap = unique_sleep(92)
    outcome = mortal.run(launch_steps("sh", "-c", f"ip link del eth0; sleep {nap}"), ["b1", "a1"], 30)
    assert outcome.broken.endswith("node b1 has lost its NIC: something there deleted eth0")
    assert outcome.broken in outcome.notices[-1].message
    assert not outcome.timed_out and outcome.seconds < 10
    assert processes_naming(f"sleep\x00{nap}") == []
    assert output_of(mortal, "b1", "hostname") == "b1"


def test_a_node_killed_under_its_own_command(mortal: EmulatedTestbed) -> None:
    agent = parts_of(folder_of(mortal))["a1"]
    threading.Timer(0.7, os.kill, (agent, signal.SIGKILL)).start()
    assert "node a1" in mortal.run(launch_steps("sleep", "93.5"), ["a1"], 30).broken


def test_one_that_broke_between_runs_is_brought_up_again(mortal: EmulatedTestbed) -> None:
    folder = folder_of(mortal)
    supervisor = supervisor_of(folder)
    os.kill(supervisor, signal.SIGKILL)
    wait_until(lambda: folder not in [one.folder for one in running.running()])
    assert output_of(mortal, "a1", "hostname") == "a1"
    assert folder_of(mortal) == folder and supervisor_of(folder) != supervisor


def test_two_at_once_do_not_meet() -> None:
    with EmulatedTestbed(two_sites("twin")) as one, EmulatedTestbed(two_sites("twin")) as other:
        assert folder_of(one) != folder_of(other)
        output_of(one, "a1", "touch", "/dev/shm/one")
        assert output_of(other, "a1", "ls", "/dev/shm") == ""
        inode = ("readlink", "/proc/self/ns/net")
        assert output_of(one, "a1", *inode) != output_of(other, "a1", *inode)
        assert output_of(one, "a1", "printenv", "TMPDIR") != output_of(other, "a1", "printenv", "TMPDIR")


def test_down_leaves_nothing() -> None:
    testbed = EmulatedTestbed(two_sites("brief"))
    testbed.up()
    testbed.up()
    folder = folder_of(testbed)
    assert processes_naming(str(folder))
    testbed.down()
    testbed.down()
    assert not folder.exists() and processes_naming(str(folder)) == []
    assert str(folder) not in Path("/proc/self/mountinfo").read_text()


def test_it_comes_up_when_its_shell_is_asked_for() -> None:
    testbed = EmulatedTestbed(two_sites("lazy", per_site=1))
    try:
        assert Path(testbed.remote_shell()).exists()
    finally:
        testbed.down()


def test_the_named_one_that_is_up_is_used_and_stays() -> None:
    topology = two_sites("named", per_site=1)
    folder = running.start(topology, attached=False)
    try:
        with EmulatedTestbed(topology) as testbed:
            assert folder_of(testbed) == folder
            supervisor = supervisor_of(folder)
            os.kill(parts_of(folder)["link"], signal.SIGKILL)
            wait_until((folder / "ended").exists)
            assert output_of(testbed, "a1", "hostname") == "a1"
            assert supervisor_of(folder) != supervisor and not state_of(folder).attached
        assert [one.name for one in running.running() if one.folder == folder] == ["named"]
        with pytest.raises(HostError, match="is already up with another description"):
            EmulatedTestbed(two_sites("named", per_site=1, delay_seconds=3e-3)).up()
    finally:
        running.stop(folder)


def test_one_that_was_taken_down_is_not_brought_back_for_good() -> None:
    topology = two_sites("goner", per_site=1)
    folder = running.start(topology, attached=False)
    try:
        with EmulatedTestbed(topology) as testbed:
            assert folder_of(testbed) == folder
            running.stop(folder)
            assert output_of(testbed, "a1", "hostname") == "a1"
            assert folder_of(testbed) != folder
        assert not folder.exists()
    finally:
        running.stop(folder)


def test_two_runs_on_the_same_testbed_wait_for_one_another() -> None:
    topology = two_sites("queue", per_site=1)
    folder = running.start(topology, attached=False)
    clock = "cut -d' ' -f1 /proc/uptime"
    times = []

    def run_one() -> None:
        with EmulatedTestbed(topology) as testbed:
            told = output_of(testbed, "a1", "sh", "-c", f"{clock}; sleep 0.5; {clock}")
            times.append([float(word) for word in told.split()])

    try:
        threads = [threading.Thread(target=run_one) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        running.stop(folder)
    times.sort()
    assert len(times) == 3
    assert all(earlier[1] <= later[0] for earlier, later in itertools.pairwise(times))


STARTER = """
import sys
sys.path.insert(0, {tests!r})
from support.emulated import two_sites, launch_steps
from rankwise.testbeds.emulated import EmulatedTestbed
with EmulatedTestbed(two_sites("orphan", per_site=1)) as testbed:
    print(testbed.remote_shell(), flush=True)
    testbed.run(launch_steps("sleep", {nap!r}), ["a1", "b1"], 60)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_rankwise_that_ends_takes_its_testbed_with_it(number: int) -> None:
    nap = unique_sleep(94)
    code = STARTER.format(tests=str(Path(__file__).parents[1]), nap=nap)
    argv = ["env", "--default-signal=INT", sys.executable, "-c", code]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as starter:
        assert starter.stdout is not None
        folder = Path(starter.stdout.readline().strip()).parent
        assert folder.is_dir() and folder.name.startswith("orphan-")
        wait_until(lambda: processes_naming(f"sleep\x00{nap}"))
        starter.send_signal(number)
        starter.wait(20)
    wait_until(lambda: not processes_naming(str(folder)) and not processes_naming(f"sleep\x00{nap}"))
    if number == signal.SIGKILL:
        running.clear_left_over()  # unless another process of tests has done so
    assert not folder.exists()


def test_sixteen_nodes_are_up_within_three_seconds() -> None:
    testbed = EmulatedTestbed(two_sites("sixteen", per_site=8))
    begun = time.monotonic()
    testbed.up()
    took = time.monotonic() - begun
    try:
        assert output_of(testbed, "b8", "hostname") == "b8"
        assert took < 3
    finally:
        testbed.down()


Nodes = tuple[Node, ...]


@pytest.mark.parametrize(
    ("change", "words_of_it"),
    [
        (lambda nodes: (nodes[0], replace(nodes[1], name="a1")), "there are two nodes a1"),
        (lambda nodes: (replace(nodes[0], name="ended"), nodes[1]), "no node can be called 'ended'"),
        (lambda nodes: (replace(nodes[0], name="a" * 64), nodes[1]), "is not a host name"),
        (lambda nodes: (replace(nodes[0], address="here"), nodes[1]), "'here' is not an IPv4 address"),
        (lambda nodes: (replace(nodes[0], out="no-such-link"), nodes[1]), "no-such-link"),
        (lambda _: (), "the testbed has no nodes"),
    ],
)
def test_contradictions_are_input_errors_and_leave_nothing(
    change: Callable[[Nodes], Nodes], words_of_it: str
) -> None:
    topology = two_sites("wrong", per_site=1)
    with pytest.raises(InputError, match=words_of_it):
        EmulatedTestbed(replace(topology, nodes=change(topology.nodes))).up()
    assert not list(paths.runtime_folder().glob("wrong*"))


def test_a_name_too_long_for_a_socket_is_an_input_error() -> None:
    with pytest.raises(InputError, match="the path of a socket would be too long") as caught:
        EmulatedTestbed(two_sites("n" * 90)).up()
    assert "shorter name" in caught.value.remedy


@pytest.mark.parametrize("name", ["", "../up", ".hidden", "with blank"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(InputError, match="cannot name a"):
        EmulatedTestbed(two_sites(name)).up()


def test_too_much_for_the_memory_is_told_beforehand() -> None:
    topology = two_sites("huge")
    greedy = replace(topology, links=(replace(topology.links[0], queue_bytes=1 << 50), *topology.links[1:]))
    with pytest.raises(HostError, match="4 nodes and the queues of their links need about"):
        EmulatedTestbed(greedy).up()


def test_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RANKWISE_NATIVE", "")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HostError, match="rankwise-nodes is not installed"):
        EmulatedTestbed(two_sites("bare")).up()
    assert not list(paths.runtime_folder().glob("bare*"))
