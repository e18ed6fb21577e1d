"""A rank's one-sided calls in a GOAL schedule, and those of others that arrive at it.

What arrives is received, and answered, by operations that wait for nothing that the rank itself does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from rankwise.analysis.trace.collectives import alike, exchanges
from rankwise.analysis.trace.exporting import COLLECTIVE_TAG, Tags
from rankwise.analysis.trace.goal_lines import Lines, message
from rankwise.analysis.trace.one_sided import FENCES, NOTHING, Origin, Transfer, Window, called
from rankwise.analysis.trace.operations import Step

_DATA, _ANSWER, _POST, _COMPLETE = range(4)
_FIRST_TAG = COLLECTIVE_TAG - 1
_LOCAL = {"win_flush_local", "win_flush_local_all"}


class Windows:
    """Writes what a rank does on windows."""

    def __init__(self, lines: Lines, rank: int, tags: Tags, arriving: list[Transfer]) -> None:
        self._lines = lines
        self._rank = rank
        self._tags = tags
        self._arriving = arriving
        self._origin = Origin(rank)
        self._by_fence: defaultdict[tuple[Window, int], list[str]] = defaultdict(list)
        self._by_epoch: defaultdict[tuple[Window, int, int], list[str]] = defaultdict(list)
        self._posted: Counter[tuple[Window, int]] = Counter()
        self._exposed_to: dict[Window, tuple[int, ...]] = {}
        self._pending: defaultdict[Window, defaultdict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        """What has to end at the origin, by target."""

    def _message(self, sends: bool, peer: int, size_bytes: int, window: Window, what: int) -> str:
        tag = self._tags.number(window.communicator, _FIRST_TAG - 4 * window.instance - what)
        return message(sends, peer, size_bytes, tag)

    def arrivals(self) -> Iterator[str]:
        """Yield what others send to this rank, and its answers."""
        unanswered: defaultdict[tuple[Window, int], list[str]] = defaultdict(list)
        for transfer in self._arriving:
            label, lines = self._lines.operation(
                self._message(False, transfer.origin, transfer.bytes, transfer.window, _DATA), after=()
            )
            yield from lines
            before = unanswered[transfer.window, transfer.origin]
            self._by_fence[transfer.window, transfer.fence].append(label)
            self._by_epoch[transfer.window, transfer.origin, transfer.opened].append(label)
            if transfer.answer != NOTHING:
                answer = self._message(True, transfer.origin, transfer.answer, transfer.window, _ANSWER)
                yield from self._lines.operation(answer, after=[label, *(before if transfer.waits else ())])[1]
            if transfer.waits:
                before.clear()
            else:
                before.append(label)

    def take(self, step: Step, requests: dict[int, str]) -> Iterator[str]:
        """Yield what a call does; of one with a request, `requests` gets the operation that ends it."""
        window = self._origin.window(step)
        if window is None:
            return
        name, opened, fence = called(step.function), self._origin.opened_to(window), self._origin.fence(window)
        sent = self._origin.take(step, window)
        if step.kind == "rma":
            for transfer in sent:
                yield from self._send(transfer)
                if step.request >= 0:
                    requests[step.request] = self._pending[window][transfer.target][-1]
        elif name in FENCES:
            yield from self._fence(window, fence)
        elif name in {"win_post", "win_start"}:
            yield from self._open(name, step, window)
        elif name == "win_complete":
            yield from self._lines.join(self._ended(window, opened))
            for target in self._others(opened):
                yield from self._lines.blocking(self._message(True, target, 0, window, _COMPLETE))
        elif name in {"win_wait", "win_test"}:
            yield from self._close(window)
        elif name in _LOCAL:
            targets = step.targets or tuple(self._pending[window])
            yield from self._lines.join(self._ended(window, targets))
        else:
            yield from self._wait_for(window, sent)

    def _others(self, ranks: tuple[int, ...]) -> list[int]:
        return [rank for rank in ranks if rank != self._rank]

    def _ended(self, window: Window, targets: tuple[int, ...]) -> list[str]:
        return [label for target in targets for label in self._pending[window].pop(target, ())]

    def _send(self, transfer: Transfer) -> Iterator[str]:
        """What is sent, and the answer if there is any, which nothing waits for yet."""
        labels = self._pending[transfer.window][transfer.target]
        label, lines = self._lines.operation(
            self._message(True, transfer.target, transfer.bytes, transfer.window, _DATA)
        )
        labels.append(label)
        yield from lines
        if transfer.answer != NOTHING:
            answer = self._message(False, transfer.target, transfer.answer, transfer.window, _ANSWER)
            label, lines = self._lines.operation(answer, after=(label,))
            labels.append(label)
            yield from lines

    def _wait_for(self, window: Window, sent: list[Transfer]) -> Iterator[str]:
        for transfer in sent:
            yield from self._send(transfer)
        yield from self._lines.join(self._ended(window, tuple(each.target for each in sent)))

    def _fence(self, window: Window, fence: int) -> Iterator[str]:
        members = window.communicator.members
        yield from self._lines.join(self._ended(window, tuple(self._pending[window])))
        exchanged = exchanges("barrier", members.index(self._rank), len(members), 0, alike(0))
        yield from self._lines.exchanges(
            exchanged, members, self._tags.number(window.communicator, COLLECTIVE_TAG)
        )
        yield from self._lines.join(self._by_fence.pop((window, fence), ()))

    def _open(self, name: str, step: Step, window: Window) -> Iterator[str]:
        """A post is a message to each origin, which its start waits for."""
        if name == "win_post":
            self._exposed_to[window] = step.targets
            self._posted.update((window, origin) for origin in step.targets)
            for origin in self._others(step.targets):
                yield from self._lines.blocking(self._message(True, origin, 0, window, _POST))
            return
        labels = []
        for target in self._others(step.targets):
            label, lines = self._lines.operation(self._message(False, target, 0, window, _POST))
            labels.append(label)
            yield from lines
        yield from self._lines.join(labels)

    def _close(self, window: Window) -> Iterator[str]:
        """The end of what a post began: after all that came from those origins, and the word that it is all."""
        labels = []
        for origin in self._others(self._exposed_to.pop(window, ())):
            label, lines = self._lines.operation(self._message(False, origin, 0, window, _COMPLETE))
            labels += [label, *self._by_epoch.pop((window, origin, self._posted[window, origin]), ())]
            yield from lines
        yield from self._lines.join(labels)
