"""What applications of a study might gain by: the overlay, a profile, a mapped placement."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rankwise.analysis.trace.reading import read
from rankwise.artifacts import apps as artifacts
from rankwise.artifacts import tracer
from rankwise.core import private
from rankwise.core.errors import HostError, InputError, RankwiseError
from rankwise.core.launch_output import why_failed
from rankwise.core.records import DEFAULT, Cell, Implementation, Notice
from rankwise.core.tuning import Loaded
from rankwise.measurement.job import build_job
from rankwise.mpi import preload, select
from rankwise.mpi.family import FamilyLauncher, family_named
from rankwise.profiles import loading
from rankwise.studies.base import OVERLAY, Applications, StudyRun
from rankwise.studies.gains import MAPPED, NO_PROFILE, NOT_MAPPED
from rankwise.testbeds import description
from rankwise.testbeds.base import make
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows import apps, measure
from rankwise.workflows.apps import AppsRequest
from rankwise.workflows.configurations import ProfileChoice
from rankwise.workflows.events import Events
from rankwise.workflows.map import MapRequest, map_ranks
from rankwise.workflows.study_stored import stored_profile

MAP_SECONDS = 20.0
RECORD_SECONDS = 900.0
"""In which the applications have to end once on this host."""
LEAST_SAVED = 0.01
"""Of the cost: a placement that saves less is no other one."""


def with_further(
    request: measure.Request, run: StudyRun, applications: Applications, folders: Sequence[Path], events: Events
) -> tuple[measure.Request, tuple[Notice, ...]]:
    """Return the request with all that the run measures beside its applications, and why some of it is missing.

    `folders` are those of profiles for its network.
    """
    with events.busy("looking for MPI implementations"):
        working, _ = select.working(request.implementations, request.prefixes)
    notices: list[Notice] = []
    choices = [ProfileChoice()]
    if "overlay" in run.further:
        choices.append(ProfileChoice(OVERLAY, overlay=True))
    newest = (
        {implementation.id: newest_profile(folders, implementation) for implementation in working}
        if "profile" in run.further
        else {}
    )
    choices += dict.fromkeys(choice for choice in newest.values() if choice)
    notices += _without_profile(run, [name for name, choice in newest.items() if choice is None])
    placements: tuple[str, ...] = (run.placement,)
    if {"mapping", "mapping by time"} & set(run.further):
        with events.busy("where the applications' ranks cost least"):
            placement, text = mapped_placement(run, applications, request, working[0])
        placements = (run.placement, placement) if placement else placements
        notices.append(Notice(MAPPED if placement else NOT_MAPPED, text))
    labels = {name: choice.label for name, choice in newest.items() if choice}
    return replace(
        request, profiles=tuple(choices), placements=placements, wanted=_one_thing_changed(run.placement, labels)
    ), tuple(notices)  # fmt: skip


def _one_thing_changed(placement: str, labels: Mapping[str, str]) -> Callable[[Cell], bool]:
    """Of the product of profiles and placements: each by itself, and of an MPI its own profile alone."""

    def wanted(cell: Cell) -> bool:
        if cell.label == DEFAULT:
            return True
        return cell.placement == placement and cell.label in (OVERLAY, labels.get(cell.implementation))

    return wanted


def newest_profile(folders: Sequence[Path], implementation: Implementation) -> ProfileChoice | None:
    """Return the newest of these profiles that has something for this very implementation."""
    dated_folders = []
    for folder in folders:
        profile = stored_profile(folder)
        try:
            if profile and loading.part_for(profile, implementation):
                dated_folders.append((profile.created_at, folder))
        except InputError:
            continue
    _, newest = max(dated_folders, default=(0.0, None))
    return ProfileChoice(newest.name, str(newest)) if newest else None


def _without_profile(run: StudyRun, names: Sequence[str]) -> Iterator[Notice]:
    if names:
        yield Notice(
            NO_PROFILE, f"no profile of {run.profile_of} for {', '.join(names)}",
            f"measure {run.profile_of} too, which tunes them",
        )  # fmt: skip


def mapped_placement(
    run: StudyRun, applications: Applications, request: measure.Request, implementation: Implementation
) -> tuple[str, str]:
    """Return where the ranks of all the applications together cost least, and what that saves; or '' and why not.

    They are recorded on this host, without computing: what they send does not depend on where.
    """
    by_time = "mapping by time" in run.further
    try:
        with private.folder_of(os.geteuid()) as folder:
            user = family_named(implementation.family).rank_user()
            with private.written_by(user, folder) as theirs:
                _record(run, applications, request, implementation, theirs)
            read(folder)
            # its name is a platform's
            testbed = make(description.load(run.testbed)) if by_time else request.testbed
            mapped = map_ranks(
                MapRequest(
                    folder, testbed, run.placement, seconds=MAP_SECONDS, by_time=by_time, permuting=True
                )
            )  # fmt: skip
    except RankwiseError as error:
        return "", f"the applications could not be mapped: {error}"
    share = mapped.gain.ratio if mapped.gain else mapped.ratio
    what = "predicted time of communication" if by_time else "sum of bytes times distance"
    if share > 1 - LEAST_SAVED:
        return "", f"nothing is mapped: no placement was found with a smaller {what} than the one that is measured"
    return "hosts=" + "+".join(
        mapped.hosts
    ), f"as mapped, the {what} is {100 * share:.3g} % of what it is as they are"


def _record(
    run: StudyRun,
    applications: Applications,
    request: measure.Request,
    implementation: Implementation,
    folder: Path,
) -> None:
    """Raises HostError if they do not end, BuildError if a compiler refuses."""
    command = [str(artifacts.build(implementation))]
    for number, application in enumerate(applications.each):
        size = apps.size_words(AppsRequest((application.name,), application.class_name, application.options))
        command += [*(["then"] if number else []), application.name, *size, *apps.computing_words((0.0,))]
    library = tracer.build(implementation)
    variables = (("RANKWISE_TRACE", str(folder)), ("RANKWISE_TRACE_KEEP", "statistics"))
    loaded = Loaded(preload.loading(library, variables), files=(str(library),))
    testbed, limit = LocalTestbed(), min(request.launch_limit_seconds, RECORD_SECONDS)
    job = build_job(testbed, command, run.ranks, placement="block", loaded=loaded, arguments=())
    steps = FamilyLauncher().steps(implementation, job)
    with testbed:
        outcome = testbed.run(steps, job.hosts, limit)
    if outcome.timed_out or outcome.returncode:
        raise HostError(f"recording them failed: {why_failed(outcome, limit)}", f"try it: {outcome.command}")
