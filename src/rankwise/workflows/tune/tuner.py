"""Searches, proves and writes a profile: from a wish to a folder, every launch stored on the way."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise import __version__
from rankwise.analysis.tune.acceptance import Acceptance, accept
from rankwise.analysis.tune.hosts import ASKED
from rankwise.analysis.tune.merging import taken_back
from rankwise.bench.launch import Launching
from rankwise.core.errors import HostError, InputError, InterruptedRun
from rankwise.core.records import Notice, Plan
from rankwise.core.tuning import Native, Part, Profile, Reason, Tuning
from rankwise.core.units import format_duration
from rankwise.mpi.family import FamilyLauncher, native_of
from rankwise.profiles import loading, writing
from rankwise.store.store import Store
from rankwise.testbed.base import TestbedKind
from rankwise.workflows import host_settings, measure, verify
from rankwise.workflows.events import Events
from rankwise.workflows.tune.search import PROOF_LAUNCHES, Found, Searching
from rankwise.workflows.tune.stages import Place, Wish, proof_cells

PROOFS = 3
"""How often what is left is measured afresh after something went back to the default."""
LAUNCH_LIMIT_SECONDS = 60.0
SECONDS_PER_CELL = 0.02


@dataclass(frozen=True, slots=True)
class TuneRequest:
    """What `tune` was asked for."""

    command_line: str
    name: str
    parent: Path
    """Where the profile's folder goes."""
    testbed: TestbedKind
    wish: Wish
    time_budget_seconds: float
    implementations: tuple[str, ...] = ()
    prefixes: tuple[Path, ...] = ()
    force: bool = False
    earlier_runs: tuple[int, ...] = ()
    """Interrupted searches that go on: their launches are taken in place of new ones."""


