"""The same small network, brought up by rankwise-link and by its peers, for link_beside_peers.py.

Two sites, `west` and `east`, with as many nodes each; node number n (from 1) is odd in the west and even in the
east, with the address 10.9.0.n.
"""

import contextlib
import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from rankwise.core.errors import HostError
from rankwise.core.native_programs import program
from support.bare_link import LIMIT_SECONDS, Namespace, wait_until

QUEUE_BYTES = 1_500_000
BUFFER_BYTES = 4 << 20


@dataclass(frozen=True)
class Wan:
    """What lies between the sites. Rate 0: nothing does, all nodes are on one switch."""

    rate_bits_per_second: float = 1e9
    one_way_seconds: float = 5.8e-3


class Peer:
    """A network that is up within the `with` statement."""

    name = ""
    lacking = ""
    """Why it cannot be measured here; empty: it can."""

    def __init__(self, folder: Path, nodes: int, wan: Wan) -> None:
        self.nodes: list[Namespace] = []
        self._folder = folder
        self._count = nodes
        self._wan = wan
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.nodes = [stack.enter_context(Namespace()) for _ in range(self._count)]
            stack.callback(self._end)
            self._up(stack)
            for node in self.nodes:
                self._set_tcp(node)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def cpu_seconds(self) -> float:
        """Of all its processes so far; 0 for what is in the kernel."""
        times = [psutil.Process(one.pid).cpu_times() for one in self._processes]
        return sum(one.user + one.system for one in times)

    def lateness(self) -> str:
        """What it says itself about how well it kept its times."""
        return ""

    def _up(self, stack: ExitStack) -> None:
        raise NotImplementedError

    def _start(self, *argv: str, output: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        # A standard input that stays open: VDE's programs read commands there, and end at its end.
        one = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.DEVNULL, text=True
        )  # fmt: skip
        self._processes.append(one)
        return one

    def _end(self) -> None:
        for one in reversed(self._processes):
            one.terminate()
        for one in self._processes:
            try:
                one.wait(2)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait(2)

    def _set_tcp(self, node: Namespace) -> None:
        buffers = f"4096 131072 {BUFFER_BYTES}"
        inside(
            node, "sysctl", "-qw", f"net.ipv4.tcp_rmem={buffers}", f"net.ipv4.tcp_wmem={buffers}",
            f"net.ipv4.tcp_congestion_control={congestion_control()}",
        )  # fmt: skip

    def _set_card(self, number: int) -> None:
        node = self.nodes[number - 1]
        inside(node, "ip", "address", "add", f"10.9.0.{number}/24", "dev", "eth0")
        inside(node, "ip", "link", "set", "eth0", "up")


def congestion_control() -> str:
    """Cubic where a child namespace may choose it, else reno: named, not left to the machine's default."""
    allowed = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control").read_text().split()
    return "cubic" if "cubic" in allowed else "reno"


def _has_card(node: Namespace) -> bool:
    return "eth0" in {one["ifname"] for one in node.ip("link")}


def inside(node: Namespace, *argv: str) -> None:
    """Run a command in a node's namespace; it has to succeed."""
    words = ["nsenter", f"--net={node.path}", *argv]
    subprocess.run(words, check=True, timeout=LIMIT_SECONDS, capture_output=True)


class RankwiseLink(Peer):
    """Ours. `segment_limit`: 1500 for the mode without super-packets."""

    name = "rankwise-link"
    segment_limit = 65536

    def _up(self, stack: ExitStack) -> None:
        network, self._control = self._folder / "network.txt", self._folder / "control"
        network.write_text(self._description())
        where = [f"n{number}={node.path}" for number, node in enumerate(self.nodes, 1)]
        one = self._start(
            str(program("rankwise-link")), str(network), "--control", str(self._control), "--namespace", *where,
            output=subprocess.PIPE,
        )  # fmt: skip
        if one.stdout is None or "ready\n" not in iter(one.stdout.readline, ""):  # warnings come before
            raise HostError("rankwise-link did not start", f"start it by hand on {network}")

    def _description(self) -> str:
        rate = f"{self._wan.rate_bits_per_second:.0f}"
        delay = f"{self._wan.one_way_seconds * 1e9:.0f}"
        card, wan = f"{rate} 0 {QUEUE_BYTES} 0 normal 0 1", f"{rate} {delay} {QUEUE_BYTES} 0 normal 0 1"
        lines = [f"option segment_limit {self.segment_limit}", f"link there {wan}", f"link back {wan}"]
        for number in range(1, self._count + 1):
            site = "west" if number % 2 else "east"
            lines += [f"link n{number}.out {card}", f"link n{number}.in {card}"]
            lines += [f"node n{number} {site} 10.9.0.{number}/24 n{number}.out n{number}.in"]
        lines += ["route west west", "route east east", "route west east there", "route east west back"]
        return "\n".join(lines) + "\n"

    def lateness(self) -> str:
        with socket.socket(socket.AF_UNIX) as one:
            one.connect(str(self._control))
            one.sendall(b"counters\n")
            found: dict[str, Any] = json.loads(one.makefile().readline())
        late = found["lateness_seconds"]
        how = "SCHED_FIFO" if found["realtime"] else "SCHED_OTHER"
        return f"lateness p50 {late['p50'] * 1e6:.0f} us, p99 {late['p99'] * 1e6:.0f} us, {how}"


