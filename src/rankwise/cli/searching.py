"""The search as a whole: stage after stage, each on top of what those before it have found."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rankwise.analysis.tune.merging import merged
from rankwise.analysis.tune.search import Search
from rankwise.bench.launch import Launching
from rankwise.cli import measuring
from rankwise.cli.screen import Screen
from rankwise.cli.trials import Trials, carry_out
from rankwise.cli.tuning import HOSTS_SHARE, PROOF_SHARE, STAGES, Place, Wish, host_search
from rankwise.core.records import Launch
from rankwise.core.tuning import Reason, Tuning

HOSTS = "hosts"


@dataclass(slots=True)
class Found:
    """What the search has found for one implementation."""

    tuning: Tuning = field(default=Tuning())
    reasons: list[Reason] = field(default_factory=list)
    launches: int = 0
    exhaustive_launches: int = 0

    def take(self, searches: Sequence[Search], launches: int) -> None:
        """The best of these on top of what there is."""
        for search in searches:
            self.tuning = merged(self.tuning, search.best())
            self.reasons += search.reasons()
        # those of one stage share their launches, in this search and in the exhaustive one
        self.exhaustive_launches += max((search.exhaustive_launches() for search in searches), default=0)
        self.launches += launches


@dataclass(frozen=True, slots=True)
class _Questions:
    """The searches of one stage, by implementation."""

    name: str
    share: float
    searches: dict[str, list[Search]]


class Searching:
    """All stages for all implementations, on a testbed that is up."""

    def __init__(
        self,
        built: measuring.Built,
        launching: Launching,
        place: Place,
        wish: Wish,
        folder: Path,
        keep: Callable[[Launch], None],
        screen: Screen,
        earlier: Sequence[Launch] = (),
    ) -> None:
        self._built, self._launching, self._place, self._wish = built, launching, place, wish
        self._folder, self._keep, self._screen, self._earlier = folder, keep, screen, earlier
        self._found = {one: Found() for one in built.ready}

    def run(self, end: float) -> dict[str, Found]:
        """What is found, by implementation, in the share of the time until `end` (monotonic) that is for it."""
        stages = self._stages()
        shares = PROOF_SHARE + sum(stage.share for stage in stages)
        for stage in stages:
            now = time.monotonic()
            self._carry_out(stage, now + (end - now) * stage.share / shares)
            shares -= stage.share
        return self._found

    def _stages(self) -> list[_Questions]:
        """Those that have anything to ask."""
        implementations = [ready.implementation for ready in self._built.ready.values()]
        hosts = host_search(self._place, implementations[0].id, self._wish)
        stages = [_Questions(HOSTS, HOSTS_SHARE, {implementations[0].id: [hosts]})] if hosts else []
        for stage in STAGES:
            made = {
                one.id: list(stage.searches(one, self._built.menu[one.id], self._place, self._wish))
                for one in implementations
            }
            stages.append(_Questions(stage.name, stage.share, {one: own for one, own in made.items() if own}))
        return [stage for stage in stages if stage.searches]

    def _carry_out(self, stage: _Questions, deadline: float) -> None:
        bases = {one: mine.tuning for one, mine in self._found.items()}
        trials = Trials(
            self._launching, self._built.ready, bases, self._folder / stage.name, self._keep, stage.name,
            self._earlier,
        )  # fmt: skip
        with self._screen.busy(f"{stage.name}: beginning") as update:
            done = carry_out(stage.searches, trials, deadline, lambda now: update(f"{stage.name}: {now}"))
        for one, own in stage.searches.items():
            self._found[one].take(own, trials.launched_of(one))
        if stage.name == HOSTS:
            self._for_all(next(iter(stage.searches)))
        self._screen.say(f"{stage.name}: {trials.launched} launches{'' if done else ', the time was over'}")

    def _for_all(self, first: str) -> None:
        """Kernel settings are every implementation's."""
        chosen = self._found[first]
        for one in self._found.values():
            one.tuning = replace(one.tuning, host_settings=chosen.tuning.host_settings)
            one.reasons = list(chosen.reasons)
