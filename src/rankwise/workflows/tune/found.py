"""What a tuning has come to for one implementation: what is validated, and what was found on top of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rankwise.core.tuning import Reason, Tuning


@dataclass(frozen=True, slots=True)
class Found:
    """A stage of the search adds to `proposed`; the validation moves what it shows from there to `tuning`."""

    tuning: Tuning = field(default=Tuning())
    """Validated: it only grows."""
    proposed: Tuning = field(default=Tuning())
    """The same, and what was found on top of it and is still to be validated."""
    increments: tuple[Tuning, ...] = ()
    """All that `tuning` has been, in order: each was validated beside the one before it, the first by default."""
    reasons: tuple[Reason, ...] = ()
    missing: tuple[Reason, ...] = ()
    """What of `proposed` could not be validated in the time there was, and why."""
    launches: int = 0
    exhaustive_launches: int = 0

    @property
    def is_open(self) -> bool:
        """Whether anything is still to be validated."""
        return self.proposed != self.tuning


@dataclass(frozen=True, slots=True)
class ValidationRun:
    """A run of the validation: which tunings it measured beside which, by implementation."""

    id: int
    tunings: Mapping[str, Tuning]
    bases: Mapping[str, Tuning]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tuning has come, as it is stored after each of its stages."""

    done: tuple[str, ...] = ()
    """The stages that have been searched."""
    found: Mapping[str, Found] = field(default_factory=dict)
    runs: tuple[ValidationRun, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether anything that was found is still to be validated."""
        return any(result.is_open for result in self.found.values())


def beyond(tuning: Tuning, base: Tuning) -> Tuning:
    """Return what of a tuning `base` does not have."""
    return Tuning(
        tuple(setting for setting in tuning.settings if setting not in base.settings),
        tuple(decision for decision in tuning.decisions if decision not in base.decisions),
        tuple(setting for setting in tuning.host_settings if setting not in base.host_settings),
    )
