"""A job on emulated nodes has hosts, network, settings and limits of its own, and all of it is counted."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core import process
from rankwise.core.errors import HostError
from rankwise.core.jobs import Command
from rankwise.testbeds import base, host
from rankwise.testbeds.emulated import EmulatedTestbed, cores_of_nodes
from support.emulated import (
    launch_steps,
    needs_emulation,
    output_of,
    processes_naming,
    two_sites,
    unique_sleep,
    wait_until,
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


def test_it_is_a_kind_of_testbed() -> None:
    assert isinstance(base.make(two_sites()), EmulatedTestbed)


def test_nodes_are_hosts_of_their_own(duo: EmulatedTestbed) -> None:
    assert [(one.name, one.slots, one.site) for one in duo.hosts()] == [
        ("a1", 1, "a"), ("a2", 1, "a"), ("b1", 1, "b"), ("b2", 1, "b"),
    ]  # fmt: skip
    for name in ("a1", "b2"):
        assert output_of(duo, name, "hostname") == name
        assert output_of(duo, name, "cat", "/proc/sys/kernel/hostname") == name
        assert output_of(duo, name, "sh", "-c", "echo /sys/class/net/*") == "/sys/class/net/eth0 /sys/class/net/lo"
        assert int(output_of(duo, name, "sh", "-c", "echo /proc/[0-9]* | wc -w")) <= 4
    assert output_of(duo, "a1", "cat", "/etc/hosts").splitlines() == [
        "127.0.0.1 localhost", "10.77.1.1 a1", "10.77.1.2 a2", "10.77.2.1 b1", "10.77.2.2 b2",
    ]  # fmt: skip


def test_shared_memory_and_system_v_objects_are_a_nodes_own(duo: EmulatedTestbed) -> None:
    output_of(duo, "a1", "sh", "-c", "echo mine >/dev/shm/rankwise-test; ipcmk -M 4096")
    assert output_of(duo, "a1", "cat", "/dev/shm/rankwise-test") == "mine"
    assert output_of(duo, "a2", "ls", "/dev/shm") == ""
    assert not Path("/dev/shm/rankwise-test").exists()
    assert output_of(duo, "a2", "cat", "/proc/sysvipc/shm").count("\n") == 0
    assert output_of(duo, "a1", "cat", "/proc/sysvipc/shm").count("\n") == 1


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
    until_closed = "sleep 0.3"  # TCP says goodbye after the programs have ended, and each packet is counted twice
    outcome = duo.run(
        launch_steps("sh", "-c", f"{duo.remote_shell()} b1 {talk} & {talk} b1; wait; {until_closed}"),
        ["a1", "b1"],
        20,
    )
    assert (outcome.returncode, outcome.stdout) == (0, "over\n"), outcome
    counted = {one.link: one.packets for one in outcome.links}
    assert counted["a-b"] >= 3 and counted["b-a"] >= 2
    assert counted["a1-out"] == counted["a-b"] and counted["a2-out"] == counted["a-lan"] == 0
    assert outcome.emulator is not None and outcome.emulator.delivered_packets == counted["a-b"] + counted["b-a"]


def test_counters_are_those_of_one_launch(duo: EmulatedTestbed) -> None:
    outcome = duo.run(launch_steps("true"), ["a1", "b1"], 20)
    assert len(outcome.links) == 12
    assert sum(one.packets for one in outcome.links) == 0


def test_the_job_runs_on_its_first_host_with_its_variables(duo: EmulatedTestbed) -> None:
    folder = folder_of(duo)
    main = Command(("sh", "-c", "hostname; echo $WORD; echo $TMPDIR; exit 3"), (("WORD", "two words"),))
    outcome = duo.run(replace(launch_steps("true"), main=main), ["b2", "a1"], 20)
    assert outcome.returncode == 3
    assert outcome.stdout.splitlines() == ["b2", "two words", f"{folder}/b2"]
    assert duo.run(launch_steps("no-such-program"), ["a1"], 20).returncode == 127


def test_without_hosts_it_runs_here(duo: EmulatedTestbed) -> None:
    outcome = duo.run(launch_steps("cat", "/proc/sys/kernel/hostname"), [], 20)
    assert outcome.stdout == Path("/proc/sys/kernel/hostname").read_text()


def test_steps_run_in_order_where_they_belong(duo: EmulatedTestbed) -> None:
    log = folder_of(duo) / "a1" / "log"

    def note(word: str) -> Command:
        return Command(("sh", "-c", f"echo {word} $(hostname) >>{log}"))

    steps = launch_steps(
        "sh", "-c", f"echo main >>{log}; exit 1", everywhere=(note("first"),), before=(note("before"),),
        after=(note("after"),), everywhere_after=(note("last"),),
    )  # fmt: skip
    assert duo.run(steps, ["b1", "b1", "a2"], 20).returncode == 1
    assert log.read_text().splitlines() == [
        "first b1", "first a2", "before b1", "main", "after b1", "last b1", "last a2",
    ]  # fmt: skip


def test_settings_are_in_force_for_one_launch(duo: EmulatedTestbed) -> None:
    before = output_of(duo, "b1", "cat", "/proc/sys/net/ipv4/tcp_rmem")
    show = f"cat /proc/sys/net/ipv4/tcp_rmem; {duo.remote_shell()} b1 cat /proc/sys/net/ipv4/tcp_rmem"
    steps = launch_steps("sh", "-c", show, settings=((RMEM, "4096 8192 65536"),))
    outcome = duo.run(steps, ["a1", "b1"], 20)
    assert [line.split() for line in outcome.stdout.splitlines()] == [["4096", "8192", "65536"]] * 2
    assert output_of(duo, "b1", "cat", "/proc/sys/net/ipv4/tcp_rmem") == before
    assert output_of(duo, "a1", "cat", "/proc/sys/net/ipv4/tcp_rmem") == before


def test_a_setting_that_is_refused_is_an_error_and_the_others_are_put_back(duo: EmulatedTestbed) -> None:
    before = output_of(duo, "a1", "cat", "/proc/sys/net/ipv4/tcp_rmem")
    asked = ((RMEM, "4096 8192 65536"), ("net.ipv4.tcp_congestion_control", "nosuch"))
    with pytest.raises(HostError, match=r"cannot set .* 'nosuch'.* in force: 'reno'") as caught:
        duo.run(launch_steps("true", settings=asked), ["a1"], 20)
    assert "tcp_allowed_congestion_control" in caught.value.remedy
    assert output_of(duo, "a1", "cat", "/proc/sys/net/ipv4/tcp_rmem") == before


def test_a_launch_at_its_limit_leaves_no_process_in_any_node(duo: EmulatedTestbed) -> None:
    shell, sleep = duo.remote_shell(), f"sleep {unique_sleep(91)}"
    line = f"{shell} b1 'setsid {sleep} & setsid {sleep}' & trap '' TERM; {sleep}; {sleep}"
    begun = time.monotonic()
    outcome = duo.run(launch_steps("sh", "-c", line), ["a1", "b1"], 1.0)
    assert outcome.timed_out and not outcome.broken
    assert time.monotonic() - begun < 15
    assert processes_naming(sleep.replace(" ", "\0")) == []
    assert output_of(duo, "b1", "hostname") == "b1"


def test_a_program_that_has_said_all_is_ended(duo: EmulatedTestbed) -> None:
    nap = unique_sleep(92)
    outcome = duo.run(launch_steps("sh", "-c", f"echo data; echo END; sleep {nap}"), ["a1"], 30, "END")
    assert outcome.finished_early and outcome.stdout == "data\nEND\n"
    assert processes_naming(f"sleep\x00{nap}") == []


def test_ranks_that_share_this_hosts_cores_have_to_yield(duo: EmulatedTestbed) -> None:
    cores = host.usable_cores()
    assert not duo.oversubscribed(["a1", "b1"][:cores])
    assert duo.oversubscribed(["a1", "a1"])  # it is drawn with one core
    assert duo.oversubscribed(["a1"] * cores + ["b1"])


def test_a_node_has_the_cores_that_it_is_drawn_with(duo: EmulatedTestbed) -> None:
    assert output_of(duo, "a1", "nproc") == "1"


def test_nodes_of_a_launch_take_the_cores_with_the_fewest_ranks() -> None:
    drawn = {"a": 1, "b": 1, "c": 2}
    assert cores_of_nodes(["a", "b"], drawn, [0, 1]) == {"a": "0", "b": "1"}
    assert cores_of_nodes(["a", "a", "a", "b", "b", "c"], drawn, [0, 1]) == {"a": "0", "b": "1", "c": "0 1"}
    assert cores_of_nodes(["b", "c"], drawn, [2, 3, 5]) == {"b": "2", "c": "3 5"}
    assert cores_of_nodes(["c"], drawn, [4]) == {"c": "4"}  # this host has no more


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
        outcome = testbed.run(launch_steps("true"), ["a1"], 20)
    refused = [one for one in outcome.notices if one.kind == "setting-refused"]
    assert len(refused) == 2
    assert "node a1: cannot set net.ipv4.tcp_congestion_control to 'nosuch'" in refused[0].message


def test_processes_within_nodes_are_not_taken_for_orphans(
    duo: EmulatedTestbed, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, nap, mark = folder_of(duo), unique_sleep(95), process.new_mark()
    monkeypatch.setattr(process, "is_alive", lambda owner: not mark.startswith(owner))  # for others it lives
    with subprocess.Popen(
        [str(folder / "rsh"), "-e", "a1", "sleep", nap], env={**os.environ, process.MARK: mark}
    ) as child:
        wait_until(lambda: len(processes_naming(f"sleep\x00{nap}")) == 2)
        assert process.end_orphans() == [child.pid]  # the remote shell is one; its end ends what it started
        child.wait(10)
    wait_until(lambda: not processes_naming(f"sleep\x00{nap}"))
