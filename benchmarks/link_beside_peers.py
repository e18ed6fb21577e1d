"""The link emulator beside VDE's wirefilter and the kernel's netem, in turns, on one machine.

    python benchmarks/link_beside_peers.py [--rounds 10] [--seconds 4]

Needs root, iproute2 and iputils-ping; for VDE: apt install vde2 vde-switch vde-wirefilter. A peer that is
not here is left out, with the reason. Each round brings every peer up anew, in shuffled order, and measures
- one TCP stream with 4 MiB buffers over 1 Gbit/s and 11.6 ms there and back, and the emulator's processor time;
- pings (100 a second) beside a stream that is paced at half the rate, so that no queue adds to the delay;
- one TCP stream between two nodes on one switch without a rate;
- eight streams, paced at 100 Mbit/s each, between 16 nodes over the same path.
Medians over rounds with their 95 % intervals; ratio: ours over the peer's, within rounds.
"""

import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import click
import numpy as np
from link_peers import BUFFER_BYTES, Peer, Wan, congestion_control, inside, peers

from rankwise.stats.intervals import median_interval
from support.bare_link import Namespace

WAN = Wan()
ROUND_TRIP_MS = 2e3 * WAN.one_way_seconds
SWITCH = Wan(rate_bits_per_second=0, one_way_seconds=0)
Results = defaultdict[str, dict[str, list[float]]]
"""Name of a figure -> name of a peer -> one value a round; nan where it failed."""

RECEIVE = """
import socket, sys, time
listener = socket.create_server(("", int(sys.argv[1])))
listener.settimeout(20)
print("listening", flush=True)
stream, _ = listener.accept()
stream.settimeout(20)
room, marks, total = bytearray(1 << 20), [], 0
while got := stream.recv_into(room):
    total += got
    marks.append((time.monotonic(), total))
end, middle = marks[-1], next(mark for mark in marks if mark[0] >= (marks[0][0] + marks[-1][0]) / 2)
print((end[1] - middle[1]) * 8e-6 / (end[0] - middle[0]))
"""
SEND = """
import socket, sys, time
stream = socket.create_connection((sys.argv[1], int(sys.argv[2])), 20)
if float(sys.argv[4]):
    stream.setsockopt(socket.SOL_SOCKET, 47, int(float(sys.argv[4]) / 8))  # SO_MAX_PACING_RATE
end, data = time.monotonic() + float(sys.argv[3]), bytes(1 << 18)
while time.monotonic() < end:
    stream.sendall(data)
"""
WAKE_UP = """
import os, time
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
late, due = [], time.monotonic()
for _ in range(2000):
    due += 0.0005
    time.sleep(max(0, due - time.monotonic()))
    late.append(time.monotonic() - due)
late.sort()
print(f"a sleeper wakes up late by {late[1000] * 1e6:.0f} us (median), {late[1980] * 1e6:.0f} us (99 %)")
"""
# From before the echo is sent until the kernel has the answer (SO_TIMESTAMPNS): not until this process wakes up.
# (ping itself prints three digits only.)
PING = """
import socket, struct, sys, time
one = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
one.setsockopt(socket.SOL_SOCKET, 35, 1)
one.connect((sys.argv[1], 0))
for number in range(int(sys.argv[2])):
    one.settimeout(1)
    checksum = ~(0x0800 + number) & 0xffff
    begin = time.time_ns()
    one.send(struct.pack("!BBHHH", 8, 0, checksum, 0, number))
    try:
        answer = b""
        while answer[20:21] != bytes([0]) or answer[26:28] != struct.pack("!H", number):
            answer, (stamp, *_), _, _ = one.recvmsg(2048, 256)
    except TimeoutError:
        continue
    seconds, nanoseconds = struct.unpack("qq", stamp[2])
    print((seconds * 10**9 + nanoseconds - begin) / 1e6)
    time.sleep(0.01)
"""


class Stream:
    """One TCP stream between two nodes, from the start of its object; rate 0: as fast as it goes."""

    def __init__(
        self, peer: Peer, source: int, sink: int, seconds: float, rate_bits_per_second: float = 0
    ) -> None:
        self._limit = seconds + 40
        port = 5000 + source
        self._receiver = _python(peer.nodes[sink - 1], RECEIVE, port)
        assert self._receiver.stdout is not None
        self._receiver.stdout.readline()
        self._sender = _python(
            peer.nodes[source - 1], SEND, f"10.9.0.{sink}", port, seconds, rate_bits_per_second
        )  # fmt: skip

    def megabits_per_second(self) -> float:
        """Of payload, over the second half of the time; nan if it failed. Waits for its end."""
        try:
            self._sender.communicate(timeout=self._limit)
            said = self._receiver.communicate(timeout=self._limit)[0]
            return float(said)
        except (subprocess.TimeoutExpired, ValueError):
            return float("nan")
        finally:
            self._sender.kill()
            self._receiver.kill()


