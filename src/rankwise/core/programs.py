"""A program of the user's that is measured as a whole: what is started, and which of its figures are compared."""

from __future__ import annotations

import math
import re
import warnings
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
_WHOLE = re.compile(
    r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)?(?:\.[0-9]+|\.(?=[eEdD][-+]?[0-9])|(?<=[0-9]))"
    r"(?:[eEdD][-+]?[0-9]+)?"
)
"""A number in an output without its sign, also with commas between thousands."""
_SECONDS = {
    "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0, "time": 1.0, "walltime": 1.0,
    "ms": 1e-3, "msec": 1e-3, "msecs": 1e-3, "millisecond": 1e-3, "milliseconds": 1e-3,
    "us": 1e-6, "usec": 1e-6, "usecs": 1e-6, "microsecond": 1e-6, "microseconds": 1e-6,
    "ns": 1e-9, "nsec": 1e-9, "nanosecond": 1e-9, "nanoseconds": 1e-9,
    "minute": 60.0, "minutes": 60.0, "hour": 3600.0, "hours": 3600.0,
}  # fmt: skip
"""Words by which a metric is known to be a time, and what one unit of it takes; `time` alone is in seconds."""
_RATE = re.compile(r"/ *[a-z]|\bper\b|\brate\b", re.IGNORECASE)
_LITERAL = re.compile(r"[\w /%().:-]+")


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric is a figure of a run of the program: one number a launch."""

    name: str
    pattern: str = ""
    """The regular expression whose one group finds it in the output; '' for the wall time."""
    higher_is_better: bool = False

    def find(self, output: str) -> float:
        """Return the number where the pattern matches last in `output`; Fortran's `1.5D+02` is one too.

        Raises ValueError, with the reason, if the pattern matches nowhere, at no number (nan is none), or at a
        part of one: of `1.5E-03` the `1.5`, of `12,345` the `12` (unless the pattern goes on with the comma).
        """
        matches = [hit for hit in _compiled(self.pattern).finditer(output) if hit[1] and hit[1].strip()]
        if not matches:
            raise ValueError(f"its output has no number that '{self.pattern}' matches")
        match = matches[-1]
        text = match[1].strip()
        if later := _not_a_number_after(output, match):
            raise ValueError(
                f"'{self.pattern}' finds '{text}', but '{later}', which is not a number, stands after it"
            )
        if whole := _cut_number(output, match):
            raise ValueError(f"'{self.pattern}' finds '{text}', a part of '{whole}': end the group with \\S+")
        if not _NUMBER.fullmatch(text):
            raise ValueError(f"'{self.pattern}' finds '{text}', which is not a number")
        return float(text.replace("D", "E").replace("d", "e"))

    @property
    def unit_seconds(self) -> float | None:
        """What one unit of the metric is in seconds, by the words of its name and pattern; None: no time."""
        if not self.pattern:
            return 1.0
        text = f"{self.name} {_without_signs(self.pattern)}".replace("_", " ")
        if self.higher_is_better or _RATE.search(text):
            return None
        known = [_SECONDS[word] for word in re.findall(r"[A-Za-z]+", text.lower()) if word in _SECONDS]
        return next((unit for unit in known if unit != 1.0), known[0] if known else None)


def _not_a_number_after(output: str, match: re.Match[str]) -> str:
    """Return the nan or inf that follows the last match after the same words; '' if there is none.

    A pattern of digits does not match it: the number before, of an earlier step, would count.
    """
    words = output[match.start() : max(match.start(1), match.start())].split()
    pattern = r"(?<!\w)" + r"\s*".join(map(re.escape, words)) + r"\s*([-+]?(?:nan|inf(?:inity)?)\b)"
    not_a_number = re.search(pattern, output[match.end() :], re.IGNORECASE) if words else None
    return not_a_number[0] if not_a_number else ""


def _cut_number(output: str, match: re.Match[str]) -> str:
    """The number of which a match's group is a part; '' if it is none.

    Of a pattern that goes on after the group with the comma itself this is no comma between thousands.
    """
    start, end = match.span(1)
    first, last = output.rfind("\n", 0, max(start, 0)) + 1, output.find("\n", end)
    for number in _WHOLE.finditer(output, first, last if last >= 0 else len(output)):
        if number.end() <= start or number.start() >= end:
            continue
        separated = output[end : end + 1] == "," and match.end() > end
        if number.start() < start or (number.end() > end and not separated):
            return number[0]
    return ""


def metric_of(pattern: str, *, higher_is_better: bool = False) -> Metric:
    """Return the metric that this regular expression finds, with the name of its group, or the words before it.

    Raises InputError for what is no regular expression, or has not exactly one group.
    """
    groups = _compiled(pattern).groups
    if groups != 1:
        raise InputError(
            f"the metric '{pattern}' has {groups or 'no'} groups in parentheses, and one has to find the number",
            r"write it like 'Time in seconds = *(\S+)'; further groups as (?:...), brackets as \( and \)",
        )
    return Metric(_name(pattern), pattern, higher_is_better)


def check_pattern(pattern: str) -> str:
    """Return the pattern. Raises InputError for what is no regular expression."""
    _compiled(pattern)
    return pattern


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", FutureWarning
            )  # `[[`: what later versions of Python may read otherwise
            return re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise InputError(
            f"'{pattern}' is not a regular expression: {error}", "see https://docs.python.org/3/library/re.html"
        ) from error


def _name(pattern: str) -> str:
    """The name of its group, or what stands before the group without signs of regular expressions."""
    named = list(_compiled(pattern).groupindex)
    if named:
        return named[0].replace("_", " ")
    literals = [
        word.strip(" =:.-(") for word in _LITERAL.findall(_without_signs(re.split(r"(?<!\\)\(", pattern)[0]))
    ]
    return next((word for word in reversed(literals) if word), pattern)


def _without_signs(pattern: str) -> str:
    """A pattern's literal characters, roughly: without classes such as whitespace, and what is repeated."""
    return re.sub(r"\\[sSdDwWbB][*+?]?|\\(.)|.[*?]", r"\1", pattern)


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
        for metric in self.metrics:
            if metric.pattern:
                metric_of(metric.pattern)
        names = [each.name for each in self.metrics]
        for name in names:
            if names.count(name) > 1:
                raise InputError(
                    f"two metrics are called '{name}'", r"name them by their groups: '(?P<total_time>\S+)'"
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
