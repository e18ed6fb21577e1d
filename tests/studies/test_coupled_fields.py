"""What Eickermann 1999 says of its coupled applications comes out as the data has it, either way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from rankwise.core.coupled import PATTERNS
from rankwise.core.programs import Metric
from rankwise.core.records import Launch
from rankwise.studies import base
from rankwise.studies.base import Results, Statement
from rankwise.studies.coupled_fields import ACROSS, LABEL, RUN, WITHIN, exchange_of, step_of
from studies import simulated

STUDY = base.find("eickermann1999")
MPICH, OPENMPI = "mpich-5.0.2", "openmpi-5.0.11"
NEAR = {"groundwater": 2.5, "climate": 2.02, "meg": 0.0021, "molecular": 0.1}
FAR = {"groundwater": 2.51, "climate": 2.03, "meg": 0.0039, "molecular": 0.101}


def measured(**far: float) -> dict[str, Results]:
    """Both placements in one run, as a study measures them."""
    own: list[Launch] = []
    found: Mapping[str, Results] = {}
    for placement, steps in ((WITHIN, NEAR), (ACROSS, {**FAR, **far})):
        figures = {step_of(name): value for name, value in steps.items()}
        figures |= {exchange_of(name): value / 10 for name, value in steps.items()}
        truth = {LABEL: {MPICH: figures, OPENMPI: figures}}
        found = simulated.applications(STUDY, truth, placement=placement)
        own += found[LABEL].launches
    return {LABEL: replace(found[LABEL], launches=tuple(own))}


def statements(found: Mapping[str, Results]) -> dict[str, Statement]:
    return {one.claim.key: one for one in STUDY.page(found).statements if one.claim.key.startswith("coupled-")}


def test_in_the_published_world_all_hold() -> None:
    found = statements(measured())
    assert {key: one.measured for key, one in found.items() if one.verdict != "holds"} == {}
    assert len(found) == 3


@pytest.mark.parametrize(
    ("key", "far"),
    [
        ("coupled-loose", {"climate": 2.3}),
        ("coupled-loose", {"groundwater": 4.5}),
        ("coupled-meg", {"meg": 0.0022}),
        ("coupled-hidden", {"molecular": 0.2}),
    ],
)
def test_otherwise_it_holds_no_longer(key: str, far: dict[str, float]) -> None:
    statement = statements(measured(**far))[key]
    assert statement.verdict == "no longer", statement.measured


def test_what_the_long_way_costs_is_told() -> None:
    table = STUDY.page(measured()).tables[-1]
    rows = {row.head: row.cells for row in table.rows}
    assert rows[f"meg, {MPICH}"][0].startswith("2.1 ms [")
    assert rows[f"meg, {MPICH}"][1].startswith("3.9 ms [")
    assert rows[f"meg, {MPICH}"][4].startswith("+1.8 ms [")
    assert len(rows) == 2 * len(PATTERNS)


def test_without_the_run_the_page_says_so() -> None:
    assert not statements({})
    assert "--quick leaves out" in STUDY.page({}).caveats[-1]


def test_patterns_are_told_apart_by_their_fields() -> None:
    said = "".join(
        f'{{"app": "coupled", "remark": "", "bytes": {one.field_bytes}, "exchange_seconds": 0.5, '
        f'"step_seconds": {number}, "computing": [0]}}\n'
        for number, one in enumerate(PATTERNS, start=1)
    )
    assert RUN.applications
    metrics = {name: Metric(name, pattern) for name, pattern in RUN.applications.figures}
    assert [metrics[step_of(one.name)].find(said) for one in PATTERNS] == [1, 2, 3, 4]
    assert [metrics[exchange_of(one.name)].find(said) for one in PATTERNS] == [0.5] * 4
