"""What the paper says of curves and figures, each with the check that is made of it here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rankwise.studies import claims, wording
from rankwise.studies.base import Claim, Statement, StatementVerdict
from rankwise.studies.mcclements2006.algorithms import algorithm_statements
from rankwise.studies.mcclements2006.findings import Findings, Measured, mean_of, of_family
from rankwise.studies.mcclements2006.plan import CLUSTER, LOCAL, OPERATIONS, PAPER, RANKS, label
from rankwise.studies.pingpong import best_curves
from rankwise.studies.ranges import FEWEST_LAUNCHES, Range, at_least, at_most, between

_SHARED, _NET = label(LOCAL, 2), label(CLUSTER, 2)
_MB = 1e6
_LOMOND, _ESCIENCE, _SCALIWAG = (PAPER[f"{one}_pingpong_MBps"] for one in ("lomond", "escience", "scaliwag"))
_COPY, _GIGABIT = PAPER["lomond_stream_copy_MBps"], PAPER["gige_raw_MBps"]
OPENMPI, MPICH, LAM = "openmpi", "mpich", "lammpi"
_SAME_CORE = 1.25
_POOR = 1.1
_MAJOR = 2.0
Judge = Callable[[Range], StatementVerdict]


def statements(found: Findings) -> tuple[Statement, ...]:
    """Return all statements, in the paper's order."""
    return (
        *algorithm_statements(found),
        *_on_shared_memory(found),
        *_on_gigabit(found),
        *_on_choice_and_core(found),
    )


def largest_rate(measured: Measured | None, name: str, benchmark: str) -> Range | None:
    """Return the largest bandwidth over all sizes, bytes per second and direction; of medians, not of bests."""
    rates = [
        one.inverted(size) for size, one in (measured.seconds(name, benchmark) if measured else {}).items() if size
    ]
    return max(rates, key=lambda one: one.value, default=None)


def share_of_copy(measured: Measured | None, name: str) -> Range | None:
    """Return the bandwidth of the ping-pong over that of a copy in memory, at the largest size of both."""
    if measured is None:
        return None
    own, copy = measured.seconds(name, "pingpong"), measured.copy_seconds()
    size = max(own.keys() & copy, default=None)
    return copy[size] / own[size] if size is not None else None


