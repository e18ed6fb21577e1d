"""The link emulator gives real packets the delay, rate, loss and queue that were asked for.

The exact physics is tested in virtual time (native/link/tests), the exactness of times in benchmarks/.
"""

import math
import socket
import statistics
import subprocess
import threading
import time
from pathlib import Path

import pytest

from support.bare_link import LIMIT_SECONDS, BareLink, Namespace, command, needs_tap, star, wait_until

pytestmark = needs_tap

UNLIMITED = "0 0 0 0 normal 0 1"
PAYLOAD_BYTES = 1000
WIRE_BYTES = PAYLOAD_BYTES + 8 + 20 + 14 + 24
"""Of a UDP datagram with that payload: UDP, IP, Ethernet, and what the wire adds."""


def send_datagrams(link: BareLink, count: int, gap_seconds: float = 0.0) -> list[float]:
    """From n1 to n2, numbered; how long each that arrived was on its way, in seconds."""
    sender = link.nodes[0].socket(socket.SOCK_DGRAM)
    receiver = link.nodes[1].socket(socket.SOCK_DGRAM, ("10.9.0.2", 0))
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    sent: list[float] = []
    delays: list[float] = []

    def receive() -> None:
        while (number := int.from_bytes(receiver.recv(2000)[:4])) < count:
            delays.append(time.monotonic() - sent[number])

    thread = threading.Thread(target=receive)
    thread.start()
    for number in range(count):
        sent.append(time.monotonic())
        sender.sendto(number.to_bytes(4) + bytes(PAYLOAD_BYTES - 4), receiver.getsockname())
        time.sleep(gap_seconds)
    while thread.is_alive():  # until a last word gets through
        time.sleep(0.2)
        sender.sendto(count.to_bytes(4), receiver.getsockname())
        thread.join(0.2)
    sender.close()
    receiver.close()
    return delays


def tcp_megabits_per_second(source: Namespace, sink: Namespace, address: str, total_bytes: int) -> float:
    """Payload of one stream, over its second half."""
    listener = sink.socket(socket.SOCK_STREAM, (address, 0))
    listener.listen()
    sender = source.socket(socket.SOCK_STREAM)
    sender.connect(listener.getsockname())
    receiver, _ = listener.accept()
    receiver.settimeout(LIMIT_SECONDS)

    def send() -> None:
        sender.sendall(bytes(total_bytes))
        sender.close()

    thread = threading.Thread(target=send)
    thread.start()
    got, half = 0, 0.0
    while data := receiver.recv(1 << 16):
        got += len(data)
        if not half and got >= total_bytes / 2:
            half, half_bytes = time.monotonic(), got
    seconds = time.monotonic() - half
    thread.join(LIMIT_SECONDS)
    receiver.close()
    listener.close()
    assert got == total_bytes
    return (total_bytes - half_bytes) * 8e-6 / seconds


def test_packets_are_delayed_as_asked(tmp_path: Path) -> None:
    with BareLink(tmp_path, 2, star(2, UNLIMITED, "0 10000000 0 0 normal 0 1")) as link:
        delays = send_datagrams(link, 50, gap_seconds=0.01)
    assert len(delays) == 50
    assert min(delays) >= 0.010
    assert statistics.median(delays) < 0.016


@pytest.mark.parametrize("options", ["", "option segment_limit 1500", "option served_queues 0"])
def test_tcp_gets_the_rate_asked_for_in_each_direction(tmp_path: Path, options: str) -> None:
    asymmetric = star(2, UNLIMITED, "40000000 1000000 100000 0 normal 0 1", options).replace(
        "link n1.in 40", "link n1.in 10"
    )
    share = 1448 / 1538  # of a segment's bytes on the wire that are payload
    with BareLink(tmp_path, 2, asymmetric) as link:
        fast = tcp_megabits_per_second(link.nodes[0], link.nodes[1], "10.9.0.2", 6_000_000)
        slow = tcp_megabits_per_second(link.nodes[1], link.nodes[0], "10.9.0.1", 2_000_000)
    assert 0.6 * 40 * share < fast < 1.05 * 40 * share
    assert 0.6 * 10 * share < slow < 1.05 * 10 * share


