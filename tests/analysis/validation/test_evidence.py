"""What is 10 % slower is not shown to be no slower, whatever the noise; what is 20 % faster is."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest

from rankwise.analysis.compare.cells import Point
from rankwise.analysis.compare.verdicts import Pair
from rankwise.analysis.validation.evidence import LAST_LOOK, LOOKS, Evidence, evidence_of, joined
from rankwise.core.records import Cell, Options

Modes = Literal["one", "independent", "alike"]
ALPHA, MARGIN = 0.05, 1.05
CELL = Cell("ours-1.0", "bcast", 64, 4)
POINT = Point("bcast", 4, Options(), "lab", "block", 64)
MODE_RATIO = 4.0
"""Between the two modes of launches."""


def pair(
    generator: np.random.Generator, ratio: float, modes: Modes = "one", *, share: float = 0.5,
    spread: float = 0.03, tails: bool = False, launches: int = LAST_LOOK,
) -> Pair:  # fmt: skip
    """Default and tuned in as many rounds; `share` of the launches is in the slow mode."""
    shape = (2, launches)
    noise = generator.standard_t(3, shape) / math.sqrt(3) if tails else generator.standard_normal(shape)
    slow = generator.random(shape) < (0.0 if modes == "one" else share)
    if modes == "alike":
        slow[1] = slow[0]
    seconds = np.exp(spread * noise + math.log(MODE_RATIO) * slow)
    rounds = np.arange(launches)
    return Pair(POINT, "default", "tuned", seconds[0], ratio * seconds[1], rounds, rounds)


def state_of(measured: Pair) -> str:
    return evidence_of(CELL, measured, MARGIN, ALPHA).state


def shown(seed: int, ratio: float, times: int, **noise: object) -> float:
    generator = np.random.default_rng(seed)
    found = [state_of(pair(generator, ratio, **noise)) for _ in range(times)]  # type: ignore[arg-type]
    return float(np.mean([one == "shown" for one in found]))


NOISES = [
    pytest.param(
        modes, share, spread, tails,
        marks=() if (share, tails) == (0.5, False) and spread == 0.03 else pytest.mark.nightly,
    )
    for modes in ("one", "independent", "alike")
    for share in (0.5, 0.1)
    for spread in (0.03, 0.1)
    for tails in (False, True)
]  # fmt: skip


@pytest.mark.parametrize(("modes", "share", "spread", "tails"), NOISES)
def test_errors_stay_below_alpha_and_what_is_much_faster_is_shown(
    modes: Modes, share: float, spread: float, *, tails: bool
) -> None:
    """At the margin itself errors are most frequent: alpha there, with a limit of four deviations above it."""
    times = 200
    limit = ALPHA + 4 * math.sqrt(ALPHA * (1 - ALPHA) / times)
    noise = {"modes": modes, "share": share, "spread": spread, "tails": tails}
    assert shown(1, MARGIN, times, **noise) <= limit
    assert shown(2, 1.1, times, **noise) <= ALPHA
    assert shown(3, 0.8, times, **noise) >= 0.9


def test_modes_that_both_sides_share_are_taken_out_by_rounds() -> None:
    alike, independent = shown(4, 1.0, 100, modes="alike"), shown(4, 1.0, 100, modes="independent")
    assert alike >= 0.95 > independent >= 0.7


def test_a_rule_of_three_cells_that_are_10_percent_slower_is_hardly_ever_kept() -> None:
    generator = np.random.default_rng(5)
    kept = [
        all(
            evidence_of(CELL, pair(generator, 1.1, "independent"), MARGIN, ALPHA).state == "shown"
            for _ in range(3)
        )
        for _ in range(200)
    ]
    assert not any(kept)


def test_a_fifth_is_shown_before_ranks_can_speak_where_times_are_steady() -> None:
    generator = np.random.default_rng(10)
    early = [evidence_of(CELL, pair(generator, 0.8, launches=5), MARGIN, ALPHA) for _ in range(100)]
    assert np.mean([one.state == "shown" for one in early]) >= 0.9
    assert {one.wanted for one in early if one.state == "open"} <= {6}
    steady = [evidence_of(CELL, pair(generator, 0.7, launches=4), MARGIN, ALPHA) for _ in range(100)]
    assert np.mean([one.state == "shown" for one in steady]) >= 0.9
    assert evidence_of(CELL, pair(generator, 0.8, launches=1), MARGIN, ALPHA).wanted == 3


@pytest.mark.parametrize("modes", ["independent", "alike"])
def test_four_launches_show_what_is_faster_than_modes_are_apart(modes: Modes) -> None:
    generator = np.random.default_rng(11)
    found = [evidence_of(CELL, pair(generator, 0.2, modes, launches=4), MARGIN, ALPHA) for _ in range(50)]
    assert {one.state for one in found} == {"shown"}
    assert all(one.upper_ratio < MARGIN and one.log_ratio < math.log(0.9) for one in found)
    wrong = [state_of(pair(generator, MARGIN, modes, launches=4)) == "shown" for _ in range(400)]
    assert np.mean(wrong) < 0.03, "one in 70 at most, and what chance adds"


def test_it_ends_at_once_where_the_cell_is_slower_for_certain() -> None:
    found = evidence_of(CELL, pair(np.random.default_rng(6), 1.5, launches=6), MARGIN, ALPHA)
    assert (found.state, found.wanted, found.launches) == ("slower", 0, 6)


def test_more_noise_asks_for_more_launches() -> None:
    wanted = {}
    for spread in (0.03, 0.06, 0.2):
        generator = np.random.default_rng(7)
        found = [
            evidence_of(CELL, pair(generator, 1.0, spread=spread, launches=6), MARGIN, ALPHA) for _ in range(40)
        ]
        wanted[spread] = float(np.mean([one.wanted for one in found if one.state == "open"]))
    assert wanted[0.03] < wanted[0.06] and set(LOOKS) >= {12, 24, 48}
    last = evidence_of(CELL, pair(np.random.default_rng(8), 1.0, spread=0.3), MARGIN, ALPHA)
    assert (last.state, last.wanted) == ("open", 0), "after the last look there is no other"


def test_what_was_not_shown_is_said_with_what_could_not_be_excluded() -> None:
    assert Evidence(CELL, "open", 12, 1.07).words == "up to 7 % slower could not be excluded after 12 launches"
    assert Evidence(CELL, "open", 12, 3.5).words.startswith("up to 3.5 times the time could not be excluded")
    assert "too few" in Evidence(CELL, "open", 3).words
    assert Evidence(CELL, "open").words.startswith("not measured")


def test_runs_are_joined_round_by_round() -> None:
    generator = np.random.default_rng(9)
    first, second = (pair(generator, 1.0, "alike", launches=6) for _ in range(2))
    both = joined([first, second])
    assert [*both.baseline_rounds] == [*both.candidate_rounds] == [*range(12)]
    assert evidence_of(CELL, both, MARGIN, ALPHA).launches == 12
