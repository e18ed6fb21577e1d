"""Which algorithm each library's source took in 2006, and which schedule its own curve looks like today."""

from __future__ import annotations

import re

from rankwise.studies import claims
from rankwise.studies.base import Claim, Statement, StatementVerdict
from rankwise.studies.mcclements2006.findings import FAMILIES, Findings, of_family
from rankwise.studies.mcclements2006.likeness import LARGE, NEAR, SMALL, Likeness, likeness
from rankwise.studies.mcclements2006.plan import CLUSTER, OPERATIONS, PAPER, label
from rankwise.studies.ranges import FEWEST_LAUNCHES, every

_RUN = label(CLUSTER, 4)
"""One rank on each node, where no library has reason to do anything within hosts."""
_SWITCH = re.compile(r"(.+?) < .+ <= (.+)")
SCHEDULES = {
    "linear": {"linear"}, "binomial": {"binomial"}, "Rabenseifner": {"rabenseifner"},
    "linear or logarithmic": {"linear", "binomial"}, "tree": {"binomial", "binary", "knomial"},
    "Reduce then Scatterv": {"reduce_scatterv"}, "recursive halving": {"recursive_halving"},
    "pairwise": {"pairwise"}, "Gather then Bcast": {"gather_bcast"},
    "recursive doubling": {"recursive_doubling"}, "ring": {"ring"},
    "scatter then allgather": {"scatter_allgather_doubling", "scatter_allgather_ring"},
}  # fmt: skip
"""Ours, by the paper's words for an algorithm."""


def stated(operation: str) -> dict[str, tuple[str, str]]:
    """Return the paper's words for small and for large messages, by its name of the library."""
    by_library = {}
    for library, description in PAPER["algorithms"][operation.capitalize()].items():
        match = _SWITCH.fullmatch(description)
        by_library[library] = (match[1], match[2]) if match else (description, description)
    return by_library


def algorithm_statements(findings: Findings) -> list[Statement]:
    """Return one for each operation: true of an implementation whose curves look like the algorithm of 2006."""
    return [_statement(findings, operation) for operation in OPERATIONS]


def _statement(findings: Findings, operation: str) -> Statement:
    run = findings.runs.get(_RUN)
    verdicts: dict[str, StatementVerdict] = {}
    texts = {}
    for library, pair in stated(operation).items():
        for name in of_family(run.implementations, FAMILIES[library]) if run else ():
            parts = [likeness(run, name, operation, sizes) for sizes in (SMALL, LARGE)] if run else []
            if any(part.distances for part in parts):
                verdicts[name] = every(
                    _judge(part, SCHEDULES[word]) for part, word in zip(parts, pair, strict=True)
                )
                texts[name] = f"{name} (small: {parts[0].words()}; large: {parts[1].words()})"
    claim = Claim(
        f"algorithm-{operation}",
        f"In the sources of 2006 {operation.capitalize()} is {_in_words(operation)}. Here: the schedule that the "
        "curve on 4 nodes looks like, and how many times apart the two are.",
        "2.4",
    )
    return claims.from_verdicts(claim, verdicts, texts)


def _in_words(operation: str) -> str:
    by_words: dict[str, list[str]] = {}
    for library, description in PAPER["algorithms"][operation.capitalize()].items():
        by_words.setdefault(description, []).append(library)
    return "; ".join(
        f"{_plainly(description)} in {' and '.join(names)}" for description, names in by_words.items()
    )


def _plainly(description: str) -> str:
    """`binomial below 2 kB and Rabenseifner from there on` for `binomial < 2 kB <= Rabenseifner`."""
    match = re.fullmatch(r"(.+?) < (.+?) <= (.+)", description)
    return (
        f"{match[1]} below {match[2]} and {match[3]} from there on"
        if match
        else description.replace("tree", "a tree")
    )


def _judge(part: Likeness, expected: set[str]) -> StatementVerdict:
    """Undecided where others cannot be told from what the paper says, or that may yet be near."""
    if part.launches < FEWEST_LAUNCHES:
        return "undecided"
    near = set(part.nearest)
    if near and near <= expected:
        return "holds"
    best = next(iter(part.distances.values()))
    limit = min(best.high, NEAR) if near else NEAR
    refuted = all(distance.low > limit for name, distance in part.distances.items() if name in expected)
    return "no longer" if refuted else "undecided"
