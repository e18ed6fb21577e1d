"""What every MPI family can tell about itself, and the register of families: one folder each in this package.

A new family is a concrete subclass of `Family` in a new folder or file here, or in `mpi/` of a plug-in folder.
"""

from __future__ import annotations

import inspect
import itertools
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from rankwise.core import bound_variables, registry
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.jobs import Job, LaunchSteps
from rankwise.core.records import Environment, Implementation
from rankwise.core.schedule_names import chosen_schedule
from rankwise.core.tuning import (
    Algorithm,
    Candidate,
    Choice,
    ChoiceScope,
    Decision,
    Knob,
    Loaded,
    Native,
    ReadBack,
    Tuning,
)
from rankwise.core.vocabulary import Vocabulary

Ask = Callable[..., str]
"""`ask(program, argument...)` runs a command of an installation and returns all it said, '' if it cannot run."""


class Family(ABC):
    """A family knows how to recognise its implementations, to start them, and what their smoke test reveals."""

    name: ClassVar[str]
    """As in ids: `openmpi`."""
    title: ClassVar[str]
    """As people write it: `Open MPI`."""
    wheels: ClassVar[tuple[str, ...]] = ()
    """PyPI's packages that together give mpicc and mpiexec; the first carries the version."""
    compilers: ClassVar[tuple[str, ...]] = ("mpicc",)
    """Names that its C compiler may have, Debian's suffixed one included."""
    launchers: ClassVar[tuple[str, ...]] = ("mpiexec", "mpirun")
    """Names that its launcher may have beside the compiler, best first, without Debian's suffix."""
    debian_packages: ClassVar[tuple[str, ...]] = ()
    abi_title: ClassVar[str] = ""
    probe: ClassVar[tuple[str, ...]] = ()
    """Launcher arguments that make a run report its transports ..."""
    probe_environment: ClassVar[Environment] = ()
    """... or variables that do."""
    variables: ClassVar[tuple[str, ...]] = ()
    """How the names begin of the variables by which a user sets it."""
    shared_memory: ClassVar[tuple[str, ...]] = ()
    """Patterns of the names that a job's files have in /dev/shm, which stay there when it is killed."""

    def rank_user(self) -> int:
        """Return the user id under which ranks run on this host."""
        return os.geteuid()

    @abstractmethod
    def identify(self, compiler: Path, ask: Ask) -> str:
        """Return the version, if this compiler is one of the family's; else ''."""

    @abstractmethod
    def steps(self, implementation: Implementation, job: Job) -> LaunchSteps:
        """Return the commands that start `job`."""

    def transports(self, output: str) -> tuple[str, ...]:
        """Return what a run started with `probe` and `probe_environment` says it used."""
        return ()

    def environment(self, prefix: Path) -> Environment:
        """Return the variables that the compiler and the launcher under `prefix` need."""
        return ()

    def launcher(self, compiler: Path) -> Path | None:
        """Return the launcher that belongs to this compiler: in the same folder, with the same suffix."""
        suffix = "".join(compiler.suffixes)
        paths = (compiler.with_name(name + suffix) for name in self.launchers)
        return next((path for path in paths if path.is_file()), None)

    def abi(self, library: Path) -> str:
        """Return which programs the library file can run, from its name: `MPICH ABI (libmpi.so.12)`."""
        soname = ".".join(library.name.split(".")[:3])
        standard = ", standard ABI available" if list(library.parent.glob("libmpi_abi.so.*")) else ""
        return f"{self.abi_title or self.title + ' ABI'} ({soname}){standard}"

    def knobs(self, implementation: Implementation) -> tuple[Knob, ...]:
        """Return what of this version can be set."""
        return ()

    def algorithms(self, implementation: Implementation) -> Mapping[str, tuple[Algorithm, ...]]:
        """Return the algorithms of this version that can be chosen, by operation as our benchmarks name it."""
        return {}

    def default_algorithm(
        self, implementation: Implementation, operation: str, size_bytes: int, hosts: Sequence[str]
    ) -> str:
        """Return the algorithm that this version says it takes by itself, in its own words; '' if it does not say.

        For a call of our benchmarks with default options; `hosts` has one entry a rank. Raises HostError.
        """
        return ""

    def choice_scope(self, implementation: Implementation, operation: str) -> ChoiceScope:
        """Return what the choice among the algorithms of an operation may depend on."""
        return "by size"

    def knows_spread(self, implementation: Implementation) -> bool:
        """Return whether what it loads can be for communicators alone whose ranks lie on nodes in one way."""
        return False

    def candidate(self, implementation: Implementation, operation: str, choice: Choice) -> Candidate | None:
        """Return `choice` as a launch that loads `switching` can take it and leave it; None: it cannot.

        It does what a rule with this choice does, for all sizes and on communicators of any ranks. The launch may
        have loaded decisions for other operations, but none for this one: those may be stronger.
        Raises InputError for an operation or an algorithm that this version does not have.
        """
        return None

    def most_by_size(self, size_bytes: int) -> int:
        """Return how many choices a launch can tell apart by messages that are a little shorter; 0: it cannot."""
        return 0

    def candidates_by_size(
        self, implementation: Implementation, operation: str, ranks: int, sizes_bytes: Sequence[int],
        choices: Sequence[Choice],
    ) -> tuple[Native, tuple[Candidate, ...]]:  # fmt: skip
        """Return candidates that a launch tells apart at each of these sizes, and what it has to load.

        For families whose `candidate` is None. There may be `most_by_size` choices of the smallest size. That
        launch cannot measure the default of this operation beside them. Raises InputError as `candidate` does.
        """
        raise InputError(f"{self.title} cannot switch algorithms by message size", "launch each by itself")

    def switching(self, implementation: Implementation) -> Native:
        """Return what a launch has to load to switch between candidates; by itself that changes nothing."""
        return Native()

    def native(self, implementation: Implementation, tuning: Tuning) -> Native:
        """Return `tuning` without its host settings, as this version loads it.

        Raises InputError for a knob, value, operation or algorithm that this version does not have.
        """
        if tuning.settings or tuning.decisions:
            raise InputError(f"{self.title} has nothing that Rankwise can set", "leave it out of the profile")
        return Native()

    def file_settings(self, loaded: Loaded) -> Mapping[str, str]:
        """Return what the loaded files set, by the names of the variables that would overrule them."""
        return {}

    def overruling_files(
        self, implementation: Implementation, caller: Mapping[str, str]
    ) -> Mapping[Path, Mapping[str, str]]:
        """Return files of whoever has the environment `caller` that overrule loaded ones, and what each sets."""
        return {}

    def vocabulary(self, implementation: Implementation) -> Vocabulary:
        """Return the names that settings files may say to this version. Raises HostError."""
        return Vocabulary(implementation.id, self.name, implementation.version)

    def published(self) -> tuple[Vocabulary, ...]:
        """Return what is known of versions whether they are installed or not, in order."""
        return ()

    def overruled_files(self, caller: Mapping[str, str]) -> Mapping[Path, Mapping[str, str]]:
        """Return files of whoever has the environment `caller` that variables overrule, and what each sets."""
        return {}

    def reporting(self, implementation: Implementation) -> Native:
        """Return what makes a run report the values in force and the algorithms that run, where anything does."""
        return Native()

    def read_back(self, implementation: Implementation, output: str) -> ReadBack:
        """Return what a run started with `reporting` has said of it."""
        return ReadBack()


