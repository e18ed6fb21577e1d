"""The NAS Parallel Benchmarks: table 2, figures 10 to 13, and what the paper says of them (RR-6200, 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rankwise.core.units import exact_size
from rankwise.studies import claims, wording
from rankwise.studies.application_figures import figures_of
from rankwise.studies.base import Claim, Results, Row, Statement, StatementVerdict, Table
from rankwise.studies.hablot2007.applications import (
    KERNELS,
    MESSAGES,
    NPB_CLUSTER,
    NPB_CLUSTER_4,
    NPB_GRID,
    NPB_GRID_4,
    number_of,
    seconds_of,
)
from rankwise.studies.hablot2007.published import PAPER
from rankwise.studies.ranges import Range, at_least, at_most, between, over_launches

_NONE = "–"
_MISSING = over_launches(())
_REFERENCE = "mpich"
OVERHEAD = 1.2
"""“This overhead is less than 20%.”"""
NEAR_ONE = 1.1
ALIKE = 1.1
Judge = Callable[[Range], StatementVerdict]
Times = Mapping[str, Mapping[str, Range]]
"""Seconds by implementation and kernel."""


def times(results: Mapping[str, Results], label: str) -> Times:
    """Return what each kernel took in a run."""
    by_implementation = figures_of(results.get(label), tuple(map(seconds_of, KERNELS)))
    return {
        implementation: {kernel: own[seconds_of(kernel)] for kernel in KERNELS if seconds_of(kernel) in own}
        for implementation, own in by_implementation.items()
    }


def relative(of: Times, to: Times) -> dict[str, dict[str, Range]]:
    """Return the relative performance: how many times faster each kernel is in `of` than in `to`."""
    ratios = {
        implementation: {
            kernel: to[implementation][kernel] / own[kernel]
            for kernel in KERNELS
            if kernel in own and kernel in to[implementation]
        }
        for implementation, own in of.items()
        if implementation in to
    }
    return {implementation: own for implementation, own in ratios.items() if own}


def beside_mpich(of: Times) -> dict[str, dict[str, Range]]:
    """Return the performance relative to the newest MPICH; empty if it was not measured."""
    known = [implementation for implementation in of if implementation.startswith(f"{_REFERENCE}-")]
    if not known:
        return {}
    reference = of[max(known)]
    return relative(of, dict.fromkeys(of, reference))


def npb_tables(results: Mapping[str, Results]) -> tuple[Table, ...]:
    """Return table 2 and figures 10 to 13; those without any measurement are left out."""
    grid = times(results, NPB_GRID)
    shown = (
        _performance(
            "NPB on 8 + 8 nodes of two sites, relative to MPICH", "10", beside_mpich(grid),
            "Twice as large is twice as fast as the newest MPICH measured here.",
        ),
        _performance(
            "NPB on 2 + 2 nodes of two sites, relative to MPICH", "11", beside_mpich(times(results, NPB_GRID_4)),
            "Twice as large is twice as fast as the newest MPICH measured here.",
        ),
        _performance(
            "NPB on 8 + 8 nodes of two sites, relative to 16 nodes of one", "12",
            relative(grid, times(results, NPB_CLUSTER)), "1: the long way costs nothing.",
        ),
        _performance(
            "NPB on 8 + 8 nodes of two sites, relative to 4 nodes of one", "13",
            relative(grid, times(results, NPB_CLUSTER_4)), "4: the long way costs nothing.",
        ),
    )  # fmt: skip
    return tuple(table for table in (_messages(results.get(NPB_GRID)), *shown) if table.rows)


def _performance(
    title: str, figure: str, by_implementation: Mapping[str, Mapping[str, Range]], note: str
) -> Table:
    rows = tuple(
        Row(
            implementation,
            tuple(wording.with_interval(own.get(kernel, _MISSING), _plain) for kernel in KERNELS),
            implementation,
        )
        for implementation, own in by_implementation.items()
    )
    columns = tuple(kernel.upper() for kernel in KERNELS)
    return Table(title, columns, rows, f"The paper's figure {figure}, which is a drawing. {note}")


def _plain(value: float) -> str:
    return f"{value:.2f}"


def _messages(results: Results | None) -> Table:
    """The numbers are the same with every MPI: those of the first one that gave them."""
    names = tuple(number_of(kernel, *message) for kernel, classes in MESSAGES.items() for message in classes)
    counts = next(iter(figures_of(results, names).values()), {})
    rows = [
        Row(kernel.upper(), (stated, _counted(kernel.lower(), counts)))
        for kernel, stated in PAPER["table2_npb"].items()
        if counts
    ]
    return Table(
        "Messages of the NPB, class B on 16 ranks", ("2007", "here"), tuple(rows),
        "The paper's table 2. Of collectives here calls of ranks, by call: the size is of one block, of Alltoallv "
        "of all together. The paper's numbers have the messages within collectives: EP's are those of its "
        "Allreduce, MG's 5737 of them. Its sizes of FT fit elements of 16 bytes rather than bytes.",
    )  # fmt: skip


def _counted(kernel: str, counts: Mapping[str, Range]) -> str:
    known = [
        (call, size, counts[number_of(kernel, call, size)].value)
        for call, size in MESSAGES.get(kernel, ())
        if number_of(kernel, call, size) in counts
    ]
    if len(known) > len(MESSAGES["cg"]):  # of many sizes, as in the paper
        call, first, _ = known[0]
        number = sum(value for _, _, value in known)
        return f"{call}: {number:.0f} x {exact_size(first)} to {exact_size(known[-1][1])}"
    return "; ".join(f"{call}: {number:.0f} x {exact_size(size)}" for call, size, number in known) or _NONE


def npb_statements(results: Mapping[str, Results]) -> tuple[Statement, ...]:
    """Return what the paper says of figures 10, 12 and 13, and what becomes of it."""
    grid = times(results, NPB_GRID)
    to_cluster = relative(grid, times(results, NPB_CLUSTER))
    to_four = relative(grid, times(results, NPB_CLUSTER_4))
    figure_12, figure_13 = "4.3 and figure 12", "4.3 and figure 13"
    few = Claim("npb-ep", "“EP has few communications thus the relative performance is close to 1.”", figure_12)
    bad = Claim(
        "npb-cg-mg",
        "“CG and MG bad performance because they communicate with little messages”: here, more than 20 % slower "
        "in the grid than in the cluster.",
        figure_12,
    )
    integers = Claim("npb-is", "“The performance of IS is quite bad”: here, more than 20 % slower.", figure_12)
    large = Claim(
        "npb-lu-sp-bt",
        "“LU's performance is good”, and “SP and BT communicate with big messages, thus the high latency does not "
        "impact them so much”: here, at most 20 % slower.",
        figure_12,
    )
    always = Claim("npb-always", "“There is always an overhead” of the grid.", figure_12)
    speed_up = Claim("npb-speed-up", "“There is a speed up for each application” against 4 nodes.", figure_13)
    little = Claim("npb-little", "“For CG and MG” with four times the nodes “there is few speed-up”.", figure_13)
    three = Claim("npb-ft-sp", "“FT and SP performances are quite good (the speed-up is at least 3).”", figure_13)
    four = Claim("npb-lu-bt", "“LU and BT have a very good speed-up near of 4”: here, at least 3.5.", figure_13)
    slower: Judge = lambda estimate: at_most(estimate, 1 / OVERHEAD)  # noqa: E731
    return (
        _alike(beside_mpich(grid)),
        _about(few, to_cluster, ("ep",), lambda estimate: between(estimate, 1 / NEAR_ONE, NEAR_ONE)),
        _about(bad, to_cluster, ("cg", "mg"), slower),
        _about(integers, to_cluster, ("is",), slower),
        _about(large, to_cluster, ("lu", "sp", "bt"), lambda estimate: at_least(estimate, 1 / OVERHEAD)),
        _about(always, to_cluster, KERNELS, lambda estimate: at_most(estimate, 1.0)),
        _half(to_cluster),
        _about(speed_up, to_four, KERNELS, lambda estimate: at_least(estimate, 1.0)),
        _about(little, to_four, ("cg", "mg"), lambda estimate: at_most(estimate, 2.0)),
        _about(three, to_four, ("ft", "sp"), lambda estimate: at_least(estimate, 3.0)),
        _about(four, to_four, ("lu", "bt"), lambda estimate: at_least(estimate, 3.5)),
    )


def _about(
    claim: Claim, by_implementation: Mapping[str, Mapping[str, Range]], kernels: tuple[str, ...], judge: Judge
) -> Statement:
    own = {
        f"{implementation}'s {kernel.upper()}": of[kernel]
        for implementation, of in by_implementation.items()
        for kernel in kernels
        if kernel in of
    }
    return claims.about_all(claim, own, judge, _plain)


def _alike(by_implementation: Mapping[str, Mapping[str, Range]]) -> Statement:
    """Of those that are not MPICH, since the paper's exception is MPICH2."""
    others = {
        implementation: own["mg"]
        for implementation, own in by_implementation.items()
        if "mg" in own and not implementation.startswith(_REFERENCE)
    }
    claim = Claim(
        "npb-mg-alike",
        "“On MG, the performances are quite similar for each implementation excepted for MPICH2.” Here: within "
        f"{ALIKE - 1:.0%} of the first one.",
        "4.3 and figure 10",
    )
    if len(others) < 2:
        return Statement(claim, wording.NOT_MEASURED, "undecided")
    first, *_ = others
    shares = {
        implementation: value / others[first]
        for implementation, value in others.items()
        if implementation != first
    }
    return claims.about_all(claim, shares, lambda estimate: between(estimate, 1 / ALIKE, ALIKE), wording.ratio)


def _half(by_implementation: Mapping[str, Mapping[str, Range]]) -> Statement:
    claim = Claim("npb-half", "The grid's overhead “is less than 20% for half of the NAS”.", "4.3 and figure 12")
    verdicts: dict[str, StatementVerdict] = {}
    texts = {}
    for implementation, own in by_implementation.items():
        judged = {kernel: at_least(value, 1 / OVERHEAD) for kernel, value in own.items()}
        small = [kernel.upper() for kernel, verdict in judged.items() if verdict == "holds"]
        possible = sum(verdict != "no longer" for verdict in judged.values())
        half = len(own) / 2
        verdicts[implementation] = (
            "holds" if len(small) >= half else "no longer" if possible < half else "undecided"
        )
        texts[implementation] = f"{implementation} ({', '.join(small) or 'none'} of {len(own)})"
    return claims.from_verdicts(claim, verdicts, texts)
