"""The testbeds that are up, and what a name on the command line means: one of these, a preset, or a file."""

from __future__ import annotations

import contextlib
from pathlib import Path

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.network import Topology
from rankwise.store.networks import topology_from_json, topology_to_json
from rankwise.testbed import description, running
from rankwise.testbed.base import TestbedKind, make
from rankwise.testbed.hostfile import read_hostfile
from rankwise.testbed.local import LocalTestbed
from rankwise.testbed.running import Running

_FILE = "topology.json"


def lasting() -> dict[str, Running]:
    """The testbeds that stay up until `testbed down`, by name."""
    return {one.name: one for one in running.running() if not one.attached}


def remember(folder: Path, topology: Topology) -> None:
    """Keep the description with a testbed that is up: its name may be none of a preset or file."""
    (folder / _FILE).write_text(topology_to_json(topology), encoding="utf-8")


def topology_of(name_or_path: str) -> Topology:
    """The description of the testbed of this name that is up; else of the preset or file. Raises InputError."""
    found = lasting().get(name_or_path)
    if found is not None:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            return topology_from_json((found.folder / _FILE).read_text(encoding="utf-8"))
    return description.load(name_or_path)


def complete_up(_context: object, _parameter: object, incomplete: str) -> list[str]:
    """The testbeds that are up, for a shell's completion."""
    return [name for name in lasting() if name.startswith(incomplete)]


def complete_any(context: object, parameter: object, incomplete: str) -> list[str]:
    """These and the presets, for a shell's completion."""
    presets = description.complete_names(context, parameter, incomplete)
    return sorted({*complete_up(context, parameter, incomplete), *presets})


def complete_nodes(_context: object, _parameter: object, incomplete: str) -> list[str]:
    """The nodes of all testbeds that are up, for a shell's completion."""
    return sorted({node for one in lasting().values() for node in one.nodes if node.startswith(incomplete)})


def the_one(name: str) -> Running:
    """The testbed of this name that is up. Raises UnknownNameError."""
    known = lasting()
    if name not in known:
        raise UnknownNameError("running testbed", name, known)
    return known[name]


def testbed_of(name: str, hostfile: Path | None = None) -> TestbedKind:
    """Return the testbed of this name or file, or of a hostfile, not yet up; '' and `local` are this host.

    Raises InputError if both are given, or if one cannot be read.
    """
    if name and hostfile:
        raise InputError("--testbed and --hostfile each say where to run", "give one of them")
    if hostfile:
        return make(read_hostfile(hostfile))
    return LocalTestbed() if name in ("", "local") else make(topology_of(name))
