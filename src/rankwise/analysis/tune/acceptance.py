"""Never worse: default against tuned on fresh launches, and what goes back to the default because of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankwise.analysis.compare.cells import Point, gather, judged_points
from rankwise.analysis.compare.summary import resampled_log_ratios
from rankwise.analysis.compare.verdicts import Pair, all_pairs, judge
from rankwise.analysis.tune.application import Application
from rankwise.analysis.tune.observations import cell_words
from rankwise.analysis.tune.rules import range_words
from rankwise.core.records import DEFAULT, Benchmark, Cell, CellFailure, FloatArray, Launch, variant_name
from rankwise.core.results import Verdict
from rankwise.core.tuning import Choice, Decision, Reason, Rule, Tuning
from rankwise.stats.intervals import LEVEL
from rankwise.stats.summary import median

MORE_FAILURES = 2
"""Failures more than without the profile that send something back."""


@dataclass(frozen=True, slots=True)
class Gain:
    """Geometric mean of tuned over default time over all cells; nan without any.

    For an application each cell weighs as much as the time that the application spends there by default.
    """

    ratio: float
    ratio_low: float
    ratio_high: float
    """95 %, bootstrap over launches."""
    cells: int
    weighted: bool = False
    """By what an application does."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What fresh launches say of one implementation's tuning."""

    verdicts: tuple[Verdict, ...]
    """Of all cells; the default is the baseline."""
    gain: Gain
    tuning: Tuning
    """What is left without what was to blame: to be validated again if `reverted` has any."""
    reverted: tuple[Reason, ...]
    """What went back to the default, and which cell is why."""
    unexplained: tuple[str, ...] = ()
    """Cells that are slower, or failed, though nothing that is left could be the cause."""

    @property
    def accepted(self) -> bool:
        """No cell is significantly slower, and none failed that the default can do."""
        return not self.reverted and not self.unexplained

    @property
    def doubt(self) -> str:
        """Why it is not worth keeping; '' if all cells together, or one at least, are faster for certain."""
        gain = self.gain
        if not gain.cells:
            return "the validation came to nothing"
        if gain.ratio_high < 1 or any(one.verdict == "faster" for one in self.verdicts):
            return ""
        return (
            f"fresh launches do not confirm that it gains anything: {gain.ratio:.2f} ({gain.ratio_low:.2f} to "
            f"{gain.ratio_high:.2f}) times the default's time over {gain.cells} cells, none faster for certain"
        )


def accept(
    launches: Sequence[Launch],
    benchmarks: Mapping[str, Benchmark],
    implementation: str,
    profile: str,
    tuning: Tuning,
    *,
    delta: float = 0.05,
    alpha: float = 0.05,
    seed: int = 0,
    application: Application | None = None,
) -> Acceptance:
    """Judge `profile`, which loads `tuning`, from launches of it and of `default`; others are left out.

    All cells of the implementation are one family over which errors are counted. `application`: whose calls
    weigh the cells of the gain, though not of anything else. Every cell that is `slower`
    (significantly, and not equivalent within delta), or that fails with the profile clearly more often,
    sends something back. A rule of a decision answers for the operation, ranks and sizes that it covers, and goes
    if it only seems slower there by more than delta: it is about few cells, so noise alone rarely says so. For any
    other cell the setting that was chosen last goes first, then host settings all at once: one in each validation,
    because no launch tells which of several it was.
    """
    own = [launch for launch in launches if launch.implementation == implementation]
    own = [launch for launch in own if {cell.label for cell in _cells(launch)} <= {DEFAULT, profile}]
    points = judged_points(gather(own, benchmarks), _wrong(own))
    pairs = all_pairs(points, (implementation, variant_name(implementation, profile)))
    verdicts = judge(pairs, delta, alpha)
    cells = [_cell(pair.point, implementation) for pair in pairs]
    bad = [
        (cell, f"{one.ratio:.2f} ({one.ratio_low:.2f} to {one.ratio_high:.2f}) times the default's time")
        for cell, one in zip(cells, verdicts, strict=True)
        if one.verdict == "slower" or (_seems_slower(one, delta) and _rule_at(tuning, cell) is not None)
    ]
    bad += _failed(own, profile)
    left, reverted, unexplained = _without(tuning, bad)
    gain = _gain(pairs, _weights(pairs, implementation, application), seed)
    return Acceptance(verdicts, gain, left, tuple(reverted), tuple(unexplained))


def _seems_slower(one: Verdict, delta: float) -> bool:
    return one.verdict in ("undecided", "probably slower") and one.ratio > 1 + delta


def _cells(launch: Launch) -> list[Cell]:
    return [series.cell for series in launch.series] + [failure.cell for failure in launch.failures]


def _wrong(launches: Iterable[Launch]) -> list[Cell]:
    return [failure.cell for failure in _failures(launches) if failure.kind == "wrong data"]


def _failures(launches: Iterable[Launch]) -> list[CellFailure]:
    return [failure for launch in launches for failure in launch.failures]