class Load:
    """The processor time of a peer's processes, from the start of this object."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._began, self._before = time.monotonic(), peer.cpu_seconds()

    def percent(self) -> float:
        """Of one core, until now."""
        return 100 * (self._peer.cpu_seconds() - self._before) / (time.monotonic() - self._began)


def _python(node: Namespace, program: str, *words: object) -> subprocess.Popen[str]:
    argv = ["nsenter", f"--net={node.path}", sys.executable, "-c", program, *map(str, words)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def pings_ms(peer: Peer, source: int, sink: int, seconds: float) -> list[float]:
    """Round trips, milliseconds, 100 a second."""
    child = _python(peer.nodes[source - 1], PING, f"10.9.0.{sink}", round(seconds * 100))
    said = child.communicate(timeout=3 * seconds + 20)[0]
    return [float(line) for line in said.splitlines()]


def measure(kind: type[Peer], results: Results, seconds: float) -> None:
    """All figures of one peer, once."""

    def note(figure: str, value: float) -> None:
        results[figure].setdefault(kind.name, []).append(value)

    with up(kind, 4, WAN) as peer:
        load = Load(peer)
        note("1 Gbit/s, 11.6 ms: Mbit/s", Stream(peer, 1, 2, seconds).megabits_per_second())
        note("... emulator, % of a core, 1 stream", load.percent())
    with up(kind, 4, WAN) as peer:
        stream = Stream(peer, 1, 2, seconds + 1, WAN.rate_bits_per_second / 2)
        times = pings_ms(peer, 3, 4, seconds) or [float("nan")]
        stream.megabits_per_second()
        note("ping beside 500 Mbit/s, p50 - asked, ms", float(np.percentile(times, 50)) - ROUND_TRIP_MS)
        note("... p99 - asked, ms", float(np.percentile(times, 99)) - ROUND_TRIP_MS)
        _say(kind.name, peer.lateness())
    with up(kind, 2, SWITCH) as peer:
        note("one switch, no rate: Mbit/s", Stream(peer, 1, 2, seconds).megabits_per_second())
    with up(kind, 16, WAN) as peer:
        load = Load(peer)
        streams = [Stream(peer, source, source + 1, seconds, 1e8) for source in range(1, 16, 2)]
        note("16 nodes, 8 x 100 Mbit/s: sum", sum(one.megabits_per_second() for one in streams))
        note("... emulator, % of a core, 8 streams", load.percent())
        _say(kind.name, peer.lateness())


class up(ExitStack):  # noqa: N801 - reads as a verb
    """A peer's network in a folder of its own, warmed up: every pair has exchanged a packet."""

    def __init__(self, kind: type[Peer], nodes: int, wan: Wan) -> None:
        super().__init__()
        self._make: Callable[[Path], Peer] = lambda folder: kind(folder, nodes, wan)

    def __enter__(self) -> Peer:  # type: ignore[override]
        folder = Path(self.enter_context(tempfile.TemporaryDirectory(prefix="rwl")))
        peer: Peer = self.enter_context(self._make(folder))
        for source in range(1, len(peer.nodes), 2):
            inside(peer.nodes[source - 1], "ping", "-n", "-c", "2", "-i", "0.2", "-W", "5", f"10.9.0.{source + 1}")
        return peer


def host_lateness() -> str:
    """What no emulator can be better than: how late a process that only sleeps wakes up, at the same priority."""
    said = subprocess.run([sys.executable, "-c", WAKE_UP], capture_output=True, text=True, timeout=30, check=True)
    return said.stdout.strip()


def _say(name: str, words: str) -> None:
    if words:
        click.echo(f"  {name}: {words}", err=True)


def _interval(values: list[float]) -> str:
    known = np.array([value for value in values if not np.isnan(value)])
    if not known.size:
        return "failed"
    low, high = median_interval(known)
    return f"{float(np.median(known)):.4g} [{low:.4g}, {high:.4g}]"


def _print(results: Results, names: list[str]) -> None:
    click.echo(f"| figure | {' | '.join(names)} | {' | '.join(f'ours / {name}' for name in names[1:])} |")
    click.echo("|---" * (2 * len(names)) + "|")
    for figure, by_peer in results.items():
        ours = np.array(by_peer[names[0]])
        values = [_interval(by_peer.get(name, [])) for name in names]
        ratios = [_interval(list(ours / np.array(by_peer[name]))) for name in names[1:]]
        click.echo(f"| {figure} | {' | '.join(values)} | {' | '.join(ratios)} |")


@click.command()
@click.option("--rounds", default=10, show_default=True)
@click.option("--seconds", default=4.0, show_default=True, help="Of each stream.")
def main(rounds: int, seconds: float) -> None:
    """Measure in rounds and print one table."""
    present = [kind for kind in peers() if not kind.lacking]
    for kind in peers():
        if kind.lacking:
            click.echo(f"{kind.name} is left out: {kind.lacking}")
    click.echo(
        f"TCP: {congestion_control()}, buffers up to {BUFFER_BYTES >> 20} MiB; {rounds} rounds of {seconds:g} s"
    )
    results = Results(dict)
    for number in range(rounds):
        click.echo(f"round {number + 1}; this host: {host_lateness()}", err=True)
        for kind in random.sample(present, len(present)):
            measure(kind, results, seconds)
    _print(results, [kind.name for kind in present])


if __name__ == "__main__":
    main()
