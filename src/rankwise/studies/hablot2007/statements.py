"""The paper's sentences, and what becomes of them; places are those of RR-6200."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.core.units import format_size
from rankwise.studies import claims, wording
from rankwise.studies.base import TCP, Claim, Statement
from rankwise.studies.hablot2007.findings import Findings, without_tcp
from rankwise.studies.hablot2007.mpi_statements import mpi_statements
from rankwise.studies.hablot2007.plan import CLUSTER, TUNED, UNTUNED
from rankwise.studies.hablot2007.published import (
    FACTOR,
    MORE_TIME,
    NEAR,
    PAPER,
    REACHES,
    published_overheads_us,
    threshold_seen_bytes,
)
from rankwise.studies.ranges import Range, at_least, at_most, between
from rankwise.studies.slow_start import messages_to_maximum

_US, _MBIT = 1e-6, 1e6


def statements(findings: Findings) -> tuple[Statement, ...]:
    """Return the statements in the paper's order."""
    return (
        *_on_latency(findings),
        *_on_bandwidth(findings),
        *_on_half_bandwidth(findings),
        *_on_thresholds(findings),
        *_on_tuning(findings),
        *mpi_statements(findings),
        *_on_slow_start(findings),
        _on_long_messages(findings),
    )


def _on_latency(findings: Findings) -> tuple[Statement, ...]:
    one_way = PAPER["wan_rtt_us"] / 2 * _US
    far = {name: estimate for name, estimate in findings.latency[TUNED].items() if name == TCP}
    published = published_overheads_us()
    most_apart = max(abs(published[TUNED][name] - overhead) for name, overhead in published[CLUSTER].items())
    apart = {
        name: findings.overhead[TUNED][name] - estimate
        for name, estimate in findings.overhead[CLUSTER].items()
        if name in findings.overhead[TUNED]
    }
    network = Claim(
        "latency-is-the-network",
        "“These figures confirm the long-distance overhead which corresponds to the network latency (11600 μs of "
        "RTT ping corresponding to 5800 μs one way).”",
        "4.1",
    )
    alike = Claim(
        "overhead-alike",
        "“The overhead of MPI implementations is almost the same in a cluster or in a grid excepted for "
        f"MPICH-Madeleine.” With it, the two differ by up to {most_apart} µs.",
        "4.1 and table 4",
    )
    return (
        claims.about_all(
            network, far, lambda estimate: between(estimate, 0.99 * one_way, 1.01 * one_way), wording.microseconds
        ),
        _overhead("overhead-cluster", "the cluster", published[CLUSTER], findings.overhead[CLUSTER]),
        _overhead("overhead-grid", "the grid", published[TUNED], findings.overhead[TUNED]),
        claims.about_all(
            alike,
            apart,
            lambda estimate: between(estimate, -most_apart * _US, most_apart * _US),
            wording.added_microseconds,
        ),
    )


def _overhead(key: str, where: str, published: Mapping[str, float], measured: Mapping[str, Range]) -> Statement:
    least, most = min(published.values()), max(published.values())
    text = f"In {where} an MPI takes at most {most} µs longer than TCP for one byte (paper: {least} to {most})."
    return claims.about_all(
        Claim(key, text, "table 4"),
        measured,
        lambda estimate: at_most(estimate, most * _US),
        wording.added_microseconds,
    )


def _on_bandwidth(findings: Findings) -> tuple[Statement, ...]:
    stated = PAPER["bandwidth_Mbps"]
    near, untuned, tuned = (stated[f"{net}_max"] for net in ("cluster_default", "grid_default", "grid_tcp_tuned"))
    cluster = Claim(
        "cluster-maximum",
        f"“All the implementations reach {near} Mbps that is the maximum goodput of TCP on a 1 Gbps link.”",
        "4.1 and figure 5",
    )
    default = Claim(
        "untuned-maximum",
        "In the grid with default parameters “none of the implementations nor direct TCP implementation of the "
        f"pingpong reached a higher bandwidth than {untuned} Mbps”.",
        "4.1 and figure 3",
    )
    with_buffers = Claim(
        "tuned-maximum",
        f"With TCP tuned “the maximum MPI bandwidth available is now around {tuned} Mbps in the grid”.",
        "4.2.1 and figure 6",
    )
    return (
        claims.about_all(
            cluster,
            findings.maximum[CLUSTER],
            lambda estimate: at_least(estimate, REACHES * near * _MBIT),
            wording.megabits,
        ),
        claims.about_all(
            default,
            findings.maximum[UNTUNED],
            lambda estimate: at_most(estimate, untuned * _MBIT),
            wording.megabits,
        ),
        claims.about_all(
            with_buffers,
            without_tcp(findings.maximum[TUNED]),
            lambda estimate: at_least(estimate, (1 - NEAR) * tuned * _MBIT),
            wording.megabits,
        ),
    )


