"""How much delay a program tolerates: derivatives of its time, and the delays at which it loses 1, 2, 5 %."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from rankwise.analysis.predict.results import ClassTolerance, Loss, Tolerance
from rankwise.analysis.predict.what_if import Change, changed, resources, value_now
from rankwise.core.errors import InputError
from rankwise.core.platform import Platform
from rankwise.core.records import Notice
from rankwise.platforms.simulator_json import simulator_json
from rankwise.simulation.results import Simulation
from rankwise.simulation.simulator import simulate
from rankwise.workflows.predict.predictor import PredictRequest, Ready, ready
from rankwise.workflows.predict.running import Progress, each, no_progress

SHARES = (0.01, 0.02, 0.05)
RATE_STEP = 0.01
"""Of a rate, to either side, for the difference of two simulations."""
DELAY_STEP = 0.01
LEAST_DELAY_STEP_SECONDS = 1e-8
TOLERANCE = 1e-6
"""Of rates: the simulator's own default would be seen in differences."""
PRECISION = 2e-3
"""Of a delay that is solved for."""
LONG_SECONDS = 0.5
"""A simulation that takes longer is not repeated for the derivatives towards larger values."""
SLACK = 1e-3
"""Of what a path can have: simulated times are rounded."""
LONGEST_TIMES_TOTAL = 100.0
"""No delay beyond this many times the whole run is tried."""


@dataclass(frozen=True, slots=True)
class Solver:
    """The total as a function of the platform."""

    at: Ready
    request: PredictRequest
    at_once: int

    def total(self, platform: Platform) -> float:
        """Return the total on this platform."""
        return self.simulation(platform).total_seconds

    def simulation(self, platform: Platform, derivatives: Literal["", "any", "right"] = "") -> Simulation:
        """Return the simulation on this platform, with derivatives if they are wanted."""
        bounds = replace(self.request.bounds, at_once=self.at_once)
        text = simulator_json(platform, self.at.model, TOLERANCE)
        return simulate(text, self.at.posed.jobs, bounds, replace(self.at.detail, derivatives=derivatives))


def tolerance(request: PredictRequest, progress: Progress = no_progress) -> Tolerance:
    """Return how the total answers to the delay and rate of each class of pairs that has messages."""
    at = ready(request)
    platform = at.posed.platform
    names = _classes(platform)
    solver = Solver(at, request, max(1, min(request.bounds.at_once, len(names) * len(SHARES))))
    first = solver.simulation(platform)
    total = first.total_seconds
    if total <= 0:
        raise InputError(f"{request.question.title} takes no time", "predict something that sends messages")
    slopes = [
        class_slopes.within(total) for class_slopes in _slopes_of_one_run(solver, platform, names, first.seconds)
    ]
    work = [
        partial(_loss, solver, platform, name, total, share, class_slopes.by_delay)
        for name, class_slopes in zip(names, slopes, strict=True)
        for share in SHARES
    ]
    losses = each(work, solver.at_once, progress)
    classes = tuple(
        ClassTolerance(
            name, value_now(platform, Change(name, "delay", 0.0)), _rate_now(platform, name),
            class_slopes.by_delay, class_slopes.by_rate, tuple(losses[i * len(SHARES) : (i + 1) * len(SHARES)]),
            class_slopes.how, class_slopes.longest_path,
        )
        for i, (name, class_slopes) in enumerate(zip(names, slopes, strict=True))
    )  # fmt: skip
    said = (*at.notices, *_feedback(at.model, classes))
    return Tolerance(request.question.title, at.found.name, at.model, total, classes, said)


def _feedback(model: str, classes: Sequence[ClassTolerance]) -> tuple[Notice, ...]:
    """Say for which classes there are no derivatives."""
    names = [
        class_tolerance.name
        for class_tolerance in classes
        if math.isnan(class_tolerance.by_delay)
        or (math.isnan(class_tolerance.by_rate_seconds) and not math.isnan(class_tolerance.bytes_per_second))
    ]
    if not names:
        return ()
    return (Notice(
        "no derivative", f"of {', '.join(names)} a derivative is left out: by {model}, messages that share a link "
        "delay one another from step to step, so that it is beyond what any path of the program has; delays that "
        "are solved for may be those of a jump", "--model none gives it without contention",
    ),)  # fmt: skip


def _classes(platform: Platform) -> list[str]:
    """The classes of pairs of nodes; two ranks of one node have no link."""
    used = {route.pair_class for route in platform.routes}
    return [pair_class.name for pair_class in platform.classes if pair_class.name in used]


def _rate_now(platform: Platform, name: str) -> float:
    return value_now(platform, Change(name, "rate", 1.0, is_factor=True))


