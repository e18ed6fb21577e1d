"""From what was found and accepted to the parts of a profile: what is loaded, and whether that is in force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rankwise.analysis.tunings import with_reverted
from rankwise.analysis.validation.acceptance import Acceptance
from rankwise.core.errors import HostError, InputError
from rankwise.core.tuning import Native, Part, Reason, Tuning
from rankwise.mpi.family import family_named, native_of
from rankwise.profiles import loading
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows import verify
from rankwise.workflows.overlay import whole_native
from rankwise.workflows.prepare import Built
from rankwise.workflows.tune.budget import Pace
from rankwise.workflows.tune.search import Found
from rankwise.workflows.tune.stages import Target, TuneSpec, distinct_placements, spread_of


def parts_of(
    built: Built, testbed: TestbedKind, found: Mapping[str, Found], accepted: Mapping[str, Acceptance]
) -> Iterator[Part]:
    """Yield the part of each implementation, with a check that its values are in force."""
    for one, mine in found.items():
        implementation = built.ready[one].implementation
        judged = accepted.get(one)
        part = Part(
            one, implementation.family, implementation.version, mine.tuning,
            whole_native(implementation, mine.tuning, testbed.topology()), tuple(mine.reasons),
            verdicts=judged.verdicts if judged else (), launches=mine.launches,
            exhaustive_launches=mine.exhaustive_launches, gain=judged.gain if judged else None,
        )  # fmt: skip
        yield replace(part, verification=_in_force(part, built, testbed))


def verification_seconds(built: Built, found: Mapping[str, Found], pace: Pace) -> float:
    """Return what that check takes, roughly."""
    cells = (
        cells
        for one, mine in found.items() if mine.tuning != Tuning()
        for cells in verify.launched_cells(
            mine.tuning, one, {name: its.sized for name, its in built.menu[one].items()}
        ).values()
    )  # fmt: skip
    return sum(map(pace.launch_seconds, cells))


def _in_force(part: Part, built: Built, testbed: TestbedKind) -> tuple[Reason, ...]:
    if part.native == Native() and not part.tuning.host_settings:
        return ()
    loaded = loading.place_apart(part.native, part.tuning.host_settings)
    try:
        checks = verify.verify(part, built.ready[part.implementation].implementation, loaded, testbed)
    except HostError as error:
        return (Reason("everything", f"could not be verified: {error}"),)
    return tuple(
        Reason(one.subject, f"{one.state}: {one.wanted} wanted; {one.found or 'nothing found'}") for one in checks
    )


def express(built: Built, found: Mapping[str, Found], target: Target, spec: TuneSpec) -> None:
    """Leave out what an implementation cannot load: Intel MPI's tables cannot say `as by default`.

    What one can bind to ranks that lie on nodes in one way is bound to how they lie in the validation.
    """
    for one, mine in found.items():
        implementation = built.ready[one].implementation
        if family_named(implementation.family).knows_spread(implementation):
            mine.tuning = _bound(mine.tuning, target, spec)
        for decision in mine.tuning.decisions:
            try:
                native_of(implementation, Tuning(decisions=(decision,)))
            except InputError as error:
                rest = tuple(other for other in mine.tuning.decisions if other != decision)
                mine.tuning = replace(mine.tuning, decisions=rest)
                subject = f"{decision.operation} at {decision.ranks} ranks"
                mine.reasons = with_reverted(mine.reasons, [Reason(subject, f"left as it is: {error}")])


def _bound(tuning: Tuning, target: Target, spec: TuneSpec) -> Tuning:
    """The tuning with each decision for the spread of all placements that it is validated in."""
    decisions = (
        replace(one, spread=spread_of(target, distinct_placements(target, spec, one.ranks), one.ranks))
        for one in tuning.decisions
    )
    return replace(tuning, decisions=tuple(decisions))
