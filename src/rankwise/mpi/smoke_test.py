"""The smoke test of an installation: its mpicc builds a small program, its mpiexec runs that on two ranks.

What an installation that works has told is kept beside the program, under all that could change the outcome, and
is believed as long as every library that was loaded is the same file. That an installation does not work is never
kept: the reason may be a busy machine or a missing header, which no key sees, and whoever asks again has usually
just tried to mend it.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import os
import platform
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from rankwise import __version__
from rankwise.artifacts import builder
from rankwise.artifacts.builder import Artifact
from rankwise.core import process
from rankwise.core.answers import Stamp, stamp
from rankwise.core.errors import BuildError, HostError
from rankwise.core.jobs import Job, Outcome
from rankwise.core.launch_output import cause, why_failed
from rankwise.core.mapped_libraries import described, is_named
from rankwise.core.records import Implementation
from rankwise.mpi.family import Family, family_named

LIMIT_SECONDS = 60.0
RANKS = 2
PROGRAM = Artifact("smoke_test", (Path(__file__).with_name("smoke_test.c"),), flags=("-O1",))
_VARIABLE = ("RANKWISE_SMOKE_TEST", "one, two")
_PREFIX = "rankwise-smoke-test "
_ENVIRONMENT = (
    "HOME", "HWLOC_", "HYDRA_", "LD_", "OMP_", "PATH", "PMI", "PRTE_", "SLURM_", "TMPDIR",
)  # fmt: skip
"""How the names begin of variables that launchers and loaders of any family read."""
_LINKER_CACHE = Path("/etc/ld.so.cache")
"""Changes whenever a library is installed where every program finds it."""
_TRANSPORT_LIBRARIES = ("fabric", "ucp", "pmix")


class _BrokenError(Exception):
    """Why an installation does not work, and what to do."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class _Findings:
    """What the test found out about an installation that works."""

    library_version: str
    mpi_standard: str
    abi: str
    transports: tuple[str, ...]
    loaded: tuple[Stamp, ...]
    """The libraries of rank 0."""


def smoke_test(
    implementation: Implementation, limit_seconds: float = LIMIT_SECONDS, *, fresh: bool = False
) -> Implementation:
    """Return the implementation as `works` with what the run told about it, or as `broken` with reason and remedy.

    An earlier result is taken where nothing has changed since, unless it is to be `fresh`. Raises HostError if
    the build cache cannot be written.
    """
    if implementation.status == "broken":
        return implementation
    family = family_named(implementation.family)
    try:
        program = _compile(family, implementation, limit_seconds)
        record = program.with_name(f"result-{_conditions(family, implementation)}.json")
        findings = None if fresh else _earlier(record)
        if findings is None:
            findings = _test(family, implementation, program, limit_seconds)
            _keep(findings, record)
    except _BrokenError as problem:
        return replace(implementation, status="broken", reason=str(problem), remedy=problem.remedy)
    return replace(
        implementation,
        status="works",
        library_version=findings.library_version,
        mpi_standard=findings.mpi_standard,
        abi=findings.abi,
        transports=(*findings.transports, *_transport_libraries(findings.loaded)),
    )


def _test(family: Family, implementation: Implementation, program: Path, limit_seconds: float) -> _Findings:
    outcome = _run(family, implementation, program, limit_seconds)
    facts = _facts(outcome)
    _check(implementation, facts, outcome, limit_seconds)
    library = facts.get("library") or f"{family.title} {implementation.version}"
    said = (line.removeprefix(f"{_PREFIX}loaded ") for line in outcome.stdout.splitlines())
    loaded = [Path(path) for path in said if path.startswith("/")]
    return _Findings(
        library_version=" ".join(library.split()),
        mpi_standard=facts["standard"],
        abi=family.abi(Path(facts["file"])) if "file" in facts else "",
        transports=family.transports(outcome.stdout + outcome.stderr),
        loaded=tuple(stamp(path) for path in dict.fromkeys(loaded)),
    )


def _conditions(family: Family, implementation: Implementation) -> str:
    """A digest of what can change the outcome and lies outside of the program and what it loads."""
    prefixes = (*_ENVIRONMENT, *family.variables)
    sources = {*Path(__file__).parent.glob("*.py"), *Path(inspect.getfile(type(family))).parent.glob("*.py")}
    conditions = (
        __version__, [path.read_bytes() for path in sorted(sources)],
        stamp(Path(implementation.mpiexec)), stamp(_LINKER_CACHE),
        os.getuid(), len(os.sched_getaffinity(0)), os.cpu_count(), psutil.cpu_count(logical=False),
        platform.node(), platform.release(),
        sorted((name, value) for name, value in os.environ.items() if name.startswith(prefixes)),
        family.overruling_files(implementation, os.environ),
    )  # fmt: skip
    return hashlib.sha256(repr(conditions).encode()).hexdigest()[:16]


