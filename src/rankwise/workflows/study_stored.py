"""What the store, folders of profiles and implementations have on a study's runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import msgspec

from rankwise.core.errors import HostError, InputError
from rankwise.core.programs import stored_program
from rankwise.core.records import Implementation, Plan
from rankwise.core.results import Comparison
from rankwise.core.schedule_names import is_schedule, operation_of
from rankwise.core.tuning import Knob, Profile
from rankwise.measurement.placement import place
from rankwise.mpi.family import family_named
from rankwise.profiles import folders, profile_file
from rankwise.store.store import Store
from rankwise.studies.base import Results, Study, StudyRun, Told
from rankwise.testbeds import description
from rankwise.testbeds.base import make
from rankwise.workflows import answer
from rankwise.workflows.program_answer import compare_program


@dataclass(frozen=True, slots=True)
class Own:
    """What is stored with each run that a study measures."""

    label: str
    profile: str = ""
    """The folder of the profile that was measured."""


class StoredRuns:
    """Reads the runs of one study; `profiles` is the folder of those that were stored without theirs."""

    def __init__(self, study: Study, profiles: Path, store: Store) -> None:
        self._study, self._profiles, self._store = study, profiles, store

    def require_class(self, run: StudyRun, run_id: int) -> None:
        """Raise InputError for a stored run of applications of another class."""
        if not run.applications or self._store.run(run_id).kind != "program":
            return
        arguments = stored_program(self._store.request(run_id)).program.arguments
        measured = {after for word, after in pairwise(arguments) if word == "--class"}
        if measured != {application.class_name for application in run.applications.each if application.class_name}:
            raise InputError(
                f"run {run_id} was measured in class {', '.join(sorted(measured))}",
                "give --class as it was measured, or leave the run out of --from",
            )

    def results(self, run: StudyRun, run_id: int) -> Results:
        """Return all that a page needs of a run."""
        store = self._store
        return Results(
            run=store.run(run_id),
            comparison=self._comparison(run, run_id),
            launches=tuple(store.iter_launches(run_id)),
            topology=store.topology(run_id),
            paths=store.paths(run_id),
            profile=self._profile(run, run_id) if run.tune else None,
            knobs={implementation.id: _knobs(implementation) for implementation in store.implementations(run_id)}
            if run.tune
            else {},
            told=told(self._study, run, store.implementations(run_id), store.plan(run_id)),
        )

    def _comparison(self, run: StudyRun, run_id: int) -> Comparison:
        if run.applications:
            return compare_program(self._store, run_id)[0]
        return answer.compare_run(self._store, run_id, profiles_apart=not run.tune)

    def _profile(self, run: StudyRun, run_id: int) -> Profile | None:
        """What the run was measured with; None where the folder is gone, or has a later profile by now."""
        profile = stored_profile(self.profile_folder(run.label, run_id))
        return profile if profile and profile.created_at <= self._store.run(run_id).created_at else None

    def profile_folder(self, label: str, run_id: int) -> Path:
        """Return where the profile is that a run that tunes was measured with."""
        text = self._store.request(run_id)
        folder = msgspec.json.decode(text, type=Own).profile if text else ""
        return Path(folder or self._profiles / f"{self._study.name}-{label}")

    def profile_folders(self, run: StudyRun, run_ids: Mapping[str, int]) -> tuple[Path, ...]:
        """Return the folders of profiles for the network of `run.profile_of`, one of each name: its own first."""
        tuned = next((study_run for study_run in self._study.runs if study_run.label == run.profile_of), None)
        if tuned is None:
            return ()
        networks = {self._study.testbed_name(tuned), tuned.testbed}
        own = [self.profile_folder(tuned.label, run_ids[tuned.label])] if tuned.label in run_ids else []
        beside = sorted(file.parent for file in self._profiles.glob(f"*/{profile_file.FILE}"))
        by_name: dict[str, Path] = {}
        for folder in (*own, *beside, *folders.known().values()):
            profile = stored_profile(folder)
            if profile and (folder in own or profile.testbed in networks):
                by_name.setdefault(folder.name, folder.resolve())
        return tuple(by_name.values())


def stored_profile(folder: Path) -> Profile | None:
    """Return the profile in this folder, None if there is none."""
    try:
        return profile_file.read(folder).profile
    except InputError:
        return None


def _knobs(implementation: Implementation) -> tuple[Knob, ...]:
    """None where the installation is gone, or not of this host."""
    try:
        return family_named(implementation.family).knobs(implementation)
    except (HostError, InputError):
        return ()


def told(
    study: Study, run: StudyRun, implementations: Sequence[Implementation], plan: Plan
) -> dict[tuple[str, str], Told]:
    """Return what implementations report of their own algorithms for the operations measured beside schedules.

    By implementation and operation.
    """
    operations = sorted({operation_of(name) for name in run.benchmarks if is_schedule(name)})
    if not operations:
        return {}
    testbed = make(study.topology(run, description.load(run.testbed)))
    hosts = place(run.placement, testbed.hosts(), run.ranks)
    sizes = sorted({cell.size_bytes for cell in plan.cells})
    return {
        (implementation.id, name): _told(implementation, name, sizes, hosts)
        for implementation in implementations
        for name in operations
    }


def _told(implementation: Implementation, operation: str, sizes: Sequence[int], hosts: Sequence[str]) -> Told:
    """Nothing where the installation is gone, or not of this host."""
    try:
        family = family_named(implementation.family)
        known = {algorithm.name for algorithm in family.algorithms(implementation).get(operation, ())}
        known |= set(family.vocabulary(implementation).algorithms.get(operation, {}).values())
        default = {size: family.default_algorithm(implementation, operation, size, hosts) for size in sizes}
    except (HostError, InputError):
        return Told()
    return Told(default, frozenset(known))
