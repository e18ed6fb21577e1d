"""One-sided calls as the messages that they are.

An origin sends; its target receives without a call of its own, and answers where something comes back. Calls that
wait for the target (a lock, a flush, an unlock) are a message and an answer. Nobody is taken to wait for a lock
that another rank has.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from rankwise.analysis.trace.grammar import Communicator
from rankwise.analysis.trace.operations import Step, window_calls
from rankwise.analysis.trace.reading import RankTrace, Trace

_WAITS_FOR_ALL = {"win_unlock_all", "win_flush_all"}
_WAITS_FOR_ONE = {"win_lock", "win_unlock", "win_flush"}
_OPENS, _CLOSES = "win_start", "win_complete"
FENCES = {
    "win_fence", "win_free", "win_create", "win_allocate", "win_allocate_shared", "win_create_dynamic",
}  # fmt: skip
"""All ranks of the window wait for one another in them, and for all that was sent to them."""
NOTHING = -3


class Window(NamedTuple):
    """The same for all ranks that are in it."""

    communicator: Communicator
    instance: int
    """Among those that were made of this communicator."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """What an origin sends to a target."""

    origin: int
    target: int
    window: Window
    bytes: int
    answer: int
    """Bytes that come back; NOTHING: no answer."""
    waits: bool
    """The answer comes after all that this origin sent before."""
    fence: int
    """How many such calls came before on the window."""
    opened: int
    """How many epochs the origin had opened to the target before, this one among them; 0: it is in none."""


def called(function: str) -> str:
    """Return a function's name as this module knows it."""
    return function.removeprefix("MPI_").removesuffix("_c").lower()


def takes(trace: RankTrace, row: tuple[int, ...]) -> bool:
    """Return whether it is a one-sided call of which all is known that its messages need."""
    kind = trace.functions[row[0]][1]
    if kind not in {"rma", "sync", "window", "window_free"} or len(row) < 3 or row[2] < 0:
        return False
    known = trace.communicators.get(row[1])
    return known is not None and known.remote is None


class Origin:
    """Follows a rank's calls on windows: what each sends to whom."""

    def __init__(self, rank: int) -> None:
        self._rank = rank
        self._made: Counter[Communicator] = Counter()
        self._windows: dict[int, Window] = {}
        self._fences: Counter[Window] = Counter()
        self._epochs: defaultdict[Window, Counter[int]] = defaultdict(Counter)
        self._open: dict[Window, tuple[int, ...]] = {}
        self._sent_to: defaultdict[Window, dict[int, None]] = defaultdict(dict)

    def window(self, step: Step) -> Window | None:
        """Return the window of a call; None if it was not seen when it was made."""
        if step.communicator is not None and called(step.function) in FENCES - {"win_fence", "win_free"}:
            self._windows[step.window] = Window(step.communicator, self._made[step.communicator])
            self._made[step.communicator] += 1
        return self._windows.get(step.window)

    def take(self, step: Step, window: Window) -> list[Transfer]:
        """Return what a call sends, in order, and count it; a rank sends itself nothing."""
        name = called(step.function)
        targets: tuple[int, ...] = ()
        waits = step.kind == "sync"
        if step.kind == "rma" or name in _WAITS_FOR_ONE:
            targets = step.targets
        elif name in _WAITS_FOR_ALL:
            targets = tuple(self._sent_to[window])
        transfers = [
            Transfer(
                self._rank, target, window, step.bytes, 0 if waits else step.received, waits, self._fences[window],
                self._epochs[window][target] if target in self._open.get(window, ()) else 0,
            )
            for target in targets
            if target != self._rank
        ]  # fmt: skip
        for transfer in transfers:
            if waits:
                self._sent_to[window].pop(transfer.target, None)
            else:
                self._sent_to[window][transfer.target] = None
        if name in FENCES:
            self._fences[window] += 1
        elif name == _OPENS:
            self._epochs[window].update(step.targets)
            self._open[window] = step.targets
        elif name == _CLOSES:
            self._open.pop(window, None)
        return transfers

    def fence(self, window: Window) -> int:
        """Return how many calls have come in which all ranks of the window wait."""
        return self._fences[window]

    def opened_to(self, window: Window) -> tuple[int, ...]:
        """Return the targets of the epoch that the rank has opened."""
        return self._open.get(window, ())


def arriving(trace: Trace) -> dict[int, list[Transfer]]:
    """Return what is sent to each rank, that of each origin in the origin's order."""
    requests: defaultdict[int, list[Transfer]] = defaultdict(list)
    for rank_trace in trace.ranks:
        origin = Origin(rank_trace.rank)
        for step in window_calls(rank_trace):
            window = origin.window(step)
            for request in origin.take(step, window) if window else ():
                requests[request.target].append(request)
    return requests
