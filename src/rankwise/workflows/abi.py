"""Programs of MPI-5's standard ABI, on every implementation: what a job of one loads, and where it can run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from rankwise.artifacts.abi import encryption, gateway, libraries
from rankwise.artifacts.abi.standard import Standard, standard
from rankwise.core import paths, process
from rankwise.core.errors import HostError, InputError
from rankwise.core.records import Implementation
from rankwise.core.tuning import Loaded
from rankwise.mpi import clients, preload, select
from rankwise.mpi.discover import installations
from rankwise.workflows.events import Events

ANY = "any"
"""As the name of an MPI: whichever is found first."""
_BACKEND, _SHARED = "RANKWISE_ABI_BACKEND", "RANKWISE_ABI_SHARED"
_JOIN, _JOIN_BACKEND = "RANKWISE_JOIN", "RANKWISE_JOIN_BACKEND"
_PROGRESS, _REPRESENTATION = "RANKWISE_JOIN_PROGRESS", "RANKWISE_JOIN_REPRESENTATION"
_ENCRYPTION, _KEY = "RANKWISE_JOIN_ENCRYPTION", "RANKWISE_JOIN_KEY"
_NAMES = "RANKWISE_NAMES"
"""The folder of what jobs publish for one another (MPI_Publish_name)."""
_LIBC = "libc.so.6"
"""Loaded before the program's own MPI where another one works: LAM/MPI's library has a malloc of its own, and what
libc allocates by that one the other MPI would free by libc's."""
_ASK_SECONDS = 10.0
_ANOTHER = "run it on an MPI of another family, or compile it with that one"
_CALLED = re.compile(r"\bU P?(MPI_\w+)")


def is_standard(program: Path) -> bool:
    """Return whether the program is linked to the standard ABI."""
    return select.is_standard(program)


def is_of_another(program: Path, implementation: Implementation) -> bool:
    """Return whether the loader would not give the program this implementation's library."""
    return not select.able_to_run(program, [implementation]) or select.is_bound_to_another(program, implementation)


def built(implementation: Implementation, events: Events, own: Implementation | None = None) -> tuple[Path, Path]:
    """Return the front end of the standard ABI, and what carries it out on `implementation`.

    For a program that is linked to an MPI of its `own` the front end is that one's mirror. Raises HostError if no
    MPI here declares the standard ABI, BuildError.
    """
    with events.busy(f"compiling the standard ABI for {implementation.id} (kept for next time)"):
        return _built(implementation, own)


@cache
def _built(implementation: Implementation, own: Implementation | None = None) -> tuple[Path, Path]:
    known = known_standard()
    front = libraries.mirror_of(known, own) if own else libraries.front_end(known)
    return front, libraries.backend(known, implementation)


def linked_to(
    program: Path, implementation: Implementation, prefixes: Sequence[Path], said: str = ""
) -> Implementation | None:
    """Return the MPI whose functions a program calls that `implementation` is to run by way of the standard ABI.

    `said` names that MPI where it does not show. If both have a library of one name, that of `implementation` is
    taken. None for a program of the standard ABI itself, or of no MPI that
    shows. Raises InputError if that MPI is not here, or for what cannot be led elsewhere.
    """
    if said:
        own = select.matching(said, installations(prefixes))
        if len(own) > 1:
            known = ", ".join(mpi.id for mpi in own)
            raise InputError(f"'{said}' could be any of {known}", "name one of them with --linked-to")
    elif (library := select.asks_for(program)) and not is_standard(program):
        here = select.tested(prefixes)
        own = select.linked_with(program, here) or select.able_to_run(program, here)
        if not own:
            raise InputError(
                f"{program.name} is linked against {library}, which no installed MPI provides",
                "install that one: its own library is needed even where another MPI executes the calls",
            )
    else:
        return None
    if implementation in own:
        return implementation
    if not _has_name_of(implementation, own[0]):
        return own[0]
    if not select.able_to_run(program, [implementation]):
        raise InputError(f"{program.name} cannot run on {implementation.id}: {_half_of(own[0])}", _ANOTHER)
    return implementation


def _has_name_of(implementation: Implementation, own: Implementation) -> bool:
    """Return whether both have a library of one name: a process can have one only."""
    return clients.library_name(own) == clients.library_name(implementation)


def _half_of(own: Implementation) -> str:
    return f"it needs libraries for Fortran or C++ of {own.id}, which work with no other version"


def surroundings(
    implementation: Implementation, own: Implementation | None, caller: Mapping[str, str]
) -> clients.Surroundings:
    """Return what ranks need in their environment to find the MPI that they are linked to.

    That is left out where it would lead `implementation`'s backend to another library.
    """
    around = clients.surroundings(own or implementation, caller)
    if own in {None, implementation}:
        return around
    name = clients.library_name(implementation)
    kept = tuple(
        (variable, value)
        for variable, value in around.environment
        if variable != clients.LIBRARY_PATH or not any(Path(folder, name).exists() for folder in value.split(":"))
    )
    return replace(around, environment=kept)