class RankwiseLinkPackets(RankwiseLink):
    """Ours, every packet by itself."""

    name = "rankwise-link, MTU 1500"
    segment_limit = 1500


class Vde(Peer):
    """VDE: a switch a site, wirefilter between them. `apt install vde-switch vde-wirefilter vde2`."""

    name = "VDE wirefilter"
    lacking = (
        ""
        if all(map(shutil.which, ("vde_switch", "wirefilter", "vde_plug2tap")))
        else "not installed: apt install vde2 vde-switch vde-wirefilter"
    )

    def _up(self, stack: ExitStack) -> None:
        sites = [self._folder / "west", self._folder / "east"]
        if not self._wan.rate_bits_per_second:
            sites = sites[:1]
        for site in sites:
            self._start("vde_switch", "--sock", str(site), "--numports", str(self._count + 2))
            wait_until((site / "ctl").exists)
        for number, node in enumerate(self.nodes, 1):
            site = sites[(number - 1) % len(sites)]
            self._start("nsenter", f"--net={node.path}", "vde_plug2tap", "--sock", str(site), "eth0")
            wait_until(partial(_has_card, node))
            self._set_card(number)
        if len(sites) == 2:
            delay = f"{self._wan.one_way_seconds * 1e3:g}"
            self._start(
                "wirefilter", "-v", f"{sites[0]}:{sites[1]}", "-d", delay, "-c", str(QUEUE_BYTES),
                "-b", f"{self._wan.rate_bits_per_second / 8:.0f}",
            )  # fmt: skip
        time.sleep(0.5)  # wirefilter does not say when it is ready


class Netem(Peer):
    """The kernel's own: veth, a bridge a site, netem on the link between them."""

    name = "netem"

    def _up(self, stack: ExitStack) -> None:
        bridges = [self._bridge(stack) for _ in range(2)]
        if self._wan.rate_bits_per_second:
            self._join(bridges[0], "wan", bridges[1], "wan")
            rate = f"{self._wan.rate_bits_per_second:.0f}bit"
            delay = f"{self._wan.one_way_seconds * 1e6:.0f}us"
            packets = QUEUE_BYTES // 1500 + int(self._wan.rate_bits_per_second * self._wan.one_way_seconds / 12000)
            for bridge in bridges:
                netem = ["netem", "limit", str(packets), "delay", delay, "rate", rate]
                inside(bridge, "tc", "qdisc", "add", "dev", "wan", "root", *netem)
        for number, node in enumerate(self.nodes, 1):
            side = (number - 1) % 2 if self._wan.rate_bits_per_second else 0
            self._join(node, "eth0", bridges[side], f"port{number}")
            self._set_card(number)

    def _bridge(self, stack: ExitStack) -> Namespace:
        one = stack.enter_context(Namespace())
        inside(one, "ip", "link", "add", "bridge", "type", "bridge")
        inside(one, "ip", "link", "set", "bridge", "up")
        return one

    def _join(self, node: Namespace, card: str, other: Namespace, port: str) -> None:
        place = other.path.split("/")[2]
        peer = ["peer", "name", port, "netns", place]
        inside(node, "ip", "link", "add", card, "type", "veth", *peer)
        inside(other, "ip", "link", "set", port, "master", "bridge", "up")
        if card != "eth0":
            inside(node, "ip", "link", "set", card, "master", "bridge", "up")


def netem_lacking() -> str:
    """Why netem cannot be used here; empty: it can."""
    with Namespace() as one, contextlib.suppress(subprocess.CalledProcessError):
        inside(one, "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms")
        return ""
    return "this kernel has none (CONFIG_NET_SCH_NETEM)"


def peers() -> Sequence[type[Peer]]:
    """Ours and all others, with the reason in `lacking` where one cannot be measured."""
    Netem.lacking = netem_lacking()
    return (RankwiseLink, RankwiseLinkPackets, Vde, Netem)