def _on_shared_memory(found: Findings) -> list[Statement]:
    run = found.runs.get(_SHARED)
    names = run.implementations if run else ()
    shares = {name: one for name in names if (one := share_of_copy(run, name))}
    one_copy, two_copies = (_LOMOND[one] / _COPY for one in ("MPICH2", "Open MPI"))
    border = (one_copy + two_copies) / 2
    times = PAPER["lomond_lam_over_openmpi_at_128_bytes"]
    at_128 = {
        f"{lam} against {other}": one
        for lam in of_family(names, LAM)
        for other in of_family(names, OPENMPI)
        if run and (one := run.over(other, lam, "pingpong", [128]).get(128))
    }
    return [
        claims.about_all(
            Claim(
                "one-copy",
                f"In PingPong on shared memory MPICH2 reaches {_LOMOND['MPICH2']} MB/s: “in line with a slightly "
                f"inefficient copy routine, achieving near 80% efficiency” of STREAM's {_COPY}. Here: more than "
                f"{border:.0%} of a copy in memory, halfway to the slower ones.",
                "3.1, figure 3.3",
            ),
            {name: shares[name] for name in of_family(names, MPICH) if name in shares},
            lambda one: at_least(one, border), _percent,
        ),
        claims.about_all(
            Claim(
                "two-copies",
                f"Open MPI and LAM/MPI reach {_LOMOND['Open MPI']} MB/s, “consistent with a bandwidth result from "
                f"two copy operations rather than the one”. Here: less than {border:.0%} of a copy in memory.",
                "3.1, figure 3.3",
            ),
            {name: shares[name] for family in (OPENMPI, LAM) for name in of_family(names, family) if name in shares},
            lambda one: at_most(one, border), _percent,
        ),
        claims.about_all(
            Claim(
                "mpich-large",
                "“MPICH2 proves itself superior at large message sizes”, in PingPong on shared memory.",
                "3.1, figure 3.3",
            ),
            _against(run, "pingpong", MPICH, (OPENMPI, LAM), largest=True), lambda one: at_least(one, 1),
            wording.ratio,
        ),
        claims.about_all(
            Claim(
                "lam-small",
                "“LAM/MPI however outperforms everything, and has more than four times greater throughput than "
                "Open MPI with a 128-byte message”, on shared memory.",
                "3.1, figure 3.1",
            ),
            at_128, lambda one: at_least(one, times), wording.ratio,
        ),
        _jump(found, "lam-switch", LAM, "LAM/MPI's “algorithm changes dramatically when the message size reaches "
              "10KB”, on shared memory.", (8 << 10, 16 << 10), gone=False),
        _jump(found, "openmpi-smooth", OPENMPI, "“Open MPI employs a single algorithm for all message sizes, "
              "illustrated by the gradual continuous curve”, up to 64 KB on shared memory.",
              (1 << 10, PAPER["lomond_openmpi_smooth_up_to_bytes"]), gone=True),
        claims.about_all(
            Claim(
                "reduce-scatter",
                "In Reduce_scatter on shared memory MPICH2 “performs best”, LAM/MPI is “a half-way house” and Open "
                "MPI is poor. Here: on 4 ranks, over all sizes.",
                "3.1, figure 3.9",
            ),
            {
                **_against(found.runs.get(label(LOCAL, 4)), "reduce_scatter", MPICH, (LAM, OPENMPI)),
                **_against(found.runs.get(label(LOCAL, 4)), "reduce_scatter", LAM, (OPENMPI,)),
            },
            lambda one: at_least(one, 1), wording.ratio,
        ),
    ]  # fmt: skip


def _on_gigabit(found: Findings) -> list[Statement]:
    run = found.runs.get(_NET)
    names = run.implementations if run else ()
    rates = {name: one for name in names if (one := largest_rate(run, name, "pingpong"))}
    double = PAPER["escience_openmpi_over_lam"]
    falls = {
        name: one / rates[name] for name in names if name in rates and (one := largest_rate(run, name, "pingping"))
    }
    single = _ESCIENCE["Open MPI"]
    crossing, mpich_crossing = PAPER["escience_openmpi_pingping_MBps"], PAPER["scaliwag_mpich2_pingping_MBps"]
    half = (crossing / single + 1) / 2
    kept = mpich_crossing / _SCALIWAG["MPICH2 (GigE)"]
    worst = _SCALIWAG["MPICH1 (GigE)"]
    return [
        claims.about_all(
            Claim(
                "openmpi-double",
                "On Gigabit Ethernet “Open MPI has achieved a maximum throughput of more than double” that of LAM/MPI "
                f"and MPICH2: {single} instead of {_ESCIENCE['LAM/MPI']} and {_ESCIENCE['MPICH2']} MB/s.",
                "3.2, figure 3.11",
            ),
            {
                f"{mine} against {other}": rates[mine] / rates[other]
                for mine in of_family(rates, OPENMPI)[:1]
                for family in (LAM, MPICH)
                for other in of_family(rates, family)[:1]
            },
            lambda one: at_least(one, double), wording.ratio,
        ),
        claims.about_all(
            Claim(
                "near-maximum",
                f"On the better cluster “the values of {worst} MB/s for MPICH1 and {_SCALIWAG['MPICH2 (GigE)']} MB/s "
                f"for MPICH2 … are very close to the maximum possible”, {_GIGABIT} MB/s. Here: at least {worst} MB/s.",
                "3.3, figure 3.15",
            ),
            rates, lambda one: at_least(one, worst * _MB), wording.megabytes,
        ),
        claims.about_all(
            Claim(
                "mpich-full-duplex",
                "With messages that cross, in PingPing, MPICH2 “reaches rates of 100 MB/s, only 10 MB/s less than with "
                f"single communication”. Here: at least {kept:.0%} of its PingPong.",
                "3.3, figure 3.17",
            ),
            {name: falls[name] for name in of_family(falls, MPICH)}, lambda one: at_least(one, kept), _percent,
        ),
        claims.about_all(
            Claim(
                "openmpi-half-duplex",
                f"In PingPing Open MPI rises to {crossing} MB/s, of {single} MB/s in PingPong. Here: at most "
                f"{half:.0%} of its PingPong, halfway to all of it.",
                "3.2, figures 3.11 and 3.13",
            ),
            {name: falls[name] for name in of_family(falls, OPENMPI)}, lambda one: at_most(one, half), _percent,
        ),
        claims.about_all(
            Claim(
                "collective-minimum",
                "On Gigabit Ethernet “all collective operations have a minimum latency of "
                f"{PAPER['escience_collectives_least_us']} microseconds”.",
                "3.2",
            ),
            _least_collectives(found), lambda one: at_least(one, PAPER["escience_collectives_least_us"] * 1e-6),
            wording.microseconds,
        ),
        _no_winner(found),
        claims.about_all(
            Claim(
                "allgather",
                "In Allgather, once MPICH changes its algorithm at 32 kilobytes in total, it is “continually below” "
                "Open MPI's latency, in the end by half. Here: at the size where it leads least, on 4 nodes.",
                "3.3, figures 3.22 and 3.23",
            ),
            _least_lead(found), lambda one: at_least(one, 1), wording.ratio,
        ),
    ]  # fmt: skip


