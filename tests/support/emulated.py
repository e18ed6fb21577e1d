"""Emulated testbeds for tests: a small description made by hand, its processes, and what is left of it."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from rankwise.core import paths
from rankwise.core.jobs import Command, LaunchSteps
from rankwise.core.network import Link, Node, Route, Settings, Topology
from rankwise.testbeds import running
from rankwise.testbeds.emulated import EmulatedTestbed

RENO: Settings = (("net.ipv4.tcp_congestion_control", "reno"),)


def two_sites(
    name: str = "duo", per_site: int = 2, delay_seconds: float = 2e-3, settings: Settings = RENO
) -> Topology:
    """Sites `a` and `b`, nodes a1, a2, b1, b2..., 1 Gbit/s each, one link between the sites."""
    links = [Link(f"{site}-lan", delay_seconds=10e-6) for site in "ab"]
    links += [Link(pair, 1e9, delay_seconds) for pair in ("a-b", "b-a")]
    nodes = []
    for number, site in enumerate("ab", 1):
        for index in range(1, per_site + 1):
            node = f"{site}{index}"
            links += [Link(f"{node}-out", 1e9), Link(f"{node}-in", 1e9)]
            address = f"10.77.{number}.{index}"
            nodes.append(Node(node, site, 1, address, f"{node}-out", f"{node}-in", settings))
    routes = [Route(source, source, (f"{source}-lan",)) for source in "ab"]
    routes += [Route("a", "b", ("a-b",)), Route("b", "a", ("b-a",))]
    return Topology(name, "emulated", ("a", "b"), tuple(nodes), tuple(links), tuple(routes))


def launch_steps(*argv: str, **steps: object) -> LaunchSteps:
    """Return the steps of a launch whose launcher is this command."""
    return LaunchSteps(Command(argv), **steps)  # type: ignore[arg-type]


def output_of(testbed: EmulatedTestbed, node: str, *argv: str) -> str:
    """Return what a command prints on a node; it must succeed."""
    outcome = testbed.run(launch_steps(*argv), [node], 20)
    assert outcome.returncode == 0, outcome
    return outcome.stdout.strip()


def state_of(folder: Path) -> running.Running:
    """The running testbed of this folder."""
    return next(one for one in running.running() if one.folder == folder)


def supervisor_of(folder: Path) -> int:
    """The process id of rankwise-nodes."""
    return int(state_of(folder).supervisor.partition("-")[0])


def parts_of(folder: Path) -> dict[str, int]:
    """The processes below the supervisor: `link`, and each node's agent by the node's name."""
    supervisor = supervisor_of(folder)
    found = {}
    for child in Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split():
        name = Path(f"/proc/{child}/comm").read_text().strip()
        found[name.removeprefix("node ") if name.startswith("node ") else "link"] = int(child)
    return found


def processes_naming(text: str) -> list[str]:
    """The command lines of processes (not this one) with this text in them or in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with suppress(OSError):
                line = (entry / "cmdline").read_bytes()
                if text.encode() in line or text.encode() in (entry / "environ").read_bytes():
                    found.append(line.replace(b"\0", b" ").decode(errors="replace"))
    return found


def unique_sleep(seconds: int) -> str:
    """Return so many seconds and a bit, for `sleep`: no other test sleeps exactly as long."""
    return f"{seconds}.{os.getpid():07d}"


def leftovers_of(name: str) -> list[str]:
    """Return what is left of testbeds whose names begin so: folders, processes and mounts."""
    parent = paths.runtime_folder()
    folders = [str(one) for one in parent.glob(f"{name}*")]
    mounts = [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if f"{parent}/{name}" in line]
    return [*folders, *processes_naming(f"{parent}/{name}"), *mounts]


def wait_until(condition: Callable[[], object], seconds: float = 10.0) -> None:
    """Fail if it does not become true within so long."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.02)


def may_emulate() -> bool:
    """Whether this user may open a TAP: root, or anyone where /dev/net/tun is open to all."""
    return os.access("/dev/net/tun", os.R_OK | os.W_OK)


needs_emulation = pytest.mark.skipif(not may_emulate(), reason="/dev/net/tun cannot be opened")
