"""A profile's settings in one form, for places where Rankwise is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.records import Notice
from rankwise.core.tuning import Native, Profile
from rankwise.profiles import load_script, loading, merging, moving, profile_file, texts
from rankwise.profiles.resolving import resolved

MCA_FILE = "mca-params.conf"
_MCA_VARIABLE = "OMPI_MCA_"
_PARAMETER_FILES = ("mca_base_param_files", "mca_base_param_file")
"""Where Open MPI is told to look for such a file: nothing to say within it."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export did."""

    paths: tuple[Path, ...]
    """The files that hold the settings now, or that were taken away."""
    notices: tuple[Notice, ...] = ()


def export(
    folder: Path, to: Path, formats: Sequence[str], *, implementation: str = "", force: bool = False
) -> Exported:
    """Write the profile in `folder` into `to` in these formats (none: all it has something in).

    Only of the parts whose ids begin with `implementation`. Files edited by hand are written as they are, and a
    parameter file of the user's is merged with, of which a backup is kept: done twice, nothing changes. Raises
    InputError if it has nothing in one of the formats, or if another file is there already that is not forced;
    HostError if one cannot be written.
    """
    profile, place = _chosen(folder, implementation), to.resolve()
    contents = _texts(profile, place, formats)
    parameters = _parameter_files(profile, place) if "mca" in (formats or FORMATS) else {}
    others = {name: text for name, text in contents.items() if name not in parameters}
    notices: list[Notice] = []
    try:
        _require_free(
            place, others, [path for name in parameters for path in _named_by_a_profile(place / name)], force
        )
        for name, text in others.items():
            if merging.read(place / name) != text:
                moving.write_text(place / name, text)
        for native, own in _with_libraries(profile, place, formats):
            loading.put_libraries(native, own)
        for name, text in parameters.items():
            notices += _merge(profile, place / name, text, force)
        if parameters and not _with_libraries(profile, place, formats):
            notices += [
                Notice(
                    "not-exported",
                    f"a parameter file cannot load the schedules of {part.implementation}, only variables can",
                    f"rankwise profile export {profile.name} --format env",
                )
                for part in profile.parts
                if part.native.libraries
            ]
    except OSError as error:
        raise moving.unwritable(place, error) from error
    return Exported(tuple(place / name for name in contents), tuple(notices))


def remove(folder: Path, to: Path, formats: Sequence[str], *, implementation: str = "") -> Exported:
    """Take out of `to` what `export` with the same arguments has put there; what was edited since then stays.

    Raises InputError and HostError as `export`.
    """
    profile, place = _chosen(folder, implementation), to.resolve()
    gone: list[Path] = []
    notices: list[Notice] = []
    try:
        for name, text in _texts(profile, place, formats).items():
            path = place / name
            if path.name == MCA_FILE and merging.holds(merging.read(path)):
                done = merging.take_out(path)
            elif (done := path.exists()) and merging.read(path) == text:
                _unlink(path, place)
            elif done:
                done = False
                what = f"{path} is not as it was exported, and stays"
                notices.append(Notice("edited-export", what, "remove it by hand if it is of no use"))
            gone += [path] if done else []
        for native, own in _with_libraries(profile, place, formats):
            for path in (own / Path(library).name for library in native.libraries):
                if path.exists():
                    _unlink(path, place)
                    gone.append(path)
    except OSError as error:
        raise moving.unwritable(place, error) from error
    return Exported(tuple(gone), tuple(notices))


def _with_libraries(profile: Profile, place: Path, formats: Sequence[str]) -> list[tuple[Native, Path]]:
    """What is built of each part, for formats that load it, and the folder that it goes into."""
    loads = {"env", "modulefile"} & set(formats or FORMATS)
    return [(part.native, place / part.implementation) for part in profile.parts if loads]


def _require_free(place: Path, contents: Mapping[str, str], ours: Sequence[Path], force: bool) -> None:
    """Raise InputError for a file of somebody else's, unless it may be replaced."""
    for name, text in contents.items():
        path = place / name
        if not force and path.exists() and path not in ours and merging.read(path) != text:
            raise InputError(f"{path} already exists", "give another folder, or --force to replace it")


def _unlink(path: Path, place: Path) -> None:
    """Remove a file, and the folders below `place` that are empty then."""
    path.unlink()
    for folder in path.parents:
        if folder == place or any(folder.iterdir()):
            return
        folder.rmdir()


def _chosen(folder: Path, implementation: str) -> Profile:
    """The profile with the parts that are meant, their files as they are on disk. Raises InputError."""
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
    return replace(stored.profile, parts=parts)


def _texts(profile: Profile, place: Path, formats: Sequence[str]) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for name in formats or FORMATS:
        files = dict(FORMATS[name](profile, place))
        if not files and formats:
            raise InputError(
                f"profile {profile.name} has nothing in the format {name}", f"others: {', '.join(FORMATS)}"
            )
        chosen |= files
    return chosen


def _merge(profile: Profile, path: Path, text: str, force: bool) -> Iterator[Notice]:
    """Merge parameters into the file at `path`; yield what conflicts."""
    pairs = [(name, value) for _, name, value in merging.assignments(text)]
    new, conflicts = merging.merged(merging.read(path), path, f"profile {profile.name}", pairs, force=force)
    merging.put(path, new)
    for conflict in conflicts:
        own, theirs = (
            f"{conflict.name} = {conflict.users} in {path}:{conflict.line}",
            f"{conflict.profiles} of profile {profile.name}",
        )
        yield Notice(
            "export-conflict",
            f"{own} is overruled by {theirs}" if force else f"{own} stays in force, and not {theirs}",
            f"rankwise profile export {profile.name} --remove undoes it" if force
            else "remove that line and export again, or use --force",
        )  # fmt: skip


def _named_by_a_profile(path: Path) -> Iterator[Path]:
    """The files that a profile's lines in a parameter file name: exported before, and ours to replace."""
    text = merging.read(path)
    if merging.holds(text):
        own = {(name, value) for _, name, value in merging.assignments(merging.without(text, path))}
        yield from (Path(value) for _, name, value in merging.assignments(text) if (name, value) not in own)


def _parameter_files(profile: Profile, place: Path) -> dict[str, str]:
    return {name: text for name, text in _mca(profile, place) if Path(name).name == MCA_FILE}


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
