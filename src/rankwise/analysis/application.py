"""What an application does, as weights: `operation,size_bytes,ranks,count`, one line each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from rankwise.core.errors import InputError
from rankwise.core.records import Cell, Notice
from rankwise.core.units import MOST_COUNT

COLUMNS = ("operation", "size_bytes", "ranks", "count")
POINT_TO_POINT = "pingpong"
"""The benchmark that stands for messages between two ranks."""
_ENDS = {
    **dict.fromkeys(("send", "isend", "ssend", "issend", "rsend", "irsend", "bsend", "ibsend"), "send"),
    **dict.fromkeys(("recv", "irecv", "mrecv", "imrecv"), "recv"),
}
_SAME = {"reduce_scatter_block": "reduce_scatter"}
"""Operations that the benchmark of another one measures."""
_SHOWN = 3


@dataclass(frozen=True, slots=True, order=True)
class Use:
    """Calls of one operation by communicators of one size, with messages of up to `size_bytes`, a power of two."""

    operation: str
    ranks: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Application:
    """How often it does what. Counts say nothing of time: see `weights`."""

    counts: tuple[tuple[Use, int], ...]
    notices: tuple[Notice, ...] = ()
    """What it does that cannot be tuned."""

    def sizes_bytes(self, operation: str, ranks: int) -> tuple[int, ...]:
        """Return those of one operation and number of ranks, ascending."""
        return tuple(use.size_bytes for use, _ in self.counts if (use.operation, use.ranks) == (operation, ranks))

    def weights(self, seconds: Callable[[Use], float] = lambda _: 1.0) -> dict[Use, float]:
        """Return each use's share in the whole, 0 to 1; `seconds`: what one call takes, as far as it is known."""
        spent = {use: count * seconds(use) for use, count in self.counts}
        total = sum(spent.values())
        return {use: value / total for use, value in spent.items()} if total > 0 else {}

    def calls_at(self, cells: Sequence[Cell]) -> tuple[float, ...]:
        """Return how many calls each cell stands for: those of its operation and ranks nearest to its size.

        Cells that are equally near share them. Messages between two ranks stand for those of all communicators.
        """
        calls = [0.0] * len(cells)
        for use, count in self.counts:
            distances = {
                i: abs(math.log2(max(cell.size_bytes, 1)) - math.log2(max(use.size_bytes, 1)))
                for i, cell in enumerate(cells)
                if cell.benchmark == use.operation and (use.operation == POINT_TO_POINT or cell.ranks == use.ranks)
            }
            nearest = [i for i, distance in distances.items() if distance == min(distances.values())]
            for i in nearest:
                calls[i] += count / len(nearest)
        return tuple(calls)


def together(applications: Iterable[Application]) -> Application | None:
    """Return what several do, as one; None without any."""
    several = list(applications)
    counts: Counter[Use] = Counter()
    for application in several:
        counts.update(dict(application.counts))
    return Application(tuple(sorted(counts.items()))) if several else None


def of_rows(
    rows: Iterable[tuple[str, int, int, int]], source: str, tunable: Collection[str],
    notices: tuple[Notice, ...] = (),
) -> Application:  # fmt: skip
    """Return what the rows say, operation, bytes, ranks and count; with `notices` beside those of its own.

    `source` names it in errors, `tunable` are the benchmarks that can be tuned. A message has two ends: where
    sends and receives are both listed, the larger of the two counts. Raises InputError for more calls than can be
    counted, and if there is nothing that could be tuned.
    """
    counts: Counter[Use] = Counter()
    ends: dict[str, Counter[Use]] = {"send": Counter(), "recv": Counter()}
    beyond: Counter[str] = Counter()
    for name, size_bytes, ranks, count in rows:
        if count > MOST_COUNT:
            raise InputError(f"{source}: {name} is called more than {MOST_COUNT} times", "record it again")
        operation = _SAME.get(name, name)
        end = _ENDS.get(operation)
        operation = POINT_TO_POINT if end else operation
        use = Use(operation, ranks, class_bytes(size_bytes))
        if operation not in tunable:
            beyond[name] += count
        elif end:
            ends[end][use] += count
        else:
            counts[use] += count
    for use, count in (ends["send"] | ends["recv"]).items():
        counts[use] += count
    kept = tuple(sorted((use, count) for use, count in counts.items() if count))
    if not kept:
        named = f": it has only {', '.join(sorted(beyond))}" if beyond else ""
        raise InputError(
            f"{source} has nothing that can be tuned{named}", f"tunable: {', '.join(sorted(tunable))}"
        )
    return Application(kept, (*notices, *_notices(source, beyond)))


def class_bytes(size_bytes: int) -> int:
    """Return the power of two at or above it; 0 stays 0."""
    return 1 << (size_bytes - 1).bit_length() if size_bytes > 0 else 0


def _notices(source: str, beyond: Counter[str]) -> tuple[Notice, ...]:
    if not beyond:
        return ()
    named = [f"{name} ({count} calls)" for name, count in beyond.most_common()]
    rest = [f"{len(named) - _SHOWN} more"] if len(named) > _SHOWN + 1 else named[_SHOWN:]
    return (
        Notice(
            "not-tunable",
            f"{source}: nothing can be set for {', '.join([*named[:_SHOWN], *rest])}",
            "what is left is tuned; these stay as they are",
        ),
    )
