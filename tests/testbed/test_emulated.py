"""A testbed of emulated nodes, as a run uses it: up, jobs on it, faults, and nothing left."""

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

from rankwise.core import paths, process
from rankwise.core.errors import HostError, InputError
from rankwise.core.network import Node
from rankwise.core.records import Command
from rankwise.testbed import base, host, running
from rankwise.testbed.emulated import EmulatedTestbed
from support.emulated import (
    needs_emulation,
    parts_of,
    processes_naming,
    said,
    state_of,
    supervisor_of,
    two_sites,
    wait_until,
    words,
)  # fmt: skip

pytestmark = needs_emulation
RMEM = "net.ipv4.tcp_rmem"


def folder_of(testbed: EmulatedTestbed) -> Path:
    return Path(testbed.remote_shell()).parent


@pytest.fixture(scope="module")
def duo() -> Iterator[EmulatedTestbed]:
    """One that no test breaks."""
    with EmulatedTestbed(two_sites("duo")) as testbed:
        yield testbed


@pytest.fixture
def mortal() -> Iterator[EmulatedTestbed]:
    """One that a test may break."""
    with EmulatedTestbed(two_sites("mortal", per_site=1)) as testbed:
        yield testbed


def test_it_is_a_kind_of_testbed() -> None:
    assert isinstance(base.make(two_sites()), EmulatedTestbed)


def test_nodes_are_hosts_of_their_own(duo: EmulatedTestbed) -> None:
    assert [(one.name, one.slots, one.site) for one in duo.hosts()] == [
        ("a1", 1, "a"), ("a2", 1, "a"), ("b1", 1, "b"), ("b2", 1, "b"),
    ]  # fmt: skip
    for name in ("a1", "b2"):
        assert said(duo, name, "hostname") == name
        assert said(duo, name, "cat", "/proc/sys/kernel/hostname") == name
        assert said(duo, name, "sh", "-c", "echo /sys/class/net/*") == "/sys/class/net/eth0 /sys/class/net/lo"
        assert int(said(duo, name, "sh", "-c", "echo /proc/[0-9]* | wc -w")) <= 4
    assert said(duo, "a1", "cat", "/etc/hosts").splitlines() == [
        "127.0.0.1 localhost", "10.77.1.1 a1", "10.77.1.2 a2", "10.77.2.1 b1", "10.77.2.2 b2",
    ]  # fmt: skip


def test_shared_memory_and_system_v_objects_are_a_nodes_own(duo: EmulatedTestbed) -> None:
    said(duo, "a1", "sh", "-c", "echo mine >/dev/shm/rankwise-test; ipcmk -M 4096")
    assert said(duo, "a1", "cat", "/dev/shm/rankwise-test") == "mine"
    assert said(duo, "a2", "ls", "/dev/shm") == ""
    assert not Path("/dev/shm/rankwise-test").exists()
    assert said(duo, "a2", "cat", "/proc/sysvipc/shm").count("\n") == 0
    assert said(duo, "a1", "cat", "/proc/sysvipc/shm").count("\n") == 1


TALK = """
import socket, sys, time
if sys.argv[1:]:
    time.sleep(0.5)
    socket.create_connection((sys.argv[1], 5001), 5).sendall(b"over")
else:
    print(socket.create_server(("", 5001)).accept()[0].recv(9).decode())
"""


def test_nodes_reach_one_another_by_name_over_the_links(duo: EmulatedTestbed, tmp_path: Path) -> None:
    (tmp_path / "talk.py").write_text(TALK)
    talk = f"{sys.executable} {tmp_path}/talk.py"
    outcome = duo.run(words("sh", "-c", f"{duo.remote_shell()} b1 {talk} & {talk} b1; wait"), ["a1", "b1"], 20)
    assert (outcome.returncode, outcome.stdout) == (0, "over\n"), outcome
    counted = {one.link: one.packets for one in outcome.links}
    assert counted["a-b"] >= 3 and counted["b-a"] >= 2
    assert counted["a1-out"] == counted["a-b"] and counted["a2-out"] == counted["a-lan"] == 0
    assert outcome.emulator is not None and outcome.emulator.delivered_packets == counted["a-b"] + counted["b-a"]


