"""What a job loads so that our schedules carry out its collectives."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.artifacts import builder, overlay
from rankwise.core import paths
from rankwise.core.errors import InputError
from rankwise.core.records import Implementation
from rankwise.core.tuning import Loaded
from rankwise.mpi import preload
from rankwise.schedules.network_file import network_text
from rankwise.testbeds.base import TestbedKind

DEFAULT_TABLE = "default"
_REPORT = "RANKWISE_OVERLAY_REPORT"


@dataclass(frozen=True, slots=True)
class OverlayChoice:
    """Whether a job runs under the overlay, and with which decision table."""

    table: str = ""
    """A file, `default` for the built-in table, '' for no overlay."""
    reproducible: bool = False
    """Sums do not depend on which rank runs in which site."""


def overlaid(
    loaded: Loaded, choice: OverlayChoice, implementation: Implementation, testbed: TestbedKind, program: Path
) -> Loaded:
    """Return what the job loads with the overlay as well, built if need be.

    Raises InputError for a table that is not there and for a program that would not load the overlay, BuildError,
    HostError if the cache cannot be written.
    """
    if not choice.table:
        return loaded
    if reason := preload.ignored_by(program):
        raise InputError(
            f"{program.name} {reason}: the loader ignores LD_PRELOAD, and so the overlay",
            f"link it dynamically, as {implementation.mpicc} does, and install it without special rights",
        )
    library = overlay.build(implementation)
    files, variables = [str(library)], [("RANKWISE_OVERLAY", DEFAULT_TABLE)]
    if choice.table != DEFAULT_TABLE:
        table = Path(choice.table).absolute()
        if not table.is_file():
            raise InputError(
                f"there is no decision table {choice.table}", "name a file, or `default` for the built-in table"
            )
        files.append(str(table))
        variables = [("RANKWISE_OVERLAY", str(table))]
    if topology := testbed.topology():
        network = _kept(network_text(topology))
        files.append(str(network))
        variables.append(("RANKWISE_NETWORK", str(network)))
    if choice.reproducible:
        variables.append(("RANKWISE_OVERLAY_REPRODUCIBLE", "1"))
    if report := os.environ.get(_REPORT):
        variables.append((_REPORT, report))  # not every launcher passes on the caller's variables
    environment = (*preload.loading(library, loaded.environment), *variables)
    return replace(loaded, environment=environment, files=(*loaded.files, *files))


def _kept(text: str) -> Path:
    """A file in the cache with this text."""
    file = paths.cache_folder() / "networks" / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.network"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    except OSError as error:
        raise builder.unwritable(error) from error
    return file