@pytest.mark.parametrize(
    "options", ["option served_queues 1", "option acknowledgements_first 1", "option bus 1.5"]
)
def test_a_nics_rate_is_kept_whether_the_node_feels_it_or_not(tmp_path: Path, options: str) -> None:
    with BareLink(tmp_path, 2, star(2, "40000000 1000000 200000 0 normal 0 1", UNLIMITED, options)) as link:
        rate = tcp_megabits_per_second(link.nodes[0], link.nodes[1], "10.9.0.2", 6_000_000)
        dropped = link.link("n1.out")["dropped_packets"]
        (discipline,) = [one["qdisc"] for one in link.nodes[0].ip("link", "show", "eth0")]
    assert 0.6 * 40 * 1448 / 1538 < rate < 1.05 * 40 * 1448 / 1538
    if "served" in options:
        assert (discipline, dropped) == ("tbf", 0)
    else:
        assert discipline != "tbf"


@pytest.mark.parametrize("queue_bytes", [65536, 16384, 3000])
def test_a_node_sends_however_small_its_nics_queue_is(tmp_path: Path, queue_bytes: int) -> None:
    with BareLink(tmp_path, 2, star(2, f"40000000 1000000 {queue_bytes} 0 normal 0 1", UNLIMITED)) as link:
        rate = tcp_megabits_per_second(link.nodes[0], link.nodes[1], "10.9.0.2", 2_000_000)
        dropped = link.link("n1.out")["dropped_packets"]
    assert 0.6 * 40 * 1448 / 1538 < rate < 1.05 * 40 * 1448 / 1538
    assert dropped == 0


@pytest.mark.parametrize("burst", [1, 5])
def test_packets_are_lost_as_asked(tmp_path: Path, burst: int) -> None:
    count, loss = 4000, 0.1
    with BareLink(tmp_path, 2, star(2, UNLIMITED, f"0 0 0 0 normal {loss} {burst}", "option seed 1")) as link:
        arrived = len(send_datagrams(link, count, gap_seconds=50e-6))
        counted = link.link("n2.in")
    assert counted["packets"] + counted["lost_packets"] >= count
    assert counted["lost_packets"] >= count - arrived
    correlation = 1 - 1 / burst - loss / (1 - loss) / burst
    spread = math.sqrt(count * loss * (1 - loss) * (1 + correlation) / (1 - correlation))
    assert abs(count - arrived - count * loss) < 5 * spread


def test_a_full_queue_drops_the_rest_of_a_burst(tmp_path: Path) -> None:
    queue_bytes, rate = 50 * WIRE_BYTES, 1_000_000
    with BareLink(tmp_path, 2, star(2, UNLIMITED, f"{rate} 0 {queue_bytes} 0 normal 0 1")) as link:
        link.ask("reset")
        began = time.monotonic()
        delays = send_datagrams(link, 200)
        counted = link.link("n2.in")
    drained = (time.monotonic() - began) * rate / 8 / WIRE_BYTES  # at most, while the burst came
    assert 50 <= len(delays) <= 50 + drained
    assert 200 <= len(delays) + counted["dropped_packets"] <= 210
    assert 49 * WIRE_BYTES < counted["queue_high_water_bytes"] <= queue_bytes
    # The last in the queue waits for all before it.
    assert 0.4 < max(delays) / (queue_bytes * 8 / rate) < 2


def test_a_partition_begins_and_ends_on_command(tmp_path: Path) -> None:
    with BareLink(tmp_path, 2, star(2, UNLIMITED, UNLIMITED)) as link:
        sender = link.nodes[0].socket(socket.SOCK_DGRAM)
        receiver = link.nodes[1].socket(socket.SOCK_DGRAM, ("10.9.0.2", 0))
        assert link.ask("down n2.in") == "ok"
        for _ in range(5):
            sender.sendto(b"lost", receiver.getsockname())
        wait_until(lambda: link.link("n2.in")["lost_packets"] >= 5)
        assert link.ask("up n2.in") == "ok"
        sender.sendto(b"kept", receiver.getsockname())
        assert receiver.recv(100) == b"kept"
        sender.close()
        receiver.close()