def _earlier(record: Path) -> _Findings | None:
    """What an earlier test found, if every library that it loaded is still the same file."""
    try:
        kept = json.loads(record.read_text())
        transports, loaded = tuple(kept.pop("transports")), tuple(tuple(library) for library in kept.pop("loaded"))
        findings = _Findings(transports=transports, loaded=loaded, **kept)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return findings if all(stamp(Path(library[0])) == library for library in findings.loaded) else None


def _keep(findings: _Findings, record: Path) -> None:
    """Where the cache cannot be written any more, the next test takes as long as this one, and no harm is done."""
    text = json.dumps({name: getattr(findings, name) for name in _Findings.__slots__})
    with contextlib.suppress(OSError):
        descriptor, partial = tempfile.mkstemp(prefix=".result-", dir=record.parent)
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        Path(partial).replace(record)


def _transport_libraries(loaded: Sequence[Stamp]) -> list[str]:
    """Those of them that carry messages and start processes: `libfabric 2.5 (/usr/lib/libfabric.so.1)`."""
    libraries = described(path for path, _, _ in loaded if is_named(path))
    return [
        f"lib{' '.join(filter(None, (library.kind, library.version)))} ({library.path})"
        for library in libraries
        if library.kind in _TRANSPORT_LIBRARIES
    ]


def _compile(family: Family, implementation: Implementation, limit_seconds: float) -> Path:
    if not implementation.mpiexec:
        raise _BrokenError(f"no {family.launchers[0]} beside {implementation.mpicc}", _packages(family))
    if not os.access(implementation.mpicc, os.X_OK):
        raise _BrokenError(f"cannot start {implementation.mpicc}", "check that it is installed and executable")
    try:
        return builder.build(PROGRAM, implementation, limit_seconds)
    except BuildError as error:
        if not (shutil.which("cc") or shutil.which("gcc")):
            remedy = "no C compiler is on PATH: apt install gcc libc6-dev"
        elif "mpi.h" in error.output:
            remedy = _packages(family)
        elif "stdio.h" in error.output:
            remedy = "apt install libc6-dev"
        else:
            remedy = f"try it: {error.command}"
        reason = str(error).partition("\n")[0].removeprefix(f"{implementation.id}: ")
        raise _BrokenError(f"{reason}: {cause('', error.output) or 'no output'}", remedy) from error


def _packages(family: Family) -> str:
    if family.debian_packages:
        return f"apt install {' '.join(family.debian_packages)}"
    return f"install {family.title} completely: compiler, headers and launcher"


def _run(family: Family, implementation: Implementation, program: Path, limit_seconds: float) -> Outcome:
    job = Job(
        program=(str(program),),
        ranks=RANKS,
        oversubscribed=len(os.sched_getaffinity(0)) < RANKS,
        environment=(_VARIABLE, *family.probe_environment),
        launcher_arguments=family.probe,
    )
    try:
        return process.run_steps(family.steps(implementation, job), limit_seconds, f"{_PREFIX}end")
    except HostError as error:
        raise _BrokenError(str(error), error.remedy) from error


def _facts(outcome: Outcome) -> dict[str, str]:
    """The program's `rankwise-smoke-test KEY VALUE` lines; of a key that comes again the first."""
    facts: dict[str, str] = {}
    for line in outcome.stdout.splitlines():
        if line.startswith(_PREFIX):
            key, _, value = line.removeprefix(_PREFIX).partition(" ")
            facts.setdefault(key, value.strip())
    return facts


def _check(implementation: Implementation, facts: dict[str, str], outcome: Outcome, limit_seconds: float) -> None:
    mpiexec = implementation.mpiexec
    failed = outcome.timed_out or "end" not in facts or (outcome.returncode != 0 and not outcome.finished_early)
    if failed:
        raise _BrokenError(f"{mpiexec} failed: {why_failed(outcome, limit_seconds)}", f"try it: {outcome.command}")
    if facts["ranks"] != str(RANKS):
        raise _BrokenError(
            f"{RANKS} ranks were started, but each got its own MPI_COMM_WORLD: {mpiexec} belongs to another MPI "
            f"than {implementation.mpicc}",
            "put the mpiexec of the same installation beside mpicc, or reinstall the MPI",
        )
    if facts["wrong"] != "0":
        raise _BrokenError("messages arrived with wrong data", f"try it: {outcome.command}")
    if facts["blind"] != "0":
        raise _BrokenError("variables set for the job do not reach every rank", f"try it: {outcome.command}")
