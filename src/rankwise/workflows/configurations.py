"""From profiles to configurations, and from a configuration to what a launch loads."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.core.configuration import Configuration, plain
from rankwise.core.errors import InputError
from rankwise.core.network import Topology
from rankwise.core.records import DEFAULT, Implementation, Notice
from rankwise.core.tuning import Loaded, Native, Part, Profile, Tuning
from rankwise.measurement.launch import Seen
from rankwise.mpi import clients, environment_conflicts
from rankwise.mpi.family import family_named, native_of, with_switching
from rankwise.profiles import folders, loading
from rankwise.profiles.sentences import tuning_sentence
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.changes import changes
from rankwise.workflows.host_settings import applied_settings, in_force
from rankwise.workflows.overlay import built_in_native, loads_overlay, whole_native

_SAID = 3
"""Differences that a warning names."""

NOTHING_MORE = Native()

Resolved = dict[tuple[str, str], Configuration]
"""Configurations by the id of the implementation and their label."""


@dataclass(frozen=True, slots=True)
class ProfileChoice:
    """A profile that is to be measured: `default` has no folder."""

    label: str = DEFAULT
    folder: str = ""
    overlay: bool = False
    """In place of a profile: collectives by the overlay's built-in table."""


def choose(name_or_folder: str) -> ProfileChoice:
    """Return the profile of this name or in this folder; `default` stands for none. Raises UnknownNameError."""
    if name_or_folder == DEFAULT:
        return ProfileChoice()
    folder = folders.find(name_or_folder).resolve()
    return ProfileChoice(folder.name, str(folder))


def tuned(implementation: Implementation, tuning: Tuning, topology: Topology | None) -> Configuration:
    """Return the configuration that loads `tuning` on this network. Raises as `whole_native`."""
    return replace(plain(implementation), tuning=tuning, native=whole_native(implementation, tuning, topology))


def switching(
    implementation: Implementation, tuning: Tuning, topology: Topology | None, table: Native = NOTHING_MORE
) -> Configuration:
    """Return the same for a launch that switches between candidates meanwhile. Raises InputError.

    `table`: what tells its candidates apart where they are told by the size of messages.
    """
    configuration = tuned(implementation, tuning, topology)
    return replace(configuration, native=with_switching(implementation, configuration.native) + table)


def resolve(
    choice: ProfileChoice, implementation: Implementation, topology: Topology | None, *, ranks: int = 0,
    force: bool = False,
) -> tuple[Configuration, tuple[Notice, ...]]:  # fmt: skip
    """Return what this implementation loads of a profile on this network, and what is to be said of it.

    A profile of another version is translated for this one. Raises InputError if the profile has nothing for the
    family, or if this version lacks what it sets (with `force` that is left out, and said).
    """
    if choice.label == DEFAULT and not choice.folder:
        return plain(implementation), ()
    if choice.overlay:
        return replace(plain(implementation), native=built_in_native(implementation, topology)), ()
    stored = loading.settled(Path(choice.folder))
    profile = stored.profile
    notices = [*_of_network(profile, topology), *_of_ranks(profile, implementation, ranks)]
    try:
        part = loading.part_for(profile, implementation)
    except InputError:
        other = loading.part_of_family(profile, implementation)
        if other is None:
            raise
        tuning, native, said = _translated(profile, other, implementation, force)
    else:
        tuning, native = part.tuning, loading.current(stored, part)
        said = list(loading.edits(stored.folder, part.implementation))
    configuration = replace(plain(implementation), tuning=tuning, native=native)
    family = family_named(implementation.family)
    around = environment_conflicts.notices(family, implementation, loading.place_apart(native), os.environ)
    return configuration, (*notices, *said, *around)


def resolve_all(
    choices: Sequence[ProfileChoice], implementations: Iterable[Implementation], testbed: TestbedKind, *,
    ranks: int = 0, force: bool = False, wanted: Collection[tuple[str, str]] | None = None,
) -> tuple[Resolved, tuple[Notice, ...]]:  # fmt: skip
    """Return what every implementation loads of every profile (none: the default), and what is to be said.

    `wanted`: ids of implementations and labels to resolve; None: all.

    Of choices with which an implementation loads the same, one alone is returned, the default if it is among
    them: nothing is compared with itself. Raises InputError for a choice that is left out everywhere.
    """
    resolved: Resolved = {}
    said: list[Notice] = []
    same: dict[str, Notice] = {}
    for implementation in implementations:
        known: dict[str, str] = {}
        for choice in sorted(choices or (ProfileChoice(),), key=lambda choice: choice.label != DEFAULT):
            if wanted is not None and (implementation.id, choice.label) not in wanted:
                continue
            configuration, notices = resolve(choice, implementation, testbed.topology(), ranks=ranks, force=force)
            label = known.setdefault(configuration.id, choice.label)
            if label != choice.label:
                same[choice.label] = _same(choice.label, label, implementation)
                said.append(same[choice.label])
                continue
            resolved[implementation.id, choice.label] = configuration
            said += [*notices, *not_applied(configuration, choice, testbed)]
    for label, notice in same.items():
        if not any(label == of_found for _, of_found in resolved):
            raise InputError(notice.message, f"leave out --profile {label}, or name a profile that sets something")
    return resolved, tuple(dict.fromkeys(said))


