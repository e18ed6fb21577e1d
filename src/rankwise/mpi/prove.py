"""Proves an installation: compiles a small program with its mpicc and runs it on two ranks with its mpiexec."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rankwise.core import process
from rankwise.core.errors import HostError
from rankwise.core.records import Implementation, Job, Outcome
from rankwise.mpi.family import Family, family_named

LIMIT_SECONDS = 60.0
RANKS = 2
_SOURCE = Path(__file__).with_name("proof.c")
_VARIABLE = ("RANKWISE_PROOF", "one, two")
_PREFIX = "rankwise-proof "


class _NotProvedError(Exception):
    """Why an installation does not work, and what to do."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.remedy = remedy


def prove(implementation: Implementation, limit_seconds: float = LIMIT_SECONDS) -> Implementation:
    """The implementation as `works` with what the run told about it, or as `broken` with reason and remedy."""
    if implementation.status == "broken":
        return implementation
    family = family_named(implementation.family)
    try:
        with tempfile.TemporaryDirectory(prefix="rankwise-proof-") as folder:
            program = Path(folder, "proof")
            _compile(family, implementation, program, limit_seconds)
            outcome = _run(family, implementation, program, limit_seconds)
        facts = _facts(outcome)
        _check(implementation, facts, outcome, limit_seconds)
    except _NotProvedError as problem:
        return replace(implementation, status="broken", reason=str(problem), remedy=problem.remedy)
    library = facts.get("library") or f"{family.title} {implementation.version}"
    return replace(
        implementation,
        status="works",
        library_version=" ".join(library.split()),
        mpi_standard=facts["standard"],
        abi=family.abi(Path(facts["file"])) if "file" in facts else "",
        transports=family.transports(outcome.stdout + outcome.stderr),
    )


def _compile(family: Family, implementation: Implementation, program: Path, limit_seconds: float) -> None:
    if not implementation.mpiexec:
        raise _NotProvedError(f"no {family.launchers[0]} beside {implementation.mpicc}", _packages(family))
    argv = [implementation.mpicc, "-O1", "-o", str(program), str(_SOURCE)]
    try:
        outcome = process.run(argv, limit_seconds, environment=implementation.environment)
    except HostError as error:
        raise _NotProvedError(str(error), error.remedy) from error
    words = outcome.stderr + outcome.stdout
    if outcome.timed_out:
        raise _NotProvedError(f"mpicc did not finish within {limit_seconds:g} s", f"try it: {outcome.command}")
    if outcome.returncode == 0 and program.is_file():
        return
    if not (shutil.which("cc") or shutil.which("gcc")):
        remedy = "no C compiler is on PATH: apt install gcc libc6-dev"
    elif "mpi.h" in words:
        remedy = _packages(family)
    elif "stdio.h" in words:
        remedy = "apt install libc6-dev"
    else:
        remedy = f"try it: {outcome.command}"
    raise _NotProvedError(f"mpicc failed: {_last_words(words)}", remedy)


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
        raise _NotProvedError(str(error), error.remedy) from error


def _facts(outcome: Outcome) -> dict[str, str]:
    """The program's `rankwise-proof KEY VALUE` lines; of a key that comes again the first."""
    facts: dict[str, str] = {}
    for line in outcome.stdout.splitlines():
        if line.startswith(_PREFIX):
            key, _, value = line.removeprefix(_PREFIX).partition(" ")
            facts.setdefault(key, value.strip())
    return facts


def _check(implementation: Implementation, facts: dict[str, str], outcome: Outcome, limit_seconds: float) -> None:
    mpiexec = implementation.mpiexec
    if outcome.timed_out:
        raise _NotProvedError(
            f"{mpiexec} did not finish within {limit_seconds:g} s: {_last_words(outcome.stderr + outcome.stdout)}",
            f"try it: {outcome.command}",
        )
    if "end" not in facts or (outcome.returncode != 0 and not outcome.finished_early):
        raise _NotProvedError(
            f"{mpiexec} failed ({outcome.returncode}): {_last_words(outcome.stderr + outcome.stdout)}",
            f"try it: {outcome.command}",
        )
    if facts["ranks"] != str(RANKS):
        raise _NotProvedError(
            f"{RANKS} ranks were started, but each found itself alone: {mpiexec} belongs to another MPI "
            f"than {implementation.mpicc}",
            "put the mpiexec of the same installation beside mpicc, or install the MPI anew",
        )
    if facts["wrong"] != "0":
        raise _NotProvedError("messages arrived with wrong data", f"try it: {outcome.command}")
    if facts["blind"] != "0":
        raise _NotProvedError("variables set for the job do not reach every rank", f"try it: {outcome.command}")


def _last_words(text: str, lines: int = 3) -> str:
    """The last lines that say something, in one."""
    spoken: Sequence[str] = [line.strip() for line in text.splitlines() if any(c.isalnum() for c in line)]
    return " / ".join(spoken[-lines:]) or "it said nothing"
