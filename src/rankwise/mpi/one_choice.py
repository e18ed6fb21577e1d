"""Operations of which a variable takes one choice for all sizes and communicators of a job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.tuning import Algorithm, Choice, Decision


def chosen(
    implementation: str, operation: str, choice: Choice, known: Mapping[str, Sequence[Algorithm]]
) -> Algorithm | None:
    """Return the algorithm of a choice; None for the default. Raises InputError for what is not `known`."""
    if operation not in known:
        raise UnknownNameError(f"configurable operation of {implementation}", operation, known)
    if choice == Choice():
        return None
    own = {algorithm.name: algorithm for algorithm in known[operation]}
    if choice.algorithm not in own:
        raise UnknownNameError(f"algorithm for {operation} of {implementation}", choice.algorithm, own)
    if choice.segment_bytes or choice.fanout:
        raise InputError(
            f"{choice.algorithm} for {operation} of {implementation} takes neither a segment size nor a fan-out",
            "leave them out",
        )
    return own[choice.algorithm]


def decided(implementation: str, decision: Decision, known: Mapping[str, Sequence[Algorithm]]) -> Algorithm | None:
    """Return the algorithm of a decision; None for the default. Raises InputError, also for several choices."""
    choices = {rule.choice for rule in decision.rules}
    if len(choices) != 1:
        raise InputError(
            f"{decision.operation} at {decision.ranks} ranks: {implementation} takes one choice for all sizes",
            "choose one of them",
        )
    return chosen(implementation, decision.operation, choices.pop(), known)
