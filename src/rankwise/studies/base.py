"""What a study is, and the register of studies: one file each in this package.

A new study is a `study: Study` in a new file here, or in `studies/` of a plug-in folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from rankwise.core import registry
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.network import PathFigures, Settings, Topology
from rankwise.core.records import Launch, Options, RunSummary
from rankwise.core.results import Comparison
from rankwise.core.tuning import Knob, Profile

StatementVerdict = Literal["holds", "no longer", "undecided"]
Further = Literal["overlay", "profile", "mapping", "mapping by time"]
TCP = "TCP"
"""How the baselines `tcp_pingpong` and `tcp_stream` are called beside implementations."""
OVERLAY = "overlay"
"""The label of what is measured under the overlay."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much of a run is measured: sizes, launches of each cell, and the time for all of it."""

    sizes_bytes: tuple[int, ...]
    launches: int
    """Of each cell; fewer only when the time is over."""
    time_budget_seconds: float
    seconds_per_cell: float
    """That one launch repeats one cell."""
    launch_limit_seconds: float = 300.0
    tuning_share: float = 0.0
    """Of the time, for what is tuned before anything is measured."""


@dataclass(frozen=True, slots=True)
class Application:
    """An application that comes with Rankwise, and the size of its problem."""

    name: str
    class_name: str = ""
    options: tuple[str, ...] = ()
    """`rays=1000`."""
    computing_seconds: tuple[float, ...] = ()
    """That its phases take, where they are waited for; none: what they take on this host."""


@dataclass(frozen=True, slots=True)
class Applications:
    """What each launch of a run starts in place of benchmarks, one after the other."""

    each: tuple[Application, ...]
    figures: tuple[tuple[str, str], ...]
    """What is measured: names, and the regular expressions that find each in the output."""
    no_compute: bool = False
    """They wait instead of computing, so that few cores serve many ranks."""
    messages: tuple[tuple[str, str], ...] = ()
    """Further figures, numbers of messages by size: counted where there are any. They fit these classes alone."""


@dataclass(frozen=True, slots=True)
class StudyRun:
    """One run of a study: what is measured where. `nodes` and `settings` make a variant of the testbed."""

    label: str
    title: str
    testbed: str
    """A preset."""
    benchmarks: tuple[str, ...]
    full: Effort
    quick: Effort | None
    """None: left out of a quick study."""
    placement: str
    ranks: int = 2
    options: Options = field(default=Options())
    nodes: tuple[str, ...] = ()
    """Only these; none: all."""
    settings: Settings = ()
    """Kernel settings of every node, in place of the preset's of the same name."""
    profile_of: str = ""
    """The label of a run that tunes: the network that `further` takes profiles of."""
    tune: tuple[str, ...] = ()
    """Knobs that are tuned first, on this very testbed: MPIs are then measured with what came out, baselines
    without. None: everything as it is by default."""
    applications: Applications | None = None
    """Measured in place of benchmarks."""
    beside: tuple[str, ...] = ()
    """Placements of applications that are measured in turn with the first one."""
    sites: tuple[tuple[str, str], ...] = ()
    """Of a job over several sites, a rank on each: a site, and the family of its MPI if that is there. None: jobs
    of one MPI."""
    relayed: bool = False
    """These sites reach one another by relays."""
    further: tuple[Further, ...] = ()
    """In what applications are measured as well, in turn with them as they are: under the overlay, with the newest
    profile for each MPI, with their ranks where `rankwise map` puts them, by bytes or by predicted time."""

    def effort(self, *, quick: bool) -> Effort | None:
        """Return how much of it is measured; None: left out."""
        return self.quick if quick else self.full


@dataclass(frozen=True, slots=True)
class Told:
    """What an implementation tells of its algorithms for one operation, in its own words."""

    default: Mapping[int, str] = field(default_factory=dict)
    """What it takes by itself, by size; '' where it does not say."""
    known: frozenset[str] = frozenset()
    """All that it has; empty if it does not list them."""


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """What the store has of one run of a study."""

    run: RunSummary
    comparison: Comparison
    launches: tuple[Launch, ...]
    topology: Topology | None = None
    paths: tuple[PathFigures, ...] = ()
    profile: Profile | None = None
    """What a run that tunes was measured with; None where it tunes nothing, or where the profile is gone."""
    knobs: Mapping[str, tuple[Knob, ...]] = field(default_factory=dict)
    """Of a run that tunes: what each implementation lets one set, as the installation tells now."""
    told: Mapping[tuple[str, str], Told] = field(default_factory=dict)
    """Of a run with schedules: by implementation and operation, as the installation tells now."""

    @property
    def implementations(self) -> tuple[str, ...]:
        """Those that were compared, each once: not what else was measured of them, under the overlay or mapped."""
        return tuple(name for name in self.comparison.implementations if name in self.run.implementations)


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the paper: its own words in quotation marks, what it says in numbers without them."""

    key: str
    """A short name that stays, for programs."""
    text: str
    where: str
    """Section or table of the paper."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim, what is measured of it here, and whether it still holds."""

    claim: Claim
    measured: str
    verdict: StatementVerdict


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table. `implementation`: whose, so that a page can hide it; '' for the paper's or TCP's."""

    head: str
    cells: tuple[str, ...]
    implementation: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under column heads, all text; the column of the rows' own heads has none."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """A figure as `report.canvas` makes them. `key` is unique on the page."""

    key: str
    title: str
    figure: dict[str, Any]
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """What a study finds: statements first, then the tables and charts that they rest on."""

    statements: tuple[Statement, ...]
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    caveats: tuple[str, ...] = ()
    """What is not measured here, and in what this differs from the paper's measurement."""
    aims: tuple[Statement, ...] = ()
    """What we set out to reach, beyond the paper; no claims of its own, and not counted among them."""