def _cell(point: Point, implementation: str) -> Cell:
    return Cell(
        implementation, point.benchmark, point.size_bytes, point.ranks, point.options,
        testbed=point.testbed, placement=point.placement,
    )  # fmt: skip


def _failed(launches: Iterable[Launch], profile: str) -> list[tuple[Cell, str]]:
    """Cells that failed more often with the profile than without, and why.

    More often by two, unless it is certain: that an implementation hangs now and then is not the profile's fault.
    """
    balance: dict[Cell, int] = {}
    reasons: dict[Cell, str] = {}
    for failure in _failures(launches):
        plain = replace(failure.cell, label=DEFAULT)
        weight = 1 if failure.kind == "failed" else MORE_FAILURES
        balance[plain] = balance.get(plain, 0) + (weight if failure.cell.label == profile else -weight)
        if failure.cell.label == profile:
            reasons[plain] = f"fails: {failure.reason}"
    return [(cell, reasons[cell]) for cell, more in balance.items() if more >= MORE_FAILURES]


def _weights(pairs: Sequence[Pair], implementation: str, application: Application | None) -> FloatArray | None:
    """Shares of the time that the application spends in each cell by default; None if it comes to none of them."""
    if application is None or not pairs:
        return None
    calls = np.array(application.calls_at([_cell(pair.point, implementation) for pair in pairs]))
    spent: FloatArray = calls * np.array([median(pair.baseline_medians) for pair in pairs])
    return spent / np.sum(spent) if np.sum(spent) > 0 else None


def _gain(pairs: Sequence[Pair], weights: FloatArray | None, seed: int) -> Gain:
    if not pairs:
        return Gain(float("nan"), float("nan"), float("nan"), 0)
    logs = np.array([np.log(median(pair.candidate_medians) / median(pair.baseline_medians)) for pair in pairs])
    shares = np.full(len(pairs), 1 / len(pairs)) if weights is None else weights
    ratio = float(np.exp(shares @ logs))
    tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    low, high = np.exp(np.quantile(shares @ resampled_log_ratios(pairs, seed), tails))
    cells = int(np.sum(shares > 0))
    return Gain(ratio, min(float(low), ratio), max(float(high), ratio), cells, weights is not None)


def _without(tuning: Tuning, bad: Sequence[tuple[Cell, str]]) -> tuple[Tuning, list[Reason], list[str]]:
    """The tuning without the rules and settings that the bad cells are due to; one may be behind several cells."""
    left, reverted, unexplained = tuning, [], []
    reverted_setting: Reason | None = None
    for cell, why in bad:
        words = f"{why} {cell_words(cell)}"
        if (found := _rule_at(tuning, cell)) is not None:
            decision, rule = found
            if _rule_at(left, cell) is not None:
                left = _rule_reverted(left, decision, rule)
                subject = f"{cell.benchmark} at {cell.ranks} ranks"
                reverted.append(Reason(subject, f"{_rule_words(rule)} goes back to the default: {words}"))
        elif reverted_setting is None and (tuning.settings or tuning.host_settings):
            left, reverted_setting = _setting_reverted(left, words)
            reverted.append(reverted_setting)
        elif reverted_setting is None:
            unexplained.append(words)
    return left, reverted, unexplained


def _rule_at(tuning: Tuning, cell: Cell) -> tuple[Decision, Rule] | None:
    """The rule, other than the default's, that decides how this cell is done."""
    for decision in tuning.decisions:
        if (decision.operation, decision.ranks) == (cell.benchmark, cell.ranks):
            for rule in decision.rules:
                if rule.up_to_bytes is None or cell.size_bytes <= rule.up_to_bytes:
                    return (decision, rule) if rule.choice != Choice() else None
    return None


def _rule_reverted(tuning: Tuning, decision: Decision, rule: Rule) -> Tuning:
    """With the default in that rule's place, and neighbouring rules that are now the same merged."""
    decisions = []
    for one in tuning.decisions:
        if (one.operation, one.ranks) != (decision.operation, decision.ranks):
            decisions.append(one)
            continue
        rules: list[Rule] = []
        for old in one.rules:
            new = replace(old, choice=Choice()) if old.up_to_bytes == rule.up_to_bytes else old
            if rules and rules[-1].choice == new.choice:
                rules.pop()
            rules.append(new)
        if any(new.choice != Choice() for new in rules):
            decisions.append(replace(one, rules=tuple(rules)))
    return replace(tuning, decisions=tuple(decisions))


def _setting_reverted(tuning: Tuning, words: str) -> tuple[Tuning, Reason]:
    if tuning.settings:
        last = tuning.settings[-1]
        reason = Reason(last.knob, f"{last.value} goes back to the default: {words}")
        return replace(tuning, settings=tuning.settings[:-1]), reason
    names = ", ".join(name for name, _ in tuning.host_settings)
    return replace(tuning, host_settings=()), Reason("host settings", f"{names} go back to the default: {words}")


def _rule_words(rule: Rule) -> str:
    return f"{rule.choice.algorithm} ({range_words(rule) if rule.up_to_bytes is not None else 'to any size'})"
