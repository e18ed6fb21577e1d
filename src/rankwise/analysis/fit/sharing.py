"""How a platform shares its capacity among concurrent messages: parameters of each model from small patterns.

First what does not depend on the model: what a flow costs alone (L + G bytes), and the capacities, from flows that
leave or enter one node, or cross one link, together. Then each model's own parameters, by least squares on the
logarithms of the flows' times. A parameter stays only if patterns that the fit does not see are predicted better
with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from rankwise.analysis.fit.sharing_data import FloatArray, Observed
from rankwise.core.errors import HostError
from rankwise.core.flows import Pattern
from rankwise.core.platform import ContentionModel, Interval, Platform

Simulate = Callable[[Platform, str, Sequence[Pattern]], list[FloatArray]]
"""What a platform says of patterns by the model of this name: the seconds of their flows."""

PARAMETERS: Mapping[str, tuple[float, float, float]] = {
    "alpha": (0.2, 1.0, 16.0),
    "kappa": (1.0, 1.5, 2.0),
    "outer_cut": (0.05, 0.8, 1.0),
    "mixed_cut": (0.0, 1.0, 20.0),
    "window_bytes": (1.0, 65536.0, 4194304.0),
}
"""Where each may lie, and where the search for it begins."""
CANDIDATES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "queues": ((), ("kappa",), ("kappa", "window_bytes")),
    "alpha-fair": ((), ("alpha",), ("alpha", "kappa")),
    "max-min": ((), ("kappa",)),
    "flow-cuts": (("outer_cut",), ("outer_cut", "mixed_cut")),
    "none": ((),),
}
"""Of each model: which of its parameters are fitted, the fewest first."""
START = ContentionModel(alpha=1.0, kappa=2.0, outer_cut=1.0, mixed_cut=0.0)
"""What stands for a parameter that is not fitted: it does nothing."""
GUARD_SHARE = 0.03
STEP = 0.01
"""Of parameters, as a share of them, for derivatives."""
QUEUES_STEPS = {"kappa": 0.03, "window_bytes": 0.2}
"""To both sides: in queues, times also depend on who is a moment earlier; wide steps see past that."""
FOLDS = 4
BETTER_BY = 0.9
"""A further parameter has to lessen the error of what the fit did not see to this share."""
NEARLY = 1e-3
"""Of a parameter's range: as near to its end as that is at it."""
WIDEST = 3.0
"""The factor between the ends of an interval beyond which a figure says nothing."""
_Z = 1.96


@dataclass(frozen=True, slots=True)
class FittedModel:
    """A model with its parameters, their intervals, and what was not identified and why."""

    model: ContentionModel
    fitted: tuple[str, ...]
    held_out: Mapping[tuple[str, ...], float]
    """By candidate: the root mean square error of patterns left out of the fit, as a share of the time."""
    left_out: float
    """That of the candidate that was chosen."""
    intervals: Mapping[str, Interval]
    not_identified: Mapping[str, str]


def check_guards(guards: Mapping[str, Observed], alone_seconds: float, dropped: int) -> None:
    """Raise HostError where two flows of one NIC do not take twice their time alone, or packets were dropped.

    A model would absorb that in its parameters, and predict nothing.
    """
    if dropped:
        raise HostError(
            f"queues of the network overflowed: {dropped} packets were dropped while flows were timed",
            'give the testbed\'s NICs longer queues (queue = "1 MiB") or TCP smaller buffers (rmem, wmem)',
        )
    for name, observed in guards.items():
        times = observed.seconds / alone_seconds
        if np.any(np.abs(times / 2 - 1) > GUARD_SHARE):
            ratios = ", ".join(f"{value:.2f}" for value in times)
            raise HostError(
                f"{name}: two flows of one NIC took {ratios} times as long as one alone, and not 2.00",
                "no model of shared capacity fits that: check that the host is idle and the network is the limit",
            )


def fit_model(
    name: str, platform: Platform, patterns: Sequence[Observed], simulate: Simulate,
    held_out: Sequence[Observed] = (),
) -> FittedModel:  # fmt: skip
    """Return the model with the parameters that `patterns` justify, and its error on the `held_out` ones."""
    simulate = _remembering(simulate)
    errors: dict[tuple[str, ...], float] = {}
    chosen: tuple[str, ...] = CANDIDATES[name][0]
    for names in CANDIDATES[name]:
        begin, *_ = _fit(name, names, platform, patterns, simulate)
        if names[:-1] in errors and _does_nothing(names[-1], begin[-1]):
            errors[names] = errors[names[:-1]]  # for it is the same model
            continue
        errors[names] = _error_of_left_out(name, names, platform, patterns, simulate, begin)
        if errors[names] < BETTER_BY * errors[chosen]:
            chosen = names
    left_out = errors[chosen]
    values, jacobian, residuals = _fit(name, chosen, platform, patterns, simulate)
    intervals, lost = _intervals(chosen, values, jacobian, residuals)
    if lost:  # without what means nothing
        chosen = tuple(parameter for parameter in chosen if parameter not in lost)
        values, jacobian, residuals = _fit(name, chosen, platform, patterns, simulate)
        intervals, _ = _intervals(chosen, values, jacobian, residuals)
    for unused in {parameter for names in CANDIDATES[name] for parameter in names} - {*chosen, *lost}:
        lost[unused] = "patterns that the fit does not see are predicted no better with it"
    model = replace(START, name=name, **dict(zip(chosen, values, strict=True)))
    if held_out:
        model = replace(model, relative_error=covering_error(_with(platform, model), name, held_out, simulate))
    return FittedModel(model, chosen, errors, left_out, intervals, lost)