@dataclass(frozen=True, slots=True)
class Slopes:
    """dT/d(delay) and dT/d(ln rate) of a class, and how they were found; nan: not given."""

    by_delay: float
    by_rate: float
    how: str
    longest_path: int

    def within(self, total: float) -> Slopes:
        """Return the same without what no path can have: more latencies, or more transfer than the total."""
        slack = SLACK * max(self.longest_path, 1)
        by_delay = self.by_delay if -slack <= self.by_delay <= self.longest_path + slack else math.nan
        by_rate = self.by_rate if -(1 + SLACK) * total <= self.by_rate <= SLACK * total else math.nan
        return replace(self, by_delay=max(by_delay, 0.0), by_rate=min(by_rate, 0.0))


def _slopes_of_one_run(solver: Solver, platform: Platform, names: Sequence[str], seconds: float) -> list[Slopes]:
    """Return the slopes of each class: carried through a run, or by differences.

    Towards larger values where a run takes little; otherwise one of those of a kink. Rates of several ranges of
    sizes that a link holds back in different ways are left to differences.
    """
    side: Literal["any", "right"] = "right" if seconds < LONG_SECONDS else "any"
    derivatives = solver.simulation(platform, side).derivatives
    by_parameter = {derivative.parameter: derivative.value for derivative in derivatives}
    longest = {derivative.parameter: derivative.longest_path for derivative in derivatives}
    made = []
    for name in names:
        by_rate, how = _by_rate(platform, name, by_parameter), "one run"
        if by_rate is None:
            by_rate, how = _forward_by_rate(solver, platform, name), "differences"
        latency = f"classes.{name}.latency"
        made.append(Slopes(by_parameter[latency], by_rate, how, longest[latency]))
    return made


def _by_rate(platform: Platform, name: str, by_parameter: Mapping[str, float]) -> float | None:
    """dT/d(ln rate) of the links or NICs between such pairs, and of what a byte takes alone where that follows.

    None where it follows in some ranges of sizes only, for the derivative is that of all.
    """
    after = changed(platform, Change(name, "rate", 1 + RATE_STEP, is_factor=True))
    total = 0.0
    for old, new in zip(platform.classes, after.classes, strict=True):
        moves = {
            (a.gap_seconds_per_byte, math.log(b.gap_seconds_per_byte / a.gap_seconds_per_byte))
            for a, b in zip(old.ranges, new.ranges, strict=True)
            if a.gap_seconds_per_byte
        }
        if len(moves) > 1 and any(move for _, move in moves):
            return None
        total += sum(
            gap * move / math.log1p(RATE_STEP) * by_parameter[f"classes.{old.name}.gap_byte"]
            for gap, move in moves
        )
    links, sites = resources(platform, name)
    for link in platform.links:
        total += link.bytes_per_second * by_parameter[f"links.{link.name}.rate"] if link.name in links else 0.0
    for site in platform.sites:
        if site.name in sites:
            total += site.out_bytes_per_second * by_parameter[f"sites.{site.name}.out"]
            total += site.in_bytes_per_second * by_parameter[f"sites.{site.name}.in"]
    return total


def _forward_by_rate(solver: Solver, platform: Platform, name: str) -> float:
    faster = changed(platform, Change(name, "rate", 1 + RATE_STEP, is_factor=True))
    return (solver.total(faster) - solver.total(platform)) / math.log1p(RATE_STEP)


def slopes(solver: Solver, platform: Platform, name: str) -> tuple[float, float]:
    """Return dT/d(delay) and dT/d(ln rate) as central differences of two simulations each."""
    now = value_now(platform, Change(name, "delay", 0.0))
    step = min(max(DELAY_STEP * now, LEAST_DELAY_STEP_SECONDS), now) or LEAST_DELAY_STEP_SECONDS
    ends = [max(0.0, now - step), now + step]
    low, high = (solver.total(changed(platform, Change(name, "delay", end))) for end in ends)
    slower, faster = (
        solver.total(changed(platform, Change(name, "rate", factor, is_factor=True)))
        for factor in (1 - RATE_STEP, 1 + RATE_STEP)
    )
    return (high - low) / (ends[1] - ends[0]), (faster - slower) / math.log((1 + RATE_STEP) / (1 - RATE_STEP))


def _loss(solver: Solver, platform: Platform, name: str, total: float, share: float, slope: float) -> Loss:
    now = value_now(platform, Change(name, "delay", 0.0))
    linear = share * total / slope if slope > 0 else math.nan if math.isnan(slope) else math.inf

    def excess(more: float) -> float:
        return solver.total(changed(platform, Change(name, "delay", now + more))) - (1 + share) * total

    return Loss(share, linear, _root(excess, linear, share * total, LONGEST_TIMES_TOTAL * total))


def _root(excess: Callable[[float], float], guess: float, least: float, most: float) -> float:
    """The smallest delay found at which the excess is 0: doubled until it is passed, then halved; inf: none."""
    low, high = 0.0, guess if 0 < guess <= most else least
    while excess(high) < 0:
        low, high = high, 2 * high
        if high > most:
            return math.inf
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        if excess(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
