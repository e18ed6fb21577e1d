"""How far a mean over rounds may be from the truth: one bound, which holds however often it is looked at.

The bound is the confidence sequence that belongs to the Bayes factor of Student's t-test with a normal prior on
the standardised effect (Gönen, Johnson, Lu and Westfall 2005). If the mean is the one assumed, that factor is a
ratio of two densities of the same invariant statistic, so a non-negative martingale that begins at one
(Hendriksen, de Heide and Grünwald 2021), and by Ville's inequality it ever exceeds 1 / level with a probability of
at most the level. So a search may look after every round and stop when it likes.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import scipy

from rankwise.core.records import FloatArray
from rankwise.stats.summary import mean_of_measured

PRIOR = 16.0
"""Variance of standardised effects, beforehand: a difference worth finding is some four times what rounds vary by.
It decides where the bound is narrowest, not whether it holds."""
GIVING_UP_ROUNDS = 3
"""After fewer nothing is given up: times of one of two modes look steady."""
GIVING_UP_LEVEL = 0.05
"""With half this probability a candidate is given up that the last round would have shown to be faster."""
REPEATABLE = 1e-3
"""No time repeats from round to round to better than this share, however few rounds seem to say so."""


def critical_t(rounds: int, freedom: int, level: float) -> float:
    """Return how many standard errors a mean over `rounds` may be off; infinite while these are too few to tell.

    `freedom`: degrees of freedom of the standard error.
    """
    if rounds < 2 or freedom < 1:
        return np.inf
    growth = 1 + rounds * PRIOR
    factor = (np.sqrt(growth) / level) ** (2 / (freedom + 1))
    return float(np.sqrt(freedom * (factor - 1) / (1 - factor / growth))) if factor < growth else np.inf


@dataclass(frozen=True, slots=True, eq=False)
class Bounded:
    """Logarithms of candidates' times over a baseline's, shape (candidates,) each; nan where never measured."""

    log_ratio: FloatArray
    """Mean over the rounds that measured both."""
    radius: FloatArray
    """The truth is within this, with the level's probability for each candidate, after all rounds at once."""
    rounds: FloatArray
    least_high: FloatArray
    """The least that `high` may be after the last round that there may be, with this spread: a prediction interval
    for the mean of all rounds, which decides on what is not worth measuring (futility) and on nothing else."""

    @property
    def low(self) -> FloatArray:
        """The least that the ratio may be."""
        return self.log_ratio - self.radius

    @property
    def high(self) -> FloatArray:
        """The most that it may be."""
        return self.log_ratio + self.radius


def bounded(logs: FloatArray, baseline: FloatArray, level: float, most_rounds: int = 0) -> Bounded:
    """Compare each row of `logs`, shape (candidates, rounds), with `baseline`, shape (rounds,); nan: not measured.

    `most_rounds`: how many there may be in the end; 0: these.

    A round is a block: what it does to all alike cancels. The spread is that of the residuals of rows and rounds
    (a two-way layout, Scheffé 1959, chapter 4) of all candidates together, so that few rounds of many are enough;
    a candidate that varies more than the others together is judged by its own. Exact for normal times that vary
    alike; for others see the simulations in the tests.
    """
    differences = logs - baseline
    measured = ~np.isnan(differences)
    rounds = np.sum(measured, axis=1)
    means = mean_of_measured(differences)
    squares = np.sum(np.where(measured, differences - means[:, None], 0.0) ** 2, axis=1)
    own = np.divide(squares, rounds - 1, out=np.zeros(len(logs)), where=rounds > 1)
    pooled, freedom = _pooled(logs, baseline, measured)
    variance = np.maximum(np.maximum(own, 2 * pooled), REPEATABLE**2)
    last = max(most_rounds, logs.shape[1])
    final = critical_t(last, max(freedom * (last - 1) // max(logs.shape[1] - 1, 1), last - 1), level)
    critical = np.array([critical_t(int(count), freedom, level) for count in rounds])
    radius = np.full(len(logs), np.inf)
    finite = np.isfinite(critical)
    radius[finite] = critical[finite] * np.sqrt(variance[finite] / rounds[finite])
    luck = scipy.special.stdtrit(max(freedom, 1), 1 - GIVING_UP_LEVEL / 2) * np.sqrt(
        variance * (1 / np.maximum(rounds, 1) - 1 / last)
    )
    least_high = means - luck + final * np.sqrt(max(2 * pooled, REPEATABLE**2) / last)
    least_high[rounds < GIVING_UP_ROUNDS] = -np.inf
    return Bounded(means, radius, rounds.astype(np.float64), least_high)


def _pooled(logs: FloatArray, baseline: FloatArray, measured: np.ndarray) -> tuple[float, int]:
    """The variance of a single time without what its row and its round have in common, and its freedom.

    Rows that were measured in the same rounds are taken together; the baseline is in each such group.
    """
    groups: defaultdict[bytes, list[int]] = defaultdict(list)
    for row, where in enumerate(measured):
        groups[where.tobytes()].append(row)
    squares, freedom = 0.0, 0
    for rows in groups.values():
        where = measured[rows[0]]
        if np.sum(where) < 2:
            continue
        block = np.vstack([baseline[where], logs[rows][:, where]])
        residuals = block - block.mean(axis=1, keepdims=True) - block.mean(axis=0) + block.mean()
        squares += float(np.sum(residuals**2))
        freedom += len(rows) * (int(np.sum(where)) - 1)
    return (squares / freedom if freedom else 0.0), freedom
