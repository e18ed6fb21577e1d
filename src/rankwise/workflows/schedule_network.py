"""Gives schedules the network of a testbed: as a file that every rank reads."""

from __future__ import annotations

import hashlib
import os

from rankwise.artifacts.builder import unwritable
from rankwise.core import paths
from rankwise.core.errors import InputError
from rankwise.schedules.network_file import network_text
from rankwise.testbeds.base import TestbedKind


def network_file(testbed: TestbedKind) -> str:
    """Return the path of the file with the testbed's sites and links, '' where it has none that it knows.

    The file is below the cache and named by its content. Raises HostError if it cannot be written.
    """
    topology = testbed.topology()
    if topology is None or not topology.sites:
        return ""
    try:
        text = network_text(topology)
    except InputError:  # names that the file cannot hold: then schedules see nodes alone
        return ""
    file = paths.cache_folder() / "networks" / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.txt"
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            temporary = file.with_suffix(f".{os.getpid()}")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(file)
    except OSError as error:
        raise unwritable(error) from error
    return str(file)
