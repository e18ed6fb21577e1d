"""The suite's lists of what is to be run: `program ranks arg=... env=... resultTest=...`, one line a test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOTS = (
    "attr", "coll", "comm", "datatype", "errhan", "group", "info", "init", "io", "part", "pt2pt", "rma", "spawn",
    "topo", "errors", "threads", "f77", "f90", "f08",
)  # fmt: skip
"""All but what is MPICH's own (impls, mpi_t, ft, ckpoint) and C++'s."""
_LEFT_OUT = re.compile(r"(^|/)(cxx|mpi_t|faults|perf|impls|ft|basic)(/|$)")
MOST_RANKS = 12
MOST_MEMORY = 4.5
"""In GB."""
LONGEST = 180
"""Seconds that the suite itself gives a test for which it says nothing else."""


@dataclass(frozen=True, slots=True)
class SuiteTest:
    """A program with its arguments and number of ranks, and what is right of it."""

    folder: str
    program: str
    ranks: int
    arguments: tuple[str, ...] = ()
    limit_seconds: int = LONGEST
    fails: bool = False
    """It is right where its exit code is not 0: a test of what ends a job."""
    prints: bool = True
    """It says ` No Errors`."""

    @property
    def id(self) -> str:
        """Return its name, by which lists of limits call it."""
        return " ".join((f"{self.folder}/{self.program}", str(self.ranks), *self.arguments))

    @property
    def fortran(self) -> bool:
        """Whether a Fortran compiler builds it."""
        return bool(re.search(r"(^|/)f(77|90|08)(/|$)", self.folder))

    @property
    def root(self) -> str:
        """Return the directory of the suite that it belongs to."""
        return self.folder.partition("/")[0]


def listed(suite: Path) -> list[SuiteTest]:
    """Return all tests of the suite that can run on one host, each once."""
    found = (test for root in ROOTS for folder in _folders(suite, root) for test in read(folder, suite))
    return list(dict.fromkeys(found))


def _folders(suite: Path, root: str) -> list[Path]:
    folders = {file.parent for file in (suite / root).rglob("testlist*") if file.suffix in {"", ".in"}}
    return sorted(one for one in folders if not _LEFT_OUT.search(str(one.relative_to(suite))))


def read(folder: Path, suite: Path) -> Iterator[SuiteTest]:
    """Yield the tests that a folder's list has."""
    file = next(one for one in (folder / "testlist", folder / "testlist.in") if one.exists())
    for line in file.read_text().splitlines():
        test = _test(line, str(folder.relative_to(suite)))
        if test and not (folder / test.program).is_dir():
            yield test


def _test(line: str, folder: str) -> SuiteTest | None:
    """Return the line's test.

    None: a comment, a folder, or what is left out: tests that MPICH itself fails (xfail), that need too many ranks
    or too much memory, or options of MPICH's mpiexec. Settings of MPICH alone (MPIR_CVAR_) are left out of a line.
    """
    words = re.sub(r"@\w+@", "", line).partition("#")[0].split()
    if len(words) < 2 or not words[1].isdecimal():
        return None
    options = [(name, value) for name, found, value in (one.partition("=") for one in words[2:]) if found]
    named = dict(options)
    if "xfail" in named or "mpiexecarg" in named or float(named.get("mem", 0)) > MOST_MEMORY:
        return None
    if any(name == "env" and not value.startswith("MPIR_CVAR_") for name, value in options):
        return None
    if int(words[1]) > MOST_RANKS:
        return None
    result = named.get("resultTest", "")
    return SuiteTest(
        folder, words[0], int(words[1]), tuple(value for name, value in options if name == "arg"),
        int(named.get("timeLimit", LONGEST)), fails=result in {"TestStatus", "TestErrFatal"}, prints=not result,
    )  # fmt: skip