def test_counters_are_those_of_one_launch(duo: EmulatedTestbed) -> None:
    outcome = duo.run(words("true"), ["a1", "b1"], 20)
    assert len(outcome.links) == 12
    assert sum(one.packets for one in outcome.links) == 0


def test_the_job_runs_on_its_first_host_with_its_variables(duo: EmulatedTestbed) -> None:
    folder = folder_of(duo)
    main = Command(("sh", "-c", "hostname; echo $WORD; echo $TMPDIR; exit 3"), (("WORD", "two words"),))
    outcome = duo.run(replace(words("true"), main=main), ["b2", "a1"], 20)
    assert outcome.returncode == 3
    assert outcome.stdout.splitlines() == ["b2", "two words", f"{folder}/b2"]
    assert duo.run(words("no-such-program"), ["a1"], 20).returncode == 127


def test_without_hosts_it_runs_here(duo: EmulatedTestbed) -> None:
    outcome = duo.run(words("cat", "/proc/sys/kernel/hostname"), [], 20)
    assert outcome.stdout == Path("/proc/sys/kernel/hostname").read_text()


def test_steps_run_in_order_where_they_belong(duo: EmulatedTestbed) -> None:
    log = folder_of(duo) / "a1" / "log"

    def note(word: str) -> Command:
        return Command(("sh", "-c", f"echo {word} $(hostname) >>{log}"))

    steps = words("sh", "-c", f"echo main >>{log}; exit 1", everywhere=(note("first"),), before=(note("before"),),
                  after=(note("after"),), everywhere_after=(note("last"),))  # fmt: skip
    assert duo.run(steps, ["b1", "b1", "a2"], 20).returncode == 1
    assert log.read_text().splitlines() == [
        "first b1", "first a2", "before b1", "main", "after b1", "last b1", "last a2",
    ]  # fmt: skip


def test_settings_are_in_force_for_one_launch(duo: EmulatedTestbed) -> None:
    before = said(duo, "b1", "cat", "/proc/sys/net/ipv4/tcp_rmem")
    show = f"cat /proc/sys/net/ipv4/tcp_rmem; {duo.remote_shell()} b1 cat /proc/sys/net/ipv4/tcp_rmem"
    steps = words("sh", "-c", show, settings=((RMEM, "4096 8192 65536"),))
    outcome = duo.run(steps, ["a1", "b1"], 20)
    assert [line.split() for line in outcome.stdout.splitlines()] == [["4096", "8192", "65536"]] * 2
    assert said(duo, "b1", "cat", "/proc/sys/net/ipv4/tcp_rmem") == before
    assert said(duo, "a1", "cat", "/proc/sys/net/ipv4/tcp_rmem") == before


def test_a_setting_that_is_refused_is_an_error_and_the_others_are_put_back(duo: EmulatedTestbed) -> None:
    before = said(duo, "a1", "cat", "/proc/sys/net/ipv4/tcp_rmem")
    asked = ((RMEM, "4096 8192 65536"), ("net.ipv4.tcp_congestion_control", "nosuch"))
    with pytest.raises(HostError, match=r"cannot set .* 'nosuch'.* in force: 'reno'") as caught:
        duo.run(words("true", settings=asked), ["a1"], 20)
    assert "tcp_allowed_congestion_control" in caught.value.remedy
    assert said(duo, "a1", "cat", "/proc/sys/net/ipv4/tcp_rmem") == before


