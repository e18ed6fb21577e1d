"""The Python API: what `import rankwise` offers. Texts are read as on the command line: "1:1M", "2m"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankwise.analysis.predict.results import Prediction
from rankwise.core import paths, units
from rankwise.core.errors import HostError, InputError, InterruptedRun, RankwiseError
from rankwise.core.jobs import Command, LaunchSteps, Outcome
from rankwise.core.network import Topology
from rankwise.core.programs import WALL_TIME, Metric, Program, check_pattern, metric_of
from rankwise.core.records import Notice, Options
from rankwise.core.results import Comparison, Verdict
from rankwise.profiles.checking import Check
from rankwise.schedules.written import schedule
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows import bench as benching
from rankwise.workflows import compare as comparing
from rankwise.workflows import guidelines as guiding
from rankwise.workflows import profiles, resuming, schedules, testbeds
from rankwise.workflows import run as running
from rankwise.workflows import study as studying
from rankwise.workflows.bench import BenchResult
from rankwise.workflows.compare import CompareResult
from rankwise.workflows.configurations import choose
from rankwise.workflows.events import Events, Silent, warn
from rankwise.workflows.guidelines import GuidelinesResult
from rankwise.workflows.measure import Request
from rankwise.workflows.predict import predictor
from rankwise.workflows.predict.asking import collectives, parse_changes
from rankwise.workflows.predict.questions import Files, Question, algorithms_of
from rankwise.workflows.programs import ProgramRequest
from rankwise.workflows.study import StudyResult
from rankwise.workflows.study_options import StudyOptions, StudyRequest
from rankwise.workflows.tune import tuner
from rankwise.workflows.tune.spec import spec_of
from rankwise.workflows.tune.tuner import TuneResult

__all__ = [
    "BenchResult",
    "CompareResult",
    "Comparison",
    "GuidelinesResult",
    "HostError",
    "InputError",
    "InterruptedRun",
    "Metric",
    "Net",
    "Notice",
    "Prediction",
    "RankwiseError",
    "StudyResult",
    "TuneResult",
    "Verdict",
    "Where",
    "bench",
    "compare",
    "guidelines",
    "load",
    "predict",
    "resume",
    "run",
    "schedule",
    "study",
    "testbed",
    "tune",
    "verify",
]

COMMAND_LINE = "import rankwise"
"""What runs that Python began have in place of a command line."""
_EXEC_LIMIT_SECONDS = 3600.0

Names = str | Sequence[str]
"""One name, names with commas between them, or a sequence of names."""


@dataclass(frozen=True, slots=True)
class Where:
    """Where runs are stored, and who is told of progress; the defaults are the user's own store, and nobody."""

    store: Path = field(default_factory=paths.store_path)
    events: Events = field(default_factory=Silent)


def compare(
    implementations: Names = (), *, benchmarks: Names = (), sizes: str = "1:4M", time: str = "3m",
    baseline: str = "", profiles: Names = (), delta: float = 0.05, program: Sequence[str] = (),
    metrics: Sequence[str | Metric] = (), verify_output: str = "", output_file: str = "", build: str = "",
    ranks: int | Sequence[int] = (), testbed: str = "", hostfile: str | Path | None = None,
    placements: Names = (), datatype: str = "byte", layout: str = "contiguous", seed: int | None = None,
    launcher_arguments: Sequence[str] = (), where: Where | None = None,
) -> CompareResult:  # fmt: skip
    """Measure implementations against one another, and return the verdicts.

    `implementations` are ids or families (none: all that work), `benchmarks` names or categories (none: those of
    `rankwise compare`), `sizes` and `time` as on the command line. `baseline`: the one to compare with.
    `profiles`: names or folders, each measured beside the others; `default` is none. `delta`: differences up to
    this share count as equivalent. The other keywords are the options of the command line. Raises RankwiseError,
    with a remedy.

    `program`: compare whole runs of a program of your own, the path and its arguments, in place of benchmarks.
    `metrics` are regular expressions whose group finds a figure in its output, or `Metric`s where higher is
    better (none: the wall time); `verify_output`, `output_file` and `build` as on the command line.
    """
    request = _request(
        implementations, sizes, time, ranks, testbed, hostfile, placements, datatype, layout, seed,
        launcher_arguments, benchmarks=names_in(benchmarks), baseline=baseline,
        profiles=tuple(map(choose, names_in(profiles))),
    )  # fmt: skip
    there = where or Where()
    if program:
        chosen_metrics = tuple(metric_of(metric) if isinstance(metric, str) else metric for metric in metrics) or (
            Metric(WALL_TIME),
        )
        meant = Program(
            tuple(program), chosen_metrics, check_pattern(verify_output), output_file, build, str(Path.cwd())
        )  # fmt: skip
        of_program = ProgramRequest(meant, request, (request.testbed,))
        return comparing.compare_program(of_program, there.store, there.events, delta=delta)
    return comparing.compare(request, there.store, there.events, delta=delta)