def _on_choice_and_core(found: Findings) -> list[Statement]:
    run = found.runs.get(label(CLUSTER, 4))
    names = run.implementations if run else ()
    openmpi = of_family(names, OPENMPI)
    excess = {name: one for name in openmpi if run and (one := run.excess(name, OPERATIONS))}
    cores = {
        f"{name} over {other}": one
        for name in openmpi
        for other in of_family(names, MPICH)[:1]
        if run and (one := core(run, name, other))
    }
    spread = {name: one for name in names if run and (one := _spread(run, name))}
    return [
        claims.about_all(
            Claim(
                "poor-choice",
                "“Open MPI has poor algorithm choice.” Here: its collectives take at least "
                f"{_POOR} times as long as the best of our schedules over its own core, on 4 nodes.",
                "4.1",
            ),
            excess, lambda one: at_least(one, _POOR), wording.ratio,
        ),
        claims.about_all(
            Claim(
                "same-core",
                "With “the same high-level algorithm” on each library, and Open MPI's high point-to-point results, "
                "“one would expect to see results similar to those of MPICH2”. Here: the same schedules on both, "
                f"within a factor of {_SAME_CORE}, on 4 nodes.",
                "4.4",
            ),
            cores, lambda one: between(one, 1 / _SAME_CORE, _SAME_CORE), wording.ratio,
        ),
        claims.about_all(
            Claim(
                "choice-matters",
                "“The choice of algorithm has major consequences to the effectiveness of an implementation.” Here: on "
                f"one and the same core the slowest schedule takes at least {_MAJOR:g} times as long as the fastest, "
                "on 4 nodes.",
                "4.1",
            ),
            spread, lambda one: at_least(one, _MAJOR), wording.ratio,
        ),
    ]  # fmt: skip


def core(run: Measured, name: str, other: str, operations: Sequence[str] = OPERATIONS) -> Range | None:
    """Return the same schedules on one core over those on another: a geometric mean over schedules and sizes."""
    schedules = [one for operation in operations for one in run.schedules(name, operation)]
    return mean_of([one for schedule in schedules for one in run.over(name, other, schedule).values()])


