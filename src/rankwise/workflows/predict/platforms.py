"""The platform to predict for: a file that `rankwise fit` wrote, or a testbed's description, unmeasured."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rankwise.analysis.predict.nominal import nominal
from rankwise.core.errors import InputError
from rankwise.core.platform import Platform
from rankwise.core.records import Notice
from rankwise.platforms import platform_file
from rankwise.workflows import testbeds

_REMEDY = "measure one: rankwise fit --testbed NAME --mpi MPI; or give --testbed NAME for what is only described"


@dataclass(frozen=True, slots=True)
class Found:
    """A platform, and what is to be said of it."""

    platform: Platform
    name: str
    """Where its figures are from."""
    notices: tuple[Notice, ...] = ()


def find(file: Path | None, testbed: str) -> Found:
    """Return the platform of a file, or the one that a testbed's description stands for.

    With both, the file's, and a warning if it was measured elsewhere. Raises InputError with the remedy.
    """
    if file is None and not testbed:
        raise InputError("on which platform?", _REMEDY)
    if file is None:
        if testbed == "local":
            raise InputError("this host has no network that is described", _REMEDY)
        described = testbeds.topology_of(testbed)
        warning = Notice(
            "nominal platform",
            "nothing of this platform is measured: rates and delays are those of the description of "
            f"{described.name}, and overheads are assumed",
            f"rankwise fit --testbed {testbed} --mpi MPI measures it",
        )
        return Found(nominal(described), f"{described.name}, as described", (warning,))
    if not file.exists():
        raise InputError(f"there is no platform {file}", _REMEDY)
    platform = platform_file.read(file)
    source = platform.provenance
    words = " with ".join(one for one in (source.testbed, source.implementation) if one)
    when = f", {source.measured}" if source.measured else ""
    name = f"{file.name}: {words}{when}" if words else file.name
    notices = _not_measured(platform)
    if testbed and source.testbed not in ("", testbed, _described_name(testbed)):
        notices = (other_testbed(platform, testbed), *notices)
    return Found(platform, name, notices)


def _described_name(testbed: str) -> str:
    """Return the name in a testbed's description; a file of real hosts has none."""
    try:
        return testbeds.topology_of(testbed).name
    except InputError:
        return testbed


def _not_measured(platform: Platform) -> tuple[Notice, ...]:
    """Whole parts of a platform that are assumed; single parameters stand in its file."""
    return tuple(
        Notice("not measured", f"{name}: {why}", "rankwise platform show FILE tells what was measured")
        for name, why in platform.not_identified.items()
        if "." not in name
    )


def other_testbed(platform: Platform, testbed: str) -> Notice:
    """Return the warning that a platform was measured on another testbed than this one."""
    return Notice(
        "other testbed",
        f"the platform is that of {platform.provenance.testbed}, not of {testbed}",
        f"rankwise fit --testbed {testbed} --mpi MPI measures this one",
    )