def _on_half_bandwidth(findings: Findings) -> tuple[Statement, ...]:
    def about(key: str, where: str, size: int, measured: Mapping[str, Range]) -> Statement:
        claim = Claim(key, f"“The half bandwidth” is reached around {format_size(size)} in the {where}.", "4.2.1")
        return claims.about_all(
            claim, measured, lambda estimate: between(estimate, size / FACTOR, size * FACTOR), wording.size
        )

    stated = PAPER["bandwidth_Mbps"]
    near, far = stated["half_bandwidth_size_cluster_bytes"], stated["half_bandwidth_size_grid_bytes"]
    return (
        about("half-bandwidth-cluster", "cluster", near, findings.half_size[CLUSTER]),
        about("half-bandwidth-grid", "grid with TCP tuned", far, findings.half_size[TUNED]),
    )


def _on_thresholds(findings: Findings) -> tuple[Statement, ...]:
    cluster = Claim(
        "threshold-cluster",
        "In the cluster “each implementation has a threshold around 128 kB excepted GridMPI”.",
        "4.1 and figure 5",
    )
    grid = Claim(
        "threshold-grid",
        "In the grid with TCP tuned “we still observe the threshold around 128 kB excepted for GridMPI”.",
        "4.2.1 and figure 6",
    )
    return tuple(
        claims.threshold(claim, findings.results.get(net), findings.curves[net], threshold_seen_bytes())
        for claim, net in ((cluster, CLUSTER), (grid, TUNED))
    )


def _on_tuning(findings: Findings) -> tuple[Statement, ...]:
    best = findings.maximum[TUNED]
    shares = {name: estimate / best[TCP] for name, estimate in best.items() if name != TCP and TCP in best}
    texts = {name: f"{name} ({share.value:.0%} of TCP's bandwidth)" for name, share in shares.items()}
    as_told = {
        name: at_least(share, 1 - NEAR) if name.startswith("mpich") else at_most(share, 1 - NEAR)
        for name, share in shares.items()
        if name.startswith(("mpich", "openmpi"))
    }
    limits = Claim(
        "limits-are-enough",
        "Raising the limits of TCP's buffers “is self sufficient for MPICH2 and MPICH-Madeleine but not for "
        "GridMPI and OpenMPI”, which fixes the buffers of its sockets itself.",
        "4.2.1",
    )
    return (claims.from_verdicts(limits, as_told, texts),)


def _on_slow_start(findings: Findings) -> tuple[Statement, ...]:
    stated = PAPER["slow_start"]
    seconds, half = stated["tcp_seconds_to_max"], stated["seconds_to_500_Mbps"]
    top = findings.seconds_to_maximum
    own = {name: estimate for name, estimate in top.items() if name == TCP}
    behind = {name: estimate / top[TCP] for name, estimate in without_tcp(top).items() if TCP in top}
    place = "4.2.3 and figure 9"
    to_maximum = Claim("tcp-to-maximum", f"“TCP reaches the maximum bandwidth after {seconds}s.”", place)
    to_half = Claim(
        "mpi-to-500",
        f"“In GridMPI, the value of 500 Mbps is reached in {half['GridMPI']}s and around {half['others']}s in the "
        "others.”",
        place,
    )
    slower = Claim(
        "mpi-slower-to-maximum",
        "In MPI, GridMPI excepted, “the slowstart takes more time to reach the maximum value” than in TCP.",
        place,
    )
    return (
        claims.about_all(
            to_maximum,
            own,
            lambda estimate: between(estimate, seconds / FACTOR, seconds * FACTOR),
            wording.spell_seconds,
        ),
        claims.about_all(
            to_half,
            without_tcp(findings.seconds_to_half_gigabit),
            lambda estimate: between(estimate, half["others"] / FACTOR, half["others"] * FACTOR),
            wording.spell_seconds,
        ),
        claims.about_all(
            slower,
            behind,
            lambda estimate: at_least(estimate, MORE_TIME),
            lambda value: f"{wording.ratio(value)} TCP's",
        ),
    )


def _on_long_messages(findings: Findings) -> Statement:
    trips = PAPER["slow_start"]["round_trips_to_max_16MB"]
    verdicts, texts = {}, {}
    for name, estimate in messages_to_maximum(findings.long_streams).items():
        stated = trips["TCP" if name == TCP else "MPI"]
        verdicts[name] = between(estimate, stated / FACTOR, stated * FACTOR)
        texts[name] = f"{name} (message {estimate.value:.0f})"
    claim = Claim(
        "messages-of-16M",
        f"With messages of 16 MB “the maximum bandwidth is obtained after {trips['TCP']} round-trips only on TCP "
        f"and {trips['MPI']} round-trips on MPI implementations”.",
        "4.2.3",
    )
    return claims.from_verdicts(claim, verdicts, texts)
