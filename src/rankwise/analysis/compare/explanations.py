"""Parts a difference between two MPIs into algorithm and core, by the same schedules on both.

Let n be the time of an MPI's own operation and s that of one schedule over its messages. Of a candidate C and a
baseline B

    n_C / n_B = (n_C / s_C) / (n_B / s_B) x (s_C / s_B)

holds exactly. The last factor compares the two cores, which do the same; the first says how much more of its own
core the candidate's algorithm takes than the baseline's (McClements 2006 asks for the same algorithm on every
library). The schedule is the one that takes the least time on both, so that n / s is also what each MPI could
gain: chosen by the product of the times, which favours neither side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankwise.analysis.compare.cells import CellData, Point
from rankwise.analysis.compare.verdicts import pair_up
from rankwise.core.records import FloatArray
from rankwise.core.results import Explanation, Factor
from rankwise.core.schedule_names import is_schedule, operation_of
from rankwise.stats.intervals import MIN_FOR_RATIO, ratio_intervals
from rankwise.stats.summary import median

Points = Mapping[Point, Mapping[str, CellData]]


def explanations(points: Points, baseline: str, implementations: Sequence[str]) -> tuple[Explanation, ...]:
    """Return one for each of the other implementations and each operation measured beside schedules, in order.

    Both sides need MIN_FOR_RATIO launches with the operation and the schedule in common rounds; what has fewer is
    left out.
    """
    schedules: defaultdict[Point, dict[str, Mapping[str, CellData]]] = defaultdict(dict)
    for point, cells in points.items():
        if is_schedule(point.benchmark):
            native = replace(point, benchmark=operation_of(point.benchmark))
            schedules[native][point.benchmark] = cells
    return tuple(
        explanation
        for point, cells in points.items()
        for candidate in implementations
        if candidate != baseline and {baseline, candidate} <= set(cells) and point in schedules
        for explanation in _explained(cells[baseline], cells[candidate], schedules[point])
    )


def _explained(
    baseline: CellData, candidate: CellData, schedules: Mapping[str, Mapping[str, CellData]]
) -> Iterator[Explanation]:
    """One, or none where too little was measured."""
    sides = (baseline, candidate)
    common = {
        name: tuple(cells[side.cell.variant] for side in sides)
        for name, cells in schedules.items()
        if all(side.cell.variant in cells for side in sides)
    }
    if not common:
        return
    name = min(common, key=lambda schedule: sum(np.log(median(data.medians)) for data in common[schedule]))
    own = [_within_launches(side, schedule) for side, schedule in zip(sides, common[name], strict=True)]
    factors = _factors(baseline, candidate, common[name], own)
    if factors is None:
        return
    cores = [median(there.medians) / median(here.medians) for here, there in common.values()]
    point = baseline.point
    yield Explanation(
        operation=point.benchmark, size_bytes=point.size_bytes, ranks=point.ranks,
        baseline=baseline.cell.variant, candidate=candidate.cell.variant, schedule=name,
        total=factors[0], algorithm=factors[1], core=factors[2], schedules=len(common),
        core_least=min(cores), core_most=max(cores), options=point.options, placement=point.placement,
        baseline_excess=median(own[0].medians), candidate_excess=median(own[1].medians),
    )  # fmt: skip


def _within_launches(native: CellData, schedule: CellData) -> CellData:
    """The operation's time over the schedule's in each launch that measured both: what slows it slows both."""
    rounds, of_native, of_schedule = np.intersect1d(native.rounds, schedule.rounds, return_indices=True)
    return replace(native, medians=native.medians[of_native] / schedule.medians[of_schedule], rounds=rounds)


def _factors(
    baseline: CellData, candidate: CellData, schedule: Sequence[CellData], own: Sequence[CellData]
) -> tuple[Factor, Factor, Factor] | None:
    """The whole difference, and the parts of algorithm and core; None with too few launches on a side."""
    factors = []
    for here, there in ((baseline, candidate), (own[0], own[1]), (schedule[0], schedule[1])):
        pair = pair_up(here.point, here, there) if here.rounds.size and there.rounds.size else None
        if pair is None or min(pair.baseline_medians.size, pair.candidate_medians.size) < MIN_FOR_RATIO:
            return None
        factors.append(_factor(pair.baseline_medians, pair.candidate_medians))
    return factors[0], factors[1], factors[2]


def _factor(baseline: FloatArray, candidate: FloatArray) -> Factor:
    low, high = ratio_intervals(baseline[None, :], candidate[None, :])
    return Factor(median(candidate) / median(baseline), float(low[0]), float(high[0]))


def sentence(explanation: Explanation) -> str:
    """Return `mpich takes 1.80 [1.70, 1.90] times as long as lammpi: 1.50 [...] by its algorithm, ...`."""
    return (
        f"{explanation.candidate} takes {_words(explanation.total)} times as long as {explanation.baseline}: "
        f"{_words(explanation.algorithm)} from the algorithm, "
        f"{_words(explanation.core)} from the point-to-point layer"
    )


def _words(factor: Factor) -> str:
    return f"{factor.ratio:.2f} [{factor.low:.2f}, {factor.high:.2f}]"
