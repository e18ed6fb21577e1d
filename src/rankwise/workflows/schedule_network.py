"""Gives schedules the network of a testbed: as a file that every rank reads."""

from __future__ import annotations

from rankwise.core.errors import InputError
from rankwise.schedules.network_file import network_text
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows.schedule_files import place_text


def network_file(testbed: TestbedKind) -> str:
    """Return the path of the file with the testbed's sites and links, '' where it has none that it knows.

    Raises HostError if the file, which is below the cache, cannot be written.
    """
    topology = testbed.topology()
    if topology is None or not topology.sites:
        return ""
    try:
        return place_text(network_text(topology), "networks")
    except InputError:  # names that the file cannot hold: then schedules see nodes alone
        return ""
