"""Schedules as files that simulators read, for simulator_beside_peers.py: time-independent traces and GOAL."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

Message = tuple[int, int]
"""The peer and the tag."""
FLOPS_PER_SECOND = 1e9
"""Of a platform that says nothing else."""


@dataclass(frozen=True)
class Schedule:
    """`rounds(rank)` yields what the rank sends and receives together, round by round."""

    name: str
    ranks: int
    size: int
    rounds: Callable[[int], Iterator[tuple[list[Message], list[Message]]]]
    messages: int
    starts: tuple[float, ...] = ()
    """The seconds that each rank computes first; (): none."""


def ring(ranks: int, rounds: int, size: int) -> Schedule:
    """Each rank sends to the next one, again and again."""

    def of(rank: int) -> Iterator[tuple[list[Message], list[Message]]]:
        for i in range(rounds):
            yield [((rank + 1) % ranks, i)], [((rank - 1) % ranks, i)]

    return Schedule(f"ring {ranks} x {rounds}", ranks, size, of, ranks * rounds)


def pairwise(ranks: int, rounds: int, size: int) -> Schedule:
    """In round i each rank sends to the one i + 1 further."""

    def of(rank: int) -> Iterator[tuple[list[Message], list[Message]]]:
        for i in range(rounds):
            step = i % (ranks - 1) + 1
            yield [((rank + step) % ranks, i)], [((rank - step) % ranks, i)]

    return Schedule(f"pairwise {ranks} x {rounds}", ranks, size, of, ranks * rounds)


def permutations(ranks: int, rounds: int, size: int) -> Schedule:
    """In each round another random permutation without fixed points."""
    draw = random.Random(1)
    to, source = [], []
    for _ in range(rounds):
        order = draw.sample(range(ranks), ranks)
        following = dict(zip(order, order[1:] + order[:1], strict=True))
        to.append(following)
        source.append({there: here for here, there in following.items()})

    def of(rank: int) -> Iterator[tuple[list[Message], list[Message]]]:
        for i in range(rounds):
            yield [(to[i][rank], i)], [(source[i][rank], i)]

    return Schedule(f"permutations {ranks} x {rounds}", ranks, size, of, ranks * rounds)


def all_to_all(ranks: int, size: int) -> Schedule:
    """All messages at once."""

    def of(rank: int) -> Iterator[tuple[list[Message], list[Message]]]:
        steps = range(1, ranks)
        yield [((rank + s) % ranks, 0) for s in steps], [((rank - s) % ranks, 0) for s in steps]

    return Schedule(f"all-to-all {ranks}", ranks, size, of, ranks * (ranks - 1))


def halo(side: int, rounds: int, size: int, apart_seconds: float = 0.0) -> Schedule:
    """Each rank of a cube exchanges with its six neighbours; ranks start up to so many seconds apart."""
    ranks, draw = side**3, random.Random(1)

    def neighbours(rank: int) -> list[int]:
        x, y, z = rank // side**2, rank // side % side, rank % side
        places = [((x + d) % side, y, z) for d in (1, -1)] + [(x, (y + d) % side, z) for d in (1, -1)]
        places += [(x, y, (z + d) % side) for d in (1, -1)]
        return [(i * side + j) * side + k for i, j, k in places]

    def of(rank: int) -> Iterator[tuple[list[Message], list[Message]]]:
        here = neighbours(rank)
        for i in range(rounds):
            # Towards a neighbour and back have tags of their own, for with two in a row they are the same.
            yield (
                [(one, 6 * i + d) for d, one in enumerate(here)],
                [(one, 6 * i + (d ^ 1)) for d, one in enumerate(here)],
            )

    starts = tuple(draw.uniform(0, apart_seconds) for _ in range(ranks)) if apart_seconds else ()
    name = f"halo {side}^3 x {rounds}" + (f", {1e6 * apart_seconds:.0f} us apart" if starts else "")
    return Schedule(name, ranks, size, of, 6 * ranks * rounds, starts)


def write_trace(schedule: Schedule, path: Path) -> None:
    """Write it as SimGrid's time-independent trace, in bytes (datatype 6)."""
    size = schedule.size
    with path.open("w") as file:
        for rank in range(schedule.ranks):
            lines = [f"{rank} init\n"]
            if schedule.starts:
                lines.append(f"{rank} compute {schedule.starts[rank] * FLOPS_PER_SECOND:.0f}\n")
            for sends, receives in schedule.rounds(rank):
                if len(sends) == 1 and len(receives) == 1:
                    (to, tag), (source, _) = sends[0], receives[0]
                    lines.append(
                        f"{rank} irecv {source} {tag} {size} 6\n{rank} send {to} {tag} {size} 6\n"
                        f"{rank} wait {source} {rank} {tag}\n"
                    )
                    continue
                lines += [f"{rank} irecv {source} {tag} {size} 6\n" for source, tag in receives]
                lines += [f"{rank} isend {to} {tag} {size} 6\n" for to, tag in sends]
                lines.append(f"{rank} waitall\n")
            lines.append(f"{rank} finalize\n")
            file.writelines(lines)


def write_goal(schedule: Schedule, path: Path) -> None:
    """Write it as a GOAL schedule: a round begins when the one before has ended."""
    size = schedule.size
    with path.open("w") as file:
        file.write(f"num_ranks {schedule.ranks}\n")
        for rank in range(schedule.ranks):
            lines = [f"rank {rank} {{\n"]
            number = 1
            before: list[int] = []
            if schedule.starts:
                lines.append(f"l1: calc {schedule.starts[rank] * 1e9:.0f}\n")
                number, before = 2, [1]
            for sends, receives in schedule.rounds(rank):
                here = []
                for word, messages in (("recv {}b from", receives), ("send {}b to", sends)):
                    for peer, tag in messages:
                        lines.append(f"l{number}: {word.format(size)} {peer} tag {tag}\n")
                        lines += [f"l{number} requires l{earlier}\n" for earlier in before]
                        here.append(number)
                        number += 1
                before = here
            lines.append("}\n\n")
            file.writelines(lines)