def load(
    run: int | None = None, *, baseline: str = "", delta: float = 0.05, where: Where | None = None
) -> CompareResult:
    """Return the comparison of a stored run (None: of the newest)."""
    return comparing.load(run, (where or Where()).store, baseline=baseline, delta=delta)


def bench(
    benchmarks: Names, implementations: Names = (), *, sizes: str = "1:4M", time: str = "10m",
    launches: int = 3, verify: bool = False,
    ranks: int | Sequence[int] = (), testbed: str = "", hostfile: str | Path | None = None,
    placements: Names = (), datatype: str = "byte", layout: str = "contiguous", seed: int | None = None,
    launcher_arguments: Sequence[str] = (), where: Where | None = None,
) -> BenchResult:  # fmt: skip
    """Run benchmarks and return what they took; with `verify`, whether their data are right.

    The other keywords are the options of the command line.
    """
    request = _request(
        implementations, sizes, time, ranks, testbed, hostfile, placements, datatype, layout, seed,
        launcher_arguments, kind="bench", benchmarks=names_in(benchmarks), min_launches=launches,
        max_launches=launches, verify=verify, verify_first=False,
    )  # fmt: skip
    there = where or Where()
    return benching.bench(request, there.store, there.events)


def guidelines(
    implementations: Names = (), *, operations: Names = (), sizes: str = "8,1K,32K,64K,1M",
    layouts: Names = (), time: str = "", delta: float = 0.05,
    ranks: int | Sequence[int] = (), testbed: str = "", hostfile: str | Path | None = None,
    placements: Names = (), datatype: str = "byte", layout: str = "contiguous", seed: int | None = None,
    launcher_arguments: Sequence[str] = (), where: Where | None = None,
) -> GuidelinesResult:  # fmt: skip
    """Hold operations (none: all) to doing the same by other operations, and return the findings.

    `time` '': what the launches take that a verdict needs. The other keywords are the options of the command
    line.
    """
    request = _request(
        implementations, sizes, time, ranks, testbed, hostfile, placements, datatype, layout, seed,
        launcher_arguments,
    )  # fmt: skip
    request = guiding.request_for(names_in(operations), names_in(layouts), request)
    there = where or Where()
    return guiding.guidelines(request, there.store, there.events, delta=delta)


def tune(
    implementations: Names = (), *, what: Names = (), testbed: str = "", time: str = "10m",
    name: str = "", folder: str | Path = "profiles", ranks: int | Sequence[int] = (), sizes: str = "64,4K,64K,1M",
    delta: float = 0.05, force: bool = False, schedules: bool = True, where: Where | None = None,
) -> TuneResult:  # fmt: skip
    """Find settings that make implementations fast on a testbed, validate them, and write them as a profile.

    `what` as `rankwise tune --for` takes it; `schedules`: between sites ours are tried too. The profile goes to
    `folder`/`name`, by default the testbed's name.
    """
    place, there = testbeds.testbed_of(testbed), where or Where()
    spec, notices = spec_of(
        names_in(what), place, _numbers(ranks), units.parse_sizes_bytes(sizes), delta=delta, schedules=schedules
    )
    warn(there.events, *notices)
    options = tuner.TuneOptions(
        name or place.name, str(folder), spec, units.parse_duration_seconds(time),
        names_in(implementations), force=force,
    )  # fmt: skip
    return tuner.carry_out(tuner.TuneRequest(options, place, COMMAND_LINE), there.store, there.events)


def predict(
    what: str, *files: str | Path, algorithm: str = "", size: str = "1M", ranks: int = 0, sites: str = "",
    platform: str | Path = "", testbed: str = "", model: str = "", what_if: str = "",
) -> Prediction:  # fmt: skip
    """Return what communication will take on a platform, contention included.

    `what`: `pattern` or `trace` with `files`, or a collective operation by its `algorithm`, of this `size` on as
    many `ranks`, where `sites` says (`4x256`). `platform`: a file of `rankwise fit`; without one the description
    of the `testbed`, unmeasured. `what_if` as on the command line: `wan.rate=10G,wan.delay=5ms`. Raises
    InputError, also for a program that deadlocks.
    """
    question: Question
    if what in ("pattern", "trace"):
        question = Files(tuple(str(path) for path in files))
    elif algorithm:
        network = schedules.parse_sites(sites) if sites else None
        question = collectives(
            what, algorithm, (units.parse_size_bytes(size),), {"ranks": ranks, "network": network}
        )[0]  # fmt: skip
    else:
        raise InputError(f"no algorithm given for {what}", f"one of {', '.join(algorithms_of(what))}")
    changes = parse_changes(what_if) if what_if else ()
    file = Path(platform) if platform else None
    return predictor.predict(predictor.PredictRequest(question, file, testbed, model, changes))