class Tuner:
    """One run of `tune`."""

    def __init__(self, request: TuneRequest, store: Store, events: Events) -> None:
        self._request, self._store, self._events = request, store, events
        self._began = time.monotonic()
        self._runs: list[int] = []

    def run(self) -> tuple[Profile, Path, dict[str, Acceptance]]:
        """The profile, its folder, and what the proof says of each implementation that has any settings.

        Raises InputError for a name that is taken, InterruptedRun with the way to go on.
        """
        request = self._request
        writing.require_free(request.name, request.parent, force=request.force)
        built = measure.prepare(request.implementations, request.prefixes, self._events)
        with measure.up(request.testbed, self._events) as (testbed, paths):
            kernel = host_settings.known(testbed, ASKED)
            place = Place(testbed.name, testbed.topology(), testbed.hosts(), paths, kernel)
            found = self._search(built, testbed, place)
            self._express(built, found)
            accepted = self._prove(built, testbed, place, found)
            profile = self._profile(built, testbed, found, accepted)
        return profile, writing.write(profile, request.parent, force=request.force), accepted

    # The search

    def _search(self, built: measure.Built, testbed: TestbedKind, place: Place) -> dict[str, Found]:
        run_id = self._begin(built, testbed, place, Plan((), 0, self._request.time_budget_seconds))
        self._store.add_notices(run_id, built.notices)
        plan = Plan(
            (), 0, self._request.time_budget_seconds, seconds_per_cell=SECONDS_PER_CELL,
            launch_limit_seconds=LAUNCH_LIMIT_SECONDS,
        )  # fmt: skip
        earlier = [launch for one in self._request.earlier_runs for launch in self._store.launches(one)]
        try:
            with tempfile.TemporaryDirectory(prefix="rankwise-tune-") as folder:
                Path(folder).chmod(0o755)  # LAM/MPI's ranks may be another user's
                found = Searching(
                    built, Launching(FamilyLauncher(), testbed, plan), place, self._request.wish, Path(folder),
                    lambda launch: self._store.add_launch(run_id, launch), self._events, earlier,
                ).run(self._began + self._request.time_budget_seconds)  # fmt: skip
        except (KeyboardInterrupt, InterruptedRun) as event:
            self._store.finish_run(run_id, "interrupted", str(event) or "Ctrl-C")
            raise InterruptedRun(
                f"interrupted: {self._store.run(run_id).launches} launches of run {run_id} are kept",
                f"go on with the same line and --resume {run_id}",
            ) from event
        self._store.finish_run(run_id, "complete", "searched")
        return found

    # The proof

    def _prove(
        self, built: measure.Built, testbed: TestbedKind, place: Place, found: Mapping[str, Found]
    ) -> dict[str, Acceptance]:
        """Default against tuned, again after each return to the default, until nothing is worse.

        Of what does not prove to gain anything, nothing is kept. Returned are the proofs of what is.
        """
        accepted: dict[str, Acceptance] = {}
        open_ones = [one for one, mine in found.items() if mine.tuning != Tuning()]
        left = max(self._request.time_budget_seconds - (time.monotonic() - self._began), 60.0)
        for number in range(PROOFS):
            if not open_ones:
                break
            run_id = self._measure_proof(built, testbed, place, found, open_ones, left / 2**number)
            launches = self._store.launches(run_id)
            benchmarks = {one.name: one for one in self._store.benchmarks(run_id)}
            for one in open_ones:
                accepted[one] = accept(
                    launches, benchmarks, one, self._request.name, found[one].tuning,
                    delta=self._request.wish.rigour.delta, application=self._request.wish.application,
                )  # fmt: skip
                found[one].tuning = accepted[one].tuning
                found[one].reasons = taken_back(found[one].reasons, accepted[one].returned)
            self._express(built, found)
            open_ones = [one for one in open_ones if accepted[one].returned and found[one].tuning != Tuning()]
        for one, proof in accepted.items():
            mine = found[one]
            own = mine.tuning.settings or mine.tuning.decisions or not proof.verdicts
            # host settings have raw TCP's word, and a gain after pauses shows in none of these cells
            why = f"not proved after {PROOFS} verifications" if one in open_ones else proof.doubt if own else ""
            if mine.tuning != Tuning() and why:
                mine.tuning = Tuning()
                mine.reasons.append(Reason("everything", f"goes back to the default: {why}"))
        return {one: proof for one, proof in accepted.items() if found[one].tuning != Tuning()}

    def _measure_proof(
        self, built: measure.Built, testbed: TestbedKind, place: Place, found: Mapping[str, Found],
        names: Sequence[str], seconds: float,
    ) -> int:  # fmt: skip
        ready = {one: built.ready[one] for one in names}
        with tempfile.TemporaryDirectory(prefix="rankwise-tune-") as folder:
            Path(folder).chmod(0o755)
            draft = writing.write(self._profile(built, testbed, found, {}), Path(folder))
            cells = [
                cell
                for one in names
                for cell in proof_cells(
                    one, place, self._request.wish, ("default", self._request.name), found[one].tuning.decisions
                )
            ]
            plan = Plan(
                tuple(cells), int(time.time()), seconds, min_launches=PROOF_LAUNCHES,
                max_launches=PROOF_LAUNCHES + 4, seconds_per_cell=SECONDS_PER_CELL,
                launch_limit_seconds=LAUNCH_LIMIT_SECONDS, profiles=((self._request.name, str(draft)),),
            )  # fmt: skip
            run_id = self._begin(replace(built, ready=ready), testbed, place, plan)
            self._events.say(f"proof: {len(cells)} cells, at most {format_duration(seconds)}")
            measure.carry_out(run_id, plan, ready, testbed, self._store, self._events)
        return run_id

    @staticmethod
    def _express(built: measure.Built, found: Mapping[str, Found]) -> None:
        """Leave out what an implementation has no words for: Intel MPI's tables cannot say `as by default`."""
        for one, mine in found.items():
            for decision in mine.tuning.decisions:
                try:
                    native_of(built.ready[one].implementation, Tuning(decisions=(decision,)))
                except InputError as error:
                    rest = tuple(other for other in mine.tuning.decisions if other != decision)
                    mine.tuning = replace(mine.tuning, decisions=rest)
                    subject = f"{decision.operation} at {decision.ranks} ranks"
                    mine.reasons = taken_back(mine.reasons, [Reason(subject, f"left as it is: {error}")])

    # What comes out

    def _profile(
        self, built: measure.Built, testbed: TestbedKind, found: Mapping[str, Found],
        accepted: Mapping[str, Acceptance],
    ) -> Profile:  # fmt: skip
        """Of all implementations; with a proof that the values are in force once it is accepted."""
        parts = []
        for one, mine in found.items():
            implementation = built.ready[one].implementation
            native = native_of(implementation, mine.tuning)
            part = Part(
                one, implementation.family, implementation.version, mine.tuning, native, tuple(mine.reasons),
                verdicts=accepted[one].verdicts if one in accepted else (), launches=mine.launches,
                exhaustive_launches=mine.exhaustive_launches,
            )  # fmt: skip
            parts.append(replace(part, proof=self._in_force(part, built, testbed)) if accepted else part)
        return Profile(
            self._request.name, testbed.name, testbed.topology(), time.time(), self._request.command_line,
            __version__, tuple(self._runs), tuple(parts),
        )  # fmt: skip

    def _in_force(self, part: Part, built: measure.Built, testbed: TestbedKind) -> tuple[Reason, ...]:
        if part.native == Native() and not part.tuning.host_settings:
            return ()
        loaded = loading.place_apart(part.native, part.tuning.host_settings)
        try:
            checks = verify.verify(part, built.ready[part.implementation].implementation, loaded, testbed)
        except HostError as error:
            return (Reason("everything", f"could not be verified: {error}"),)
        return tuple(
            Reason(one.subject, f"{one.state}: wanted {one.wanted}, found {one.found or 'nothing'}")
            for one in checks
        )

    def _begin(self, built: measure.Built, testbed: TestbedKind, place: Place, plan: Plan) -> int:
        known = {name: one for menu in built.menu.values() for name, one in menu.items()}
        run_id = self._store.begin_run(
            self._request.command_line, testbed.name, plan,
            implementations=[ready.implementation for ready in built.ready.values()], benchmarks=known.values(),
            facts=testbed.facts(), topology=testbed.topology(),
        )  # fmt: skip
        self._store.add_paths(run_id, place.paths)
        self._runs.append(run_id)
        return run_id


def warnings(profile: Profile, accepted: Mapping[str, Acceptance]) -> tuple[Notice, ...]:
    """What somebody who takes the profile should know beforehand."""
    found = [
        Notice("slower-cell", f"{one}: {words}, and nothing in the profile explains it", "measure again")
        for one, mine in accepted.items()
        for words in mine.unexplained
    ]
    if {verdict.benchmark for mine in accepted.values() for verdict in mine.verdicts} == {"pingpong"}:
        found.append(Notice(
            "only-pairs", "what was proved is proved between two ranks; collectives may well be slower with it",
            "tune for both, --for p2p,collectives; or look: rankwise compare --profile default --profile "
            f"{profile.name} --bench allreduce,bcast",
        ))  # fmt: skip
    return tuple(found)
