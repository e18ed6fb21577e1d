"""Never worse: default against tuned on fresh launches, and what goes back to the default because of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankwise.analysis.application import Application
from rankwise.analysis.compare.cells import Point, gather, judged_points
from rankwise.analysis.compare.summary import resampled_log_ratios
from rankwise.analysis.compare.verdicts import Pair, all_pairs, judge
from rankwise.analysis.validation.acting import DEFAULTS, acts, communicator_ranks, has_rule
from rankwise.analysis.validation.evidence import (
    LARGE_RATIO,
    Evidence,
    beside_gain,
    certain_gain,
    evidence_of,
    harm_of,
    joined,
)
from rankwise.analysis.validation.reverting import Bad, without
from rankwise.core.records import DEFAULT, Benchmark, Cell, CellFailure, FloatArray, Launch, variant_name
from rankwise.core.results import Gain, Verdict
from rankwise.core.tuning import Reason, Tuning
from rankwise.core.units import format_size
from rankwise.stats.intervals import LEVEL
from rankwise.stats.summary import median

MORE_FAILURES = 2
"""Failures more than without the profile that send something back."""
NO_GAIN = Gain(float("nan"), float("nan"), float("nan"), 0)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What fresh launches say of one implementation's tuning."""

    verdicts: tuple[Verdict, ...]
    """Of the cells that the tuning acts on; the default is the baseline."""
    gain: Gain
    """Over the same cells: others would dilute it."""
    tuning: Tuning
    """What is left without what was to blame: to be validated again if `reverted` has any."""
    reverted: tuple[Reason, ...]
    """What went back to the default, and which cell is why."""
    unexplained: tuple[str, ...] = ()
    """Cells that are slower, or failed, though nothing that is left could be the cause."""
    evidence: tuple[Evidence, ...] = ()
    """Of the cells that the tuning acts on."""

    @property
    def accepted(self) -> bool:
        """Every cell is shown to be no slower, and none failed that the default can do."""
        return not self.reverted and not self.unexplained and not self.open

    @property
    def open(self) -> tuple[Evidence, ...]:
        """The cells that more launches may show to be no slower."""
        return tuple(evidence for evidence in self.evidence if evidence.state == "open")

    @property
    def doubt(self) -> str:
        """Why it is not worth keeping; '' if all cells together, or one at least, are faster for certain."""
        gain = self.gain
        if not gain.cells:
            return "the validation came to nothing"
        if gain.ratio_high < 1 or any(verdict.verdict == "faster" for verdict in self.verdicts):
            return ""
        best = min(self.verdicts, key=lambda verdict: verdict.ratio)
        return (
            f"fresh launches do not confirm that it gains anything: none of {gain.cells} cells is "
            f"significantly faster; the best is {format_size(best.size_bytes)}, {_ratio_words(best)}"
        )


@dataclass(frozen=True, slots=True)
class Validated:
    """What is to be judged: `tuning`, loaded by cells labelled `profile`, in cells that all have to be shown."""

    implementation: str
    profile: str
    tuning: Tuning
    cells: tuple[Cell, ...] = ()
    """Without label and configuration. Others that were measured send something back only if they are slower."""
    quantile: float = 0.5
    """Of a launch's repetitions, which is compared."""
    untouched: tuple[Cell, ...] = ()
    """Cells on which nothing that is set should act: they send something back only if they are slower."""
    base: Tuning = DEFAULTS
    """What is validated already: the default's side of all launches has it, and nothing of it goes back."""


