"""What the paper says of tuning the MPIs themselves, and what our own tuning is to reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rankwise.core.units import format_size
from rankwise.studies import claims, wording
from rankwise.studies.base import TCP, Claim, Statement, StatementVerdict
from rankwise.studies.hablot2007.findings import Findings
from rankwise.studies.hablot2007.plan import DIP, GRID_MPI, LARGE, MIB, TUNED
from rankwise.studies.hablot2007.published import MORE_TIME, NEAR, threshold_seen_bytes
from rankwise.studies.ranges import Range, at_least, at_most, every

AIM_SHARE = 0.97
"""Of raw TCP's bandwidth, at the sizes of LARGE."""
AIM_TIME = 1.1
"""Times raw TCP's time at most, at the sizes of DIP."""
_PLACE = "4.2.2 and figure 7"
_OURS = "our own aim"
_BIG_BYTES = 16 * MIB
BySize = Mapping[int, Range]


def mpi_statements(findings: Findings) -> tuple[Statement, ...]:
    """Return the statements in the paper's order."""
    return (_necessary(findings), _threshold_gone(findings), *_same_behaviour(findings), _as_good_as_tcp(findings))


def aims(findings: Findings) -> tuple[Statement, ...]:
    """State the bandwidth of large messages, and no dip where rendezvous would begin."""
    times = findings.over_tcp[GRID_MPI]
    sizes = wording.listed([format_size(size) for size in LARGE])
    bandwidth = Claim(
        "aim-bandwidth",
        f"With TCP and MPI tuned, each MPI's bandwidth at {sizes} is at least {AIM_SHARE:.0%} of raw TCP's.",
        _OURS,
    )
    no_dip = Claim(
        "aim-no-dip",
        f"From {format_size(DIP[0])} to {format_size(DIP[1])} each MPI takes at most {AIM_TIME:g} times raw TCP's "
        "time.",
        _OURS,
    )
    shares = {name: shares_of_tcp(by_size) for name, by_size in times.items()}
    return (
        claims.from_verdicts(
            bandwidth,
            {name: _all(by_size, lambda share: at_least(share, AIM_SHARE)) for name, by_size in shares.items()},
            {name: f"{name} ({', '.join(f'{share.value:.1%}' for share in by_size.values())})"
             for name, by_size in shares.items()},
        ),
        claims.from_verdicts(
            no_dip,
            {name: _all(in_dip(by_size), lambda time: at_most(time, AIM_TIME)) for name, by_size in times.items()},
            {name: _worst_words(name, in_dip(by_size)) for name, by_size in times.items()},
        ),
    )  # fmt: skip


def shares_of_tcp(times: BySize) -> dict[int, Range]:
    """Return the shares of raw TCP's bandwidth, at those sizes of LARGE that were measured."""
    return {size: times[size].inverted(1.0) for size in LARGE if size in times}


def in_dip(times: BySize) -> dict[int, Range]:
    """Return the same at the sizes of DIP."""
    return {size: estimate for size, estimate in times.items() if DIP[0] <= size <= DIP[1]}


def _all(by_size: BySize, judge: Callable[[Range], StatementVerdict]) -> StatementVerdict:
    return every(judge(estimate) for estimate in by_size.values())


def _worst_words(name: str, times: BySize) -> str:
    if not times:
        return f"{name} (not measured there)"
    size = max(times, key=lambda candidate: times[candidate].value)
    return f"{name} ({times[size].value:.2f} times at {format_size(size)})"


def _necessary(findings: Findings) -> Statement:
    claim = Claim(
        "threshold-necessary",
        "“Thus, it is necessary for grid experiments to adjust correctly the eager/rendez-vous threshold "
        "parameter in each MPI implementation.” Unadjusted, and TCP tuned: more than "
        f"{MORE_TIME:g} times TCP's time somewhere from {format_size(DIP[0])} to {format_size(DIP[1])}.",
        "4.2.2",
    )
    verdicts: dict[str, StatementVerdict] = {}
    texts = {}
    for name, times in findings.over_tcp[TUNED].items():
        dip = in_dip(times)
        # one size is enough: the opposite of "at most so much at all of them"
        opposite: dict[StatementVerdict, StatementVerdict] = {"holds": "no longer", "no longer": "holds"}
        never = _all(dip, lambda time: at_most(time, MORE_TIME))
        verdicts[name] = opposite.get(never, never)
        texts[name] = _worst_words(name, dip)
    return claims.from_verdicts(claim, verdicts, texts)


def _threshold_gone(findings: Findings) -> Statement:
    claim = Claim(
        "threshold-gone",
        "MPI implementations are tuned “in order to delete this threshold” around 128 kB: with TCP and MPI tuned "
        "it is gone.",
        "4.2.1 and figure 7",
    )
    return claims.threshold(
        claim, findings.results.get(GRID_MPI), findings.curves[GRID_MPI], threshold_seen_bytes(), gone=True
    )


def _same_behaviour(findings: Findings) -> tuple[Statement, Statement]:
    alike = Claim(
        "same-behaviour",
        "With TCP and MPI tuned: “All MPI implementations have almost the same performances excepted OpenMPI "
        "[...]. TCP and these implementations have the same behavior.”",
        _PLACE,
    )
    lower = Claim(
        "openmpi-lower",
        "With TCP and MPI tuned Open MPI “has a lower bandwidth for big messages”: less than "
        f"{1 - NEAR:.0%} of TCP's from {format_size(_BIG_BYTES)} on.",
        _PLACE,
    )
    alike_verdicts: dict[str, StatementVerdict] = {}
    lower_verdicts: dict[str, StatementVerdict] = {}
    texts = {}
    for name, times in findings.over_tcp[GRID_MPI].items():
        if not name.startswith("openmpi"):
            alike_verdicts[name] = _all(times, lambda time: at_most(time, MORE_TIME))
            texts[name] = _worst_words(name, times)
            continue
        shares = [estimate.inverted(1.0) for size, estimate in times.items() if size >= _BIG_BYTES]
        if shares:
            least = min(shares, key=lambda share: share.value)
            lower_verdicts[name] = at_most(least, 1 - NEAR)
            texts[name] = f"{name} ({least.value:.1%} of TCP's bandwidth)"
    return claims.from_verdicts(alike, alike_verdicts, texts), claims.from_verdicts(lower, lower_verdicts, texts)


def _as_good_as_tcp(findings: Findings) -> Statement:
    claim = Claim(
        "as-good-as-tcp",
        "“After tuning, each MPI implementation can reach as good performance as TCP.”",
        "5",
    )
    best = findings.maximum[GRID_MPI]
    shares = {name: estimate / best[TCP] for name, estimate in best.items() if name != TCP and TCP in best}
    return claims.from_verdicts(
        claim,
        {name: at_least(share, 1 - NEAR) for name, share in shares.items()},
        {name: f"{name} ({share.value:.1%} of TCP's bandwidth)" for name, share in shares.items()},
    )