def test_the_control_socket_answers_each_line(tmp_path: Path) -> None:
    with BareLink(tmp_path, 2, star(2, UNLIMITED, UNLIMITED, "option realtime 0")) as link:
        send_datagrams(link, 10)
        counters = link.counters()
        assert counters["delivered_packets"] >= 11
        assert link.link("n1.out")["bytes"] >= 10 * WIRE_BYTES
        assert counters["realtime"] is False
        assert 0 <= counters["cpu_seconds"] <= counters["wall_seconds"]
        late = counters["lateness_seconds"]
        assert 0 <= late["p50"] <= late["p99"] <= late["max"]
        assert sum(count for _, count in counters["lateness_histogram"]) >= 11
        before = time.monotonic()
        assert link.ask("reset") == "ok"
        after = link.counters()
        assert 0 < after["wall_seconds"] <= time.monotonic() - before
        assert after["wall_seconds"] < counters["wall_seconds"]
        assert after["delivered_packets"] < 10  # the neighbour discovery of IPv6, at most
        assert sum(one["bytes"] for one in after["links"]) < 10 * WIRE_BYTES
        assert link.ask("down nowhere") == "error there is no link nowhere"
        assert link.ask("dance").startswith("error ")
        with socket.socket(socket.AF_UNIX) as chatty:  # two lines at once, and an end in mid-word
            chatty.settimeout(LIMIT_SECONDS)
            chatty.connect(str(link.control))
            chatty.sendall(b"reset\nreset\nco")
            with chatty.makefile() as lines:
                assert [lines.readline(), lines.readline()] == ["ok\n", "ok\n"]
        assert link.ask("reset") == "ok"


def test_nics_are_set_up(tmp_path: Path) -> None:
    description = star(3, "100000000 0 1000000 0 normal 0 1", UNLIMITED, "option segment_limit 9000")
    with BareLink(tmp_path, 3, description) as link:
        node = link.nodes[1]
        (nic,) = node.ip("address", "show", "eth0")
        neighbours = {one["dst"]: (one["lladdr"], one["state"]) for one in node.ip("neighbour")}
        (loopback,) = node.ip("link", "show", "lo")
        macs = [one.ip("link", "show", "eth0")[0]["address"] for one in link.nodes]
        speed = subprocess.run(
            ["nsenter", f"--net={node.path}", "unshare", "--mount", "sh", "-c",
             "mount -t sysfs sys /sys && cat /sys/class/net/eth0/speed"],
            capture_output=True, text=True, check=True, timeout=LIMIT_SECONDS,
        ).stdout  # fmt: skip
    assert (nic["mtu"], nic["gso_max_size"]) == (1500, 9000)
    assert {"UP", "LOWER_UP"} <= set(nic["flags"])
    assert {"UP"} <= set(loopback["flags"])
    inet = next(one for one in nic["addr_info"] if one["family"] == "inet")
    assert (inet["local"], inet["prefixlen"]) == ("10.9.0.2", 24)
    assert len(set(macs)) == 3
    assert neighbours == {
        "10.9.0.1": (macs[0], ["PERMANENT"]),
        "10.9.0.3": (macs[2], ["PERMANENT"]),
    }
    assert int(speed) == 100


def test_sixteen_nodes_reach_one_another_and_broadcasts_reach_all(tmp_path: Path) -> None:
    with BareLink(tmp_path, 16, star(16, UNLIMITED, UNLIMITED)) as link:
        sockets = [
            node.socket(socket.SOCK_DGRAM, ("", 7000))  # so that broadcasts arrive as well
            for node in link.nodes
        ]
        for number, one in enumerate(sockets, 1):
            one.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            for other in range(1, 17):
                if other != number:
                    one.sendto(f"{number} to {other}".encode(), (f"10.9.0.{other}", 7000))
        for number, one in enumerate(sockets, 1):
            heard = {one.recv(100).decode() for _ in range(15)}
            assert heard == {f"{other} to {number}" for other in range(1, 17) if other != number}
        sockets[3].sendto(b"all", ("10.9.0.255", 7000))
        assert [one.recv(100) for number, one in enumerate(sockets, 1) if number != 4] == [b"all"] * 15
        assert link.counters()["malformed_frames"] == 0
        for one in sockets:
            one.close()