def accept(
    runs: Sequence[Sequence[Launch]],
    benchmarks: Mapping[str, Benchmark],
    wanted: Validated,
    *,
    delta: float = 0.05,
    alpha: float = 0.05,
    seed: int = 0,
    application: Application | None = None,
    is_over: bool = False,
) -> Acceptance:
    """Judge a tuning from launches of it and of the default, run by run; launches of others are left out.

    Every cell of `wanted` that the tuning acts on has to be shown to be no slower than by default (`evidence_of`,
    each with an error of alpha for itself). What is not sends something back to the default: at once if it is
    slower for certain, fails clearly more often, or no more launches are worth it; with `is_over` any other too.
    Where settings are more than LARGE_RATIO times as fast for certain in one cell, it is enough in others that a
    loss of as much is excluded, if they seem no slower. A cell that the tuning does not act on counts only if it
    is `slower`, as `compare.verdicts.judge` has it: then a rule does not end where it should.

    The rule that a cell is due to goes, or those of its sizes that were not shown, and nothing else. Where it is
    due to none, the setting that was chosen last goes first, then host settings all at once: one in each
    validation, because no launch tells which of several it was; if there is no time for another, everything goes,
    since what is left was never measured.
    `application`: whose calls weigh the cells of the gain, though not of anything else.
    """
    own_runs = [[launch for launch in run if _is_of(launch, wanted)] for run in runs]
    flat = [launch for run in own_runs for launch in run]
    pairs = _pairs(own_runs, benchmarks, wanted, _wrong(flat))

    def cell_acts(cell: Cell) -> bool:
        return acts(wanted.tuning, cell, wanted.base)

    acted = {cell: pair for cell, pair in pairs.items() if cell_acts(cell)}
    failed, given_up = _failed(flat, wanted.profile)
    level = alpha / max(len(acted), 1)
    evidence = [
        harm_of(cell, pair, level) if cell in wanted.untouched else evidence_of(cell, pair, 1 + delta, alpha)
        for cell, pair in acted.items()
    ]
    gain_elsewhere = max((certain_gain(pair, level) for pair in acted.values()), default=0.0)
    if gain_elsewhere > LARGE_RATIO:
        evidence = [
            judged if has_rule(wanted.tuning, judged.cell) else beside_gain(judged, gain_elsewhere, 1 + delta)
            for judged in evidence
        ]
    known = {*pairs, *failed, *given_up}
    evidence += [Evidence(cell, "open") for cell in wanted.cells if cell_acts(cell) and cell not in known]
    verdicts = _with_gains(judge([*acted.values()], delta, alpha), acted.values(), alpha)
    required = frozenset(wanted.cells)
    own = [cell for cell in wanted.cells if has_rule(wanted.tuning, cell) and cell_acts(cell)]
    bad = [
        Bad(judged.cell, _why(judged, pairs), judged.cell in own)
        for judged in evidence
        if judged.state == "slower" or (judged.cell in required and _is_given_up(judged, is_over=is_over))
    ]
    bad += _slower_elsewhere({cell: pair for cell, pair in pairs.items() if cell not in acted}, delta, alpha)
    bad += [Bad(cell, why) for cell, why in failed.items()]
    reverted = without(wanted.tuning, bad, own, is_over=is_over, base=wanted.base)
    gain = _gain(acted, _weights(acted, application), seed)
    return Acceptance(verdicts, gain, reverted.tuning, reverted.reasons, reverted.unexplained, tuple(evidence))


def _is_given_up(evidence: Evidence, *, is_over: bool) -> bool:
    return evidence.state == "open" and (is_over or not evidence.wanted)


def _why(evidence: Evidence, pairs: Mapping[Cell, Pair]) -> str:
    if evidence.state == "open":
        return evidence.words
    (verdict,) = judge([pairs[evidence.cell]], 0.0, 1.0)
    return _ratio_words(verdict)


def _ratio_words(verdict: Verdict) -> str:
    return f"{verdict.ratio:.2f} ({verdict.ratio_low:.2f} to {verdict.ratio_high:.2f}) times the time without it"


def _with_gains(verdicts: Sequence[Verdict], pairs: Iterable[Pair], alpha: float) -> tuple[Verdict, ...]:
    """The verdicts, `faster` also where few launches show it by Student's bound, at a level for all cells."""
    level = alpha / max(len(verdicts), 1)
    return tuple(
        replace(verdict, verdict="faster")
        if verdict.verdict != "faster" and certain_gain(pair, level) > 1
        else verdict
        for verdict, pair in zip(verdicts, pairs, strict=True)
    )


def _slower_elsewhere(pairs: Mapping[Cell, Pair], delta: float, alpha: float) -> list[Bad]:
    verdicts = judge([*pairs.values()], delta, alpha)
    return [
        Bad(cell, _ratio_words(verdict))
        for cell, verdict in zip(pairs, verdicts, strict=True)
        if verdict.verdict == "slower"
    ]


