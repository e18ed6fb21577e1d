"""What a user has set already when a profile is loaded: it may overrule the profile, or be overruled by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rankwise.core import bound_variables
from rankwise.core.records import Implementation, Notice
from rankwise.core.tuning import Loaded
from rankwise.mpi.family import Family

_HARMLESS = ("I_MPI_ROOT", "I_MPI_DEBUG", "FI_PROVIDER_PATH", "FI_LOG_LEVEL", "UCX_LOG_LEVEL")
"""What installations set for themselves, and what only makes them talk."""


def notices(
    family: Family, implementation: Implementation, loaded: Loaded, caller: Mapping[str, str]
) -> tuple[Notice, ...]:
    """Return a notice for each conflict of what a launch loads with `caller`, the environment around it.

    Nothing where nothing is loaded: without a profile a user's own settings are what is wanted.
    """
    if not (loaded.environment or loaded.arguments or loaded.files):
        return ()
    ours = family.file_settings(loaded)
    conflicts = [*_overruling(family, implementation, ours, caller), *_overruled(loaded, caller)]
    conflicts += _overruled_lines(family, loaded, caller)
    known = {*ours, *(bound_variables.real(name)[1] for name, _ in loaded.environment), *_HARMLESS}
    others = [name for name in sorted(caller) if name.startswith(family.variables or ()) and name not in known]
    if others:
        names = ", ".join(others)
        conflicts.append(
            Notice(
                "not-measured-with",
                f"{names} of your environment is in force beside the profile, which was measured without it",
                f"unset {' '.join(others)}",
            )
        )
    return tuple(conflicts)


def _overruling(
    family: Family, implementation: Implementation, ours: Mapping[str, str], caller: Mapping[str, str]
) -> Iterator[Notice]:
    for name, value in ours.items():
        if caller.get(name, value) != value:
            yield Notice(
                "profile-overruled",
                f"{name}={caller[name]} of your environment overrules the profile, which has {value}",
                f"unset {name}",
            )
    for file, settings in family.overruling_files(implementation, caller).items():
        for name, value in settings.items():
            if name in ours and name not in caller and ours[name] != value:
                yield Notice(
                    "profile-overruled",
                    f"{name} = {value} in {file} overrules the profile, which has {ours[name]}",
                    f"remove that line from {file}",
                )


def _overruled(loaded: Loaded, caller: Mapping[str, str]) -> Iterator[Notice]:
    for long_name, value in loaded.environment:
        ranks, name = bound_variables.real(long_name)
        where = f" for jobs of {ranks} ranks" if ranks else ""
        if caller.get(name, value) != value:
            yield Notice(
                "environment-overruled",
                f"the profile overrules {name}={caller[name]} of your environment{where}: it has {value}",
                f"unset {name}, or start without the profile",
            )


def _overruled_lines(family: Family, loaded: Loaded, caller: Mapping[str, str]) -> Iterator[Notice]:
    ours = dict(loaded.environment)
    for file, settings in family.overruled_files(caller).items():
        for name, value in settings.items():
            if ours.get(name, value) != value:
                yield Notice(
                    "environment-overruled",
                    f"the profile overrules {name} = {value} of {file}: it has {ours[name]}",
                    "start without the profile to have your own",
                )
