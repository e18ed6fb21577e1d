"""What a program of the user's needs in its environment, to load the implementation that starts it and no other.

A program that was linked without an rpath, and mpi4py, take the first MPI that the loader finds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.artifacts import builder, compiler, harness
from rankwise.core import caller, paths
from rankwise.core.jobs import Job
from rankwise.core.mapped_libraries import Mapped, mpi_libraries
from rankwise.core.rank_differences import Given, difference, limit_difference
from rankwise.core.records import Environment, Implementation, Notice
from rankwise.mpi import preload
from rankwise.mpi.family import family_named

LIBRARY_PATH = "LD_LIBRARY_PATH"
MPI4PY_LIBRARY = "MPI4PY_LIBMPI"
_SONAME = re.compile(r"\((\S+\.so\S*)\)")
_MPICH_NAME, _COMMON_NAME = "libmpich.so.12", "libmpi.so.12"
OTHER_NAMES = {_COMMON_NAME: _MPICH_NAME}
"""Debian calls the library of the MPICH ABI otherwise than everybody else; it stands in for the usual one."""
_SYSTEM = re.compile(r"/(?:usr/)?lib(?:64)?(?:/[\w]+-linux-gnu\w*)?")
"""Where the loader looks by itself: put before a program's own rpath these would change its other libraries."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Variables for every rank, and what is to be said of the user's own."""

    environment: Environment = ()
    notices: tuple[Notice, ...] = ()


def surroundings(implementation: Implementation, caller: Mapping[str, str]) -> Surroundings:
    """Return what makes programs load this implementation's libraries; `caller` is the user's own environment.

    What that says already stays in force, and a notice tells so where it leads to another MPI. Raises HostError
    if the cache cannot be written.
    """
    library = library_of(implementation)
    if library is None:
        return Surroundings()
    known = dict(implementation.environment).get(LIBRARY_PATH) or caller.get(LIBRARY_PATH, "")
    folders = [folder for folder in known.split(":") if folder]
    own = [folder for folder in _folders(library) if folder not in folders]
    path = ((LIBRARY_PATH, ":".join([*folders, *own])),) if own else ()
    mpi4py = () if caller.get(MPI4PY_LIBRARY) else ((MPI4PY_LIBRARY, str(_usual_name(library))),)
    return Surroundings((*path, *mpi4py), tuple(_overruling(implementation, library, caller)))


def probing(implementation: Implementation, job: Job) -> Job:
    """Return the job as it tells what carries its messages (see `transports`)."""
    family = family_named(implementation.family)
    return replace(
        job, environment=(*job.environment, *family.probe_environment),
        launcher_arguments=(*family.probe, *job.launcher_arguments),
    )  # fmt: skip


def transports(implementation: Implementation, output: str) -> tuple[str, ...]:
    """Return what carried messages, in the output of a job started so: `ofi/tcp`, `shm`."""
    return family_named(implementation.family).transports(output)


def library_of(implementation: Implementation) -> Path | None:
    """Return the MPI library under the name by which programs ask for it; None where the compiler shows none."""
    line = compiler.shown(Path(implementation.mpicc), implementation.environment)
    file = compiler.library_file(line, implementation.prefix)
    name = library_name(implementation)
    if file is None or not name:
        return None
    named = file.parent / name
    return named if named.exists() else None


def library_name(implementation: Implementation) -> str:
    """Return the name by which programs ask for its library: `libmpi.so.40`; '' if it is not known."""
    soname = _SONAME.search(implementation.abi)
    return soname[1] if soname else ""


def is_own(file: Path, implementation: Implementation) -> bool:
    """Return whether this MPI library, a real path, is one of the implementation's."""
    library = library_of(implementation)
    if library is None:
        return True  # nothing is known of it
    if file == library.resolve():
        return True
    return file.parent == library.resolve().parent and not _SYSTEM.fullmatch(str(file.parent))


