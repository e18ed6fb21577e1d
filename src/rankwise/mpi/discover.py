"""Finds the installed MPIs: asks every candidate what it is, and counts each installation once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rankwise.artifacts import compiler as compiler_facts
from rankwise.core import answers
from rankwise.core.errors import HostError
from rankwise.core.records import Environment, Implementation
from rankwise.mpi.family import Family, families
from rankwise.mpi.sources import Candidate, candidates

ASK_SECONDS = 10.0
UNKNOWN_FAMILY = "unknown"


def installations(prefixes: Sequence[Path] = (), ask_seconds: float = ASK_SECONDS) -> list[Implementation]:
    """Return every MPI installation that the sources lead to, not yet tested, in the order of the sources.

    A compiler that no family recognises is listed as broken. Raises InputError for a useless prefix.
    """
    known = families()
    seen: set[Path] = set()
    by_library: dict[Path, Implementation] = {}
    for candidate in candidates(known.values(), prefixes):
        real = candidate.compiler.resolve()
        if real not in seen:
            seen.add(real)
            implementation, library = _examine(candidate, known, ask_seconds)
            by_library.setdefault(library or real, implementation)
    return _with_ids(by_library)


def identify(candidate: Candidate, ask_seconds: float = ASK_SECONDS) -> Implementation:
    """Return what this compiler is; its id is not yet made unique."""
    return _examine(candidate, families(), ask_seconds)[0]


def _examine(
    candidate: Candidate, known: Mapping[str, Family], ask_seconds: float
) -> tuple[Implementation, Path | None]:
    """The installation, and the real path of its MPI library where the compiler shows one."""
    compiler = candidate.compiler
    prefix = compiler.parent.parent
    reason = f"no family recognises {compiler}"
    for family in sorted(known.values(), key=lambda family: not _is_likely(family, compiler)):
        asking = _Asking(family.environment(prefix), ask_seconds)
        version = family.identify(compiler, asking)
        if version:
            launcher = family.launcher(compiler)
            line = compiler_facts.shown(compiler, asking.environment, ask_seconds)
            implementation = Implementation(
                id=f"{family.name}-{version}", family=family.name, version=version,
                prefix=str(prefix), mpicc=str(compiler), mpiexec=str(launcher or ""),
                source=candidate.source, environment=asking.environment,
            )  # fmt: skip
            return implementation, compiler_facts.library_file(line, str(prefix))
        if asking.failure:
            reason = asking.failure
            break
        if asking.said:
            reason = f"no family recognises {compiler}: {asking.said}"
    return Implementation(
        id=f"{UNKNOWN_FAMILY}-{_digest(compiler)}", family=UNKNOWN_FAMILY, version="",
        prefix=str(prefix), mpicc=str(compiler), mpiexec="", source=candidate.source, status="broken",
        reason=reason, remedy=f"run `{compiler} -show` to see what it is; a new family is one folder in mpi/",
    ), None  # fmt: skip


def _is_likely(family: Family, compiler: Path) -> bool:
    """Whether its suffix (Debian) or its prefix (ours, Spack's) names the family: it is asked first then."""
    return compiler.name in family.compilers[1:] or compiler.parent.parent.name.startswith(f"{family.name}-")


class _Asking:
    """Runs an installation's commands; keeps why one could not answer."""

    def __init__(self, environment: Environment, limit_seconds: float) -> None:
        self.environment = environment
        self.failure = ""
        self.said = ""
        """The first line of a command that failed."""
        self._limit_seconds = limit_seconds

    def __call__(self, program: Path, *arguments: str) -> str:
        try:
            line = (str(program), *arguments)
            outcome = answers.ask(line, self._limit_seconds, environment=self.environment)
        except HostError as error:
            self.failure = str(error)
            return ""
        if outcome.timed_out:
            self.failure = f"{program} timed out after {self._limit_seconds:g} s"
            return ""
        if outcome.returncode != 0:
            self.said = (outcome.stderr or outcome.stdout).strip().partition("\n")[0]
        return outcome.stdout + "\n" + outcome.stderr


def _digest(compiler: Path) -> str:
    return hashlib.sha256(str(compiler.resolve()).encode()).hexdigest()[:6]


def _with_ids(by_library: Mapping[Path, Implementation]) -> list[Implementation]:
    """Family and version; a second one of the same gets its source, or a digest of its compiler's path."""
    taken: set[str] = set()
    result = []
    for implementation in by_library.values():
        names: Iterable[str] = (
            implementation.id,
            f"{implementation.id}-{implementation.source}",
            f"{implementation.id}-{_digest(Path(implementation.mpicc))}",
        )
        name = next(name for name in names if name not in taken)
        taken.add(name)
        result.append(replace(implementation, id=name))
    return result
