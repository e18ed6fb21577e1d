"""What the paper says of its clusters with Gigabit Ethernet, beside the emulated one."""

from __future__ import annotations

from dataclasses import dataclass

from rankwise.studies import claims, wording
from rankwise.studies.base import Claim, Statement, StatementVerdict
from rankwise.studies.mcclements2006.findings import (
    LAM,
    MPICH,
    OPENMPI,
    Findings,
    Measured,
    against,
    largest_rate,
    least,
    of_family,
)
from rankwise.studies.mcclements2006.plan import CLUSTER, OPERATIONS, PAPER, RANKS, label
from rankwise.studies.ranges import FEWEST_LAUNCHES, Range, at_least, at_most

_MB = 1e6
_ESCIENCE, _SCALIWAG = PAPER["escience_pingpong_MBps"], PAPER["scaliwag_pingpong_MBps"]


def on_gigabit(findings: Findings) -> list[Statement]:
    """Return the statements on bandwidth between two nodes, and on collectives."""
    run = findings.runs.get(label(CLUSTER, 2))
    rates, crossing = (
        {name: rate for name in findings.implementations if (rate := largest_rate(run, name, benchmark))}
        for benchmark in ("pingpong", "pingping")
    )
    kept = {name: estimate / rates[name] for name, estimate in crossing.items() if name in rates}
    return [*_one_way(rates), *_both_ways(kept), _minimum(findings), _no_winner(findings), _allgather(findings)]


def _one_way(rates: dict[str, Range]) -> list[Statement]:
    double = Claim(
        "openmpi-double",
        "On Gigabit Ethernet “Open MPI has achieved a maximum throughput of more than double” that of LAM/MPI and "
        f"MPICH2: {_ESCIENCE['Open MPI']} MB/s instead of {_ESCIENCE['LAM/MPI']} and {_ESCIENCE['MPICH2']}.",
        "3.2, figure 3.11",
    )
    good, worst = _SCALIWAG["MPICH2 (GigE)"], _SCALIWAG["MPICH1 (GigE)"]
    maximum = Claim(
        "near-maximum",
        f"On the better cluster “the values of {worst} MB/s for MPICH1 and {good} MB/s for MPICH2 … are very "
        f"close to the maximum possible”, {PAPER['gige_raw_MBps']} MB/s. Here: at least {worst} MB/s.",
        "3.3, figure 3.15",
    )
    pairs = {
        f"{name} over {other}": rates[name] / rates[other]
        for name in of_family(rates, OPENMPI)[:1]
        for family in (LAM, MPICH)
        for other in of_family(rates, family)[:1]
    }
    times = PAPER["escience_openmpi_over_lam"]
    return [
        claims.about_all(double, pairs, lambda estimate: at_least(estimate, times), wording.ratio),
        claims.about_all(maximum, rates, lambda estimate: at_least(estimate, worst * _MB), wording.megabytes),
    ]


def _both_ways(kept: dict[str, Range]) -> list[Statement]:
    reached = PAPER["scaliwag_mpich2_pingping_MBps"]
    least_kept = reached / _SCALIWAG["MPICH2 (GigE)"]
    full = Claim(
        "mpich-full-duplex",
        f"With messages that cross, in PingPing, MPICH2 “reaches rates of {reached} MB/s, only 10 MB/s less than "
        f"with single communication”. Here: at least {wording.percent(least_kept)} of its PingPong.",
        "3.3, figure 3.17",
    )
    rises, single = PAPER["escience_openmpi_pingping_MBps"], _ESCIENCE["Open MPI"]
    most_kept = (rises / single + 1) / 2
    half = Claim(
        "openmpi-half-duplex",
        f"In PingPing Open MPI rises to {rises} MB/s, against {single} MB/s in PingPong. Here: at most "
        f"{wording.percent(most_kept)} of its PingPong, halfway to all of it.",
        "3.2, figures 3.11 and 3.13",
    )
    mpich, openmpi = ({name: kept[name] for name in of_family(kept, family)} for family in (MPICH, OPENMPI))
    return [
        claims.about_all(full, mpich, lambda estimate: at_least(estimate, least_kept), wording.percent),
        claims.about_all(half, openmpi, lambda estimate: at_most(estimate, most_kept), wording.percent),
    ]