def _spread(run: Measured, name: str) -> Range | None:
    """The slowest schedule over the fastest, in each cell; a geometric mean over cells."""
    ratios = []
    for operation in OPERATIONS:
        times = [run.seconds(name, one) for one in run.schedules(name, operation)]
        for size in {size for one in times for size in one}:
            here = sorted((one[size] for one in times if size in one), key=lambda one: one.value)
            ratios += [here[-1] / here[0]] if len(here) > 1 else []
    return mean_of(ratios)


def _against(
    run: Measured | None, benchmark: str, family: str, others: Sequence[str], *, largest: bool = False
) -> dict[str, Range]:
    """How many times the newest of `family` the newest of each other takes; at the largest size, or over all."""
    found: dict[str, Range] = {}
    for mine in of_family(run.implementations, family)[:1] if run else ():
        for other in (name for one in others for name in of_family(run.implementations, one)[:1]):
            by_size = run.over(other, mine, benchmark)
            one = by_size[max(by_size)] if largest and by_size else mean_of(list(by_size.values()))
            if one:
                found[f"{mine} against {other}"] = one
    return found


def _jump(found: Findings, key: str, family: str, text: str, near: tuple[int, int], *, gone: bool) -> Statement:
    results = found.results.get(_SHARED)
    curves = best_curves(results)
    own = {name: curves[name] for name in of_family(curves, family)}
    return claims.threshold(Claim(key, text, "3.1, figure 3.2"), results, own, near, gone=gone)


def _least_collectives(found: Findings) -> dict[str, Range]:
    """The least time of any collective at any size and number of ranks, by implementation."""
    least: dict[str, Range] = {}
    for run in (found.runs[one] for one in (label(CLUSTER, ranks) for ranks in RANKS) if one in found.runs):
        for name in run.implementations:
            own = [one for operation in OPERATIONS for one in run.seconds(name, operation).values()]
            own += [least[name]] if name in least else []
            if own:
                least[name] = min(own, key=lambda one: one.value)
    return least


def _least_lead(found: Findings) -> dict[str, Range]:
    run = found.runs.get(label(CLUSTER, 4))
    if run is None:
        return {}
    least: dict[str, Range] = {}
    for mine in of_family(run.implementations, MPICH)[:1]:
        for other in of_family(run.implementations, OPENMPI):
            leads = run.over(other, mine, "allgather")
            after = [
                one for size, one in leads.items() if 4 * size >= PAPER["scaliwag_allgather_switch_total_bytes"]
            ]
            if after:
                least[f"{mine} against {other}"] = min(after, key=lambda one: one.value)
    return least


def _no_winner(found: Findings) -> Statement:
    """A clear winner is shown to be fastest in more than half of all collective cells on the network."""
    claim = Claim(
        "no-winner",
        "In collectives on Gigabit Ethernet “there is no clear performance winner from the data”. Here: none is shown "
        "to be fastest in more than half of the cells.",
        "3.2",
    )
    verdicts: dict[str, StatementVerdict] = {}
    texts = {}
    for ranks in RANKS:
        results = found.results.get(label(CLUSTER, ranks))
        rows = [
            one
            for one in (results.comparison.summary if results else ())
            if one.category == "collective" and one.size_class == "all" and one.cells
        ]
        if not rows or results is None:
            continue
        best = max(rows, key=lambda one: one.fastest)
        timed = [one for one in results.launches if not one.verifying]
        launches = sum(one.implementation == best.implementation for one in timed)
        here = f"{ranks} ranks"
        verdicts[here] = "holds" if 2 * best.fastest <= best.cells else "no longer"
        if launches < FEWEST_LAUNCHES:
            verdicts[here] = "undecided"
        texts[here] = f"{here} ({best.implementation} in {best.fastest} of {best.cells})"
    return claims.from_verdicts(claim, verdicts, texts)


def _percent(value: float) -> str:
    return f"{value:.0%}"