def verify(
    profile: str, *, implementation: str = "", testbed: str = "", where: Where | None = None
) -> tuple[Check, ...]:
    """Run implementations with a profile, and return which of its values are in force."""
    place = testbeds.testbed_of(testbed) if testbed else None
    return profiles.check(profiles.VerifyRequest(profile, implementation, place), (where or Where()).events)


def run(
    program: Sequence[str], ranks: int = 0, *, implementation: str = "", testbed: str = "",
    profile: str = "default", placement: str = "block", launcher_arguments: Sequence[str] = (), time: str = "24h",
    where: Where | None = None,
) -> int:  # fmt: skip
    """Run an MPI program with this process's own input and output, and return its exit code."""
    request = running.RunRequest(
        tuple(program), ranks, implementation, testbeds.testbed_of(testbed), placement, choose(profile),
        launcher_arguments=tuple(launcher_arguments), limit_seconds=units.parse_duration_seconds(time),
    )  # fmt: skip
    return running.run(request, (where or Where()).events)


def study(
    name: str, *, quick: bool = False, implementations: Names = (), time: str = "",
    only: Names = (), class_name: str = "", folder: str | Path = "profiles", where: Where | None = None,
) -> StudyResult:  # fmt: skip
    """Measure again what a paper measured, `only` these runs of it, and return which of its statements hold."""
    seconds = units.parse_duration_seconds(time) if time else None
    options = StudyOptions(
        name,
        quick,
        str(folder),
        seconds,
        names_in(implementations),
        only=names_in(only),
        class_name=class_name,
    )
    there = where or Where()
    return studying.carry_out(StudyRequest(options, COMMAND_LINE), there.store, there.events)


def resume(run: int = 0, *, where: Where | None = None) -> int:
    """Go on with an interrupted run of any kind (0: the newest), and return its id."""
    there = where or Where()
    return resuming.resume_run(run, there.store, there.events)


@dataclass(frozen=True, slots=True)
class Net:
    """A testbed that is up."""

    _testbed: TestbedKind

    @property
    def name(self) -> str:
        """The testbed's name."""
        return self._testbed.name

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of its hosts, in rank order."""
        return tuple(host.name for host in self._testbed.hosts())

    @property
    def topology(self) -> Topology | None:
        """Its sites, nodes and links; None where there is no network to describe."""
        return self._testbed.topology()

    def exec(self, host: str, *command: str, time: str = "1h") -> Outcome:
        """Run a command on a host and return how it ended. Raises InputError for a host that is none of it."""
        if host not in self.hosts:
            raise InputError(f"{self.name} has no host {host}", f"one of {', '.join(self.hosts)}")
        outcome = self._testbed.run(
            LaunchSteps(Command(command)), [host] if self._testbed.remote_shell() else [],
            min(units.parse_duration_seconds(time), _EXEC_LIMIT_SECONDS),
        )  # fmt: skip
        if outcome.broken:
            raise HostError(f"{self.name} broke down: {outcome.broken}", "bring it up again")
        return outcome


@contextmanager
def testbed(name: str) -> Iterator[Net]:
    """Bring a testbed up within the block: a preset, a TOML file, or the name of one that is already up."""
    with testbeds.testbed_of(name) as up_testbed:
        yield Net(up_testbed)


def names_in(names: Names) -> tuple[str, ...]:
    """Return the names: `a,b` and ["a", "b"] are the same."""
    return tuple(filter(None, names.split(","))) if isinstance(names, str) else tuple(names)


def _numbers(ranks: int | Sequence[int]) -> tuple[int, ...]:
    return (ranks,) if isinstance(ranks, int) else tuple(ranks)


def _request(
    implementations: Names, sizes: str, time: str, ranks: int | Sequence[int], testbed: str,
    hostfile: str | Path | None, placements: Names, datatype: str, layout: str, seed: int | None,
    launcher_arguments: Sequence[str], **more: Any,
) -> Request:  # fmt: skip
    """Return the request that these keywords make; `more` are further fields of it."""
    return Request(
        command_line=COMMAND_LINE, implementations=names_in(implementations), ranks=_numbers(ranks),
        sizes_bytes=units.parse_sizes_bytes(sizes),
        time_budget_seconds=units.parse_duration_seconds(time) if time else 0.0,
        testbed=testbeds.testbed_of(testbed, Path(hostfile) if hostfile else None),
        options=(Options(datatype=datatype, layout=layout),), placements=names_in(placements), seed=seed,
        launcher_arguments=tuple(launcher_arguments), **more,
    )  # fmt: skip
