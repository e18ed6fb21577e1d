"""ray2mesh: tables 6 and 7, and what the paper says of where the master is (RR-6200, 4.4)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from rankwise.studies import claims, wording
from rankwise.studies.application_figures import figures_of
from rankwise.studies.base import Claim, Results, Row, Statement, Table
from rankwise.studies.hablot2007.applications import SITES, TENTH, label_of, ranks_of, rays_of
from rankwise.studies.hablot2007.published import PAPER
from rankwise.studies.ranges import Range, at_least, between

_NONE = "–"
_TIMES = {"computing": "tracing_seconds", "merging": "merging_seconds", "total": "total"}
_STATED = PAPER["ray2mesh"]
_NEAR = 1.02
"""Of times that the paper calls equal: its own differ by 1 % (computing) and 2 % (total)."""
ByMaster = Mapping[str, Mapping[str, Range]]
"""By the master's site and implementation."""


def rays(results: Mapping[str, Results], site: str) -> ByMaster:
    """Return how many rays a node of `site` traces, on the average over its workers."""
    names = tuple(map(rays_of, ranks_of(site)))
    return {
        master: {
            implementation: reduce(_plus, own.values()).scaled(1 / len(names))
            for implementation, own in figures_of(results.get(label_of(master)), names).items()
            if len(own) == len(names)
        }
        for master in SITES
    }


def seconds(results: Mapping[str, Results], part: str) -> ByMaster:
    """Return what a part of the program takes: computing, merging, total."""
    name = _TIMES[part]
    return {
        master: {
            implementation: own[name]
            for implementation, own in figures_of(results.get(label_of(master)), (name,)).items()
        }
        for master in SITES
    }


def ray2mesh_tables(results: Mapping[str, Results]) -> tuple[Table, ...]:
    """Return tables 6 and 7, with a row of the paper's above those of each implementation."""
    if not any(label_of(site) in results for site in SITES):
        return ()
    columns = tuple(f"master in {site.capitalize()}" for site in SITES)
    sixth: list[Row] = []
    for site in SITES:
        stated = _STATED["table6_rays_per_node"][site.capitalize()]
        sixth.append(Row(f"{site.capitalize()}, 2007", tuple(f"{number:.0f}" for number in stated)))
        sixth += _rows(rays(results, site), lambda value: f"{value:.0f}", site.capitalize())
    seventh: list[Row] = []
    for part in _TIMES:
        stated = _STATED["table7_seconds"][part]
        seventh.append(Row(f"{part}, 2007", tuple(f"{value} s" for value in stated)))
        seventh += _rows(seconds(results, part), lambda value: f"{value:.3g} s", part)
    return (
        Table(
            "Rays that a node of each site traces", columns, tuple(sixth),
            "The paper's table 6. Its clusters were of different speeds, Sophia's the fastest; here all hosts are "
            "alike.",
        ),
        Table(
            "Times of ray2mesh", columns, tuple(seventh),
            f"The paper's table 7; its total has more parts. Here {TENTH:.0%} of it is computed and merged.",
        ),
    )  # fmt: skip


def _rows(by_master: ByMaster, formatter: wording.Words, what: str) -> list[Row]:
    names = dict.fromkeys(implementation for own in by_master.values() for implementation in own)
    return [
        Row(
            f"{what}, {implementation}",
            tuple(
                wording.with_interval(own[implementation], formatter) if implementation in own else _NONE
                for own in by_master.values()
            ),
            implementation,
        )
        for implementation in names
    ]  # fmt: skip


def ray2mesh_statements(results: Mapping[str, Results]) -> tuple[Statement, ...]:
    """Return what the paper says of tables 6 and 7, and what becomes of it."""
    nearer = Claim(
        "ray2mesh-nearer", "“Each node computes more rays if it is nearer of the master.”", "4.4, table 6"
    )
    equal = Claim(
        "ray2mesh-equal",
        "Times show “an equal performance during the computing phase not depending of the master's location”: "
        "here, within 2 % of the first one's.",
        "4.4 and table 7",
    )
    placement = Claim(
        "ray2mesh-placement",
        "“The task placement do not provide significantly better results”: total times within 2 % of the first "
        "one's.",
        "5 and table 7",
    )
    alike = lambda estimate: between(estimate, 1 / _NEAR, _NEAR)  # noqa: E731
    return (
        claims.about_all(nearer, _nearer(results), lambda estimate: at_least(estimate, 1.0), wording.ratio),
        claims.about_all(equal, _beside_first(seconds(results, "computing")), alike, wording.ratio),
        claims.about_all(placement, _beside_first(seconds(results, "total")), alike, wording.ratio),
    )


def _nearer(results: Mapping[str, Results]) -> dict[str, Range]:
    """Rays of a node with the master in its site, over those of the same node with the master elsewhere."""
    ratios: dict[str, Range] = {}
    for site in SITES:
        by_master = rays(results, site)
        for implementation, near in by_master[site].items():
            far = [
                own[implementation]
                for master, own in by_master.items()
                if master != site and implementation in own
            ]
            if far:
                ratios[f"{implementation} in {site.capitalize()}"] = near / reduce(_plus, far).scaled(1 / len(far))
    return ratios


def _beside_first(by_master: ByMaster) -> dict[str, Range]:
    measured = {site: own for site, own in by_master.items() if own}
    first = next(iter(measured), "")
    return {
        f"{implementation} from {site.capitalize()}": own[implementation] / measured[first][implementation]
        for site, own in measured.items()
        for implementation in own
        if site != first and implementation in measured[first]
    }


def _plus(estimate: Range, other: Range) -> Range:
    """Their sum, with both ends at their worst."""
    return Range(
        estimate.value + other.value,
        estimate.low + other.low,
        estimate.high + other.high,
        min(estimate.launches, other.launches),
    )