@pytest.mark.parametrize("killed", [False, True])
def test_nothing_is_left_when_it_ends(tmp_path: Path, killed: bool) -> None:
    with BareLink(tmp_path, 2, star(2, UNLIMITED, UNLIMITED)) as link:
        if killed:
            link.process.kill()
            link.process.wait(LIMIT_SECONDS)
        else:
            assert link.end() == 0
            assert not link.control.exists()
        wait_until(lambda: {one["ifname"] for node in link.nodes for one in node.ip("link")} == {"lo"})
        if killed:  # and what a killed one left does not hinder the next
            with BareLink(tmp_path, 2, star(2, UNLIMITED, UNLIMITED)) as again:
                assert again.ask("reset") == "ok"


@pytest.mark.parametrize("busy", [False, True])
def test_a_deleted_nic_ends_it_and_the_node_is_named(tmp_path: Path, busy: bool) -> None:
    slow = "8000 0 3000 0 normal 0 1"  # its queue is soon full, and then it is not read
    with BareLink(tmp_path, 2, star(2, slow if busy else UNLIMITED, UNLIMITED)) as link:
        if busy:
            with link.nodes[1].socket(socket.SOCK_DGRAM) as sender:
                for _ in range(20):
                    sender.sendto(bytes(1000), ("10.9.0.1", 9))
        nic = ["nsenter", f"--net={link.nodes[1].path}", "ip", "link", "del", "eth0"]
        subprocess.run(nic, check=True, timeout=LIMIT_SECONDS)
        said, complaint = link.process.communicate(timeout=LIMIT_SECONDS)
        assert link.process.returncode == 3
        assert said == "node n2 has lost its NIC: something there deleted eth0\n"
        assert complaint.startswith(f"rankwise-link: {said}try: ")
        assert {one["ifname"] for one in link.nodes[0].ip("link")} == {"lo"}


def refused(argv: list[str]) -> tuple[int, str]:
    """Exit code and complaint."""
    outcome = subprocess.run(argv, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
    assert outcome.stdout == ""
    return outcome.returncode, outcome.stderr


def test_bad_words_and_descriptions_are_refused(tmp_path: Path) -> None:
    network = tmp_path / "network.txt"
    network.write_text(star(2, UNLIMITED, UNLIMITED))
    here = Namespace.__new__(Namespace)
    here.path = "/proc/self/ns/net"
    both = command(network, [here, here])
    assert refused([both[0]])[0] == 2
    code, complaint = refused(both[:-1])
    assert (code, "no --namespace for the node n2" in complaint) == (2, True)
    code, complaint = refused([*both, "n3=/x"])
    assert (code, "n3, which is no node" in complaint) == (2, True)
    code, complaint = refused([*both[:3], "n1=/nowhere", "n2=/nowhere"])
    assert (code, "/nowhere: No such file" in complaint) == (3, True)
    code, complaint = refused([both[0], str(tmp_path / "none"), *both[2:]])
    assert (code, "cannot read the network file" in complaint) == (2, True)
    network.write_text("option mtu 1500\nlink l fast 0 0 0 normal 0 1\n")
    code, complaint = refused(both)
    assert (code, f"{network}:2: the rate is not a number: fast" in complaint) == (2, True)


def test_a_namespace_that_has_an_eth0_is_refused(tmp_path: Path) -> None:
    with Namespace() as one, Namespace() as other:
        network = tmp_path / "network.txt"
        network.write_text(star(2, UNLIMITED, UNLIMITED))
        add = ["nsenter", f"--net={other.path}", "ip", "link", "add", "eth0", "type", "veth"]
        subprocess.run(add, check=True, timeout=LIMIT_SECONDS)
        code, complaint = refused(command(network, [one, other]))
        assert code == 3, complaint
        assert "is there an eth0 in this namespace already?" in complaint


def test_help_is_a_manual() -> None:
    outcome = subprocess.run(
        [command(Path("x"), [])[0], "--help"], capture_output=True, text=True, timeout=LIMIT_SECONDS, check=True
    )
    for word in (
        "NAME",
        "SYNOPSIS",
        "NETWORK",
        "COMMANDS",
        "EXIT STATUS",
        "EXAMPLE",
        "segment_limit",
        "down LINK",
    ):
        assert word in outcome.stdout
    assert max(len(line) for line in outcome.stdout.splitlines()) <= 120
