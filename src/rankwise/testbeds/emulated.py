"""The testbed kind `emulated`: nodes that are namespaces of this host, joined by the link emulator."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rankwise.core import caller, process
from rankwise.core.errors import HostError, InputError, UnknownNameError
from rankwise.core.jobs import Command, LaunchSteps, Outcome, RemoteShellStart
from rankwise.core.native_programs import program
from rankwise.core.network import Topology
from rankwise.core.records import Fact
from rankwise.core.toml_places import Entry
from rankwise.testbeds import host, running
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.description.emulated_kind import describe_emulated
from rankwise.testbeds.emulator_notices import breakdown, lost_frames, notices, refused_settings
from rankwise.testbeds.link_control import LinkControl
from rankwise.testbeds.lost_frames import LossWatch
from rankwise.testbeds.network_file import network_text
from rankwise.testbeds.node_settings import NodeSettings, allow_congestion_controls, allowed_congestion_controls
from rankwise.testbeds.running import Running

_BREAK_SECONDS = 0.5
"""How long a breakdown may take to be told after a command has failed of it."""


class EmulatedTestbed(TestbedKind):
    """An emulated testbed uses the one of this name if it is up and the same, else brings up one for itself."""

    kind = "emulated"
    sets_host_settings = True

    def __init__(self, topology: Topology) -> None:
        super().__init__(topology)
        self._folder: Path | None = None
        self._shared = False
        """It was up before us, and stays."""
        self._cores: dict[str, str] = {}
        """Of this host, by node, as the last launch of this process has set them."""

    @classmethod
    def describe(cls, table: Entry, name: str) -> Topology:
        """Return the sites, nodes and links of this table. Raises InputError with file, line and key."""
        return describe_emulated(table, name, cls.kind)

    @classmethod
    def running(cls) -> Sequence[Running]:
        """Return the emulated testbeds of this user that are up."""
        return running.running()

    @classmethod
    def stop(cls, testbed: Running) -> None:
        """Take one of them down; nothing of it is left."""
        running.stop(testbed.folder)

    def start(self) -> Path:
        """Bring it up, to stay until `stop`; return its folder. Raises InputError or HostError."""
        allow_congestion_controls(pair for node in self._topology.nodes for pair in node.settings)
        return self._started(attached=False)

    def command_on(self, node: str, arguments: Sequence[str]) -> list[str]:
        """Return the command line that enters a node of the testbed of this name that is up. Raises InputError."""
        for testbed in running.running():
            if testbed.name == self.name and not testbed.attached:
                if node not in testbed.nodes:
                    raise UnknownNameError("node", node, testbed.nodes)
                return [str(testbed.folder / "rsh"), "-e", node, *arguments]
        raise InputError(f"testbed {self.name} is not up", f"rankwise testbed up {self.name}, or its file")

    def up(self) -> None:
        """Bring it up, also again after it broke. Raises InputError or HostError."""
        if self._folder is not None:
            reason = running.why_ended(self._folder)
            if not reason:
                return
            # one that broke comes back as what it was; one that another took down is not ours to bring back
            self._shared = self._shared and reason != running.TAKEN_DOWN
            running.stop(self._folder)
        allow_congestion_controls(pair for node in self._topology.nodes for pair in node.settings)
        named = None if self._shared else self._found()
        if named is not None:
            self._folder, self._shared = named, True
        else:
            self._folder = self._started(attached=not self._shared)

    def down(self) -> None:
        """Leave nothing of it; one that was up before `up` stays."""
        folder, self._folder = self._folder, None
        if folder is not None and not self._shared:
            running.stop(folder)
        self._shared = False

    def process_start(self) -> RemoteShellStart:
        """Return `rsh` in the testbed's folder; the testbed is brought up again if it broke."""
        self.up()
        return RemoteShellStart(str(self._up_folder() / "rsh"))

    def oversubscribed(self, hosts: Sequence[str]) -> bool:
        """Return whether a node has more ranks than cores, or all have more than this host, which they share."""
        return len(hosts) > host.usable_cores() or super().oversubscribed(hosts)

    def facts(self) -> tuple[Fact, ...]:
        """Return this host's facts, the emulator's, and the TCP settings in force on the nodes, read back."""
        shell = Path(self.remote_shell())
        names = [node.name for node in self._topology.nodes]
        return (
            *host.facts(),
            Fact("testbed", f"{self.name}: {len(names)} emulated nodes, {self._topology.hardware.nic_profile}"),
            Fact("link_emulator", _fingerprint("rankwise-link")),
            Fact("tcp_allowed_congestion_control", allowed_congestion_controls()),
            *NodeSettings(shell).facts(names),
        )

    def run(self, steps: LaunchSteps, hosts: Sequence[str], limit_seconds: float, end_marker: str = "") -> Outcome:
        """Run the steps, as `core.interfaces.Testbed.run` says. Waits while another run uses the same testbed."""
        if not hosts:
            return process.run_steps(steps, limit_seconds, end_marker)
        with self._exclusively() as folder:
            nodes = tuple(dict.fromkeys(hosts))
            control = LinkControl(folder / "link")
            try:
                self._give_cores(folder, hosts)
                with NodeSettings(folder / "rsh").temporarily(nodes, steps.settings):
                    watch = LossWatch(folder, nodes)
                    control.reset()
                    outcome = process.run_steps(on_nodes(steps, nodes, folder / "rsh"), limit_seconds, end_marker)
                    broken = running.why_ended(folder, _BREAK_SECONDS if outcome.returncode != 0 else 0.0)
                    if broken:
                        return replace(outcome, broken=broken, notices=(*outcome.notices, breakdown(broken)))
                    links, figures = control.counters()
                    lost = watch.lost()
            except HostError:
                broken = running.why_ended(folder, _BREAK_SECONDS)
                if not broken:
                    raise
                line, reported = process.command_line(steps.main), (breakdown(broken),)
                return Outcome(line, 255, "", broken, 0.0, broken=broken, notices=reported)
            refused = refused_settings(running.warnings_of(folder))
            seen = (*refused, *lost_frames(lost), *notices(self._topology, hosts, figures))
            return replace(outcome, links=links, emulator=figures, notices=(*outcome.notices, *seen))

    def _started(self, *, attached: bool) -> Path:
        """Bring it up; its folder. Each node has the cores that it was drawn with, launch or not."""
        folder = running.start(self._topology, attached=attached)
        self._cores.clear()
        self._give_cores(folder, [node.name for node in self._topology.nodes])
        return folder

    def _give_cores(self, folder: Path, hosts: Sequence[str]) -> None:
        """Let each node run on as many cores of this host as it was drawn with, for these ranks.

        Raises HostError if a node is gone.
        """
        drawn = {node.name: node.cores for node in self._topology.nodes}
        cores = cores_of_nodes(hosts, drawn, sorted(os.sched_getaffinity(0)))
        new = {node: own for node, own in cores.items() if self._shared or self._cores.get(node) != own}
        if new:
            NodeSettings(folder / "rsh").write_each("cores", new)
            self._cores |= new

    @contextlib.contextmanager
    def _exclusively(self) -> Iterator[Path]:
        """The folder of the testbed, up, with its links and counters ours alone."""
        while True:
            self.up()
            folder = self._up_folder()
            with contextlib.ExitStack() as stack:
                try:
                    lock = stack.enter_context((folder / "lock").open("a"))
                except FileNotFoundError:
                    continue  # it was taken down since
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not running.why_ended(folder):  # while we waited
                    yield folder
                    return

    def _found(self) -> Path | None:
        """The folder of the testbed of this name that is up. Raises HostError if it is another one."""
        text = network_text(self._topology)
        for testbed in running.running():
            if testbed.name == self.name and not testbed.attached:
                if running.has_text(testbed.folder, text):
                    return testbed.folder
                raise HostError(
                    f"a testbed {self.name} is already up with another description",
                    f"take it down: rankwise testbed down {self.name}",
                )
        return None

    def _up_folder(self) -> Path:
        if self._folder is None:
            raise HostError(f"testbed {self.name} is not up", f"rankwise testbed up {self.name}")
        return self._folder