def _minimum(findings: Findings) -> Statement:
    stated = PAPER["escience_collectives_least_us"]
    claim = Claim(
        "collective-minimum",
        f"On Gigabit Ethernet “all collective operations have a minimum latency of {stated} microseconds”. Here: "
        "the least time of the five collectives, at any size and on any number of ranks.",
        "3.2",
    )
    runs = [
        findings.runs[run_label]
        for run_label in (label(CLUSTER, ranks) for ranks in RANKS)
        if run_label in findings.runs
    ]
    times = {}
    for name in findings.implementations:
        own = least(
            estimate
            for run in runs
            for operation in OPERATIONS
            for estimate in run.seconds(name, operation).values()
        )
        if own:
            times[name] = own
    return claims.about_all(claim, times, lambda estimate: at_least(estimate, stated * 1e-6), wording.microseconds)


def _no_winner(findings: Findings) -> Statement:
    claim = Claim(
        "no-winner",
        "In collectives on Gigabit Ethernet “there is no clear performance winner from the data”. Here: none is "
        "the fastest in more than half of the cells.",
        "3.2",
    )
    verdicts: dict[str, StatementVerdict] = {}
    texts = {}
    for ranks in RANKS:
        run = findings.runs.get(label(CLUSTER, ranks))
        cells = _fastest(run) if run else []
        if run and cells:
            here = f"{ranks} ranks"
            best = max(run.implementations, key=lambda name: sum(cell.name == name for cell in cells))
            won = [cell for cell in cells if cell.name == best]
            verdicts[here] = _winner_verdict(won, len(cells))
            texts[here] = f"{here} ({best} in {len(won)} of {len(cells)} cells)"
    return claims.from_verdicts(claim, verdicts, texts)


@dataclass(frozen=True, slots=True)
class _Fastest:
    """Who takes the least time in one cell; `sure`: its interval is below all others'."""

    name: str
    sure: bool
    launches: int


def _fastest(run: Measured) -> list[_Fastest]:
    cells = []
    for operation in OPERATIONS:
        times = {name: own for name in run.implementations if (own := run.seconds(name, operation))}
        for size in sorted(set.intersection(*map(set, times.values()))) if len(times) > 1 else ():
            here = {name: own[size] for name, own in times.items()}
            first = min(here, key=lambda name: here[name].value)
            others = [estimate for name, estimate in here.items() if name != first]
            sure = here[first].high < min(estimate.low for estimate in others)
            cells.append(_Fastest(first, sure, min(estimate.launches for estimate in here.values())))
    return cells


def _winner_verdict(won: list[_Fastest], cells: int) -> StatementVerdict:
    if min((cell.launches for cell in won), default=0) < FEWEST_LAUNCHES:
        return "undecided"
    if 2 * sum(cell.sure for cell in won) > cells:
        return "no longer"
    return "holds" if 2 * len(won) <= cells else "undecided"


def _allgather(findings: Findings) -> Statement:
    claim = Claim(
        "allgather",
        "In Allgather, once MPICH has changed its algorithm at 32 kilobytes in total, it is “continually below” "
        "Open MPI, in the end by half. Here: Open MPI's time over MPICH's at the size from there on where MPICH "
        "leads least, on 4 nodes.",
        "3.3, figures 3.22 and 3.23",
    )
    changes_at = PAPER["scaliwag_allgather_switch_total_bytes"]
    leads = against(findings.runs.get(label(CLUSTER, 4)), "allgather", MPICH, (OPENMPI,))
    worst = {
        f"{other} over {name}": smallest
        for (name, other), by_size in leads.items()
        if (smallest := least(lead for size, lead in by_size.items() if 4 * size >= changes_at))
    }
    return claims.about_all(claim, worst, lambda estimate: at_least(estimate, 1), wording.ratio)
