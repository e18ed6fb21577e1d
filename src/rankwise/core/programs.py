"""A program of the user's that is measured as a whole: what is started, and which of its figures are compared."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from rankwise.core.errors import InputError
from rankwise.core.results import VerdictWord

WALL_TIME = "wall time"
"""The metric of programs of which no other was asked for: from the launcher's start to its end."""
MPI = "{mpi}"
"""Stands in a program's path and arguments for the id of the implementation."""
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eEdD][-+]?\d+)?")
_LITERAL = re.compile(r"[\w /%().:-]+")


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric is a figure of a run of the program: one number a launch."""

    name: str
    pattern: str = ""
    """The regular expression whose one group finds it in the output; '' for the wall time."""
    higher_is_better: bool = False

    def find(self, output: str) -> float | None:
        """Return the last number in `output` that the pattern finds; None if there is none, or none that is one.

        Fortran's `1.5D+02` is a number too.
        """
        found = None
        for match in re.finditer(self.pattern, output, re.MULTILINE):
            text = (match[1] or "").strip()
            if _NUMBER.fullmatch(text):
                found = float(text.replace("D", "E").replace("d", "e"))
        return found


def metric_of(pattern: str, *, higher_is_better: bool = False) -> Metric:
    """Return the metric that this regular expression finds, with the name of its group, or the words before it.

    Raises InputError for what is no regular expression, or has not exactly one group.
    """
    groups = _compiled(pattern).groups
    if groups != 1:
        raise InputError(
            f"the metric '{pattern}' has {groups or 'no'} groups in parentheses, and one has to find the number",
            r"write it like 'Time in seconds = *([0-9.]+)'; further groups as (?:...), brackets as \( and \)",
        )
    return Metric(_name(pattern), pattern, higher_is_better)


def check_pattern(pattern: str) -> str:
    """Return the pattern. Raises InputError for what is no regular expression."""
    _compiled(pattern)
    return pattern


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise InputError(
            f"'{pattern}' is not a regular expression: {error}", "see https://docs.python.org/3/library/re.html"
        ) from error


def _name(pattern: str) -> str:
    """The name of its group, or what stands before the group without signs of regular expressions."""
    named = list(re.compile(pattern).groupindex)
    if named:
        return named[0].replace("_", " ")
    literal = re.sub(r"\\[sSdDwWbB][*+?]?|\\(.)|.[*?]", r"\1", re.split(r"(?<!\\)\(", pattern)[0])
    words = [word.strip(" =:.-(") for word in _LITERAL.findall(literal)]
    return next((word for word in reversed(words) if word), pattern)


@dataclass(frozen=True, slots=True)
class Executable:
    """What is started with one implementation."""

    implementation: str
    path: str
    digest: str
    """Of its content: launches of another one must not be put together with its own."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program is what is started with every implementation, and how its output is read."""

    arguments: tuple[str, ...]
    """The program and its arguments as they were typed; MPI in them stands for the implementation's id."""
    metrics: tuple[Metric, ...] = (Metric(WALL_TIME),)
    verify: str = ""
    """A regular expression that the output of a run with right results has; '' if nothing is checked."""
    output_file: str = ""
    """Written by the program, and read as part of its output."""
    build: str = ""
    """The shell's line that builds it for one implementation; '' if it is there."""
    folder: str = ""
    """Where it is started."""

    def __post_init__(self) -> None:
        for one in self.metrics:
            if one.pattern:
                metric_of(one.pattern)
        names = [one.name for one in self.metrics]
        for name in names:
            if names.count(name) > 1:
                raise InputError(
                    f"two metrics are called '{name}'", "name them by their groups: '(?P<total_time>[0-9.]+)'"
                )

    def command(self, path: str, implementation: str) -> tuple[str, ...]:
        """Return the words that start it with this implementation."""
        return (path, *(word.replace(MPI, implementation) for word in self.arguments[1:]))


@dataclass(frozen=True, slots=True)
class StoredProgram:
    """What a run of a program needs to go on."""

    program: Program
    executables: tuple[Executable, ...]
    testbeds: tuple[str, ...]
    """Descriptions as JSON, in the order in which they were named; '' for this host."""
    relayed: bool = False
    """Sites of joined jobs reach one another by relays."""
    encrypted: bool = False
    """They encrypt what they send to one another."""

    @property
    def text(self) -> str:
        """All of it as JSON."""
        return msgspec.json.encode(self).decode()


def stored_program(text: str) -> StoredProgram:
    """Return what `StoredProgram.text` gave this text. Raises ValueError."""
    return msgspec.json.decode(text, type=StoredProgram)


@dataclass(frozen=True, slots=True)
class ProgramRow:
    """One variant in one metric on so many ranks; values are in the metric's own unit."""

    metric: str
    higher_is_better: bool
    ranks: int
    variant: str
    launches: int
    """Those that gave a value ..."""
    failed: int
    """... and those that did not."""
    median: float
    low: float
    high: float
    """95 % interval of the median."""
    ratio: float = math.nan
    """Of the median to the baseline's; nan where they were not compared, as for the baseline itself."""
    ratio_low: float = math.nan
    ratio_high: float = math.nan
    p_value: float = math.nan
    verdict: VerdictWord | None = None
    """`faster` is better, whichever way the metric goes."""
    reason: str = ""
    """Of the first failure."""


ProgramValues = Mapping[tuple[str, int, str], tuple[float, ...]]
"""One value a launch, in order of time, by metric, ranks and variant."""


@dataclass(frozen=True, slots=True)
class ProgramAnswer:
    """What a run of a program found, in the metrics' own units."""

    program: Program
    rows: tuple[ProgramRow, ...]
    values: ProgramValues