def _is_of(launch: Launch, wanted: Validated) -> bool:
    labels = {cell.label for cell in _cells(launch)}
    return launch.implementation == wanted.implementation and labels <= {DEFAULT, wanted.profile}


def _cells(launch: Launch) -> list[Cell]:
    return [series.cell for series in launch.series] + [failure.cell for failure in launch.failures]


def _wrong(launches: Iterable[Launch]) -> list[Cell]:
    return [failure.cell for failure in _failures(launches) if failure.kind == "wrong data"]


def _failures(launches: Iterable[Launch]) -> list[CellFailure]:
    return [failure for launch in launches for failure in launch.failures]


def _pairs(
    runs: Iterable[Sequence[Launch]], benchmarks: Mapping[str, Benchmark], wanted: Validated, wrong: Iterable[Cell]
) -> dict[Cell, Pair]:
    """Default and tuned in each cell, over all runs."""
    by_point: defaultdict[Point, list[Pair]] = defaultdict(list)
    given_up = [replace(cell, configuration="") for cell in wrong]
    for run in runs:
        data = [
            replace(gathered, cell=replace(gathered.cell, configuration=""))
            for gathered in gather(run, benchmarks, wanted.quantile)
        ]  # runs differ in what is loaded for other cells
        points = judged_points(data, given_up)
        variants = (wanted.implementation, variant_name(wanted.implementation, wanted.profile))
        for pair in all_pairs(points, variants):
            by_point[pair.point].append(pair)
    return {_cell(point, wanted.implementation): joined(by_point[point]) for point in by_point}


def _cell(point: Point, implementation: str) -> Cell:
    return Cell(
        implementation, point.benchmark, point.size_bytes, point.ranks, point.options,
        testbed=point.testbed, placement=point.placement,
    )  # fmt: skip


def _failed(launches: Iterable[Launch], profile: str) -> tuple[dict[Cell, str], set[Cell]]:
    """Cells that failed more often with the profile than without, and why; and those that fail by default.

    More often by two, unless it is certain: that an implementation hangs now and then is not the profile's fault.
    """
    tuned: Counter[Cell] = Counter()
    default: Counter[Cell] = Counter()
    reasons: dict[Cell, str] = {}
    for failure in _failures(launches):
        plain = replace(failure.cell, label=DEFAULT, configuration="")
        is_tuned = failure.cell.label == profile
        (tuned if is_tuned else default)[plain] += 1 if failure.kind == "failed" else MORE_FAILURES
        if is_tuned:
            reasons[plain] = f"fails: {failure.reason}"
    worse = {cell: why for cell, why in reasons.items() if tuned[cell] - default[cell] >= MORE_FAILURES}
    return worse, {cell for cell, times in default.items() if times >= MORE_FAILURES}


def _weights(pairs: Mapping[Cell, Pair], application: Application | None) -> FloatArray | None:
    """Shares of the time that the application spends in each cell by default; None if it comes to none of them.

    What it does on whole communicators: groups and other placements stand for no calls of their own.
    """
    if application is None or not pairs:
        return None
    whole = [cell if communicator_ranks(cell) == cell.ranks else replace(cell, benchmark="") for cell in pairs]
    calls = np.array(application.calls_at(whole))
    spent: FloatArray = calls * np.array([median(pair.baseline_medians) for pair in pairs.values()])
    return spent / np.sum(spent) if np.sum(spent) > 0 else None


def _gain(pairs: Mapping[Cell, Pair], weights: FloatArray | None, seed: int) -> Gain:
    if not pairs:
        return NO_GAIN
    both = [*pairs.values()]
    logs = np.array([np.log(median(pair.candidate_medians) / median(pair.baseline_medians)) for pair in both])
    shares = np.full(len(both), 1 / len(both)) if weights is None else weights
    ratio = float(np.exp(shares @ logs))
    tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    low, high = np.exp(np.quantile(shares @ resampled_log_ratios(both, seed), tails))
    cells = int(np.sum(shares > 0))
    return Gain(ratio, min(float(low), ratio), max(float(high), ratio), cells, weights is not None)
