"""Checks settings files of others against the MPIs that are here, and what is known of those that are not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise import __version__
from rankwise.core.errors import HostError
from rankwise.core.records import Implementation
from rankwise.core.units import version_numbers
from rankwise.core.vocabulary import Vocabulary
from rankwise.mpi import select
from rankwise.mpi.discover import installations
from rankwise.mpi.family import families, family_named
from rankwise.profiles.lint import formats, overlay_table
from rankwise.profiles.lint.findings import Finding, Known, UnreadableError
from rankwise.schedules import generator
from rankwise.workflows.events import Events, warn

FORMATS = tuple(formats.FORMATS)
"""The names of the formats that are read."""


@dataclass(frozen=True, slots=True)
class LintRequest:
    """Which files are to be checked, and against what."""

    files: tuple[Path, ...]
    implementation: str = ""
    """'': all that are here, and all versions that are known."""
    format: str = ""
    """'': as each file's text suggests."""
    prefixes: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Linted:
    """What was found in one file."""

    file: Path
    findings: tuple[Finding, ...] = ()
    unreadable: str = ""
    """Why it could not be read or understood; the place is in `line` ..."""
    line: int = 0
    """... as far as there is one."""


def lint(request: LintRequest, events: Events) -> tuple[Linted, ...]:
    """Return what is found in each file. Raises UnknownNameError for an implementation that is not here."""
    with events.busy("asking the MPI implementations"):
        known = _known(request, events)
        known = replace(known, vocabularies=(*known.vocabularies, *_schedules(events)))
    return tuple(_linted(file, known, request.format) for file in request.files)


def _linted(file: Path, known: Known, name: str) -> Linted:
    try:
        with file.open("rb") as stream:
            text = stream.read(4 * formats.MOST_CHARACTERS + 1).decode("utf-8", "replace")
        return Linted(file, tuple(formats.findings(text, known, name)))
    except OSError as error:
        return Linted(file, unreadable=error.strerror or str(error))
    except UnreadableError as error:
        return Linted(file, unreadable=str(error), line=error.line)


def _known(request: LintRequest, events: Events) -> Known:
    here = installations(request.prefixes)
    if request.implementation:
        (implementation, *_) = select.matching(request.implementation, here)
        return Known((family_named(implementation.family).vocabulary(implementation),), named=True)
    installed = list(_asked(here, events))
    published = [
        vocabulary
        for family in families().values()
        for vocabulary in family.published()
        if not any(
            other.family == vocabulary.family and f"{other.version}.".startswith(f"{vocabulary.version}.")
            for other in installed
        )
    ]
    return Known(tuple(sorted((*published, *installed), key=_age)))


def _age(vocabulary: Vocabulary) -> tuple[str, tuple[int, ...]]:
    return vocabulary.family, version_numbers(vocabulary.version)


def _schedules(events: Events) -> Iterator[Vocabulary]:
    """What decision tables of the overlay may say."""
    algorithms: defaultdict[str, dict[str, str]] = defaultdict(dict)
    takes: dict[str, tuple[str, ...]] = {}
    try:
        for algorithm in generator.algorithms():
            known = {"segment": algorithm.segmented, "fan-out": algorithm.fans, "lanes": algorithm.lanes}
            algorithms[algorithm.operation][algorithm.name] = algorithm.name
            takes[algorithm.id] = tuple(name for name, heeded in known.items() if heeded)
    except HostError as error:
        warn(events, f"the names of schedules are not known: {error}")
    yield Vocabulary(f"rankwise-{__version__}", overlay_table.FAMILY, __version__, algorithms, takes)


def _asked(here: list[Implementation], events: Events) -> Iterator[Vocabulary]:
    for implementation in here:
        try:
            yield family_named(implementation.family).vocabulary(implementation)
        except HostError as error:
            warn(events, f"{implementation.id} is left out: {error}")