def cores_of_nodes(hosts: Sequence[str], drawn: Mapping[str, int], usable: Sequence[int]) -> dict[str, str]:
    """Return the cores of this host for each of the nodes with these ranks: always those with the fewest ranks.

    `drawn` is how many each node has in its description; `usable` are this host's.
    """
    load = dict.fromkeys(usable, 0.0)
    cores = {}
    for node in dict.fromkeys(hosts):
        own = sorted(usable, key=lambda core: load[core])[: drawn.get(node, len(usable))]
        for core in own:
            load[core] += hosts.count(node) / len(own)
        cores[node] = " ".join(str(core) for core in sorted(own))
    return cores


def on_nodes(steps: LaunchSteps, nodes: Sequence[str], shell: Path) -> LaunchSteps:
    """Return the same steps from this host: `everywhere` on each of the nodes, all others on the first."""

    passed = ((caller.PASSED, ",".join(caller.variables())),)

    def on(node: str, command: Command) -> Command:
        # the variables are the command's: a preloaded library must not get into the remote shell
        variables = [f"{name}={value}" for name, value in command.environment]
        argv = (str(shell), "-e", node, *(["env", *variables] if variables else []), *command.argv)
        return Command(argv, passed)

    def on_all(commands: Sequence[Command]) -> tuple[Command, ...]:
        return tuple(on(node, command) for node in nodes for command in commands)

    def on_first(commands: Sequence[Command]) -> tuple[Command, ...]:
        return tuple(on(nodes[0], command) for command in commands)

    return replace(
        steps,
        main=on(nodes[0], steps.main),
        before=(*on_all(steps.everywhere), *on_first(steps.before)),
        after=(*on_first(steps.after), *on_all(steps.everywhere_after)),
        everywhere=(), everywhere_after=(),
    )  # fmt: skip


def _fingerprint(name: str) -> str:
    """Which build of a program it is: its SHA-256, shortened."""
    with program(name).open("rb") as file:
        return f"{name} {hashlib.file_digest(file, 'sha256').hexdigest()[:12]}"