def _same(label: str, other: str, implementation: Implementation) -> Notice:
    what = "changes nothing" if other == DEFAULT else f"sets the same as profile {other}"
    return Notice("same-profile", f"profile {label} {what} for {implementation.id}", "it is not measured twice")


def loader(testbed: TestbedKind) -> Callable[[Configuration], Loaded]:
    """Return the function by which a launch on this testbed loads a configuration."""
    placed: dict[str, Loaded] = {}

    def load(configuration: Configuration) -> Loaded:
        """Write the configuration's files below the cache, and return what the launch adds to its job."""
        if configuration.is_default:
            return Loaded()
        known = placed.get(configuration.id)
        if known is None or not all(Path(file).exists() for file in known.files):
            settings = applied_settings(testbed, configuration.tuning.host_settings)
            known = placed[configuration.id] = loading.place_apart(configuration.native, settings)
        return known

    return load


def seen_on(testbed: TestbedKind) -> Seen:
    """Return how launches on this testbed are looked at from outside."""
    return Seen(
        testbed.mapped, testbed.given, clients.judge, clients.unlike, clients.probing, clients.transports
    )  # fmt: skip


def not_applied(configuration: Configuration, choice: ProfileChoice, testbed: TestbedKind) -> Iterator[Notice]:
    """Yield a notice if the hosts' settings are neither in force nor set by each launch."""
    settings = configuration.tuning.host_settings
    if not settings or applied_settings(testbed, settings):
        return
    if testbed.topology() is None and in_force(settings):
        return
    lines = loading.manual_commands(Path(choice.folder), settings)
    yield Notice(
        "host-settings",
        f"the kernel settings of profile {choice.label} are not applied to real hosts: it runs without them",
        f"apply them on every host: {'; '.join(lines)}",
    )


def sentences(labels: Mapping[str, str], configurations: Mapping[str, Configuration]) -> list[str]:
    """Return what each configuration sets, a sentence each; `labels` by the configurations' ids."""
    return [
        _sentence(label, configurations[identity])
        for identity, label in labels.items()
        if identity in configurations and not configurations[identity].is_default
    ]


def _sentence(label: str, configuration: Configuration) -> str:
    name = configuration.implementation
    if configuration.tuning == Tuning() and loads_overlay(configuration.native):
        return f"With {label} the built-in schedules of the overlay carry out collectives of {name}."
    return tuning_sentence(label, name, configuration.tuning)


def _translated(
    profile: Profile, part: Part, implementation: Implementation, force: bool
) -> tuple[Tuning, Native, list[Notice]]:
    """The same choices in the terms of another version."""
    tuning = part.tuning
    notices = [
        Notice(
            "other-version",
            f"profile {profile.name} was measured with {part.implementation}, and this is {implementation.id}",
            f"tune {implementation.id}; recreate it with: {profile.command_line}",
        )
    ]
    try:
        native = whole_native(implementation, tuning, profile.topology)
    except InputError as error:
        if not force:
            raise InputError(
                f"profile {profile.name} was made for {part.implementation}, and {implementation.id} cannot load "
                f"it: {error}",
                f"--any-version leaves that out; or tune {implementation.id}; recreate it with: "
                f"{profile.command_line}",
            ) from error
        tuning, lost = _known_to(implementation, tuning)
        native = whole_native(implementation, tuning, profile.topology)
        notices.append(Notice("not-loaded", f"{implementation.id} runs without {', '.join(lost)}: {error}"))
    return tuning, native, notices


def _known_to(implementation: Implementation, tuning: Tuning) -> tuple[Tuning, list[str]]:
    """What this version can load of a tuning, and the names of what it cannot."""
    lost = []

    def knows(part: Tuning, name: str) -> bool:
        try:
            native_of(implementation, part)
        except InputError:
            lost.append(name)
            return False
        return True

    settings = tuple(setting for setting in tuning.settings if knows(Tuning(settings=(setting,)), setting.knob))
    decisions = tuple(
        decision for decision in tuning.decisions if knows(Tuning(decisions=(decision,)), decision.operation)
    )
    return replace(tuning, settings=settings, decisions=decisions), list(dict.fromkeys(lost))


def _of_network(profile: Profile, topology: Topology | None) -> Iterator[Notice]:
    differences = changes(profile.topology, topology)
    if differences:
        more = f"; and {len(differences) - _SAID} more" if len(differences) > _SAID else ""
        yield Notice(
            "other-network",
            f"profile {profile.name} was made for another network: {'; '.join(differences[:_SAID])}{more}",
            "make a profile for this network: rankwise tune, with the testbed or hostfile that is used here",
        )


def _of_ranks(profile: Profile, implementation: Implementation, ranks: int) -> Iterator[Notice]:
    parts = [part for part in profile.parts if part.family == implementation.family]
    decided = {decision.ranks for part in parts for decision in part.tuning.decisions}
    tried = {verdict.ranks for part in parts if part.tuning.settings for verdict in part.verdicts}
    if ranks and decided and ranks not in decided:
        numbers = ", ".join(map(str, sorted(decided)))
        yield Notice(
            "other-ranks",
            f"profile {profile.name} chooses collective algorithms for {numbers} ranks: communicators of {ranks} "
            "keep the default",
        )
    if tried and ranks > max(tried):
        yield Notice(
            "more-ranks",
            f"the settings of profile {profile.name} were tried on at most {max(tried)} ranks, "
            f"and this job has {ranks}",
            "compare with and without it: rankwise compare --profile ... -- PROGRAM",
        )
