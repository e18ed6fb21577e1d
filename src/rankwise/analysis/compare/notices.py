"""What a reader must know before trusting the numbers, each with a remedy."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from rankwise.analysis.compare.cells import JUDGED, CellData, Point
from rankwise.analysis.compare.noise import noise, noise_sentence
from rankwise.core.launch_output import numberless
from rankwise.core.records import MPI_WARNING, CellFailure, Launch, Notice, Quantity, Starts
from rankwise.core.results import Verdict
from rankwise.core.units import format_time
from rankwise.stats.intervals import MIN_FOR_RATIO, relative_half_width
from rankwise.stats.summary import median, outliers
from rankwise.stats.tests import launches_needed, smallest_p

TIMER_STEPS = 50
"""Steps of the timer that a sample should span: fewer give errors above 2 %."""
CLOCK_SHARE = 0.05
"""Error of the clocks, as a share of a collective's time, that is worth a word."""
TIMER_SHARE = 0.01
"""Cost of reading the timer, as a share of what it spans, that is worth a word."""
NOISY_SHARE = 0.1
"""Share of cells, launches or repetitions that may be disturbed before the host counts as noisy."""
STEAL = 0.01


def notices(
    launches: Sequence[Launch],
    cells: Sequence[CellData],
    verdicts: Sequence[Verdict],
    failures: Sequence[CellFailure],
    *,
    alpha: float,
    precision: float,
) -> tuple[Notice, ...]:
    """Return all that applies, the gravest first, then what the launches themselves had to say.

    `verdicts` are all those that shared one correction.
    """
    candidates = (
        wrong_data(failures),
        _failed(failures),
        _unchecked(launches, cells),
        _mixed_starts(cells),
        _too_few_launches(verdicts, alpha),
        _not_precise(launches, cells, precision),
        _noisy_host(launches, cells),
        _oversubscribed(launches),
        _timer_coarse(launches, cells),
        _timer_cost(launches, cells),
        _clock_error(launches, cells),
        _late_starts(cells),
    )
    return (*(notice for notice in candidates if notice is not None), *of_launches(launches))


def wrong_data(failures: Iterable[CellFailure]) -> Notice | None:
    """Return the warning that operations delivered wrong data; None if none did."""
    wrong = [failure for failure in failures if failure.kind == "wrong data"]
    if not wrong:
        return None
    who = ", ".join(sorted({failure.cell.variant for failure in wrong}))
    return Notice(
        "wrong-data",
        f"{_cells(len(wrong))} of {who} delivered wrong data and got no verdict: {wrong[0].reason}",
        "report it to the implementation's authors; until then do not use it for these operations",
    )


def _failed(failures: Sequence[CellFailure]) -> Notice | None:
    failed = Counter(failure.cell.variant for failure in failures if failure.kind == "failed")
    if not failed:
        return None
    whose = ", ".join(f"{count} of {name}" for name, count in sorted(failed.items()))
    return Notice(
        "failed-cells",
        f"{_cells(failed.total())} failed in at least one launch ({whose})",
        "read the reason of each in the list of failures; `rankwise bench` with that benchmark repeats it",
    )


def _too_few_launches(verdicts: Sequence[Verdict], alpha: float) -> Notice | None:
    """Cells where even launches that do not overlap at all would not have been significant."""
    # Holm's first step multiplies by all tests, the later ones by those not yet found significant.
    open_tests = sum(verdict.p_value >= alpha for verdict in verdicts)
    hopeless = [
        verdict
        for verdict in verdicts
        if verdict.verdict == "undecided"
        and (min(verdict.launches) < MIN_FOR_RATIO or smallest_p(*verdict.launches) * open_tests >= alpha)
    ]
    if not hopeless:
        return None
    fewest = min(min(verdict.launches) for verdict in hopeless)
    needed = max(MIN_FOR_RATIO, launches_needed(open_tests, alpha))
    return Notice(
        "too-few-launches",
        f"{len(hopeless)} of {len(verdicts)} verdicts are undecided for lack of launches: with as few as "
        f"{fewest} in a cell no difference, however large, is significant among {open_tests} comparisons",
        f"{needed} launches each are enough: give more --time, or fewer benchmarks, sizes or MPIs",
    )


def _not_precise(launches: Sequence[Launch], cells: Sequence[CellData], precision: float) -> Notice | None:
    wide = sum(relative_half_width(data.medians) > precision for data in cells)
    if not wide:
        return None
    known = f"{wide} of {len(cells)} medians ({wide / len(cells):.0%}) are not known to within {precision:.2%}"
    return Notice(
        "not-precise",
        "; ".join(filter(None, (known, noise_sentence(noise(launches))))),
        "give more --time, which buys more launches; on a noisy machine no time may be enough",
    )


def _noisy_host(launches: Sequence[Launch], cells: Sequence[CellData]) -> Notice | None:
    signs = []
    odd = sum(bool(np.any(outliers(data.medians))) for data in cells)
    if odd > NOISY_SHARE * len(cells):
        signs.append(f"{odd} of {len(cells)} cells have a launch far from the others")
    stolen = sum(launch.steal_fraction > STEAL for launch in launches)
    if stolen > NOISY_SHARE * len(launches):
        signs.append(f"the hypervisor took more than {STEAL:.0%} of the CPU time in {stolen} launches")
    busy = sum(launch.load > launch.ranks + 1 for launch in launches)
    if busy > NOISY_SHARE * len(launches):
        signs.append(f"other work was running before {busy} of {len(launches)} launches (load above ranks + 1)")
    if not signs:
        return None
    return Notice(
        "noisy-host",
        "the machine is noisy: " + "; ".join(signs),
        "stop other work, fix the CPU frequency; `rankwise doctor` lists what to change",
    )


