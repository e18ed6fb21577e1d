"""Programs of MPI-5's standard ABI, on every implementation: what a job of one loads, and where it can run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from rankwise.artifacts.abi import gateway, libraries
from rankwise.artifacts.abi.standard import Standard, standard
from rankwise.core import process
from rankwise.core.errors import HostError, InputError
from rankwise.core.records import Implementation
from rankwise.core.tuning import Loaded
from rankwise.mpi import preload, select
from rankwise.mpi.discover import installations
from rankwise.workflows.events import Events

ANY = "any"
"""As the name of an MPI: whichever is found first."""
_BACKEND = "RANKWISE_ABI_BACKEND"
_JOIN, _JOIN_BACKEND = "RANKWISE_JOIN", "RANKWISE_JOIN_BACKEND"
_ASK_SECONDS = 10.0
_CALLED = re.compile(r"\bU P?(MPI_\w+)")


def is_standard(program: Path) -> bool:
    """Return whether the program is linked to the standard ABI."""
    return select.is_standard(program)


def built(implementation: Implementation, events: Events) -> tuple[Path, Path]:
    """Return the front end of the standard ABI, and what carries it out on `implementation`.

    Raises HostError if no MPI here declares the standard ABI, BuildError.
    """
    with events.busy(f"compiling the standard ABI for {implementation.id} (kept for next time)"):
        return _built(implementation)


@cache
def _built(implementation: Implementation) -> tuple[Path, Path]:
    known = _standard()
    return libraries.front_end(known), libraries.backend(known, implementation)


def loading(loaded: Loaded, program: Path, implementation: Implementation) -> Loaded:
    """Return what a job of this program of the standard ABI loads besides.

    It has been `built`. Raises InputError for a program that would not load it, HostError, BuildError.
    """
    if reason := preload.ignored_by(program):
        raise InputError(
            f"{program.name} {reason}: the loader ignores LD_PRELOAD, and so the library that leads it to "
            f"{implementation.id}",
            "link it dynamically, and install it without special rights",
        )
    front, back = _built(implementation)
    environment = (*preload.loading(front, loaded.environment), (_BACKEND, str(back)))
    return replace(loaded, environment=environment, files=(*loaded.files, str(front), str(back)))


def joining(loaded: Loaded, settings: str) -> Loaded:
    """Return what a site of a joined job loads: the gateway before the backend that `loading` has put there.

    `settings` is what its processes have to know of the others (csrc/gateway/join.c). Raises HostError,
    BuildError.
    """
    library = str(gateway.build(_standard()))
    behind = dict(loaded.environment)[_BACKEND]
    rest = tuple(pair for pair in loaded.environment if pair[0] != _BACKEND)
    environment = (*rest, (_BACKEND, library), (_JOIN_BACKEND, behind), (_JOIN, settings))
    return replace(loaded, environment=environment, files=(*loaded.files, library))


def _standard() -> Standard:
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
        raise InputError(f"there is no program {program}", "is the path right?")
    if static := preload.ignored_by(path):
        raise InputError(f"{path.name} {static}", "only what the loader loads freely can be led to another MPI")
    linked = select.asks_for(path)
    if not linked:
        raise InputError(
            f"{path.name} is not linked to any MPI",
            "name the program itself rather than a script; an interpreter loads its MPI later (`run --abi`)",
        )
    with events.busy("looking for MPI implementations") as update:
        found, _ = select.working([], prefixes, lambda one: update(f"testing that {one} works"))
        if select.is_standard(path):
            update("comparing what it calls with what each has")
            suited = _suited(path, found)
        else:
            suited = _native(path, found, linked)
    return Checked(str(path), linked, select.is_standard(path), tuple(suited))


def _suited(program: Path, found: Iterable[Implementation]) -> list[Suitability]:
    shown = process.run(["nm", "-D", "--undefined-only", str(program)], _ASK_SECONDS).stdout
    called = set(_CALLED.findall(shown))
    known, result = _standard(), []
    for one in found:
        try:
            lacking = tuple(name for name in libraries.missing(known, one) if name in called)
        except HostError as error:
            result.append(Suitability(one.id, False, str(error)))
        else:
            result.append(Suitability(one.id, True, "", lacking))
    return result


def _native(program: Path, found: Sequence[Implementation], linked: str) -> list[Suitability]:
    """A program that was linked to one implementation runs on what has a library of that name."""
    able = {one.id for one in select.able_to_run(program, found)}
    meant = {one.id for one in select.linked_with(program, found)}

    def reason(one: Implementation) -> str:
        if one.id in meant:
            return ""
        return f"by a {linked} of its own" if one.id in able else f"has no {linked}: compile it with {one.mpicc}"

    return [Suitability(one.id, one.id in able, reason(one)) for one in found]
