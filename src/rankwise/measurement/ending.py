"""How a launch ended: whether it finished, which cells bear a failure, what is to be said of it."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.core.jobs import Outcome
from rankwise.core.launch_output import warnings, why_failed
from rankwise.core.records import MPI_WARNING, Cell, CellFailure, LaunchStatus, Notice
from rankwise.measurement import protocol
from rankwise.measurement.part import LaunchPart


def why_apart(parts: Sequence[LaunchPart], spoken: protocol.Spoken) -> str:
    """Return why the ranks are no job together; '' if they are."""
    ranks = sum(part.job.ranks for part in parts)
    if len(parts) > 1 or spoken.ranks in (0, ranks):
        return ""
    return (
        f"MPI_COMM_WORLD has {spoken.ranks} instead of {ranks} ranks: the launcher and the MPI library "
        "do not match"
    )


def status_of(outcome: Outcome, spoken: protocol.Spoken, limit_seconds: float) -> tuple[LaunchStatus, str]:
    """Return how a launch ended, and why; a harness that said `end` has finished, whatever came then."""
    if spoken.ended and not outcome.broken:
        return "finished", ""
    timed_out = outcome.timed_out and not outcome.broken
    return "timed out" if timed_out else "failed", why_failed(outcome, limit_seconds)


def blamed(
    status: LaunchStatus, reason: str, cells: Sequence[Cell], spoken: protocol.Spoken
) -> tuple[CellFailure, ...]:
    """Return the failure of the cell that was being measured as a launch ended early: the first without an answer.

    One that did not even begin fails all its cells.
    """
    if status == "finished":
        return ()
    left = spoken.answers()
    silent: list[Cell] = []
    for cell in cells:  # a launch may come to a cell more than once
        if not left[cell]:
            silent.append(cell)
        left[cell] -= 1 if left[cell] else 0
    return tuple(CellFailure(cell, reason) for cell in (silent[:1] if spoken.begun else dict.fromkeys(silent)))


def notices_of(parts: Sequence[LaunchPart], outcome: Outcome, status: LaunchStatus) -> tuple[Notice, ...]:
    """Return what the MPIs of a finished launch warned of, and that it was ended after its results if it was."""
    if status != "finished":
        return ()
    whose = " + ".join(dict.fromkeys(part.implementation.id for part in parts))
    warned = tuple(
        Notice(MPI_WARNING, f"{whose} warns: {warning}", "rankwise show --launch all prints it whole")
        for warning in warnings(outcome.stdout, outcome.stderr)
    )
    if not outcome.finished_early:
        return warned
    mpi, ranks = parts[0].implementation, sum(part.job.ranks for part in parts)
    return (
        *warned,
        Notice(
            "hangs-at-exit",
            f"{mpi.id} hung after its last result at {ranks} ranks and was killed; the results are kept",
            f"a newer version of {mpi.family} may not hang in MPI_Finalize",
        ),
    )
