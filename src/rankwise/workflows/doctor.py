"""Is this machine fit to measure on, what is missing, and which command gets it?"""

from __future__ import annotations

from pathlib import Path

from rankwise.analysis.compare.noise import noise, noise_sentence
from rankwise.core.errors import RankwiseError
from rankwise.store.store import Store
from rankwise.testbeds import fitness, host, launch_needs
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.finding import Finding
from rankwise.workflows.provenance import set_by_caller

__all__ = ["Finding", "examine"]

NOISY = 0.05
"""Relative spread of one cell between launches from which on it blurs verdicts."""


def examine(
    ranks: int | None = None, largest_bytes: int = 4 << 20, store: Path | None = None,
    testbed: TestbedKind | None = None,
) -> list[Finding]:  # fmt: skip
    """Return what was found for so many ranks (None: one for each usable core, two at least).

    `store`: the newest run in it tells what its noise was made of. `testbed`: its hosts are looked at too. Raises
    InputError, HostError if it does not come up.
    """
    findings = fitness.examine(ranks or max(2, host.usable_cores()), largest_bytes, set_by_caller())
    if testbed is not None:
        with testbed:
            findings.append(launch_needs.of_testbed(testbed))
    return [*findings, *([] if store is None else _noise_of_the_newest_run(store))]


def _noise_of_the_newest_run(store: Path) -> list[Finding]:
    try:
        with Store(store, create=False) as opened:
            run = opened.run(None)
            parts = noise(opened.iter_launches(run.id))
    except RankwiseError:  # there is no store yet, or no run in it
        return []
    if parts is None or not (said := noise_sentence(parts)):
        return []
    spread = parts.total**0.5
    return [
        Finding(
            "noise", "note" if spread > NOISY else "ok",
            f"in run {run.id} a cell varied by {spread:.0%} between launches; {said}",
            "more launches (--time) even it out; longer repetitions would not" if spread > NOISY else "",
        )
    ]  # fmt: skip