def _oversubscribed(launches: Sequence[Launch]) -> Notice | None:
    many = [launch for launch in launches if launch.oversubscribed]
    if not many:
        return None
    ways = sorted({f"{launch.implementation}: {launch.yielding}" for launch in many if launch.yielding})
    return Notice(
        "oversubscribed",
        f"{len(many)} of {len(launches)} launches had more ranks than cores"
        + (f"; waiting ranks yielded by {', '.join(ways)}" if ways else ""),
        "the times show the scheduler as much as the MPI: use -n with at most one rank a core",
    )


def _timer_coarse(launches: Sequence[Launch], cells: Sequence[CellData]) -> Notice | None:
    step = max((launch.timer_resolution_seconds for launch in launches), default=0.0)
    coarse = [
        data
        for data in cells
        if data.category != "harness" and median(data.medians) * data.batch < TIMER_STEPS * step
    ]
    if not coarse:
        return None
    return Notice(
        "timer-coarse",
        f"{_cells(len(coarse))} took less than {TIMER_STEPS} timer ticks ({format_time(step)})",
        "differences of a few percent are not meaningful there; check the clock source with `rankwise doctor`",
    )


def _timer_cost(launches: Sequence[Launch], cells: Sequence[CellData]) -> Notice | None:
    """Two readings of the clock enclose a sample, and one of them is part of it."""
    cost = max((launch.timer_cost_seconds for launch in launches), default=0.0)
    touched = [
        data
        for data in cells
        if data.category in JUDGED and median(data.medians) * data.timed_together * TIMER_SHARE < cost
    ]
    if not touched:
        return None
    return Notice(
        "harness-cost",
        f"harness overhead ({format_time(cost)}, not subtracted) is more than {TIMER_SHARE:.0%} of the time "
        f"of {_cells(len(touched))}",
        "differences of a few percent are not meaningful there; `rankwise bench empty` shows what measuring costs",
    )


def _mixed_starts(cells: Sequence[CellData]) -> Notice | None:
    """Last exit less first entry means something else after a barrier, which ranks leave one after the other."""
    starts_of: defaultdict[tuple[Point, Quantity], set[Starts]] = defaultdict(set)
    for data in cells:
        starts_of[data.point, data.quantity] |= {data.starts} - {""}
    mixed = {key for key, starts in starts_of.items() if len(starts) > 1 or "mixed" in starts}
    from_barrier = Counter(
        data.cell.variant
        for data in cells
        if (data.point, data.quantity) in mixed and data.starts in ("barrier", "mixed")
    )
    if not mixed:
        return None
    whose = ", ".join(f"{count} of {name}" for name, count in sorted(from_barrier.items()))
    return Notice(
        "mixed-starts",
        f"the repetitions of {_cells(from_barrier.total())} ({whose}) started from a barrier instead of a "
        "synchronized time, which ranks missed; they are compared with others that started at one, and their "
        "times include how far apart ranks leave the barrier",
        "use at most one rank a core and stop other work; the start of each series is in `rankwise export`",
    )


def _unchecked(launches: Sequence[Launch], cells: Sequence[CellData]) -> Notice | None:
    """Only of runs that set out to check: cells that no verifying launch came to."""
    if not any(launch.verifying for launch in launches):
        return None
    right = {cell for launch in launches for cell in launch.verified}
    unchecked = {data.cell for data in cells} - right
    if not unchecked:
        return None
    return Notice(
        "data-unchecked",
        f"the data of {_cells(len(unchecked))} could not be checked: the launches that were to do it ended early",
        "see the failed launches: rankwise show; or check these benchmarks alone: rankwise bench --verify",
    )


def _clock_error(launches: Sequence[Launch], cells: Sequence[CellData]) -> Notice | None:
    """What one rank times alone, as half a round trip, does not depend on the ranks' clocks agreeing."""
    error = max((launch.clock_error_seconds for launch in launches), default=0.0)
    touched = [
        data
        for data in cells
        if data.category in JUDGED and not data.one_clock and median(data.medians) * CLOCK_SHARE < error
    ]
    if not touched:
        return None
    return Notice(
        "unsynchronised",
        f"the clocks of the hosts may differ by up to {format_time(error)}, more than {CLOCK_SHARE:.0%} of the "
        f"time of {_cells(len(touched))}",
        "look at larger messages, or synchronise the hosts' clocks (chrony, PTP)",
    )


def _late_starts(cells: Sequence[CellData]) -> Notice | None:
    late = [data for data in cells if data.discarded > NOISY_SHARE * (data.discarded + data.samples)]
    if not late:
        return None
    return Notice(
        "late-starts",
        f"in {_cells(len(late))} more than {NOISY_SHARE:.0%} of the repetitions were discarded: a rank missed the "
        "synchronized start",
        "use fewer ranks than cores, and stop other work",
    )


def of_launches(launches: Sequence[Launch]) -> list[Notice]:
    """Return the launches' own notices, once a kind, or once a warning of an MPI, with how often."""
    said: dict[tuple[str, str], list[Notice]] = {}
    for launch in launches:
        for alike, notice in {_alike(notice): notice for notice in launch.notices}.items():
            said.setdefault(alike, []).append(notice)
    return [
        replace(same[0], message=f"{same[0].message} (in {len(same)} of {len(launches)} launches)")
        for same in said.values()
    ]


def _alike(notice: Notice) -> tuple[str, str]:
    return notice.kind, numberless(notice.message) if notice.kind == MPI_WARNING else ""


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"
