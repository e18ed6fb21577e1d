"""Decides, cell by cell, whether enough has been measured."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from rankwise.core.records import OWN, Cell, FloatArray, Launch, Plan

HalfWidth = Callable[[FloatArray], float]
"""Launch medians, shape (launches,) -> half of the median's 95 % interval over the median; nan or inf: unknown."""

STRIKES = 2
"""A cell that failed this often is given up, as is one that is unsupported or gave wrong data even once."""


BREAKDOWNS = 5
"""So many launches in a row that failed of the testbed, and of none of their cells, end the plan."""


class Progress:
    """What the launches so far say about each cell of a plan."""

    def __init__(self, plan: Plan, half_width: HalfWidth) -> None:
        self._plan = plan
        self._half_width = half_width
        self._medians: defaultdict[Cell, list[float]] = defaultdict(list)
        self._strikes: Counter[Cell] = Counter()
        self._verified: set[Cell] = set()
        self._open = set(plan.cells)
        self._breakdowns = 0

    def add(self, launch: Launch) -> None:
        """Take a launch into account; cells that it never came to simply stay open."""
        for (cell, quantity), value in launch.values().items():
            if quantity in OWN:
                self._medians[cell].append(value)
        for failure in launch.failures:
            self._strikes[failure.cell] += 1 if failure.kind == "failed" else STRIKES
        self._verified.update(launch.verified)
        self._breakdowns = self._breakdowns + 1 if _told_nothing(launch) else 0
        self._open = set() if self.broken else self._still_open()

    def open_cells(self) -> set[Cell]:
        """Return the cells that want another launch."""
        return self._open

    @property
    def broken(self) -> bool:
        """Whether the testbed breaks down whatever is measured."""
        return self._breakdowns >= BREAKDOWNS

    def given_up(self, cell: Cell) -> bool:
        """Return whether this cell failed too often."""
        return self._strikes[cell] >= STRIKES

    def precise(self, cell: Cell) -> bool:
        """Return whether the median is known within the precision asked, from enough launches."""
        medians = self._medians[cell]
        if len(medians) < self._plan.min_launches:
            return False
        return self._half_width(np.asarray(medians)) <= self._plan.precision

    def _still_open(self) -> set[Cell]:
        """A cell goes on until its peers are precise too: else drift would part what was measured together."""
        candidates = {cell for cell in self._open if not self.given_up(cell) and not self._answered(cell)}
        wanting = {_peers(cell) for cell in candidates if self._wants_more(cell)}
        return {cell for cell in candidates if _peers(cell) in wanting and not self._at_most(cell)}

    def _answered(self, cell: Cell) -> bool:
        """Right data are all that a plan to verify asks for."""
        return self._plan.verify and cell in self._verified

    def _wants_more(self, cell: Cell) -> bool:
        return not self._at_most(cell) and not self.precise(cell)

    def _at_most(self, cell: Cell) -> bool:
        return len(self._medians[cell]) >= self._plan.max_launches


def _peers(cell: Cell) -> Cell:
    """What a cell shares with those that it will be compared with."""
    return replace(cell, implementation="", label="", configuration="")


def _told_nothing(launch: Launch) -> bool:
    """Failed, and not of its cells: the testbed broke down."""
    return launch.status == "failed" and not (launch.series or launch.failures or launch.verified)
