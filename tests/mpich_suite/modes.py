"""How a program of the suite is run: natively, or with one of Rankwise's libraries in between."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from mpich_suite.build import ABI, CannotBuildError, program
from mpich_suite.testlist import SuiteTest
from support.command_line import environment
from support.forked import Forking
from support.mpis import FOUND

TESTBED = "two-clusters"
MOST_SECONDS = 120
"""Of a test, where the suite allows more."""
BUILD_SECONDS = 400
"""Beyond that: a command compiles what its job loads, if it is the first."""
FORTRAN = ("openmpi-4", "mpich-4")
_PORT_TAKEN = "cannot listen at port"
_SITES = ("a", "b", "c")
_IDLE: list[Forking] = []


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to run programs."""

    name: str
    built_for: str
    """An implementation, or `ABI`."""
    on: tuple[str, ...]
    """The implementations that carry out the calls: of each site, if there are several."""
    how: str
    """native, overlay, abi, mirror, tracer or joined."""
    across_sites: bool = False
    """The ranks are on hosts of two emulated sites."""

    @property
    def fortran(self) -> bool:
        """Whether it is for the suite's Fortran programs, which Debian's MPIs have compilers for."""
        return self.built_for.startswith(FORTRAN)

    def ranks(self, test: SuiteTest) -> int:
        """Return with how many ranks it runs: each site needs one."""
        return max(test.ranks, len(self.on))

    def options(self, test: SuiteTest, folder: Path) -> list[str]:
        """Return the command line before the program."""
        if self.how == "joined":
            share, more = divmod(self.ranks(test), len(self.on))
            counts = [share + (number < more) for number in range(len(self.on))]
            sites = ",".join(f"{s}={i}:{n}" for s, i, n in zip(_SITES, self.on, counts, strict=False))
            return ["run", "--join", sites]
        options = ["-n", str(self.ranks(test)), "--mpi", self.on[0]]
        if self.how == "tracer":
            return ["trace", *options, "-o", str(folder / "trace")]
        if self.across_sites:
            options += ["--testbed", TESTBED, "--placement", "across-sites"]
        if self.how == "overlay":
            options.append("--overlay")
        return ["run", "-q", *options]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a test went."""

    right: bool
    why: str
    """passed, failed, timed out, or not built."""
    printed: str
    replaced: int = 0
    """Calls of all ranks that the overlay's schedules carried out."""


def modes() -> list[Mode]:
    """Return all ways but the native one, as far as the implementations are here.

    A program runs in those that are for its language.
    """
    here = {start: one.id for one in FOUND for start in [_start(one.id)]}

    def found(name: str, built_for: str, on: tuple[str, ...], how: str) -> list[Mode]:
        if not set(on) | ({built_for} - {ABI}) <= set(here):
            return []
        built = built_for if built_for == ABI else here[built_for]
        return [Mode(name, built, tuple(here[one] for one in on), how, across_sites=how == "overlay")]

    own = ("mpich-5", "openmpi-5", "intelmpi-2021", "mpich-4", "openmpi-4")
    return [
        *(mode for one in own for mode in found(f"overlay, {one}", one, (one,), "overlay")),
        *(mode for one in own for mode in found(f"tracer, {one}", one, (one,), "tracer")),
        *(mode for one in here for mode in found(f"ABI, {one}", ABI, (one,), "abi")),
        *(
            mode
            for program_of, one in (
                ("openmpi-5", "mpich-5"), ("mpich-5", "openmpi-5"), ("intelmpi-2021", "openmpi-5"),
                ("openmpi-4", "mpich-5"), ("mpich-4", "openmpi-5"),
            )
            for mode in found(f"mirror, {program_of} on {one}", program_of, (one,), "mirror")
        ),
        *found("joined, two", ABI, ("openmpi-5", "mpich-5"), "joined"),
        *found("joined, three", ABI, ("openmpi-5", "mpich-5", "intelmpi-2021"), "joined"),
        *found("joined, Fortran", "openmpi-4", ("openmpi-4", "mpich-4"), "joined"),
    ]  # fmt: skip


def _start(implementation_id: str) -> str:
    return implementation_id.partition(".")[0]


def native(mode: Mode) -> list[Mode]:
    """Return the same without Rankwise's libraries, on each implementation that has to be right natively.

    Those are the ones that carry out the calls; of Fortran's programs, the one that has compiled them.
    """
    ids = (mode.built_for,) if mode.fortran else mode.on
    return [Mode(f"native, {one}", one, (one,), "native", mode.across_sites) for one in ids]


def run(test: SuiteTest, mode: Mode) -> Outcome:
    """Build the test, run it, and look at what it prints; several may run at the same time.

    A joined job whose port another process has taken meanwhile is started once more; its output says so.
    """
    try:
        made = program(test, mode.built_for)
    except CannotBuildError as error:
        return Outcome(right=False, why="not built", printed=str(error))
    outcome = run_once(test, mode, made)
    if _PORT_TAKEN in outcome.printed:
        again = run_once(test, mode, made)
        return replace(again, printed=f"{outcome.printed}\nrun again:\n{again.printed}")
    return outcome


def run_once(test: SuiteTest, mode: Mode, made: Path) -> Outcome:
    """Run the test's program in a folder of its own."""
    limit = min(test.limit_seconds, MOST_SECONDS)
    with tempfile.TemporaryDirectory(prefix="rankwise-suite-") as scratch, _forking() as forking:
        folder = Path(scratch)
        for other in made.parent.iterdir():  # programs start one another, from the folder that they run in
            (folder / other.name).symlink_to(other)
        report = folder / "report"
        report.mkdir()
        verb, *options = mode.options(test, folder)
        line = ["rankwise", verb, "--limit", f"{limit}s", *options, "--", f"./{test.program}", *test.arguments]
        variables = environment(folder, RANKWISE_OVERLAY_REPORT=str(report / "of-rank"))
        try:
            done = forking.run(line, folder, variables, limit + BUILD_SECONDS)
        except subprocess.TimeoutExpired:
            return Outcome(right=False, why="timed out", printed="the command itself")
        return outcome_of(test, done, _replaced(report))


@contextmanager
def _forking() -> Iterator[Forking]:
    """Yield a process that runs one command line at a time; they stay for the next ones."""
    try:
        one = _IDLE.pop()
    except IndexError:
        one = Forking()
    try:
        yield one
    finally:
        _IDLE.append(one)


def outcome_of(test: SuiteTest, done: subprocess.CompletedProcess[str], replaced: int = 0) -> Outcome:
    """Return how a test went that has ended so: right is what says No Errors and exits with 0."""
    printed = done.stdout + done.stderr
    if "timed out after" in done.stderr:
        return Outcome(right=False, why="timed out", printed=printed, replaced=replaced)
    says_so = bool(re.search(r"\bNo [Ee]rrors\b", done.stdout)) and not re.search(r"Found \d+ errors", printed)
    right = (says_so or not test.prints) and (done.returncode != 0) == test.fails
    return Outcome(right, "passed" if right else "failed", f"{printed}\nexit code {done.returncode}", replaced)


def _replaced(report: Path) -> int:
    reports = [json.loads(file.read_text()) for file in report.iterdir()]
    return sum(counts["replaced"] for one in reports for counts in one["functions"].values())
