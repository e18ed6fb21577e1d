"""Steps that were each validated beside the one before are told beside the default."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rankwise.analysis.validation.acceptance import Acceptance
from rankwise.analysis.validation.increments import in_all
from rankwise.core.results import Gain, Verdict, VerdictWord
from rankwise.core.tuning import Tuning
from support.profiles import VERDICTS


def verdict(size_bytes: int, ratio: float, word: VerdictWord) -> Verdict:
    return replace(
        VERDICTS[0], size_bytes=size_bytes, ratio=ratio, ratio_low=0.9 * ratio, ratio_high=1.1 * ratio,
        verdict=word,
    )  # fmt: skip


def step(*verdicts: Verdict, gain: float) -> Acceptance:
    return Acceptance(verdicts, Gain(gain, 0.9 * gain, 1.1 * gain, len(verdicts)), Tuning(), ())


def test_the_ratios_of_steps_multiply_where_both_act() -> None:
    limits = step(verdict(64, 1.0, "undecided"), verdict(4096, 0.2, "faster"), gain=0.45)
    threshold = step(verdict(4096, 0.5, "faster"), gain=0.5)
    found = {one.size_bytes: one for one in in_all([limits, threshold]).verdicts}
    assert found[4096].ratio == pytest.approx(0.1) and found[4096].verdict == "faster"
    assert found[4096].ratio_high == pytest.approx(0.2 * 0.5 * 1.1**2)
    assert (found[64].ratio, found[64].verdict) == (1.0, "undecided"), "the second step does not act there"
    assert in_all([limits, threshold]).gain.ratio == pytest.approx(0.45 * 0.5**0.5)


@pytest.mark.parametrize(
    ("one", "other", "word"),
    [
        ((0.2, "faster"), (1.02, "undecided"), "faster"),
        ((0.95, "faster"), (1.06, "slower"), "undecided"),
        ((1.0, "equivalent"), (1.0, "equivalent"), "equivalent"),
    ],
)
def test_what_steps_say_together(
    one: tuple[float, VerdictWord], other: tuple[float, VerdictWord], word: VerdictWord
) -> None:
    steps = [step(verdict(64, *mine), gain=1.0) for mine in (one, other)]
    assert [each.verdict for each in in_all(steps).verdicts] == [word]


def test_one_step_is_what_it_is() -> None:
    only = step(verdict(64, 0.5, "faster"), gain=0.5)
    assert in_all([only]).verdicts == only.verdicts and in_all([only]).gain.ratio == pytest.approx(0.5)