def test_a_launch_at_its_limit_leaves_no_process_in_any_node(duo: EmulatedTestbed) -> None:
    shell = duo.remote_shell()
    line = f"{shell} b1 'setsid sleep 91.5 & setsid sleep 91.5' & trap '' TERM; sleep 91.5; sleep 91.5"
    begun = time.monotonic()
    outcome = duo.run(words("sh", "-c", line), ["a1", "b1"], 1.0)
    assert outcome.timed_out and not outcome.broken
    assert time.monotonic() - begun < 15
    assert processes_naming("sleep\x0091.5") == []
    assert said(duo, "b1", "hostname") == "b1"


def test_a_program_that_has_said_all_is_ended(duo: EmulatedTestbed) -> None:
    outcome = duo.run(words("sh", "-c", "echo data; echo END; sleep 92.5"), ["a1"], 30, "END")
    assert outcome.finished_early and outcome.stdout == "data\nEND\n"
    assert processes_naming("sleep\x0092.5") == []


def test_ranks_that_share_this_hosts_cores_have_to_yield(duo: EmulatedTestbed) -> None:
    cores = host.usable_cores()
    assert not duo.oversubscribed(["a1"] * cores)
    assert duo.oversubscribed(["a1"] * cores + ["b1"])


def test_facts_read_the_nodes_settings_back() -> None:
    topology = two_sites("factual", per_site=1)
    first, second = topology.nodes
    other = replace(second, settings=(*second.settings, (RMEM, "4096 8192 65536")))
    with EmulatedTestbed(replace(topology, nodes=(first, other))) as testbed:
        facts = {fact.key: fact.value for fact in testbed.facts()}
    assert facts["node_tcp_congestion_control"] == "reno"
    assert facts["node_tcp_rmem"].endswith("(a1); 4096 8192 65536 (b1)")
    assert "reno" in facts["tcp_allowed_congestion_control"]
    assert facts["link_emulator"].startswith("rankwise-link ")
    assert facts["testbed"] == "factual: 2 emulated nodes, modern"
    assert "kernel" in facts


def test_a_description_that_cannot_be_had_in_full_comes_up_with_a_notice() -> None:
    settings = (("net.ipv4.tcp_congestion_control", "nosuch"),)
    with EmulatedTestbed(two_sites("wishful", per_site=1, settings=settings)) as testbed:
        outcome = testbed.run(words("true"), ["a1"], 20)
    refused = [one for one in outcome.notices if one.kind == "setting-refused"]
    assert len(refused) == 2
    assert "node a1: cannot set net.ipv4.tcp_congestion_control to 'nosuch'" in refused[0].message


@pytest.mark.parametrize(("part", "told"), [("link", "the link emulator"), ("b1", "the agent of node b1")])
def test_a_part_killed_during_a_run_is_the_reason_and_the_next_run_works(
    mortal: EmulatedTestbed, part: str, told: str
) -> None:
    victim = parts_of(folder_of(mortal))[part]
    killer = threading.Timer(0.7, os.kill, (victim, signal.SIGKILL))
    killer.start()
    outcome = mortal.run(words("sleep", "93.5"), ["a1", "b1"], 30)
    killer.join()
    assert outcome.broken == f"{told} was ended by signal 9 (Killed)"
    assert not outcome.timed_out and outcome.seconds < 10
    assert processes_naming("sleep\x0093.5") == []
    assert said(mortal, "b1", "hostname") == "b1"


def test_a_node_killed_under_its_own_command(mortal: EmulatedTestbed) -> None:
    agent = parts_of(folder_of(mortal))["a1"]
    threading.Timer(0.7, os.kill, (agent, signal.SIGKILL)).start()
    assert "node a1" in mortal.run(words("sleep", "93.5"), ["a1"], 30).broken


def test_one_that_broke_between_runs_is_brought_up_again(mortal: EmulatedTestbed) -> None:
    folder = folder_of(mortal)
    supervisor = supervisor_of(folder)
    os.kill(supervisor, signal.SIGKILL)
    wait_until(lambda: folder not in [one.folder for one in running.running()])
    assert said(mortal, "a1", "hostname") == "a1"
    assert folder_of(mortal) == folder and supervisor_of(folder) != supervisor


