"""What the paper says of Lomond, its shared memory machine, beside this host."""

from __future__ import annotations

from rankwise.studies import claims, wording
from rankwise.studies.base import Claim, Statement
from rankwise.studies.mcclements2006.findings import (
    LAM,
    MPICH,
    OPENMPI,
    Findings,
    against,
    mean_of,
    of_family,
    share_of_copy,
)
from rankwise.studies.mcclements2006.plan import LOCAL, PAPER, label
from rankwise.studies.pingpong import best_curves
from rankwise.studies.ranges import at_least, at_most

_RUN = label(LOCAL, 2)
_RATES = PAPER["lomond_pingpong_MBps"]
_COPY = PAPER["lomond_stream_copy_MBps"]
_BORDER = (_RATES["MPICH2"] + _RATES["Open MPI"]) / 2 / _COPY
"""Of a copy in memory: halfway between the faster implementations and the slower ones."""


def on_shared_memory(findings: Findings) -> list[Statement]:
    """Return the statements on PingPong between two ranks, and on Reduce_scatter."""
    return [*_copies(findings), *_fastest(findings), *_curves(findings), _reduce_scatter(findings)]


def _copies(findings: Findings) -> list[Statement]:
    run = findings.runs.get(_RUN)
    shares = {name: share for name in findings.implementations if (share := share_of_copy(run, name))}
    one_copy = Claim(
        "one-copy",
        f"In PingPong on shared memory MPICH2 reaches {_RATES['MPICH2']} MB/s, “in line with a slightly "
        f"inefficient copy routine, achieving near 80% efficiency”: STREAM copies {_COPY} MB/s. Here: at least "
        f"{wording.percent(_BORDER)} of a copy in memory, halfway to the slower ones.",
        "3.1, figure 3.3",
    )
    two = Claim(
        "two-copies",
        f"Open MPI and LAM/MPI reach {_RATES['Open MPI']} MB/s, “consistent with a bandwidth result from two copy "
        f"operations rather than the one”. Here: at most {wording.percent(_BORDER)} of a copy in memory.",
        "3.1, figure 3.3",
    )
    of_mpich = {name: shares[name] for name in of_family(shares, MPICH)}
    of_others = {name: shares[name] for family in (OPENMPI, LAM) for name in of_family(shares, family)}
    return [
        claims.about_all(one_copy, of_mpich, lambda share: at_least(share, _BORDER), wording.percent),
        claims.about_all(two, of_others, lambda share: at_most(share, _BORDER), wording.percent),
    ]


def _fastest(findings: Findings) -> list[Statement]:
    run, times = findings.runs.get(_RUN), PAPER["lomond_lam_over_openmpi_at_128_bytes"]
    large = Claim(
        "mpich-large",
        "“MPICH2 proves itself superior at large message sizes” in PingPong on shared memory. Here: at the "
        "largest size its bandwidth is not below theirs.",
        "3.1, figure 3.3",
    )
    small = Claim(
        "lam-small",
        "“LAM/MPI however outperforms everything, and has more than four times greater throughput than Open MPI "
        "with a 128-byte message” on shared memory.",
        "3.1, figure 3.1",
    )
    beside_mpich = against(run, "pingpong", MPICH, (OPENMPI, LAM))
    beside_lam = against(run, "pingpong", LAM, (OPENMPI,))
    at_largest = {f"{name} over {other}": leads[max(leads)] for (name, other), leads in beside_mpich.items()}
    at_128 = {f"{name} over {other}": leads[128] for (name, other), leads in beside_lam.items() if 128 in leads}
    return [
        claims.about_all(large, at_largest, lambda estimate: at_least(estimate, 1), wording.ratio),
        claims.about_all(small, at_128, lambda estimate: at_least(estimate, times), wording.ratio),
    ]


def _curves(findings: Findings) -> list[Statement]:
    switch = Claim(
        "lam-switch",
        "LAM/MPI's “algorithm changes dramatically when the message size reaches 10KB”, in PingPong on shared "
        "memory.",
        "3.1, figure 3.2",
    )
    smooth = Claim(
        "openmpi-smooth",
        "“Open MPI employs a single algorithm for all message sizes, illustrated by the gradual continuous curve” "
        "up to 64 KB, in PingPong on shared memory.",
        "3.1, figure 3.2",
    )
    results = findings.results.get(_RUN)
    curves = best_curves(results)
    lam, openmpi = ({name: curves[name] for name in of_family(curves, family)} for family in (LAM, OPENMPI))
    switches_at = PAPER["lomond_lam_switch_bytes"]
    up_to = PAPER["lomond_openmpi_smooth_up_to_bytes"]
    return [
        claims.threshold(switch, results, lam, (switches_at - 2048, switches_at + 6144)),
        claims.threshold(smooth, results, openmpi, (1024, up_to), gone=True),
    ]


def _reduce_scatter(findings: Findings) -> Statement:
    run = findings.runs.get(label(LOCAL, 4))
    claim = Claim(
        "reduce-scatter",
        "In Reduce_scatter on shared memory MPICH2 “performs best”, LAM/MPI is “a half-way house”, and Open MPI "
        "performs “poorly”. Here: each takes at least as long as the one before, on 4 ranks, over all sizes.",
        "3.1, figure 3.9",
    )
    pairs = {
        **against(run, "reduce_scatter", MPICH, (LAM, OPENMPI)),
        **against(run, "reduce_scatter", LAM, (OPENMPI,)),
    }
    means = {
        f"{other} over {name}": mean
        for (name, other), leads in pairs.items()
        if (mean := mean_of(list(leads.values())))
    }
    return claims.about_all(claim, means, lambda estimate: at_least(estimate, 1), wording.ratio)
