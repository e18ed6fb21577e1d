"""What a program will take: one simulation, and those that say how sure that is and what would help."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from pathlib import Path
from typing import Literal

from rankwise.analysis.predict.band import band, moved_platforms
from rankwise.analysis.predict.results import (
    AlgorithmComparison,
    Band,
    Help,
    Measured,
    Prediction,
    Sweep,
    SweepPoint,
    Variation,
)
from rankwise.analysis.predict.what_if import Change, all_relieved, changed, relieved, value_now
from rankwise.core.errors import InputError, RankwiseError
from rankwise.core.platform import Platform
from rankwise.core.records import Notice
from rankwise.platforms.simulator_json import KNOWN_MODELS, model_of, simulator_json
from rankwise.simulation.results import LinkLoss, Simulation
from rankwise.simulation.simulator import Bounds, Detail, simulate, simulate_and_trace
from rankwise.workflows.predict import measured, platforms
from rankwise.workflows.predict.questions import Collective, Files, Posed, Question, nodes_of_ranks
from rankwise.workflows.predict.running import Progress, each, no_progress, simulate_each

__all__ = ["MODELS", "Bounds", "PredictRequest", "compare", "predict", "ready", "sweep"]

MODELS = KNOWN_MODELS
MOST_HELPS = 3
LONG_SECONDS = 5.0
"""A simulation that takes longer is not repeated to see what the parameters' intervals come to."""
MOST_DRAWN_MESSAGES = 20_000


