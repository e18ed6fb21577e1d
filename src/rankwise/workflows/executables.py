"""What is started of a user's program with each implementation: built for it, or there already."""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rankwise.artifacts import builder, compiler
from rankwise.core import paths, process
from rankwise.core.errors import BuildError, HostError, InputError
from rankwise.core.programs import MPI, Executable, Program
from rankwise.core.records import Implementation, Notice
from rankwise.mpi import select
from rankwise.workflows import abi
from rankwise.workflows.events import Events

TARGET = "{program}"
"""Stands in a build line for the file that it is to write."""
_BUILD_SECONDS = 1800.0
_COMPILERS = re.compile(r"\{(mpicc|mpicxx|mpif77|mpif90|mpifort)\}")


def implementations_for(
    program: Program, names: Sequence[str], implementations: Sequence[Implementation]
) -> list[Implementation]:
    """Return those with which the program is to be measured, of the working ones that `names` left.

    All of them where it is built for each; else those that can run it: the one that it is linked with, or all
    that have the standard ABI. Raises InputError if these do not show, or if one that was named is none of them.
    """
    if program.build or MPI in program.arguments[0]:
        return list(implementations)
    path = Path(_found(program.arguments[0], Path(program.folder)))
    library = select.asks_for(path)
    able = select.able_to_run(path, implementations)
    if names:
        lacking = [implementation.id for implementation in implementations if implementation not in able]
        if lacking:
            raise InputError(
                f"{path.name} is linked against {library}, which {', '.join(lacking)} does not have",
                "build it for each: --build '{mpicc} ... -o {program}'; or leave out " + ", ".join(lacking),
            )
        return list(implementations)
    meant = select.linked_with(path, implementations) or (able if library else [])
    if not meant:
        raise InputError(
            f"{path.name} does not show which MPI it was built with",
            f"name some: rankwise compare {' '.join(mpi.id for mpi in implementations[:2])} -- "
            f"{program.arguments[0]}; "
            "or have it built for each: --build '{mpicc} ... -o {program}'",
        )
    return meant


def executables(
    program: Program, implementations: Sequence[Implementation], events: Events,
    own: Callable[[Implementation], Path] | None = None,
) -> tuple[dict[str, Executable], tuple[Notice, ...]]:  # fmt: skip
    """Return what is started with each implementation, by its id, and a notice for each that has to be left out.

    `own`: builds a program that comes with Rankwise; None: it is the user's, as its arguments say.

    Raises BuildError if the program could be built for none, InputError if there is no such program.
    """
    built: dict[str, Executable] = {}
    said: list[Notice] = []
    refused: list[HostError] = []
    for implementation in implementations:
        try:
            path = own(implementation) if own else _path(program, implementation, events)
            if abi.is_standard(path):
                abi.built(implementation, events)
        except HostError as error:
            refused.append(error)
            said.append(Notice("build-failed", f"{implementation.id} is left out: {error}", error.remedy))
        else:
            built[implementation.id] = Executable(implementation.id, str(path), digest(path))
    if not built:
        raise refused[0]
    return built, tuple(said)


def digest(path: Path) -> str:
    """Return the beginning of the file's SHA-256. Raises InputError if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", "check the path") from error


def _path(program: Program, implementation: Implementation, events: Events) -> Path:
    folder = Path(program.folder)
    named = program.arguments[0].replace(MPI, implementation.id)
    if not program.build:
        return Path(_found(named, folder))
    if TARGET not in program.build:
        _build(program.build, implementation, folder, "", events)
        return Path(_found(named, folder))
    with _scratch() as scratch:
        target = scratch / Path(named).name
        _build(program.build, implementation, folder, str(target), events)
        if not target.is_file():
            raise HostError(
                f"{implementation.id}: the build wrote no {TARGET}",
                f"have it write that file: --build '... -o {TARGET}'",
            )
        return _kept(target, implementation)


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    """A folder below the cache, for one build."""
    place = paths.cache_folder() / "programs"
    try:
        place.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".building-", dir=place))
    except OSError as error:
        raise builder.unwritable(error) from error
    try:
        scratch.chmod(0o755)
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _kept(target: Path, implementation: Implementation) -> Path:
    """The built program, where it stays under its content's name, so that a run can go on with the same one."""
    place = target.parent.parent / f"{implementation.id}-{digest(target)}"
    try:
        if not (place / target.name).exists():
            shutil.rmtree(place, ignore_errors=True)
            target.parent.rename(place)
    except OSError as error:
        if not (place / target.name).exists():
            raise builder.unwritable(error) from error
    return place / target.name


def _build(line: str, implementation: Implementation, folder: Path, target: str, events: Events) -> None:
    """Carry out the build line. Raises BuildError with its output, HostError for a compiler that is not there."""
    line = _COMPILERS.sub(lambda match: compiler.wrapper(implementation, match[1]), line)
    for name, value in ((MPI, implementation.id), ("{prefix}", implementation.prefix), (TARGET, target)):
        line = line.replace(name, value)
    with events.busy(f"building the program for {implementation.id}"):
        outcome = process.run(
            ["sh", "-c", line], _BUILD_SECONDS, environment=implementation.environment, cwd=folder
        )
    if outcome.timed_out or outcome.returncode != 0:
        how = f"took longer than {_BUILD_SECONDS:g} s" if outcome.timed_out else "failed"
        raise BuildError(
            f"{implementation.id}: the build {how}", line, (outcome.stdout + outcome.stderr)[-2000:],
            "fix it, or name the MPIs for which it works",
        )  # fmt: skip


def _found(name: str, folder: Path) -> str:
    """The program with its full path: it is started in other folders, perhaps on other hosts."""
    path = shutil.which(str(folder / name) if "/" in name else name)
    if not path:
        raise InputError(f"program not found: {name}", "check the path, and that it is executable")
    return str(Path(path).absolute())
