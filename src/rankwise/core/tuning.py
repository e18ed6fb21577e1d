"""What can be tuned, what was chosen, and in which form an implementation loads it; no behaviour lives here.

A `Tuning` is in Rankwise's own words, the same for every family. A family turns it into a `Native`, its own
files, variables and launcher arguments, and that is what every launch loads: the search's trials no less than the
finished profile, so what was measured is what is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rankwise.core import knobs
from rankwise.core.network import Settings, Topology
from rankwise.core.records import Environment
from rankwise.core.results import Gain, Verdict
from rankwise.core.units import whole_number

Form = Literal["parameter file", "environment", "argument", "rules file", "rebuild"]
ChoiceScope = Literal["by size", "complete", "one for all sizes"]
"""A choice scope is what the choice of an algorithm may depend on: on the size, with some left to
the default; on the size, but then every size has to be chosen for; on nothing: one choice for all sizes."""
Spread = Literal["any", "one-per-node", "single-node"]
"""A spread is how the ranks of a communicator lie on nodes; "any" where that does not matter."""
FOLDER = "@FOLDER@"
"""FOLDER stands in a Native for the folder in which its files lie."""


@dataclass(frozen=True, slots=True)
class Knob:
    """A knob here is its native form in one implementation; the catalogue (`core.knobs`) says the rest."""

    name: str
    """In the catalogue: `eager-threshold`."""
    native: tuple[str, ...]
    """What the implementation calls it; several where one setting takes several of them."""
    form: Form
    remark: str = ""
    """What is special about it here, in a sentence; '' where the catalogue says it all."""
    values: tuple[str, ...] = ()
    """The choices; empty: a whole number from `least` to `most`."""
    least: int = 0
    most: int = 0
    since: str = ""
    """The first version that has it, '' for all that Rankwise knows."""
    default: str = ""
    """The value without it, as the implementation itself tells; '' where it does not."""
    read_back: str = ""
    """How to see the value in force, in words; '' where only a run can show it."""

    @property
    def unit(self) -> knobs.Unit:
        """Return the unit of its value, as the catalogue has it."""
        return knobs.described(self.name).unit

    def admits(self, value: str) -> bool:
        """Return whether this is a whole number from `least` to `most`."""
        number = whole_number(value)
        return number is not None and self.least <= number <= self.most


@dataclass(frozen=True, slots=True)
class Algorithm:
    """An algorithm is one way in which an implementation can do a collective operation."""

    name: str
    native: str
    """What is written to choose it: a number or a name."""
    segments: bool = False
    """Takes a segment size ..."""
    fanout: bool = False
    """... or a fan-out."""


@dataclass(frozen=True, slots=True, order=True)
class Setting:
    """A knob and its value: decimal bytes or count, or one of its choices."""

    knob: str
    value: str


@dataclass(frozen=True, slots=True, order=True)
class Choice:
    """An algorithm by its name, and its parameters; '' leaves it to the implementation.

    `schedule:lanes` is one of ours, which the overlay carries out.
    """

    algorithm: str = ""
    segment_bytes: int = 0
    fanout: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate is a choice in the form in which one launch can measure it beside others.

    Without anything it is what the launch has by itself.
    """

    variables: tuple[tuple[str, str], ...] = ()
    """Control variables (MPI_T) and their values, which are written while its cells are measured."""
    bytes_less: int = 0
    """By which its messages are shorter than its cells say, where what is loaded tells candidates by the size."""
    benchmark: str = ""
    """That is measured in place of its cells' own: `bcast.lanes`. It needs nothing that the launch loads."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What to do with messages of up to that many bytes (None: of any size), counted as our benchmarks count."""

    up_to_bytes: int | None
    choice: Choice


@dataclass(frozen=True, slots=True)
class Decision:
    """How one operation is done by communicators of exactly `ranks`; `rules` ascend, the last has no end."""

    operation: str
    ranks: int
    rules: tuple[Rule, ...]
    spread: Spread = "any"
    """Only of communicators that lie so, where `Family.knows_spread`."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """All that is chosen for one implementation on one testbed. Empty: everything as it is by default."""

    settings: tuple[Setting, ...] = ()
    decisions: tuple[Decision, ...] = ()
    host_settings: Settings = ()
    """Kernel settings of every host, as sysctl names and values."""


@dataclass(frozen=True, slots=True)
class Native:
    """A tuning in an implementation's own words. FOLDER in any text stands for where `files` lie."""

    files: tuple[tuple[str, str], ...] = ()
    """Name and text."""
    environment: Environment = ()
    """For every rank."""
    arguments: tuple[str, ...] = ()
    """For mpiexec."""
    libraries: tuple[str, ...] = ()
    """Built for this implementation, to lie beside `files`: what `artifacts.builder.built` finds them by."""

    def __add__(self, more: Native) -> Native:
        """Return both, `more` behind this."""
        return Native(
            (*self.files, *more.files),
            (*self.environment, *more.environment),
            (*self.arguments, *more.arguments),
            (*self.libraries, *more.libraries),
        )


@dataclass(frozen=True, slots=True)
class Loaded:
    """A Native whose files have been written: what a launch adds to its job."""

    environment: Environment = ()
    arguments: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    host_settings: Settings = ()


@dataclass(frozen=True, slots=True)
class ReadBack:
    """A read-back is what a launch said of what it loaded: pairs of a knob and its value in force."""

    in_force: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a profile has a choice: evidence for one knob, or for one operation at one number of ranks."""

    subject: str
    """`eager-threshold`, or `bcast at 4 ranks`."""
    words: str
    """What was chosen and why, in a sentence with its figures."""
    cost: str = ""
    """What it costs (memory, CPU), in a sentence."""


@dataclass(frozen=True, slots=True)
class Part:
    """One implementation's share of a profile."""

    implementation: str
    family: str
    version: str
    tuning: Tuning
    native: Native
    reasons: tuple[Reason, ...] = ()
    verification: tuple[Reason, ...] = ()
    """For each knob and operation how it was seen to be in force, or that it could not be seen."""
    verdicts: tuple[Verdict, ...] = ()
    """Default (baseline) against tuned (candidate) on fresh launches; sizes and ranks not used in the search."""
    launches: int = 0
    """That the search took ..."""
    exhaustive_launches: int = 0
    """... and that trying everything as often would have taken."""
    gain: Gain | None = None
    """Over the cells of the verdicts; None where nothing was set, and in profiles written before it was kept."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What `tune` writes and `run`, `compare` load."""

    name: str
    testbed: str
    topology: Topology | None
    created_at: float
    command_line: str
    rankwise_version: str
    runs: tuple[int, ...]
    """In the store: the search, then its validations."""
    parts: tuple[Part, ...]