def _folders(library: Path) -> list[str]:
    """Where programs find it: a folder of ours for Debian's MPICH, nothing where the loader looks anyway."""
    ours = [str(_usual_name(library).parent)] if library.name == _MPICH_NAME else []
    return ours if _SYSTEM.fullmatch(str(library.parent)) else [*ours, str(library.parent)]


def _usual_name(library: Path) -> Path:
    """The library by the name that it has everywhere else: a link below the cache where Debian calls it otherwise.

    Raises HostError if the link cannot be made.
    """
    if library.name != _MPICH_NAME:
        return library
    link = paths.cache_folder() / "libraries" / "mpich" / _COMMON_NAME
    try:
        if not link.is_symlink() or link.readlink() != library:
            link.parent.mkdir(parents=True, exist_ok=True)
            partial = link.with_name(f".{link.name}-{os.getpid()}")
            partial.symlink_to(library)
            partial.replace(link)
    except OSError as error:
        raise builder.unwritable(error) from error
    return link


def _overruling(implementation: Implementation, library: Path, caller: Mapping[str, str]) -> Iterator[Notice]:
    """What of the user's variables leads to another MPI."""
    wanted = caller.get(MPI4PY_LIBRARY, "")
    if wanted and not is_own(Path(wanted).resolve(), implementation):
        yield _notice(f"{MPI4PY_LIBRARY}={wanted}", implementation, MPI4PY_LIBRARY)
    for folder in filter(None, caller.get(LIBRARY_PATH, "").split(":")):
        other = Path(folder, library.name)
        if other.exists():
            if not is_own(other.resolve(), implementation):
                yield _notice(f"{LIBRARY_PATH}, by its folder {folder},", implementation, LIBRARY_PATH)
            return  # the loader takes the first


def unlike(jobs: Sequence[Job], given: Mapping[str, Given]) -> str:
    """Return what some ranks of these jobs have got and others have not; '' if they were started alike.

    Several jobs are the sites of a joined one. A script may set what it likes for its rank: such programs are not
    judged.
    """
    if not all(preload.is_program(Path(job.program[0])) for job in jobs):
        return ""
    arguments = " ".join(word for job in jobs for word in job.launcher_arguments)
    expected = caller.variables()
    own = {name for job in jobs for name, _ in job.environment}
    reason = difference(given, expected, {*own, *(name for name in expected if name in arguments)})
    is_ours = all(Path(job.program[0]).name == harness.PROGRAM for job in jobs)
    return reason or (limit_difference(given) if is_ours else "")


def _notice(what: str, implementation: Implementation, variable: str) -> Notice:
    return Notice(
        "other-mpi-preferred",
        f"{what} of your environment makes programs load another MPI than {implementation.id}",
        f"unset {variable}",
    )


def judge(
    implementation: Implementation, mapped: Mapped, besides: Implementation | None = None
) -> tuple[str, tuple[Notice, ...]]:
    """Return why ranks with these libraries are not this implementation's ('': they are), and what is to be said.

    A rank that has loaded another MPI than the launcher's is alone in its world. One that is linked to another may
    have it `besides`, where that only hands its calls on.
    """
    expected = [implementation, *([besides] if besides else [])]
    foreign = [
        next(iter(libraries))
        for libraries in (mpi_libraries(files) for files in mapped.values())
        if libraries and not any(is_own(Path(file), allowed) for file in libraries for allowed in expected)
    ]
    if foreign:
        which = ", ".join(sorted(set(foreign)))
        return (
            f"{len(foreign)} of the ranks that {implementation.id} started loaded {which} instead, so each got "
            "its own MPI_COMM_WORLD"
        ), ()
    if besides and besides != implementation:
        return "", ()
    prefix = Path(implementation.prefix).resolve()
    files = sorted({file for loaded in mapped.values() for file in loaded})
    return "", tuple(
        Notice(
            "outside-library",
            f"{implementation.id} has loaded {file}, which lies outside of its prefix {prefix}",
            "if it carries messages, the figures depend on what else is installed here",
        )
        for file in files
        if not Path(file).is_relative_to(prefix)
    )
