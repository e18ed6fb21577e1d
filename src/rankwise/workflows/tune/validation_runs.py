"""The runs of a validation in the store: new ones, and those that an interrupted tuning has measured already."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rankwise.analysis.compare.variants import with_cells
from rankwise.core.configuration import Configuration, plain
from rankwise.core.errors import HostError
from rankwise.core.records import DEFAULT, Cell, CellFailure, Implementation, Launch, Plan
from rankwise.core.tuning import Tuning
from rankwise.core.units import format_duration
from rankwise.store.store import Store
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows.carrying_out import carry_out
from rankwise.workflows.configurations import tuned
from rankwise.workflows.events import Events, warn
from rankwise.workflows.prepare import Built
from rankwise.workflows.provenance import facts_of
from rankwise.workflows.tune.budget import LAUNCH_LIMIT_SECONDS, Pace
from rankwise.workflows.tune.stages import Target


@dataclass(frozen=True, slots=True)
class Origin:
    """The search that is validated, and the name that its profile gets."""

    search: int
    name: str
    command_line: str
    seconds_per_cell: Callable[[str], float]
    """That a cell is repeated in a launch, by its placement: over a long link for longer."""


class StoredRuns:
    """Measures default beside tuned, each time in a run of its own."""

    def __init__(
        self, store: Store, events: Events, built: Built, testbed: TestbedKind, target: Target, origin: Origin,
        pace: Pace, done_ids: Collection[int] = (),
    ) -> None:  # fmt: skip
        """`done_ids`: the runs of this search that nobody will ask for again."""
        self._store, self._events, self._built, self._testbed = store, events, built, testbed
        self._target, self._origin, self._pace = target, origin, pace
        self._earlier = [
            run.id for run in store.runs()
            if run.kind == "validation" and run.parent == origin.search and run.id not in done_ids
        ]  # fmt: skip

    def measure(
        self, cells: Sequence[Cell], tunings: Mapping[str, Tuning], bases: Mapping[str, Tuning], launches: int,
        seconds: float, *, data: bool,
    ) -> tuple[int, list[Launch]]:  # fmt: skip
        """Return the next run with its launches: one that is stored, finished if it was interrupted, or a new one.

        `cells`, without label, are measured with the base of their implementation, which has the default's label
        in what is returned, and with its tuning, in so many launches each, unless `seconds` are over before.
        `data`: another launch with the tuning comes first that looks at these; what the default delivers is for a
        comparison to find out.
        """
        ready = {name: self._built.ready[name] for name in dict.fromkeys(cell.implementation for cell in cells)}
        both, configurations = self._configured(cells, tunings, bases)
        plan = Plan(
            both, int(time.time()), seconds, min_launches=launches, max_launches=launches,
            seconds_per_cell=max(self._origin.seconds_per_cell(cell.placement) for cell in cells),
            launch_limit_seconds=self._limit(seconds),
            verify_first=data,
        )  # fmt: skip
        earlier: list[Launch] = []
        if known := self._stored(plan):
            if self._store.run(known).status == "complete":
                return known, self.launches(known)
            plan = replace(self._store.plan(known), launch_limit_seconds=self._limit(seconds))
            self._store.resume_run(known, facts_of(self._testbed))
            earlier = self._store.launches(known)
        else:
            known = self._begin(plan, [*ready], configurations)
            what = f"{len(cells)} cells" if len(cells) != 1 else "one cell"
            often = f"{launches} launches" if launches != 1 else "one launch"
            self._events.say(f"validation: {what}, {often} of each side, at most {format_duration(seconds)}")
        try:
            carry_out(
                known, plan, ready, self._testbed, self._store, self._events, configurations, earlier,
                first_seconds=self._pace.launch_seconds, brief=True,
                trusted=[cell for cell in plan.cells if cell.label != self._origin.name],
                most_seconds=lambda cell: self._origin.seconds_per_cell(cell.placement),
            )  # fmt: skip
        except HostError as error:
            warn(self._events, f"validation: {error}")
        return known, self.launches(known)

    def wrong_data(self, run_ids: Iterable[int]) -> tuple[CellFailure, ...]:
        """Return the cells that delivered wrong data, by default or with what was found, each once."""
        failures = [
            failure for run_id in run_ids for launch in self._store.launches(run_id) for failure in launch.failures
        ]
        return tuple({failure.cell: failure for failure in failures if failure.kind == "wrong data"}.values())

    def _stored(self, plan: Plan) -> int:
        """A run that an interrupted validation has begun for the same cells, as often; 0: none."""
        for at, run_id in enumerate(self._earlier):
            stored = self._store.plan(run_id)
            if set(stored.cells) == set(plan.cells) and stored.max_launches == plan.max_launches:
                return self._earlier.pop(at)
        return 0

    def launches(self, run_id: int) -> list[Launch]:
        """Return those of a run, with the default's label where the base is measured."""

        def labelled(cell: Cell) -> Cell:
            return cell if cell.label == self._origin.name else replace(cell, label=DEFAULT)

        return [with_cells(launch, labelled) for launch in self._store.launches(run_id)]

    @staticmethod
    def _limit(seconds: float) -> float:
        return min(LAUNCH_LIMIT_SECONDS, max(seconds, 1.0))

    def _configured(
        self, cells: Sequence[Cell], tunings: Mapping[str, Tuning], bases: Mapping[str, Tuning]
    ) -> tuple[tuple[Cell, ...], dict[str, Configuration]]:
        """The cells of both sides, and what they load, by id."""
        labelled: list[Cell] = []
        configurations: dict[str, Configuration] = {}
        for cell in cells:
            implementation, base = (
                self._built.ready[cell.implementation].implementation,
                bases[cell.implementation],
            )
            before = DEFAULT if base == Tuning() else f"{self._origin.name} so far"
            both = {
                before: self._loaded(implementation, base),
                self._origin.name: self._loaded(implementation, tunings[cell.implementation]),
            }
            configurations |= {each.id: each for each in both.values()}
            labelled += [
                replace(cell, label=label, configuration=configuration.id) for label, configuration in both.items()
            ]
        return tuple(labelled), configurations

    def _loaded(self, implementation: Implementation, tuning: Tuning) -> Configuration:
        if tuning == Tuning():
            return plain(implementation)
        return tuned(implementation, tuning, self._target.topology)

    def _begin(self, plan: Plan, names: Sequence[str], configurations: Mapping[str, Configuration]) -> int:
        run_id = self._store.begin_run(
            self._origin.command_line, self._testbed.name, plan, kind="validation", parent=self._origin.search,
            implementations=[self._built.ready[name].implementation for name in names],
            benchmarks=self._built.benchmarks.values(), facts=facts_of(self._testbed),
            topology=self._testbed.topology(), configurations=configurations.values(),
        )  # fmt: skip
        self._store.add_paths(run_id, self._target.paths)
        return run_id
