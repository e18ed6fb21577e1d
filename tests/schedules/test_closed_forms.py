"""What algorithms send where all ranks are alike is what the closed forms in the documents say."""

from __future__ import annotations

import pytest

from rankwise.schedules import generator
from rankwise.schedules.model import ROOTED, Problem
from rankwise.schedules.traffic import traffic
from support.closed_forms import Row, parse, rows

RANKS = (2, 3, 4, 5, 6, 7, 8, 12, 13, 16, 27)
FAN_OUT, LANES = 3, 2
FLAT = rows("rounds")
WIDE = [*rows("crossings"), *rows("bytes between nodes of a site"), *rows("the busiest site sends or receives")]
OF_ALL = {"reduce_scatter.reduce_scatterv", "allgather.gather_bcast"}
"""Whose messages in segments are all blocks."""
HOLDS = {
    "": lambda ranks: True,
    "P even": lambda ranks: ranks % 2 == 0,
    "P = kⁿ": lambda ranks: ranks in {3, 9, 27},
}


def values(ranks: int, size: int, segments: int) -> dict[str, float]:
    """Return what the letters stand for."""
    lower, upper = 1 << ranks.bit_length() - 1, 1 << (ranks - 1).bit_length()
    subtrees = sum(min(one & -one, ranks - one) for one in range(1, ranks))
    ones = sum(map(int.bit_count, range(ranks)))
    return {
        "P": ranks, "m": size, "S": segments, "Q": lower, "T": upper, "B": subtrees, "H": ones, "k": FAN_OUT,
        "L": LANES,
    }  # fmt: skip


def counted(row: Row, ranks: int, size: int, segments: int, root: int = 0) -> tuple[int, int, int]:
    """Rounds, messages and bytes."""
    one = generator.algorithm(row.operation, row.name)
    message = size // ranks if one.id == "allreduce.segmented_ring" else size * (ranks if one.id in OF_ALL else 1)
    problem = Problem(
        row.operation, ranks, root if row.operation in ROOTED else 0, size, segment=message // segments,
        fan_out=FAN_OUT if one.fans and one.id != "barrier.tree" else 0, lanes=LANES if one.lanes else 0,
        element_bytes=1,
    )  # fmt: skip
    found = traffic(problem, generator.schedules(one, problem))
    return found.rounds, found.messages, found.elements


@pytest.mark.parametrize("row", FLAT, ids=lambda row: row.id)
def test_rounds_messages_and_bytes(row: Row) -> None:
    segmented = generator.algorithm(row.operation, row.name).segmented and "S" in "".join(
        cell.text for cell in row.cells
    )
    for ranks in filter(HOLDS[row.condition], RANKS):
        whole = ranks << ranks.bit_length() - 1  # parts of halves of it are equal
        for size, segments, root in ((12 * whole, 1, 0), (60 * whole, 3 if segmented else 1, ranks // 2)):
            found = counted(row, ranks, size, segments, root)
            letters = values(ranks, size, segments)
            for column, (cell, quantity) in enumerate(zip(row.cells, found, strict=True)):
                if column or segments == 1 or "S" in cell.text:
                    assert cell.holds(quantity, letters), (cell.text, quantity, letters, root)


@pytest.mark.parametrize("row", FLAT, ids=lambda row: row.id)
def test_one_rank_sends_nothing(row: Row) -> None:
    assert row.condition == "P even" or counted(row, 1, 12, 1) == (0, 0, 0)


def test_every_algorithm_has_a_row() -> None:
    """The flat ones in the first table, those that know sites in the second."""
    flat = {one.id for one in generator.algorithms() if not one.for_networks}
    wide = {one.id for one in generator.algorithms() if one.for_networks}
    assert {f"{row.operation}.{row.name}" for row in FLAT} == flat
    assert {f"{row.operation}.{row.name}" for row in WIDE} == wide
    assert len({row.id for row in FLAT}) == len(FLAT)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 (P - 1)", 12.0), ("P² - 1 - B", 39.0), ("⌈log₂ P⌉ + ⌊log₂ P⌋", 5.0), ("P log₂ (P + 1) / 3", 7.0),
        ("Σ Sᵢ (Sᵢ - 1) + 2 Σ (P - Sᵢ)", 42.0), ("(k - 1) ⌈logₖ P⌉", 4.0),
    ],
)  # fmt: skip
def test_closed_forms_are_read(text: str, value: float) -> None:
    assert parse(text)({"P": 7, "B": 9, "k": 3}, [4, 2, 1]) == value


@pytest.mark.parametrize("text", ["2 (P - 1", "P ^ 2", "P +", "P 2 )", ""])
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse(text)
