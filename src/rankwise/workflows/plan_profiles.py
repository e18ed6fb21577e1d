"""What each implementation of a plan loads of each profile that is compared, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from rankwise.bench.runner import Ready
from rankwise.core.errors import InputError
from rankwise.core.records import Implementation, Notice, Plan
from rankwise.core.tuning import Loaded, Part, Profile
from rankwise.profiles import loading, profile_file
from rankwise.profiles.sentences import profile_sentence
from rankwise.testbed.base import TestbedKind
from rankwise.workflows import profile_use
from rankwise.workflows.host_settings import applied_settings

Loads = dict[tuple[str, str], Loaded]
"""By implementation and profile."""


def load(
    plan: Plan, ready: Mapping[str, Ready], testbed: TestbedKind, *, force: bool = False
) -> tuple[Loads, tuple[Notice, ...]]:
    """As `rankwise run` loads them: translated for another version, with a warning where something differs.

    Raises InputError for a profile without the family, or that sets what this version lacks (with `force` that
    is left out, and said).
    """
    found: Loads = {}
    said: list[Notice] = []
    ranks = max((cell.ranks for cell in plan.cells), default=0)
    for name, folder in plan.profiles:
        for one in ready.values():
            loaded, notices = profile_use.load(
                folder, one.implementation, testbed.topology(), ranks=ranks, force=force
            )
            found[one.implementation.id, name] = _here(loaded, testbed)
            said += notices
            if loaded.host_settings and not _in_force(loaded, testbed):
                said.append(_not_applied(name, Path(folder)))
    return found, tuple(dict.fromkeys(said))


def own_parts(plan: Plan, ready: Mapping[str, Ready], testbed: TestbedKind) -> Loads:
    """Each profile's own part for each implementation, with nothing said. Raises InputError where it has none."""
    return {
        (one.implementation.id, name): _here(loading.loaded(Path(folder), one.implementation), testbed)
        for name, folder in plan.profiles
        for one in ready.values()
    }


def sentences(plan: Plan, implementations: Iterable[Implementation]) -> list[str]:
    """What each profile of the plan sets for each implementation, a sentence each."""
    measured = list(implementations)
    said = []
    for name, folder in plan.profiles:
        try:
            profile = profile_file.read(Path(folder)).profile
        except InputError as error:
            said.append(f"What profile {name} sets cannot be told: {error}.")
            continue
        for one in measured:
            part = _part(profile, one)
            if part is not None:
                said.append(profile_sentence(profile, part, one.id))
    return said


def _part(profile: Profile, implementation: Implementation) -> Part | None:
    """Its own, or that of the family which would be translated for it."""
    try:
        return loading.part_for(profile, implementation)
    except InputError:
        return loading.part_of_family(profile, implementation)


def _here(loaded: Loaded, testbed: TestbedKind) -> Loaded:
    return replace(loaded, host_settings=applied_settings(testbed, loaded.host_settings))


def _in_force(loaded: Loaded, testbed: TestbedKind) -> bool:
    """Set by each launch, or what this host has anyway."""
    if applied_settings(testbed, loaded.host_settings):
        return True
    return testbed.topology() is None and profile_use.host_settings_in_force(loaded.host_settings)


def _not_applied(name: str, folder: Path) -> Notice:
    return Notice(
        "host-settings",
        f"the kernel settings of profile {name} are not applied to real hosts: it is measured without them",
        f"apply them on every host: sudo sysctl -p {loading.sysctl_file(folder)}",
    )
