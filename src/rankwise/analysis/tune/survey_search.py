"""Does any of many settings gain much? One launch of each, and one more of those that seem to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rankwise.analysis.tune.race import LARGE_ROUNDS
from rankwise.analysis.tune.search import Trial, trials_of
from rankwise.analysis.tune.setting_search import SettingSearch
from rankwise.core.records import DEFAULT


class SurveySearch(SettingSearch):
    """What gains little is for others to find: they take more rounds, and more time than there may be."""

    def _next_round(self) -> Iterable[Trial]:
        """The default and all candidates, then those that were faster by much, in any cell."""
        race = self._race
        names = race.gaining() if race.rounds else race.candidates
        if race.rounds >= LARGE_ROUNDS or not names:
            return []
        cells = (replace(cell, label=name) for cell in race.cells for name in (DEFAULT, *names))
        return trials_of(cells, self._candidates)