@dataclass(frozen=True, slots=True)
class Study:
    """A paper and how to measure it again. `page` takes the results by label; labels may be missing."""

    name: str
    title: str
    summary: str
    """One line on what is measured."""
    runs: tuple[StudyRun, ...]
    page: Callable[[Mapping[str, Results]], Page]
    citation: str = ""
    """Who wrote the paper, and where it appeared."""
    addresses: tuple[str, ...] = ()
    """Where it can be read."""

    def seconds(self, *, quick: bool) -> float:
        """Return what all of it takes at most."""
        return sum(effort.time_budget_seconds for run in self.runs if (effort := run.effort(quick=quick)))

    def wanted(self, only: tuple[str, ...], *, quick: bool) -> tuple[StudyRun, ...]:
        """Return the runs of these labels, none: all that are part of such a study.

        Raises UnknownNameError, InputError for one that is not part of a quick study.
        """
        known = {run.label: run for run in self.runs}
        for label in only:
            if label not in known:
                raise UnknownNameError("run of the study", label, known)
            if not known[label].effort(quick=quick):
                raise InputError(f"{label} is not part of a quick study", "leave --quick out")
        return tuple(run for run in self.runs if run.effort(quick=quick) and run.label in (only or known))

    def with_class(self, name: str) -> Study:
        """Return the study with applications of this class; if it is not its own, no messages are counted.

        Raises InputError if none of its applications has classes.
        """
        own = {
            application.class_name
            for run in self.runs
            if run.applications
            for application in run.applications.each
        } - {""}
        if not own:
            raise InputError(f"the study {self.name} has nothing that comes in classes", "leave --class out")
        if own == {name}:
            return self
        differs = f"The NAS benchmarks are of class {name} here, where the paper has {', '.join(sorted(own))}."

        def page(results: Mapping[str, Results]) -> Page:
            original = self.page(results)
            return replace(original, caveats=(*original.caveats, differs))

        return replace(self, runs=tuple(_of_class(run, name) for run in self.runs), page=page)

    def testbed_name(self, run: StudyRun) -> str:
        """Return what the run's testbed, and its profile, are called: in the store it is known again by that."""
        return f"{self.name}-{run.label}"

    def run_of(self, testbed_name: str) -> StudyRun | None:
        """Return the run whose testbed has this name, if it is one of this study."""
        return next((run for run in self.runs if self.testbed_name(run) == testbed_name), None)

    def topology(self, run: StudyRun, preset: Topology) -> Topology:
        """Return the preset as the run wants it, under the run's name. Raises InputError for unknown nodes."""
        unknown = set(run.nodes) - {node.name for node in preset.nodes}
        if unknown:
            raise InputError(
                f"the testbed {preset.name} has no node {', '.join(sorted(unknown))}",
                f"the study {self.name} needs it: use the preset that comes with Rankwise",
            )
        nodes = tuple(
            replace(node, settings=_merged(node.settings, run.settings))
            for node in preset.nodes
            if not run.nodes or node.name in run.nodes
        )
        return replace(preset, name=self.testbed_name(run), nodes=nodes)


def studies() -> dict[str, Study]:
    """Return every study by name; a plug-in of the same name replaces ours."""
    candidates = [getattr(module, "study", None) for module in registry.modules_of("rankwise.studies", "studies")]
    return {study.name: study for study in candidates if isinstance(study, Study)}


def find(name: str) -> Study:
    """Return the study of this name. Raises UnknownNameError."""
    known = studies()
    if name not in known:
        raise UnknownNameError("study", name, known)
    return known[name]


def _of_class(run: StudyRun, name: str) -> StudyRun:
    applications = run.applications
    if not applications or not any(application.class_name for application in applications.each):
        return run
    each = tuple(
        replace(application, class_name=name) if application.class_name else application
        for application in applications.each
    )
    return replace(run, applications=replace(applications, each=each, messages=()))


def _merged(below: Settings, above: Settings) -> Settings:
    return tuple({**dict(below), **dict(above)}.items())
