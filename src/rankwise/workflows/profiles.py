"""Profiles on disk: which there are, what they set, and whether that is in force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.core.errors import InputError
from rankwise.core.records import Implementation, Notice
from rankwise.core.tuning import Part, Profile
from rankwise.mpi import select
from rankwise.mpi.discover import installations
from rankwise.profiles import differences, exporting, folders, loading, profile_file, words
from rankwise.profiles.checking import Check
from rankwise.profiles.differences import Difference
from rankwise.profiles.exporting import Exported
from rankwise.profiles.profile_file import Stored
from rankwise.testbeds.base import TestbedKind, make
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows import verify
from rankwise.workflows.configurations import choose, resolve
from rankwise.workflows.events import Events, warn

FORMATS = tuple(exporting.FORMATS)
"""What profiles can be exported as."""


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """Which profile is to be checked, and where."""

    profile: str
    """Its name or folder."""
    implementation: str = ""
    """'': every one of the profile."""
    testbed: TestbedKind | None = None
    """None: the network that the profile was made for."""
    prefixes: tuple[Path, ...] = ()


def names() -> list[str]:
    """Return the names of all profiles, those of ./profiles first."""
    return list(folders.known())


def known(events: Events) -> dict[str, Stored]:
    """Return the profiles that have a name; one that cannot be read is said and left out."""
    stored_profiles: dict[str, Stored] = {}
    for name, folder in folders.known().items():
        try:
            stored_profiles[name] = profile_file.read(folder)
        except InputError as error:
            warn(events, str(error))
    return stored_profiles


def places() -> tuple[Path, ...]:
    """Return the folders in which names are looked for."""
    return folders.places()


def gain(part: Part) -> words.Gain:
    """Return what the part gained when it was validated."""
    return words.gain(part.verdicts)


def load(name: str) -> tuple[Stored, tuple[Notice, ...]]:
    """Return a profile, whose files are made to name its folder, and what was edited by hand."""
    folder = folders.find(name)
    return loading.settled(folder), loading.edits(folder)


def compare(profile: str, other: str) -> tuple[Difference, ...]:
    """Return what two profiles set differently."""
    left, right = (profile_file.read(folders.find(name)).profile for name in (profile, other))
    return tuple(differences.differences(left, right))


def export(
    name: str, to: Path, formats: Sequence[str] = (), *, implementation: str = "", force: bool = False,
    remove: bool = False,
) -> Exported:  # fmt: skip
    """Write a profile's settings for places without Rankwise, or take them out of there again."""
    folder = folders.find(name)
    if remove:
        return exporting.remove(folder, to, formats, implementation=implementation)
    return exporting.export(folder, to, formats, implementation=implementation, force=force)


def check(request: VerifyRequest, events: Events) -> tuple[Check, ...]:
    """Run each implementation with the profile, and return which of its values are in force.

    Raises InputError if none of the profile's implementations is here.
    """
    choice = choose(str(folders.find(request.profile)))
    profile = profile_file.read(Path(choice.folder)).profile
    testbed = request.testbed or (make(profile.topology) if profile.topology else LocalTestbed())
    chosen = _chosen(profile, request, events)
    checks: list[Check] = []
    with events.busy(f"bringing up {testbed.name}") as update, testbed:
        for part, implementation in chosen:
            update(f"running {implementation.id}")
            configuration, notices = resolve(choice, implementation, testbed.topology())
            warn(events, *notices)
            loaded = loading.place_apart(configuration.native, configuration.tuning.host_settings)
            checks += verify.verify(part, implementation, loaded, testbed)
    return tuple(checks)


def _chosen(profile: Profile, request: VerifyRequest, events: Events) -> list[tuple[Part, Implementation]]:
    """The profile's parts with the installations for them that are here; or only those that were named."""
    name = request.implementation
    with events.busy("looking for MPI implementations") as update:
        here = installations(request.prefixes)
        meant = select.matching(name, here) if name else here
        pairs = [(part, implementation) for part in profile.parts for implementation in _installed(part, meant)]
        if not pairs and name:
            loading.part_for(profile, meant[0])  # says which it has
        if not pairs:
            has = ", ".join(part.implementation for part in profile.parts) or "no implementation"
            raise InputError(f"profile {profile.name} is for {has}, which is not installed", "rankwise mpis")
        working, _ = select.working(
            [implementation.id for _, implementation in pairs],
            request.prefixes,
            lambda mpi_name: update(f"testing that {mpi_name} works"),
        )
    for part in profile.parts:
        if not name and all(part is not implementation for implementation, _ in pairs):
            warn(events, f"{part.implementation} is not installed here: not verified")
    tested = {implementation.id: implementation for implementation in working}
    return [(part, tested[implementation.id]) for part, implementation in pairs]


def _installed(part: Part, here: Sequence[Implementation]) -> list[Implementation]:
    """Those of this id, else of the same family and version."""
    same = [
        implementation
        for implementation in here
        if (implementation.family, implementation.version) == (part.family, part.version)
    ]
    return [implementation for implementation in same if implementation.id == part.implementation] or same
