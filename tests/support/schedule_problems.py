"""Problems for an algorithm to be tried on: every shape that it says it can do, small ones more often."""

from __future__ import annotations

from hypothesis import strategies as st

from rankwise.schedules import generator
from rankwise.schedules.generator import Algorithm, RefusedError
from rankwise.schedules.model import BLOCKED, REDUCING, ROOTED, Network, Problem, Schedule

COUNTS = st.sampled_from([0, 1, 2, 7, 31, 64, 1009, 10**9 + 7])
NEAR_COUNTS = st.sampled_from([0, 0, 1, 2, 3, 5, 40])


def made(one: Algorithm, problem: Problem) -> tuple[Schedule, ...]:
    """Return the schedules; none if the algorithm cannot do this."""
    try:
        return generator.schedules(one, problem)
    except RefusedError:
        return ()


@st.composite
def problems(draw: st.DrawFn, one: Algorithm, most_ranks: int = 64, small: bool = False) -> Problem:
    """Problems of up to `most_ranks` ranks; `small`: whose elements can be carried out one by one."""
    ranks = draw(st.one_of(st.integers(1, min(9, most_ranks)), st.integers(1, most_ranks)))
    count = draw(st.integers(0, 3 * ranks) if small else COUNTS)
    few = 3 if small else 40
    counts, matrix = (), ()
    if one.operation in BLOCKED and not one.equal_blocks and draw(st.booleans()):
        counts = tuple(draw(st.lists(NEAR_COUNTS.map(lambda n: min(n, few)), min_size=ranks, max_size=ranks)))
    if one.operation == "alltoall":
        count = min(count, few)
        if not one.equal_blocks and draw(st.booleans()):
            seed = draw(st.integers(0, 2**16))
            matrix = tuple(
                tuple(
                    (seed + 7 * a + 3 * b * a + b) % 11 % (few + 1) * ((seed + a + b) % 3 > 0)
                    for b in range(ranks)
                )
                for a in range(ranks)
            )
    elif one.operation in BLOCKED:
        count = min(count, few) if small else count
    return Problem(
        one.operation, ranks, draw(st.integers(0, ranks - 1)) if one.operation in ROOTED else 0, count, counts,
        matrix,
        commutative=bool(one.commutative_only) or one.operation not in REDUCING or draw(st.booleans()),
        segment=draw(st.sampled_from([0, 1, 3, 5] if small else [0, max(1, count // 7), count + 1]))
        if one.segmented else 0,
        fan_out=draw(st.sampled_from([0, 2, 3, 4, 8])) if one.fans else 0,
        lanes=draw(st.sampled_from([0, 1, 2, 3])) if one.lanes else 0,
        element_bytes=draw(st.sampled_from([0, 1, 8])),
        network=draw(networks(ranks)) if one.for_networks else None,
    )  # fmt: skip


@st.composite
def networks(draw: st.DrawFn, ranks: int) -> Network | None:
    """Sites and nodes of any sizes, ranks and nodes in any order, sometimes with figures of the links."""
    levels = draw(st.integers(0, 3))
    if levels == 0:
        return draw(st.sampled_from([None, Network()]))
    sites = draw(st.integers(1, min(ranks, 5)))
    order = draw(st.permutations(range(ranks)))
    outer = [min(order[rank], sites - 1) if draw(st.booleans()) else order[rank] % sites for rank in range(ranks)]
    groups = [numbered(outer)]
    for _ in range(levels - 1):
        inner = draw(st.lists(st.integers(0, 2), min_size=ranks, max_size=ranks))
        numbers = numbered(list(zip(groups[-1], inner, strict=True)))
        groups.append(tuple(max(numbers) - one for one in numbers) if draw(st.booleans()) else numbers)
    count = max(groups[0]) + 1
    if not draw(st.booleans()):
        return Network(tuple(groups))
    delays = [[0.0 if a == b else (1 + (a + b) % 3) * 5e-3 for b in range(count)] for a in range(count)]
    rates = [[1.25e8 / (1 + (a * b) % 3) for b in range(count)] for a in range(count)]
    return Network(tuple(groups), tuple(map(tuple, delays)), tuple(map(tuple, rates)), 1.25e8)


def numbered(names: list[object]) -> tuple[int, ...]:
    """Return the names as numbers from 0 on, in the order in which they come."""
    numbers: dict[object, int] = {}
    return tuple(numbers.setdefault(name, len(numbers)) for name in names)
