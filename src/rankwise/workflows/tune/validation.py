"""Validation: the default against what was found, on fresh launches, until nothing that stays is slower."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from rankwise.analysis.tune.acceptance import Acceptance, accept
from rankwise.analysis.tune.merging import with_reverted
from rankwise.core.configuration import Configuration, plain
from rankwise.core.records import DEFAULT, Cell, CellFailure, Plan
from rankwise.core.tuning import Reason, Tuning
from rankwise.core.units import format_duration
from rankwise.store.store import Store
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows import measure
from rankwise.workflows.configurations import tuned
from rankwise.workflows.events import Events
from rankwise.workflows.prepare import Built
from rankwise.workflows.tune.search import VALIDATION_LAUNCHES, Found
from rankwise.workflows.tune.stages import Target, TuneSpec, validation_cells

ROUNDS = 3
"""How often what is left is measured afresh after something went back to the default."""
LAUNCH_LIMIT_SECONDS = 60.0
SECONDS_PER_CELL = 0.02


class Validation:
    """The validation of what one search has found; runs that were measured before are taken as they are."""

    def __init__(
        self, store: Store, events: Events, built: Built, testbed: TestbedKind, target: Target, spec: TuneSpec,
        name: str, search: int, command_line: str, *, verify_first: bool = True,
    ) -> None:  # fmt: skip
        self._store, self._events, self._built, self._testbed = store, events, built, testbed
        self._target, self._spec, self._name = target, spec, name
        self._search, self._command_line, self._verify_first = search, command_line, verify_first
        self.run_ids: list[int] = []
        """The runs of the validation, in order."""
        self._earlier = [one.id for one in store.runs() if one.kind == "validation" and one.parent == search]

    def run(
        self, found: Mapping[str, Found], seconds: float, express: Callable[[], None]
    ) -> dict[str, Acceptance]:
        """Return what the launches say of those whose settings stay; `found` is left with what does.

        `express` takes out of `found` what an implementation cannot load, after each return to the default.
        """
        accepted: dict[str, Acceptance] = {}
        open_ones = [one for one, mine in found.items() if mine.tuning != Tuning()]
        for number in range(ROUNDS):
            if not open_ones:
                break
            run_id = self._measured(found, open_ones, seconds / 2**number)
            launches = self._store.launches(run_id)
            benchmarks = {one.name: one for one in self._store.benchmarks(run_id)}
            for one in open_ones:
                accepted[one] = accept(
                    launches, benchmarks, one, self._name, found[one].tuning,
                    delta=self._spec.criteria.delta, application=self._spec.application,
                )  # fmt: skip
                found[one].tuning = accepted[one].tuning
                found[one].reasons = with_reverted(found[one].reasons, accepted[one].reverted)
            express()
            open_ones = [one for one in open_ones if accepted[one].reverted and found[one].tuning != Tuning()]
        for one, judged in accepted.items():
            _drop_doubtful(found[one], judged, one in open_ones)
        return {one: judged for one, judged in accepted.items() if found[one].tuning != Tuning()}

    def wrong_data(self) -> tuple[CellFailure, ...]:
        """Return the cells that delivered wrong data, by default or with what was found, each once."""
        failures = [
            one for run_id in self.run_ids for launch in self._store.launches(run_id) for one in launch.failures
        ]
        return tuple({one.cell: one for one in failures if one.kind == "wrong data"}.values())

    def _measured(self, found: Mapping[str, Found], names: Sequence[str], seconds: float) -> int:
        """The id of the next run: one that is stored, finished if it was interrupted, or a new one."""
        ready = {one: self._built.ready[one] for one in names}
        known = self._earlier.pop(0) if self._earlier else 0
        if known:
            self.run_ids.append(known)
            if self._store.run(known).status == "interrupted":
                self._store.resume_run(known, self._testbed.facts())
                measure.carry_out(
                    known, self._store.plan(known), ready, self._testbed, self._store, self._events,
                    self._store.configurations(known), self._store.launches(known),
                )  # fmt: skip
            return known
        cells, configurations = self._cells(found, names)
        plan = Plan(
            tuple(cells), int(time.time()), seconds,
            min_launches=VALIDATION_LAUNCHES, max_launches=VALIDATION_LAUNCHES + 4,
            seconds_per_cell=SECONDS_PER_CELL, launch_limit_seconds=LAUNCH_LIMIT_SECONDS,
            verify_first=self._verify_first,
        )  # fmt: skip
        run_id = self._store.begin_run(
            self._command_line, self._testbed.name, plan, kind="validation", parent=self._search,
            implementations=[one.implementation for one in ready.values()],
            benchmarks=self._built.benchmarks.values(), facts=self._testbed.facts(),
            topology=self._testbed.topology(), configurations=configurations.values(),
        )  # fmt: skip
        self._store.add_paths(run_id, self._target.paths)
        self.run_ids.append(run_id)
        self._events.say(f"validation: {len(cells)} cells, at most {format_duration(seconds)}")
        measure.carry_out(run_id, plan, ready, self._testbed, self._store, self._events, configurations)
        return run_id

    def _cells(
        self, found: Mapping[str, Found], names: Sequence[str]
    ) -> tuple[list[Cell], dict[str, Configuration]]:
        """The cells of default and tuned, and what they load, by id."""
        cells: list[Cell] = []
        configurations: dict[str, Configuration] = {}
        for one in names:
            implementation, tuning = self._built.ready[one].implementation, found[one].tuning
            both = {DEFAULT: plain(implementation), self._name: tuned(implementation, tuning)}
            configurations |= {each.id: each for each in both.values()}
            cells += [
                replace(cell, configuration=both[cell.label].id)
                for cell in validation_cells(
                    one, self._target, self._spec, (DEFAULT, self._name), tuning.decisions
                )
            ]
        return cells, configurations


def _drop_doubtful(mine: Found, judged: Acceptance, is_open: bool) -> None:
    """Keep nothing of what was not shown to gain anything."""
    own = mine.tuning.settings or mine.tuning.decisions or not judged.verdicts
    # raw TCP has shown that host settings gain, and a gain after pauses shows in none of these cells
    why = f"not confirmed after {ROUNDS} validations" if is_open else judged.doubt if own else ""
    if mine.tuning != Tuning() and why:
        mine.tuning = Tuning()
        mine.reasons.append(Reason("everything", f"goes back to the default: {why}"))