def families() -> dict[str, Family]:
    """Return every known family by name; a plug-in of the same name replaces ours."""
    known: dict[str, Family] = {}
    for module in registry.modules_of("rankwise.mpi", "mpi"):
        for value in vars(module).values():
            if (
                inspect.isclass(value)
                and issubclass(value, Family)
                and not inspect.isabstract(value)
                and registry.defines(module, value)
            ):
                known[value.name] = value()
    return known


def family_named(name: str) -> Family:
    """Return the family of this name. Raises UnknownNameError."""
    known = families()
    if name not in known:
        raise UnknownNameError("MPI family", name, known)
    return known[name]


def native_of(implementation: Implementation, tuning: Tuning) -> Native:
    """Return `tuning` as this implementation itself loads it; nothing without settings. Raises as `Family.native`.

    Schedules are the overlay's: they are left out.
    """
    family = family_named(implementation.family)
    own = (
        _without_schedules(decision, family.choice_scope(implementation, decision.operation))
        for decision in tuning.decisions
    )
    tuning = replace(tuning, decisions=tuple(decision for decision in own if decision.rules))
    if not tuning.settings and not tuning.decisions:
        return Native()
    return family.native(implementation, tuning)


def _without_schedules(decision: Decision, scope: ChoiceScope) -> Decision:
    """The decision with the default in place of schedules, without rules where nothing else is left.

    Where no size can be left to the default, one of the own algorithms stands for it: it is never called.
    """
    natives = [rule.choice for rule in decision.rules if not chosen_schedule(rule.choice)]
    if len(natives) == len(decision.rules):
        return decision
    if all(choice == Choice() for choice in natives):
        return replace(decision, rules=())
    stand_in = Choice() if scope == "by size" else next(choice for choice in natives if choice != Choice())
    return replace(
        decision,
        rules=tuple(
            replace(rule, choice=stand_in) if chosen_schedule(rule.choice) else rule for rule in decision.rules
        ),
    )


def with_switching(implementation: Implementation, native: Native) -> Native:
    """Return `native` with what a launch that switches between candidates loads beside it."""
    return native + family_named(implementation.family).switching(implementation)


class FamilyLauncher:
    """A FamilyLauncher is a `core.interfaces.Launcher` that asks the family of the implementation."""

    def __init__(self) -> None:
        self._families = families()

    def steps(self, implementation: Implementation, job: Job) -> LaunchSteps:
        """Return the commands that start `job` under `implementation`. Raises UnknownNameError.

        It gets the variables that are for its number of ranks by their real names, and none for other numbers.
        """
        if implementation.family not in self._families:
            raise UnknownNameError("MPI family", implementation.family, self._families)
        own = replace(job, environment=bound_variables.of_job(job.environment, job.ranks))
        return self._families[implementation.family].steps(implementation, own)


def blocks(hosts: Iterable[str]) -> list[tuple[str, int]]:
    """Take neighbouring ranks on one host together: `a a b a` are `(a, 2), (b, 1), (a, 1)`."""
    return [(host, len(list(ranks))) for host, ranks in itertools.groupby(hosts)]


def files_of(job: Job, *libraries: Path) -> tuple[str, ...]:
    """Return what hosts without a shared file system need: the program, unless PATH leads to it, and ours."""
    program = job.program[:1] if "/" in job.program[0] else ()
    return (*program, *job.files, *map(str, libraries))
