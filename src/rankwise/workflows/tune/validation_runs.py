"""The runs of a validation in the store: new ones, and those that an interrupted tuning has measured already."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rankwise.core.configuration import Configuration, plain
from rankwise.core.errors import HostError
from rankwise.core.records import DEFAULT, Cell, CellFailure, Launch, Plan
from rankwise.core.tuning import Tuning
from rankwise.core.units import format_duration
from rankwise.store.store import Store
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows.carrying_out import carry_out
from rankwise.workflows.configurations import tuned
from rankwise.workflows.events import Events
from rankwise.workflows.prepare import Built
from rankwise.workflows.tune.budget import LAUNCH_LIMIT_SECONDS, SECONDS_PER_CELL, Pace
from rankwise.workflows.tune.stages import Target


@dataclass(frozen=True, slots=True)
class Origin:
    """The search that is validated, and the name that its profile gets."""

    search: int
    name: str
    command_line: str
    seconds_per_cell: float = SECONDS_PER_CELL


class StoredRuns:
    """Measures default beside tuned, each time in a run of its own."""

    def __init__(
        self, store: Store, events: Events, built: Built, testbed: TestbedKind, target: Target, origin: Origin,
        pace: Pace,
    ) -> None:  # fmt: skip
        self._store, self._events, self._built, self._testbed = store, events, built, testbed
        self._target, self._origin, self._pace = target, origin, pace
        self.run_ids: list[int] = []
        """The runs of the validation, in order."""
        self._earlier = [
            one.id for one in store.runs() if one.kind == "validation" and one.parent == origin.search
        ]

    def measure(
        self, cells: Sequence[Cell], tunings: Mapping[str, Tuning], launches: int, seconds: float, *, data: bool
    ) -> list[Launch]:
        """Return the launches of the next run: one that is stored, finished if it was interrupted, or a new one.

        `cells`, without label, are measured by default and with the tuning of their implementation, in so many
        launches each, unless `seconds` are over before. `data`: another launch with the tuning comes first that
        looks at these; what the default delivers is for a comparison to find out.
        """
        ready = {one: self._built.ready[one] for one in dict.fromkeys(cell.implementation for cell in cells)}
        known = self._earlier.pop(0) if self._earlier else 0
        if known and self._store.run(known).status != "interrupted":
            self.run_ids.append(known)
            return self._store.launches(known)
        if known:
            plan = replace(self._store.plan(known), launch_limit_seconds=self._limit(seconds))
            configurations = self._store.configurations(known)
            self._store.resume_run(known, self._testbed.facts())
            earlier = self._store.launches(known)
        else:
            both, configurations = self._configured(cells, tunings)
            plan = Plan(
                both, int(time.time()), seconds, min_launches=launches, max_launches=launches,
                seconds_per_cell=self._origin.seconds_per_cell, launch_limit_seconds=self._limit(seconds),
                verify_first=data,
            )  # fmt: skip
            known, earlier = self._begin(plan, [*ready], configurations), []
            what = f"{len(cells)} cells" if len(cells) != 1 else "one cell"
            often = f"{launches} launches" if launches != 1 else "one launch"
            self._events.say(f"validation: {what}, {often} of each side, at most {format_duration(seconds)}")
        self.run_ids.append(known)
        try:
            carry_out(
                known, plan, ready, self._testbed, self._store, self._events, configurations, earlier,
                first_seconds=self._pace.launch_seconds, brief=True,
                trusted=[cell for cell in plan.cells if cell.label == DEFAULT],
            )  # fmt: skip
        except HostError as error:
            self._events.say(f"warning: validation: {error}")
        return self._store.launches(known)

    def wrong_data(self) -> tuple[CellFailure, ...]:
        """Return the cells that delivered wrong data, by default or with what was found, each once."""
        failures = [
            one for run_id in self.run_ids for launch in self._store.launches(run_id) for one in launch.failures
        ]
        return tuple({one.cell: one for one in failures if one.kind == "wrong data"}.values())

    @staticmethod
    def _limit(seconds: float) -> float:
        return min(LAUNCH_LIMIT_SECONDS, max(seconds, 1.0))

    def _configured(
        self, cells: Sequence[Cell], tunings: Mapping[str, Tuning]
    ) -> tuple[tuple[Cell, ...], dict[str, Configuration]]:
        """The cells of default and tuned, and what they load, by id."""
        found: list[Cell] = []
        configurations: dict[str, Configuration] = {}
        for cell in cells:
            implementation = self._built.ready[cell.implementation].implementation
            both = {
                DEFAULT: plain(implementation),
                self._origin.name: tuned(implementation, tunings[cell.implementation], self._target.topology),
            }
            configurations |= {each.id: each for each in both.values()}
            found += [replace(cell, label=label, configuration=one.id) for label, one in both.items()]
        return tuple(found), configurations

    def _begin(self, plan: Plan, names: Sequence[str], configurations: Mapping[str, Configuration]) -> int:
        run_id = self._store.begin_run(
            self._origin.command_line, self._testbed.name, plan, kind="validation", parent=self._origin.search,
            implementations=[self._built.ready[one].implementation for one in names],
            benchmarks=self._built.benchmarks.values(), facts=self._testbed.facts(),
            topology=self._testbed.topology(), configurations=configurations.values(),
        )  # fmt: skip
        self._store.add_paths(run_id, self._target.paths)
        return run_id
