"""The option --profile, and what a launch loads for it: of another version or network only with a warning."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import psutil

from rankwise.core.errors import InputError
from rankwise.core.network import MTU, Settings, Topology
from rankwise.core.records import Implementation, Notice
from rankwise.core.tuning import DEFAULT, Loaded, Part, Profile, Tuning
from rankwise.mpi import environment_conflicts
from rankwise.mpi.family import Family, family_named
from rankwise.profiles import folders, loading, profile_file
from rankwise.profiles.checking import host_has
from rankwise.testbed.changes import changes

_SAID = 3
"""Differences that a warning names."""

_OPTIONS = (
    click.option("--profile", default=DEFAULT, metavar="NAME|FOLDER", shell_complete=folders.complete,
                 help="Load this tuning (`rankwise profile list`).  [default: nothing]"),
    click.option("--force", is_flag=True, help="Load of the profile what this version of the MPI knows."),
)  # fmt: skip


def profile_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--profile` and `--force`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def load(
    name: str, implementation: Implementation, topology: Topology | None, *, ranks: int = 0, force: bool = False
) -> tuple[Loaded, tuple[Notice, ...]]:
    """What this implementation loads of a profile on this network, and what is to be said of it.

    `default` loads nothing. A profile of another version is translated for this one. Raises InputError if there
    is no such profile, if it has nothing for the family, or if this version lacks what it sets (with `force`
    that is left out, and said).
    """
    if name == DEFAULT:
        return Loaded(), ()
    folder = folders.find(name)
    profile = profile_file.read(folder).profile
    notices = [*_of_network(profile, topology), *_of_ranks(profile, implementation, ranks)]
    try:
        part = loading.part_for(profile, implementation)
    except InputError:
        other = loading.part_of_family(profile, implementation)
        if other is None:
            raise
        loaded, said = _translated(profile, other, implementation, force)
    else:
        loaded, said = loading.loaded(folder, implementation), list(loading.edits(folder, part.implementation))
    around = environment_conflicts.notices(family_named(implementation.family), implementation, loaded, os.environ)
    return loaded, (*notices, *said, *around)


def host_settings_in_force(settings: Settings) -> bool:
    """Whether this host's kernel has all of these already."""
    return all(host_has(key, value, this_hosts(key)) for key, value in settings)


def this_hosts(key: str) -> str:
    """This kernel's value of a setting, '' if it has none; the MTUs of all cards."""
    if key == MTU:
        return " ".join(str(card.mtu) for name, card in psutil.net_if_stats().items() if name != "lo")
    try:
        return Path("/proc/sys", *key.split(".")).read_text().strip()
    except OSError:
        return ""


def _translated(
    profile: Profile, part: Part, implementation: Implementation, force: bool
) -> tuple[Loaded, list[Notice]]:
    """The same choices in the words of another version."""
    family, tuning = family_named(implementation.family), part.tuning
    told = [
        Notice(
            "other-version",
            f"profile {profile.name} was measured with {part.implementation}, and this is {implementation.id}",
            f"measure again: rankwise tune --testbed {profile.testbed} {implementation.id}",
        )
    ]
    try:
        native = family.native(implementation, tuning)
    except InputError as error:
        if not force:
            raise InputError(
                f"profile {profile.name} was made for {part.implementation}, and {implementation.id} cannot load "
                f"it: {error}",
                f"--force leaves that out; or measure: rankwise tune --testbed {profile.testbed} "
                f"{implementation.id}",
            ) from error
        tuning, lost = _known_to(family, implementation, tuning)
        native = family.native(implementation, tuning)
        told.append(Notice("not-loaded", f"{implementation.id} does without {', '.join(lost)}: {error}"))
    return loading.place_apart(native, tuning.host_settings), told


def _known_to(family: Family, implementation: Implementation, tuning: Tuning) -> tuple[Tuning, list[str]]:
    """What this version can load of a tuning, and the names of what it cannot."""
    lost = []

    def knows(part: Tuning, name: str) -> bool:
        try:
            family.native(implementation, part)
        except InputError:
            lost.append(name)
            return False
        return True

    settings = tuple(one for one in tuning.settings if knows(Tuning(settings=(one,)), one.knob))
    decisions = tuple(one for one in tuning.decisions if knows(Tuning(decisions=(one,)), one.operation))
    return replace(tuning, settings=settings, decisions=decisions), list(dict.fromkeys(lost))


def _of_network(profile: Profile, topology: Topology | None) -> Iterator[Notice]:
    found = changes(profile.topology, topology)
    if found:
        more = f"; and {len(found) - _SAID} more" if len(found) > _SAID else ""
        where = topology.name if topology else "local"
        yield Notice(
            "other-network",
            f"profile {profile.name} was made for another network: {'; '.join(found[:_SAID])}{more}",
            f"measure on this one: rankwise tune --testbed {where}",
        )


def _of_ranks(profile: Profile, implementation: Implementation, ranks: int) -> Iterator[Notice]:
    tuned = {
        one.ranks
        for part in profile.parts
        if part.family == implementation.family
        for one in part.tuning.decisions
    }
    if ranks and tuned and ranks not in tuned:
        numbers = ", ".join(map(str, sorted(tuned)))
        yield Notice(
            "other-ranks",
            f"profile {profile.name} chooses collective algorithms for {numbers} ranks: communicators of {ranks} "
            "keep the default",
        )