def loading(
    loaded: Loaded, program: Path, implementation: Implementation, own: Implementation | None = None
) -> Loaded:
    """Return what a job of this program of the standard ABI, or of its `own` MPI's, loads besides.

    It has been `built`. Raises InputError for a program that would not load it, HostError, BuildError.
    """
    if reason := preload.ignored_by(program):
        raise InputError(
            f"{program.name} {reason}: the loader ignores LD_PRELOAD, and with it the redirection of MPI calls to "
            f"{implementation.id}",
            "link it dynamically, and install it without special rights",
        )
    front, back = _built(implementation, own)
    environment = loaded.environment
    if own == implementation:
        environment = (*environment, (_SHARED, "1"))
        library = clients.library_of(implementation)
        if library and select.is_bound_to_another(
            program, implementation
        ):  # of the same name: the first one counts
            environment = preload.loading(library, environment)
    elif own:
        environment = preload.last(_LIBC, environment)
    environment = (*preload.loading(front, environment), (_BACKEND, str(back)))
    return replace(loaded, environment=environment, files=(*loaded.files, str(front), str(back)))


def joining(
    loaded: Loaded, settings: str, key_file: Path, *, progress_thread: bool = False, encrypted: bool = False,
    representation: str = "",
) -> Loaded:  # fmt: skip
    """Return what a site of a joined job loads: the gateway before the backend that `loading` has put there.

    `settings` is what its processes have to know of the others (csrc/gateway/bootstrap/join.c); `key_file` has
    their key. Raises HostError, BuildError.
    """
    library = str(gateway.build(known_standard()))
    behind = dict(loaded.environment)[_BACKEND]
    rest = tuple(pair for pair in loaded.environment if pair[0] != _BACKEND)
    environment = (*rest, (_BACKEND, library), (_JOIN_BACKEND, behind), (_JOIN, settings), (_KEY, str(key_file)))
    if progress_thread:
        environment = (*environment, (_PROGRESS, "thread"))
    if representation:
        environment = (*environment, (_REPRESENTATION, representation))
    environment = (*environment, (_NAMES, os.environ.get(_NAMES) or str(names_folder())))
    files = (*loaded.files, library, str(key_file))
    if encrypted:
        encrypting = str(encryption.build())
        environment = (*environment, (_ENCRYPTION, encrypting))
        files = (*files, encrypting)
    return replace(loaded, environment=environment, files=files)


def names_folder() -> Path:
    """Return the folder of published names, one for all jobs of this user on this host. Raises HostError."""
    folder = paths.runtime_folder() / ".names"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise HostError(f"cannot make {folder}: {error.strerror}", f"set {_NAMES} to a folder of yours") from error
    return folder


def known_standard() -> Standard:
    """Return what the standard ABI is. Raises HostError if no MPI here declares it."""
    return standard(installations())


@dataclass(frozen=True, slots=True)
class Suitability:
    """Whether an implementation can run a program."""

    implementation: str
    runs: bool
    reason: str = ""
    """Why not, or how; '' where there is nothing to say."""
    missing: tuple[str, ...] = ()
    """Functions that the program calls and the implementation lacks: such a call is an error there."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a program is linked to, and where it can run."""

    program: str
    linked_to: str
    """Names of MPI libraries; '' if there are none."""
    standard_abi: bool
    implementations: tuple[Suitability, ...]


def check(program: str, prefixes: Sequence[Path], events: Events) -> Checked:
    """Look at a program, without starting it.

    Raises InputError if it is not there, is not a program, or is linked to no MPI at all.
    """
    path = Path(program)
    if not path.is_file():
        raise InputError(f"program not found: {program}", "check the path")
    if static := preload.ignored_by(path):
        raise InputError(
            f"{path.name} {static}", "only dynamically linked programs without setuid can be redirected"
        )
    linked = select.asks_for(path)
    if not linked:
        raise InputError(
            f"{path.name} is not linked to any MPI",
            "name the program itself rather than a script; an interpreter loads its MPI later (`run --abi`)",
        )
    with events.busy("looking for MPI implementations") as update:
        implementations, _ = select.working([], prefixes, lambda name: update(f"testing that {name} works"))
        update("comparing what it calls with what each has")
        suited = (
            _suited(path, implementations) if select.is_standard(path) else _native(path, implementations, linked)
        )
    return Checked(str(path), linked, select.is_standard(path), tuple(suited))


def _suited(program: Path, implementations: Iterable[Implementation]) -> list[Suitability]:
    return [_by_the_standard(program, implementation, "") for implementation in implementations]


def _by_the_standard(program: Path, implementation: Implementation, how: str) -> Suitability:
    """What the table can do of what the program calls."""
    shown = process.run(["nm", "-D", "--undefined-only", str(program)], _ASK_SECONDS).stdout
    called = set(_CALLED.findall(shown))
    try:
        lacking = tuple(name for name in libraries.missing(known_standard(), implementation) if name in called)
    except HostError as error:
        return Suitability(implementation.id, False, str(error))
    return Suitability(implementation.id, True, how, lacking)


def _native(program: Path, implementations: Sequence[Implementation], linked: str) -> list[Suitability]:
    """A program that was linked to one implementation runs on what has its library, or by its mirror."""
    able = {mpi.id for mpi in select.able_to_run(program, implementations)}
    meant = {mpi.id: mpi for mpi in select.linked_with(program, implementations)}
    result = []
    for implementation in implementations:
        if implementation.id in able:
            how = "" if implementation.id in meant else f"by a {linked} of its own"
            result.append(Suitability(implementation.id, True, how))
        elif halves := [own for own in meant.values() if _has_name_of(implementation, own)]:
            result.append(Suitability(implementation.id, False, _half_of(halves[0])))
        elif meant:
            result.append(_by_the_standard(program, implementation, "by way of the standard ABI"))
        else:
            result.append(
                Suitability(implementation.id, False, f"has no {linked}: compile it with {implementation.mpicc}")
            )
    return result
