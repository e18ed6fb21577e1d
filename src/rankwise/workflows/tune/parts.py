"""From what was found and accepted to the parts of a profile: what is loaded, and whether that is in force."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from rankwise.analysis.validation.acceptance import Acceptance
from rankwise.core.errors import HostError, InputError
from rankwise.core.network import Topology
from rankwise.core.tuning import Native, Part, Reason, Tuning
from rankwise.mpi.family import family_named, native_of
from rankwise.profiles import loading
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows import verify
from rankwise.workflows.overlay import whole_native
from rankwise.workflows.prepare import Built
from rankwise.workflows.tune.budget import Pace
from rankwise.workflows.tune.found import Found
from rankwise.workflows.tune.stages import Target, TuneSpec, distinct_placements, spread_of


def parts_of(
    built: Built, topology: Topology | None, results: Mapping[str, Found], accepted: Mapping[str, Acceptance]
) -> tuple[Part, ...]:
    """Return the part of each implementation: what is validated, and what that gains."""
    parts = []
    for name, result in results.items():
        implementation, judged = built.ready[name].implementation, accepted.get(name)
        parts.append(Part(
            name, implementation.family, implementation.version, result.tuning,
            whole_native(implementation, result.tuning, topology), result.reasons,
            verdicts=judged.verdicts if judged else (), launches=result.launches,
            exhaustive_launches=result.exhaustive_launches, gain=judged.gain if judged else None,
        ))  # fmt: skip
    return tuple(parts)


def verified(parts: Iterable[Part], built: Built, testbed: TestbedKind) -> tuple[Part, ...]:
    """Return the parts with a check that their values are in force."""
    return tuple(replace(part, verification=_in_force(part, built, testbed)) for part in parts)


def verification_seconds(built: Built, results: Mapping[str, Found], pace: Pace) -> float:
    """Return what that check takes, roughly."""
    cells = (
        cells
        for implementation, result in results.items() if result.proposed != Tuning()
        for cells in verify.launched_cells(
            result.proposed, implementation, {name: its.sized for name, its in built.menu[implementation].items()}
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
        Reason(check.subject, f"{check.state}: {check.wanted} wanted; {check.found or 'nothing found'}")
        for check in checks
    )


def express(
    built: Built, target: Target, spec: TuneSpec, name: str, tuning: Tuning
) -> tuple[Tuning, tuple[Reason, ...]]:
    """Return what an implementation can load of a tuning, and why not the rest.

    Intel MPI's tables cannot say `as by default`. What one can bind to ranks that lie on nodes in one way is bound
    to how they lie in the validation.
    """
    implementation, refused = built.ready[name].implementation, list[Reason]()
    if family_named(implementation.family).knows_spread(implementation):
        tuning = _bound(tuning, target, spec)
    for decision in tuning.decisions:
        try:
            native_of(implementation, Tuning(decisions=(decision,)))
        except InputError as error:
            tuning = replace(tuning, decisions=tuple(other for other in tuning.decisions if other != decision))
            subject = f"{decision.operation} at {decision.ranks} ranks"
            refused.append(Reason(subject, f"left as it is: {error}"))
    return tuning, tuple(refused)


def _bound(tuning: Tuning, target: Target, spec: TuneSpec) -> Tuning:
    """The tuning with each decision for the spread of all placements that it is validated in."""
    decisions = (
        replace(
            decision, spread=spread_of(target, distinct_placements(target, spec, decision.ranks), decision.ranks)
        )
        for decision in tuning.decisions
    )
    return replace(tuning, decisions=tuple(decisions))
