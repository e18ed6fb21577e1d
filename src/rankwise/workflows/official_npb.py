"""Runs of the official NAS Parallel Benchmarks: with which MPIs they can be built, and what they print."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from rankwise.artifacts import npb_tree
from rankwise.core.errors import BuildError, HostError
from rankwise.core.records import Implementation
from rankwise.workflows.events import Events

END_MARKER = " Please send"
"""The last that a kernel prints: where results are to be sent."""
_SECONDS = re.compile(r"^ *Time in seconds *= *([0-9.E+-]+)", re.MULTILINE)
_MOPS = re.compile(r"^ *Mop/s total *= *([0-9.E+-]+)", re.MULTILINE)
_VERDICT = re.compile(r"^ *Verification *= *(.+?) *$", re.MULTILINE)
_VERDICTS = {"SUCCESSFUL": True, "UNSUCCESSFUL": False}
_MOST_CHARACTERS = 160


def that_can_build(
    implementations: Sequence[Implementation], kernels: Collection[str], events: Events
) -> list[Implementation]:
    """Return the implementations that have the compilers for these kernels, and tell which have not.

    Raises HostError if none has.
    """
    able: list[Implementation] = []
    lacking: list[HostError] = []
    for implementation in implementations:
        try:
            if set(kernels) - {npb_tree.IN_C}:
                npb_tree.fortran_of(implementation)
            able.append(implementation)
        except HostError as error:
            lacking.append(error)
    if not able:
        raise lacking[0]
    for reason in lacking:
        events.say(f"left out: {reason}; {reason.remedy}")
    return able


def read_result(text: str) -> dict[str, Any] | None:
    """Return seconds, mops and verified as a kernel's output has them; None if it came to no result."""
    seconds, mops, verdict = (pattern.search(text) for pattern in (_SECONDS, _MOPS, _VERDICT))
    if not (seconds and mops and verdict):
        return None
    return {
        "seconds": float(seconds[1]), "mops": float(mops[1]), "verified": _VERDICTS.get(verdict[1]),
        "remark": "its verification failed" if verdict[1] == "UNSUCCESSFUL" else "",
    }  # fmt: skip


def why_not_built(error: BuildError) -> str:
    """Return in one line what make said, and where it can be tried by hand."""
    lines = [
        line.strip() for line in error.output.splitlines() if re.search(r"error|setparams:", line, re.IGNORECASE)
    ]
    said = (lines or [error.output.strip().rpartition("\n")[2]])[0]
    return f"not built: {said[:_MOST_CHARACTERS]}; full output: {error.command}"
