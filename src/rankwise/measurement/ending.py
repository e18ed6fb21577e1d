"""How a launch ended: whether it finished, which cells bear a failure, what is to be said of it."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.core.jobs import Outcome
from rankwise.core.records import Cell, CellFailure, LaunchStatus, Notice
from rankwise.measurement import protocol
from rankwise.measurement.part import Part


def why_apart(parts: Sequence[Part], spoken: protocol.Spoken) -> str:
    """Return why the ranks are no job together; '' if they are."""
    ranks = sum(part.job.ranks for part in parts)
    if len(parts) > 1 or spoken.ranks in (0, ranks):
        return ""
    return (
        f"MPI_COMM_WORLD has {spoken.ranks} in place of {ranks} ranks: each has started as a job of its own, as "
        "with a launcher of another MPI"
    )


def status_of(outcome: Outcome, spoken: protocol.Spoken, limit_seconds: float) -> tuple[LaunchStatus, str]:
    """Return how a launch ended, and why; a harness that said `end` has finished, whatever came then."""
    if outcome.broken:
        return "failed", outcome.broken
    if spoken.ended:
        return "finished", ""
    if outcome.timed_out:
        return "timed out", f"no end within {limit_seconds:.0f} s: ended with all its processes"
    return "failed", f"exit code {outcome.returncode}: {spoken.last_words or _last_words(outcome)}"


def _last_words(outcome: Outcome) -> str:
    said = [line.strip() for line in (outcome.stderr or outcome.stdout).splitlines() if line.strip(" -=*|")]
    return "; ".join(said[-3:])[-400:] or "it said nothing"


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


def notices_of(parts: Sequence[Part], outcome: Outcome) -> tuple[Notice, ...]:
    """Return what is to be said of a launch that had to be ended though all its results had come."""
    if not outcome.finished_early:
        return ()
    one, ranks = parts[0].implementation, sum(part.job.ranks for part in parts)
    return (
        Notice(
            "hangs-at-exit",
            f"{one.id} hung after its last result at {ranks} ranks and was ended; the results are kept",
            f"a newer version of {one.family} may not hang in MPI_Finalize",
        ),
    )