@dataclass(frozen=True, slots=True)
class PredictRequest:
    """What is to be predicted, on which platform, and how."""

    question: Question
    platform_file: Path | None = None
    testbed: str = ""
    model: str = ""
    """'': the platform's first."""
    changes: tuple[Change, ...] = ()
    bounds: Bounds = field(default_factory=Bounds)
    helps: bool = True
    timeline: bool = False
    compare_with: int | None = None
    """A stored run."""
    seeds: int = 0
    """So many runs more with random computations and latencies."""
    noise: float = 0.0
    """Of these: standard deviation of the logarithm."""
    trace_file: Path | None = None
    """Where the timeline is kept as Perfetto reads it."""
    mpi: str = ""
    """Instead of a file: the newest stored fit of this MPI, on the testbed if one is named."""
    fits: Path | None = None
    """The store that has it."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A request whose platform is found and changed, and whose question is posed on it."""

    found: platforms.NamedPlatform
    posed: Posed
    before: Posed
    """On the platform as it was."""
    model: str
    detail: Detail

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Return all that is to be said of the platform."""
        return (*self.found.notices, *self.posed.notices)


def ready(request: PredictRequest) -> Ready:
    """Return the request ready to simulate. Raises InputError."""
    named = platforms.find(request.platform_file, request.testbed, request.mpi, request.fits)
    model = model_of(named.platform, request.model).name
    before = request.question.posed(named.platform)
    platform = before.platform
    for change in request.changes:
        platform = changed(platform, change)
    algorithms = request.question.algorithms if isinstance(request.question, Files) else ()
    return Ready(named, replace(before, platform=platform), before, model, Detail(algorithms=algorithms))


def predict(request: PredictRequest, store: Path | None = None, progress: Progress = no_progress) -> Prediction:
    """Return what it will take. Raises InputError, for a deadlock too, and HostError for too little memory.

    `store`: where the run is that `compare_with` names.
    """
    at = ready(request)
    model = at.model
    platform, jobs, bounds = at.posed.platform, at.posed.jobs, replace(request.bounds, at_once=1)
    detail = replace(at.detail, critical_path=True)
    wanted = replace(at.detail, seeds=request.seeds, noise=request.noise, trace_file=request.trace_file)
    first = simulate(simulator_json(platform, model), jobs, bounds, wanted)
    total, spread = first.total_seconds, first.spread
    timeline = None
    if first.messages <= MOST_DRAWN_MESSAGES:
        detail = replace(detail, timeline=request.timeline)
        first, timeline = simulate_and_trace(simulator_json(platform, model), jobs, bounds, detail)
        first = replace(first, spread=spread)
    worst = [loss for loss in first.by_link if loss.seconds > 0][: MOST_HELPS if request.helps else 0]
    own, why_not = _band_platforms(platform, model, first.seconds)
    ways = _ways(platform, first.by_link, worst)
    others = [*([at.before.platform] if request.changes else []), *own, *(way for _, _, way in ways)]
    more = simulate_each(others, jobs, model, request.bounds, at.detail, progress=progress) if others else []
    totals = [simulation.total_seconds for simulation in more]
    baseline = totals.pop(0) if request.changes else None
    moved, without = totals[: len(own)], totals[len(own) :]
    made: Band | None = None
    error = model_of(platform, model).relative_error
    if error is not None and total > 0:
        made = band(total, error, moved if not why_not else None)
    return Prediction(
        request.question.title, at.found.name, model, first, _nodes_of_ranks(at.posed, first), platform,
        band=made,
        no_band=why_not if made else f"the error of {model} on this platform is not known",
        helps=_helps(ways, without),
        baseline_seconds=baseline,
        changes=tuple(change.text for change in request.changes),
        measured=_beside(request, store, platform, {total_key(request.question): total}, first),
        recorded=at.posed.recorded,
        notices=(*at.notices, *first.notices, *_notices(request, at, store)),
        timeline=timeline,
    )  # fmt: skip


def _ways(
    platform: Platform, lost: Sequence[LinkLoss], worst: Sequence[LinkLoss]
) -> list[tuple[str, float, Platform]]:
    """What might help, the time lost there, and the platform without: the worst, these together, all of a kind."""
    ways = [(loss.link, loss.seconds, relieved(platform, loss.link)) for loss in worst]
    if len(worst) > 1:
        name = " + ".join(loss.link for loss in worst) if len(worst) == 2 else f"these {len(worst)} together"
        together = reduce(relieved, (loss.link for loss in worst), platform)
        ways.append((name, math.fsum(loss.seconds for loss in worst), together))
    links = {link.name for link in platform.links}
    kinds: tuple[tuple[Literal["links", "NICs"], bool], ...] = (("links", True), ("NICs", False))
    for kind, is_link in kinds:
        those = [loss for loss in lost if (loss.link in links) == is_link]
        if worst and len(those) > 1 and set(those) - set(worst):
            ways.append((f"all {kind}", math.fsum(loss.seconds for loss in those), all_relieved(platform, kind)))
    return ways


def _helps(ways: Sequence[tuple[str, float, Platform]], totals: Sequence[float]) -> tuple[Help, ...]:
    return tuple(Help(name, lost, seconds) for (name, lost, _), seconds in zip(ways, totals, strict=True))


def total_key(question: Question) -> tuple[str, int]:
    """Return the algorithm and the size of a question; '' and 0 of what has none."""
    return (question.algorithm, question.size_bytes) if isinstance(question, Collective) else ("", 0)


def compare(
    request: PredictRequest,
    choices: Sequence[Collective],
    store: Path | None = None,
    progress: Progress = no_progress,
) -> AlgorithmComparison:
    """Return what each of several collective operations will take; those that an algorithm cannot do say why."""
    at = ready(replace(request, question=choices[0]))
    bounds = replace(request.bounds, at_once=min(request.bounds.at_once, len(choices)))

    def variation(question: Collective) -> Variation:
        own = replace(request, question=question)
        try:
            posed = ready(own).posed
            simulation = simulate(simulator_json(posed.platform, at.model), posed.jobs, bounds, at.detail)
        except RankwiseError as error:
            return Variation(question.algorithm, question.size_bytes, float("nan"), 0.0, 0, str(error))
        return Variation(
            question.algorithm,
            question.size_bytes,
            simulation.total_seconds,
            simulation.contention_seconds,
            simulation.messages,
        )

    rows = each([partial(variation, question) for question in choices], bounds.at_once, progress)
    if all(row.refused for row in rows):
        raise InputError(rows[0].refused.rpartition(": ")[2], "rankwise schedule list shows them")
    rows.sort(key=lambda row: (row.size_bytes, bool(row.refused), row.total_seconds if not row.refused else 0.0))
    totals = {(row.name, row.size_bytes): row.total_seconds for row in rows if not row.refused}
    title = choices[0].operation
    return AlgorithmComparison(
        title, at.found.name, at.model, tuple(rows), _beside(request, store, at.posed.platform, totals),
        (*at.notices, *_notices(request, at, store)),
    )  # fmt: skip


def sweep(
    request: PredictRequest,
    change: Change,
    ends: tuple[float, float],
    steps: int,
    progress: Progress = no_progress,
) -> Sweep:
    """Return totals over a range of a rate or a delay, in `steps` logarithmic steps from end to end."""
    low, high = ends
    if not 0 < low < high:
        raise InputError("the ends of a sweep must be above 0, the lower one first", "write wan.delay=1ms:100ms")
    at = ready(request)
    platform = at.posed.platform
    values = [low * (high / low) ** (i / (steps - 1)) for i in range(steps)]
    tried = [platform, *(changed(platform, change.with_value(value)) for value in values)]
    simulations = simulate_each(tried, at.posed.jobs, at.model, request.bounds, at.detail, progress=progress)
    points = tuple(
        SweepPoint(value, simulation.total_seconds, simulation.contention_seconds)
        for value, simulation in zip(values, simulations[1:], strict=True)
    )
    return Sweep(
        request.question.title, at.found.name, at.model, f"{change.name}.{change.quantity}",
        value_now(platform, change), simulations[0].total_seconds, points,
        (*at.notices, *simulations[0].notices),
    )  # fmt: skip


def _band_platforms(platform: Platform, model: str, seconds: float) -> tuple[list[Platform], str]:
    """The platforms on which the intervals show what they come to; or none, and why."""
    if model_of(platform, model).relative_error is None:
        return [], ""
    if seconds > LONG_SECONDS:
        return [], f"without the uncertainty of the parameters: a simulation takes {seconds:.0f} s"
    return moved_platforms(platform, model), ""


def _nodes_of_ranks(posed: Posed, simulation: object) -> tuple[str, ...]:
    names = [node for site in posed.platform.sites for node in site.nodes]
    jobs = getattr(simulation, "jobs", ())
    return tuple(
        names[number]
        for job, simulated in zip(posed.jobs, jobs, strict=True)
        for number in nodes_of_ranks(len(simulated.finish_seconds), len(names), job.nodes)
    )


def _beside(
    request: PredictRequest, store: Path | None, platform: Platform, totals: dict[tuple[str, int], float],
    simulation: Simulation | None = None,
) -> tuple[Measured, ...]:  # fmt: skip
    if request.compare_with is None or store is None:
        return ()
    question = request.question
    if simulation and len(simulation.jobs) == 1 and (flows := simulation.jobs[0].flows):
        return measured.beside_pattern(store, request.compare_with, flows)
    if simulation and isinstance(question, Files):
        return measured.beside_program(store, request.compare_with, question, simulation)
    ranks = question.ranks_on(platform) if isinstance(question, Collective) else 0
    return measured.beside(store, request.compare_with, question, ranks, totals)


def _notices(request: PredictRequest, at: Ready, store: Path | None) -> tuple[Notice, ...]:
    if request.compare_with is None or store is None:
        return ()
    where = measured.testbed_of_run(store, request.compare_with)
    source = at.found.platform.provenance.testbed
    said = [platforms.other_testbed(at.found.platform, where)] if source and source != where else []
    if isinstance(request.question, Files) and measured.is_of_program(store, request.compare_with):
        said.append(measured.LAUNCHING)
    return tuple(said)