def covering_error(platform: Platform, name: str, patterns: Sequence[Observed], simulate: Simulate) -> float:
    """Return what 90 % of the measured values are within, as a share of the predicted ones."""
    predicted = simulate(platform, name, [observed.pattern for observed in patterns])
    off = [np.abs(observed.seconds / ours - 1) for ours, observed in zip(predicted, patterns, strict=True)]
    return float(np.quantile(np.concatenate(off), 0.9, method="higher"))


def _remembering(simulate: Simulate) -> Simulate:
    """Simulate each pattern once with each model's parameters; all else of the platform stays the same.

    The fits for cross-validation begin where the fit on all patterns ended, and ask for most of the same again.
    """
    known: dict[tuple[ContentionModel, Pattern], FloatArray] = {}

    def remembered(platform: Platform, name: str, patterns: Sequence[Pattern]) -> list[FloatArray]:
        model = next(candidate for candidate in platform.models if candidate.name == name)
        new = [pattern for pattern in dict.fromkeys(patterns) if (model, pattern) not in known]
        if new:
            known.update(zip(((model, pattern) for pattern in new), simulate(platform, name, new), strict=True))
        return [known[model, pattern] for pattern in patterns]

    return remembered


def _with(platform: Platform, model: ContentionModel) -> Platform:
    others = tuple(candidate for candidate in platform.models if candidate.name != model.name)
    return replace(platform, models=(model, *others))


def _residuals(  # noqa: PLR0917 - a model, its parameters, and what to compare
    name: str, names: tuple[str, ...], values: FloatArray, platform: Platform, patterns: Sequence[Observed],
    simulate: Simulate,
) -> FloatArray:  # fmt: skip
    model = replace(START, name=name, **dict(zip(names, map(float, values), strict=True)))
    predicted = simulate(_with(platform, model), name, [observed.pattern for observed in patterns])
    return np.concatenate(
        [np.log(ours / observed.seconds) for ours, observed in zip(predicted, patterns, strict=True)]
    )


def _fit(  # noqa: PLR0917 - the same, and where to begin
    name: str, names: tuple[str, ...], platform: Platform, patterns: Sequence[Observed], simulate: Simulate,
    begin: Sequence[float] = (),
) -> tuple[tuple[float, ...], FloatArray, FloatArray]:  # fmt: skip
    """The values, the derivatives of the residuals by them, and the residuals.

    `begin`: where the search for each value begins, but for those that are at the end of their range.
    """
    if not names:
        return (), np.zeros((0, 0)), _residuals(name, names, np.array([]), platform, patterns, simulate)
    low, start, high = (np.array([PARAMETERS[parameter][i] for parameter in names]) for i in range(3))

    near = np.array(begin or start)
    edge = NEARLY * (high - low)
    queues = "window_bytes" in names
    inside = (near > low + edge) & (near < high - edge)

    def off(values: FloatArray) -> FloatArray:
        return _residuals(name, names, values, platform, patterns, simulate)

    fit = scipy.optimize.least_squares(
        off, np.where(inside, near, start), bounds=(low, high), x_scale=start,
        jac="3-point" if queues else "2-point",
        diff_step=np.array([QUEUES_STEPS[parameter] if queues else STEP for parameter in names]),
        xtol=1e-4, ftol=1e-5, max_nfev=40,
    )  # fmt: skip
    return tuple(map(float, fit.x)), np.asarray(fit.jac), np.asarray(fit.fun)


def _does_nothing(name: str, value: float) -> bool:
    low, _, high = PARAMETERS[name]
    return abs(value - float(getattr(START, name))) <= NEARLY * (high - low)


def _error_of_left_out(  # noqa: PLR0917 - as above
    name: str, names: tuple[str, ...], platform: Platform, patterns: Sequence[Observed], simulate: Simulate,
    begin: Sequence[float],
) -> float:  # fmt: skip
    """Each fold of the patterns is predicted from a fit on the others (Stone 1974, cross-validation)."""
    off: list[FloatArray] = []
    for fold in range(FOLDS):
        others = [observed for i, observed in enumerate(patterns) if i % FOLDS != fold]
        values = _fit(name, names, platform, others, simulate, begin)[0]
        off.append(_residuals(name, names, np.array(values), platform, patterns[fold::FOLDS], simulate))
    return float(np.sqrt(np.mean(np.concatenate(off) ** 2)))


def _intervals(
    names: tuple[str, ...], values: Sequence[float], jacobian: FloatArray, residuals: FloatArray
) -> tuple[dict[str, Interval], dict[str, str]]:  # fmt: skip
    """Of the parameters by the linearised fit; and which of them the patterns do not tell."""
    intervals: dict[str, Interval] = {}
    lost: dict[str, str] = {}
    if not names:
        return intervals, lost
    variance = float(residuals @ residuals) / max(len(residuals) - len(names), 1)
    errors = np.sqrt(variance * np.diag(np.linalg.pinv(jacobian.T @ jacobian)))
    for i, (name, value) in enumerate(zip(names, values, strict=True)):
        low, _, high = PARAMETERS[name]
        moved = float(np.max(np.abs(jacobian[:, i]))) * value
        half = _Z * float(errors[i])
        interval = Interval(max(low, value - half), min(high, value + half))
        if moved < 1e-3:
            lost[name] = "no pattern's times depend on it"
        elif name == "alpha" and value >= 0.99 * high:
            lost[name] = "the patterns share as max-min does: any large value fits"
        elif interval.high > WIDEST * max(interval.low, 1e-9) and name != "mixed_cut":
            lost[name] = f"anything from {interval.low:.2g} to {interval.high:.2g} fits"
        else:
            intervals[name] = interval
    return intervals, lost