def test_two_at_once_do_not_meet() -> None:
    with EmulatedTestbed(two_sites("twin")) as one, EmulatedTestbed(two_sites("twin")) as other:
        assert folder_of(one) != folder_of(other)
        said(one, "a1", "touch", "/dev/shm/one")
        assert said(other, "a1", "ls", "/dev/shm") == ""
        inode = ("readlink", "/proc/self/ns/net")
        assert said(one, "a1", *inode) != said(other, "a1", *inode)
        assert said(one, "a1", "printenv", "TMPDIR") != said(other, "a1", "printenv", "TMPDIR")


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
            assert said(testbed, "a1", "hostname") == "a1"
            assert supervisor_of(folder) != supervisor and not state_of(folder).attached
        assert [one.name for one in running.running() if one.folder == folder] == ["named"]
        with pytest.raises(HostError, match="was described otherwise"):
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
            assert said(testbed, "a1", "hostname") == "a1"
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
            told = said(testbed, "a1", "sh", "-c", f"{clock}; sleep 0.5; {clock}")
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
from support.emulated import two_sites, words
from rankwise.testbed.emulated import EmulatedTestbed
with EmulatedTestbed(two_sites("orphan", per_site=1)) as testbed:
    print(testbed.remote_shell(), flush=True)
    testbed.run(words("sleep", "94.5"), ["a1", "b1"], 60)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_rankwise_that_ends_takes_its_testbed_with_it(number: int) -> None:
    code = STARTER.format(tests=str(Path(__file__).parents[1]))
    argv = ["env", "--default-signal=INT", sys.executable, "-c", code]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as starter:
        assert starter.stdout is not None
        folder = Path(starter.stdout.readline().strip()).parent
        assert folder.is_dir() and folder.name.startswith("orphan-")
        wait_until(lambda: processes_naming("sleep\x0094.5"))
        starter.send_signal(number)
        starter.wait(20)
    wait_until(lambda: not processes_naming(str(folder)) and not processes_naming("sleep\x0094.5"))
    if number == signal.SIGKILL:
        assert folder.name in running.clear_left_over()
    assert not folder.exists()


def test_sixteen_nodes_are_up_within_three_seconds() -> None:
    testbed = EmulatedTestbed(two_sites("sixteen", per_site=8))
    begun = time.monotonic()
    testbed.up()
    took = time.monotonic() - begun
    try:
        assert said(testbed, "b8", "hostname") == "b8"
        assert took < 3
    finally:
        testbed.down()


Nodes = tuple[Node, ...]


@pytest.mark.parametrize(
    ("change", "words_of_it"),
    [
        (lambda nodes: (nodes[0], replace(nodes[1], name="a1")), "two nodes are called 'a1'"),
        (lambda nodes: (replace(nodes[0], name="ended"), nodes[1]), "no node can be called 'ended'"),
        (lambda nodes: (replace(nodes[0], name="a" * 64), nodes[1]), "is not a host name"),
        (lambda nodes: (replace(nodes[0], address="here"), nodes[1]), "'here' is no IPv4 address"),
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


def test_processes_within_nodes_are_not_taken_for_orphans(duo: EmulatedTestbed) -> None:
    folder = folder_of(duo)
    with subprocess.Popen(
        [str(folder / "rsh"), "-e", "a1", "sleep", "95.5"], env={**os.environ, process.MARK: "1-2-gone"}
    ) as child:
        wait_until(lambda: len(processes_naming("sleep\x0095.5")) == 2)
        assert child.pid in process.end_orphans()  # the remote shell is one; its end ends what it started
        child.wait(10)
    wait_until(lambda: not processes_naming("sleep\x0095.5"))
