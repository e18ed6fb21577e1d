"""The comparison as a whole: launches in, `core.results.Comparison` out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rankwise.analysis.compare.beside_native import beside_native
from rankwise.analysis.compare.cells import gather, judged_points
from rankwise.analysis.compare.curves import curves, distributions
from rankwise.analysis.compare.explanations import explanations
from rankwise.analysis.compare.notices import notices
from rankwise.analysis.compare.overheads import overheads
from rankwise.analysis.compare.overlaps import overlaps
from rankwise.analysis.compare.streams import streams, timelines
from rankwise.analysis.compare.summary import choose_baseline, standings, summary_rows
from rankwise.analysis.compare.switch_points import switch_points
from rankwise.analysis.compare.variants import variants_of
from rankwise.analysis.compare.verdicts import all_pairs, judge
from rankwise.core.errors import UnknownNameError
from rankwise.core.records import Benchmark, Cell, CellFailure, Launch
from rankwise.core.results import Comparison


def compare(
    launches: Sequence[Launch],
    benchmarks: Mapping[str, Benchmark],
    baseline: str | None = None,
    *,
    delta: float = 0.05,
    alpha: float = 0.05,
    precision: float = 0.02,
    implementations: Sequence[str] = (),
    failures: Iterable[CellFailure] = (),
    seed: int = 0,
) -> Comparison:
    """Return which implementation is faster at what, by how much, and whether the difference is real.

    `launches` are those of one run, `failures` its cells that failed before any launch. `implementations`
    gives the order of presentation (default: as they first appear). `baseline` None takes the implementation
    with the lowest geometric mean of times over the cells that all share. A baseline that the data chose owes its
    place partly to luck; the correction then counts every two implementations in every cell as a test, and not
    just those with the baseline. A difference below `delta` (0.05: 5 %) does not matter; `alpha` bounds the
    chance that any `faster` or `slower` of the whole comparison is false; `precision` is the relative half width
    of the median's interval that the run aimed at. Raises UnknownNameError for a baseline that was not launched.
    With no launches, all fields are empty.
    """
    order = tuple(
        dict.fromkeys((*implementations, *(name for launch in launches for name in variants_of(launch))))
    )
    if baseline is not None and baseline not in order:
        raise UnknownNameError("implementation", baseline, order)
    failed = _once_a_cell([*failures, *(failure for launch in launches for failure in launch.failures)])
    cells = gather(launches, benchmarks)
    wrong = [failure.cell for failure in failed if failure.kind == "wrong data"]
    points = judged_points(cells, wrong)
    chosen = choose_baseline(points, order) if baseline is None else baseline
    pairs = all_pairs(points, sorted(order, key=lambda name: name != chosen))
    everyone = judge(pairs, delta, alpha)
    own = [pair for pair in pairs if pair.baseline == chosen]
    family = everyone if baseline is None else judge(own, delta, alpha)
    standing = standings(zip((pair.point for pair in pairs), everyone, strict=True))
    found_curves = curves(cells, precision)
    return Comparison(
        baseline=chosen,
        implementations=order,
        delta=delta,
        alpha=alpha,
        verdicts=tuple(verdict for verdict in family if verdict.baseline == chosen),
        summary=summary_rows(points, own, chosen, order, standing=standing, seed=seed),
        curves=found_curves,
        switch_points=switch_points(cells, seed=seed),
        distributions=distributions(cells),
        failures=failed,
        notices=notices(launches, cells, family, failed, alpha=alpha, precision=precision),
        overheads=overheads(cells, wrong),
        streams=streams(launches, benchmarks),
        timelines=timelines(launches),
        overlaps=overlaps(data for data in cells if data.cell not in wrong),
        explanations=explanations(points, chosen, order),
        beside_native=beside_native(points, delta, alpha),
    )


def _once_a_cell(failures: Iterable[CellFailure]) -> tuple[CellFailure, ...]:
    """The first failure of each cell; wrong data goes before any other, whenever it happened."""
    first: dict[Cell, CellFailure] = {}
    for failure in failures:
        known = first.get(failure.cell)
        if known is None or (failure.kind == "wrong data" and known.kind != "wrong data"):
            first[failure.cell] = failure
    return tuple(first.values())
