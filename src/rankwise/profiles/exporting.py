"""A profile's settings in one form, for places where Rankwise is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.tuning import Native, Profile
from rankwise.profiles import load_script, moving, profile_file, texts
from rankwise.profiles.resolving import resolved

MCA_FILE = "mca-params.conf"
_MCA_VARIABLE = "OMPI_MCA_"
_PARAMETER_FILES = ("mca_base_param_files", "mca_base_param_file")
"""Where Open MPI is told to look for such a file: nothing to say within it."""


def export(
    folder: Path, to: Path, formats: Sequence[str], *, implementation: str = "", force: bool = False
) -> tuple[Path, ...]:
    """Write the profile in `folder` into `to` in these formats (none: all it has something in); return the paths.

    Only of the parts whose ids begin with `implementation`. Files edited by hand are written as they are. Raises
    InputError if it has nothing in one of the formats, or if a file is there already that is not forced;
    HostError if one cannot be written.
    """
    stored = profile_file.read(folder)
    parts = tuple(
        replace(part, native=moving.current(stored, part))
        for part in stored.profile.parts
        if part.implementation.startswith(implementation)
    )
    if not parts:
        raise UnknownNameError(
            f"part of {stored.profile.name}",
            implementation,
            [part.implementation for part in stored.profile.parts],
        )
    profile, place = replace(stored.profile, parts=parts), to.resolve()
    chosen: dict[str, str] = {}
    for name in formats or FORMATS:
        found = dict(FORMATS[name](profile, place))
        if not found and formats:
            raise InputError(
                f"profile {profile.name} has nothing in the format {name}", f"others: {', '.join(FORMATS)}"
            )
        chosen |= found
    there = [place / name for name in chosen if (place / name).exists()]
    if there and not force:
        raise InputError(f"{there[0]} is there already", "give another folder, or --force to replace it")
    try:
        for name, text in chosen.items():
            moving.write_text(place / name, text)
    except OSError as error:
        raise moving.unwritable(place, error) from error
    return tuple(place / name for name in chosen)


def _env(profile: Profile, place: Path) -> Iterator[tuple[str, str]]:
    everything = texts.all_files(profile, place)
    yield from _native(profile, everything)
    for part in profile.parts:
        yield (name := f"{part.implementation}/{load_script.LOAD}"), everything[name]


def _modulefiles(profile: Profile, place: Path) -> Iterator[tuple[str, str]]:
    everything = texts.all_files(profile, place)
    yield from _native(profile, everything)
    for part in profile.parts:
        yield (name := f"{texts.MODULES}/{profile.name}/{part.implementation}"), everything[name]


def _sysctl(profile: Profile, place: Path) -> Iterator[tuple[str, str]]:
    everything = texts.all_files(profile, place)
    if texts.SYSCTL in everything:
        yield texts.SYSCTL, everything[texts.SYSCTL]


def _mca(profile: Profile, place: Path) -> Iterator[tuple[str, str]]:
    """A parameter file with all that is given by other means too, and what it names.

    That of one Open MPI lies in the folder itself, where `~/.openmpi` has it; several have folders of their own.
    """
    having = [part for part in profile.parts if any(_mca_lines(part.native))]
    for part in having:
        below = "" if len(having) == 1 else f"{part.implementation}/"
        native = resolved(part.native, place / below)
        yield from ((f"{below}{name}", text) for name, text in native.files if name != MCA_FILE)
        yield f"{below}{MCA_FILE}", "\n".join(_mca_lines(native)) + "\n"


def _mca_lines(native: Native) -> Iterator[str]:
    yield from dict(native.files).get(MCA_FILE, "").splitlines()
    for name, value in native.environment:
        parameter = name.removeprefix(_MCA_VARIABLE)
        if name.startswith(_MCA_VARIABLE) and parameter not in _PARAMETER_FILES:
            yield f"{parameter} = {value}"
    for index, word in enumerate(native.arguments[:-2]):
        if word in ("--mca", "-mca"):
            yield f"{native.arguments[index + 1]} = {native.arguments[index + 2]}"


def _native(profile: Profile, everything: dict[str, str]) -> Iterator[tuple[str, str]]:
    for part in profile.parts:
        for name, _ in part.native.files:
            yield f"{part.implementation}/{name}", everything[f"{part.implementation}/{name}"]


FORMATS: dict[str, Callable[[Profile, Path], Iterator[tuple[str, str]]]] = {
    "env": _env,
    "modulefile": _modulefiles,
    "mca": _mca,
    "sysctl": _sysctl,
}
"""What each writes, as paths and texts."""
