"""The testbeds that are up, and what a name on the command line means: one of these, a preset, or a file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rankwise.core.errors import InputError, RankwiseError, UnknownNameError
from rankwise.core.network import Topology
from rankwise.core.records import Notice
from rankwise.store.networks import topology_from_json, topology_to_json
from rankwise.testbeds import description
from rankwise.testbeds.base import TestbedKind, kinds, make
from rankwise.testbeds.check import PathCheck, checks
from rankwise.testbeds.hostfile import notices_in, read_hostfile
from rankwise.testbeds.local import LocalTestbed
from rankwise.testbeds.running import Running, warnings_of
from rankwise.workflows.events import Events

_FILE = "topology.json"
"""The description, in the folder of a testbed that is up: its name may be none of a preset or file."""


def everything_up() -> list[Running]:
    """Return the testbeds of all kinds that are up, those of commands that are running too."""
    return [testbed for kind in kinds().values() for testbed in kind.running()]


def presets() -> dict[str, Topology]:
    """Return the descriptions of the presets by name."""
    return {name: description.read(file) for name, file in description.presets().items()}


def lasting() -> dict[str, Running]:
    """Return the testbeds that stay up until `testbed down`, by name."""
    return {running.name: running for running in everything_up() if not running.attached}


def bring_up(name_or_path: str, own_name: str, events: Events) -> tuple[Topology, tuple[str, ...]]:
    """Bring a testbed up, to stay, called `own_name` if one is given; return what the kernel refused of it.

    Raises InputError for one that needs not be brought up, HostError for what this host lacks.
    """
    topology = description.load(name_or_path)
    if own_name:
        topology = replace(topology, name=own_name)
    testbed = make(topology)
    with events.busy(f"bringing up {topology.name}"):
        folder = testbed.start()
    (folder / _FILE).write_text(topology_to_json(topology), encoding="utf-8")
    return topology, warnings_of(folder)


def take_down(names: Sequence[str]) -> Iterator[str]:
    """Take down these testbeds (none: all that `testbed up` has brought up), and yield the name of each."""
    chosen = map(the_one, names) if names else lasting().values()
    for testbed in {running.name: running for running in chosen}.values():
        kind = next((kind for kind in kinds().values() if testbed in kind.running()), None)
        if kind:
            kind.stop(testbed)
        yield testbed.name


def topology_of(name_or_path: str) -> Topology:
    """Return the description of the testbed of this name that is up, else of the preset or file.

    Raises InputError with file, line and key.
    """
    running = lasting().get(name_or_path)
    return (_remembered(running) if running else None) or description.load(name_or_path)


def the_one(name_or_path: str) -> Running:
    """Return the testbed that is up by this name, or as this preset or file describes it.

    Raises UnknownNameError if there is none.
    """
    up = lasting()
    if name_or_path in up:
        return up[name_or_path]
    with contextlib.suppress(RankwiseError):
        described = description.load(name_or_path)
        if described.name in up:
            return up[described.name]
        same = [
            running for running in up.values() if _remembered(running) == replace(described, name=running.name)
        ]
        if len(same) == 1:  # `testbed up FILE --name NAME`
            return same[0]
    raise UnknownNameError("running testbed", name_or_path, up)


def check(name_or_path: str, events: Events, *, quick: bool = False) -> tuple[Topology, tuple[PathCheck, ...]]:
    """Measure the paths of a testbed, brought up for it if it is not, and compare with its description."""
    topology = topology_of(name_or_path)
    path_checks: list[PathCheck] = []
    with events.busy(f"bringing up {topology.name}") as update, make(topology) as testbed:
        update(f"measuring the paths of {topology.name}")
        for path_check in checks(testbed, topology, quick=quick):
            path_checks.append(path_check)
            update(f"measured {path_check.figures.source} to {path_check.figures.destination}")
    return topology, tuple(path_checks)


def command_on(node: str, arguments: Sequence[str], name: str) -> list[str]:
    """Return the command line of this host that runs a command on a node of this testbed. Raises InputError.

    Without a name it is the testbed that is up and has the node.
    """
    if not name:
        return _having(node).command_on(node, arguments)
    with contextlib.suppress(UnknownNameError):
        name = the_one(name).name
    return make(topology_of(name)).command_on(node, arguments)


def complete_up(_context: object, _parameter: object, incomplete: str) -> list[str]:
    """Return the testbeds that are up, for a shell's completion."""
    return [name for name in lasting() if name.startswith(incomplete)]


def complete_any(context: object, parameter: object, incomplete: str) -> list[str]:
    """Return these and the presets, for a shell's completion."""
    presets = description.complete_names(context, parameter, incomplete)
    return sorted({*complete_up(context, parameter, incomplete), *presets})


def complete_nodes(_context: object, _parameter: object, incomplete: str) -> list[str]:
    """Return the nodes of all testbeds that are up, for a shell's completion."""
    return sorted(
        {node for running in lasting().values() for node in running.nodes if node.startswith(incomplete)}
    )


def testbed_of(name: str, hostfile: Path | None = None) -> TestbedKind:
    """Return the testbed of this name or file, or of a hostfile, not yet up; '' and `local` are this host.

    Raises InputError if both are given, or if one cannot be read.
    """
    if name and hostfile:
        raise InputError("--testbed and --hostfile are mutually exclusive", "give one of them")
    if hostfile:
        return make(read_hostfile(hostfile))
    return LocalTestbed() if name in ("", "local") else make(topology_of(name))


def hostfile_notices(path: Path) -> tuple[Notice, ...]:
    """Return what of a hostfile is not used, or read otherwise by other launchers. Raises InputError."""
    return notices_in(path)


def _having(node: str) -> TestbedKind:
    up = lasting()
    having = [running for running in up.values() if node in running.nodes]
    if len(having) > 1:
        names = ", ".join(running.name for running in having)
        raise InputError(f"several testbeds have a node {node}: {names}", "give --testbed NAME")
    if not up:
        raise InputError("no testbed is up", "rankwise testbed up NAME, see rankwise testbed list")
    if not having:
        raise UnknownNameError("node", node, [name for running in up.values() for name in running.nodes])
    return make(topology_of(having[0].name))


def _remembered(testbed: Running) -> Topology | None:
    with contextlib.suppress(OSError, RankwiseError):
        return topology_from_json((testbed.folder / _FILE).read_text(encoding="utf-8"))
    return None
