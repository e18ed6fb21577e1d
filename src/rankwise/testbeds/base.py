"""What a kind of testbed is, and the register of kinds: one file each in this package.

A new kind is a concrete subclass of `TestbedKind` in a new file here, or in `testbeds/` of a plug-in folder. The
class says all that the rest of Rankwise asks of a kind: how a file describes it, whether it can stay up, whether a
launch may change its hosts, and how a command is run on one of its nodes.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from rankwise.core import registry
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.jobs import Host, LaunchSteps, LocalStart, Outcome, ProcessStart, RemoteShellStart
from rankwise.core.mapped_libraries import Mapped, given_here, mapped_here
from rankwise.core.network import Topology
from rankwise.core.rank_differences import Given
from rankwise.core.records import Fact
from rankwise.core.toml_places import Entry
from rankwise.testbeds import host
from rankwise.testbeds.running import Running


class TestbedKind(ABC):
    """A testbed kind is `core.interfaces.Testbed` with what most kinds share; within its `with` it is up."""

    __test__ = False  # not a test, whatever pytest thinks of its name
    kind: ClassVar[str]
    """The word for it in descriptions: `kind = "ssh"`."""
    sets_host_settings: ClassVar[bool] = False
    """Whether a launch may have kernel and NIC settings of its own, put back when it has ended."""

    def __init__(self, topology: Topology) -> None:
        self.name = topology.name
        self._topology = topology

    @classmethod
    @abstractmethod
    def describe(cls, table: Entry, name: str) -> Topology:
        """Return the testbed that this table of a TOML file describes, called `name` unless it says otherwise.

        Raises InputError with file, line and key.
        """

    @classmethod
    def running(cls) -> Sequence[Running]:
        """Return the testbeds of this kind that are up."""
        return ()

    @classmethod
    def stop(cls, testbed: Running) -> None:
        """Take down one of those that `running` returns."""
        raise InputError(
            f"testbed {testbed.name} was not brought up by Rankwise", f"its hosts are its owner's ({cls.kind})"
        )

    def start(self) -> Path:
        """Bring it up to stay until `stop`; return its folder, where `warnings` says what could not be had.

        A kind that can stay up has `start`, `running` and `stop` of its own. Raises InputError for all others.
        """
        raise InputError(
            f"{self.name} has existing hosts ({self.kind}): nothing needs to be brought up",
            "use it: rankwise compare --testbed, with its name or file",
        )

    def command_on(self, node: str, arguments: Sequence[str]) -> list[str]:
        """Return the command line of this host that runs these arguments on one node. Raises InputError."""
        self.check_node(node)
        return list(arguments)

    def check_node(self, node: str) -> None:
        """Raise UnknownNameError unless the testbed has a node of this name."""
        names = [known.name for known in self._topology.nodes]
        if node not in names:
            raise UnknownNameError("node", node, names)

    def up(self) -> None:  # noqa: B027 - not every kind has something to do
        """Bring up nothing: the hosts are there."""

    def down(self) -> None:  # noqa: B027
        """Take down nothing: the hosts stay as they are."""

    def hosts(self) -> tuple[Host, ...]:
        """Return the nodes of the description."""
        return tuple(Host(node.name, node.cores, node.site) for node in self._topology.nodes)

    def process_start(self) -> ProcessStart:
        """Return how a launcher starts processes here: by itself, since all is on this host."""
        return LocalStart()

    def remote_shell(self) -> str:
        """Return the program called like ssh that starts processes, '' where there is none."""
        start = self.process_start()
        return start.program if isinstance(start, RemoteShellStart) else ""

    def topology(self) -> Topology | None:
        """Return the description that it was made from."""
        return self._topology

    def oversubscribed(self, hosts: Sequence[str]) -> bool:
        """Return whether any host has more ranks than slots; `hosts` has one entry a rank."""
        slots = {host.name: host.slots for host in self.hosts()}
        return any(hosts.count(name) > slots[name] for name in set(hosts))

    def has_fabrics(self) -> bool:
        """Return whether this host, which carries it all, has a device of InfiniBand's kind, or Slingshot's."""
        return bool(host.fabric_devices())

    def mapped(self) -> Mapped:
        """Return the MPI libraries of all that runs on the testbed for this process, by process."""
        return mapped_here()

    def given(self, processes: Iterable[str]) -> Mapping[str, Given]:
        """Return what each of these processes, of those that `mapped` names, has got from whatever started it."""
        return given_here(processes)

    @abstractmethod
    def facts(self) -> tuple[Fact, ...]:
        """Return the provenance of the hosts, read now."""

    @abstractmethod
    def run(self, steps: LaunchSteps, hosts: Sequence[str], limit_seconds: float, end_marker: str = "") -> Outcome:
        """Run the steps, as `core.interfaces.Testbed.run` says."""

    def __enter__(self) -> Self:
        self.up()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.down()


def kinds() -> dict[str, type[TestbedKind]]:
    """Return every known kind by name; a plug-in of the same name replaces ours."""
    by_name: dict[str, type[TestbedKind]] = {}
    for module in registry.modules_of("rankwise.testbeds", "testbeds"):
        for value in vars(module).values():
            if (
                inspect.isclass(value)
                and issubclass(value, TestbedKind)
                and not inspect.isabstract(value)
                and value.__module__ == module.__name__
            ):
                by_name[value.kind] = value
    return by_name


def kind_named(name: str) -> type[TestbedKind]:
    """Return the kind of this name. Raises UnknownNameError."""
    known = kinds()
    if name not in known:
        raise UnknownNameError("kind of testbed", name, known)
    return known[name]


def make(topology: Topology) -> TestbedKind:
    """Return the testbed of this description, not yet up. Raises UnknownNameError for its kind."""
    return kind_named(topology.kind)(topology)
