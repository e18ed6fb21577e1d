"""What Hablot 2007 says of the NAS benchmarks and ray2mesh comes out as the data has it, either way."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from rankwise.core.programs import Metric
from rankwise.studies import base
from rankwise.studies.base import Results, Statement, Table
from rankwise.studies.hablot2007 import applications
from rankwise.studies.hablot2007.applications import (
    KERNELS,
    MESSAGES,
    NPB_CLUSTER,
    NPB_CLUSTER_4,
    NPB_GRID,
    SITES,
    label_of,
    number_of,
    ranks_of,
    rays_of,
    seconds_of,
)
from studies import simulated
from studies.simulated import Figures

STUDY = base.find("hablot2007")
MPICH, OPENMPI, INTEL = "mpich-5.0.2", "openmpi-5.0.11", "intelmpi-2021.18.1"
NAMES = (MPICH, OPENMPI, INTEL)
IN_CLUSTER = dict(zip(KERNELS, (1.0, 2.0, 2.0, 1.0, 4.0, 5.0, 6.0, 7.0), strict=True))
TIMES = {
    NPB_CLUSTER: IN_CLUSTER,
    NPB_GRID: {
        "ep": 1.005,
        "is": 3.0,
        "cg": 6.0,
        "mg": 2.0,
        "ft": 4.9,
        "lu": 5.2,
        "sp": 6.9,
        "bt": 7.3,
    },
    NPB_CLUSTER_4: {
        "ep": 4.0,
        "is": 4.0,
        "cg": 8.0,
        "mg": 3.0,
        "ft": 16.0,
        "lu": 20.0,
        "sp": 24.0,
        "bt": 28.0,
    },
}
COUNTS = {number_of(kernel, *one): 100.0 for kernel, classes in MESSAGES.items() for one in classes}


def npb(label: str, **changes: float) -> Figures:
    """The same for each implementation, in which half of the kernels lose little: EP, LU, SP and BT."""
    seconds = {seconds_of(kernel): value for kernel, value in {**TIMES[label], **changes}.items()}
    return {name: {**seconds, **(COUNTS if label == NPB_GRID else {})} for name in NAMES}


def ray2mesh(site: str, *, near: float = 31000, computing: float = 18.5) -> Figures:
    rays = {rays_of(rank): near if one == site else 30000.0 for one in SITES for rank in ranks_of(one)}
    assert sorted(rays) == sorted(map(rays_of, range(1, 33)))
    times = {"tracing_seconds": computing, "merging_seconds": 16.0, "total": 16.0 + computing}
    return {name: {**rays, **times} for name in NAMES}


def as_published() -> dict[str, Figures]:
    """A world in which every statement of the paper is true."""
    runs = {label: npb(label) for label in TIMES}
    return {**runs, **{label_of(site): ray2mesh(site) for site in SITES}}


def statements(truth: Mapping[str, Figures]) -> dict[str, Statement]:
    found = STUDY.page(simulated.applications(STUDY, truth)).statements
    return {one.claim.key: one for one in found if one.claim.key.startswith(("npb-", "ray2mesh-"))}


def tables(results: Mapping[str, Results]) -> dict[str, Table]:
    return {one.title: one for one in STUDY.page(results).tables}


def test_in_the_published_world_all_hold() -> None:
    found = statements(as_published())
    assert not {key: one.measured for key, one in found.items() if one.verdict != "holds"}


REFUTED = {
    "npb-mg-alike": {NPB_GRID: {**npb(NPB_GRID), INTEL: npb(NPB_GRID, mg=1.5)[INTEL]}},
    "npb-ep": {NPB_GRID: npb(NPB_GRID, ep=1.5)},
    "npb-cg-mg": {NPB_GRID: npb(NPB_GRID, cg=2.1)},
    "npb-is": {NPB_GRID: npb(NPB_GRID, **{"is": 2.1})},
    "npb-always": {NPB_GRID: npb(NPB_GRID, ft=3.0)},
    "npb-half": {NPB_GRID: npb(NPB_GRID, bt=9.0)},
    "npb-lu-sp-bt": {NPB_GRID: npb(NPB_GRID, sp=8.0)},
    "npb-speed-up": {NPB_GRID: npb(NPB_GRID, mg=4.0)},
    "npb-little": {NPB_GRID: npb(NPB_GRID, cg=2.0)},
    "npb-ft-sp": {NPB_GRID: npb(NPB_GRID, ft=7.0)},
    "npb-lu-bt": {NPB_GRID: npb(NPB_GRID, bt=9.0)},
    "ray2mesh-nearer": {label_of("sophia"): ray2mesh("sophia", near=29000)},
    "ray2mesh-equal": {label_of("rennes"): ray2mesh("rennes", computing=20)},
    "ray2mesh-placement": {label_of("toulouse"): ray2mesh("toulouse", computing=20)},
}


def test_every_statement_has_a_world_in_which_it_is_wrong() -> None:
    assert set(REFUTED) == set(statements(as_published()))


@pytest.mark.parametrize("key", list(REFUTED))
def test_otherwise_it_holds_no_longer(key: str) -> None:
    statement = statements({**as_published(), **REFUTED[key]})[key]
    assert statement.verdict == "no longer", statement.measured


def test_without_the_runs_the_page_says_that_they_are_left_out() -> None:
    page = STUDY.page({})
    assert not [one for one in page.statements if one.claim.key.startswith(("npb-", "ray2mesh-"))]
    assert "--quick does without" in page.caveats[-1]
    assert "--quick" not in STUDY.page(simulated.applications(STUDY, as_published())).caveats[-1]


def test_tables_have_the_papers_figures_beside_ours() -> None:
    found = tables(simulated.applications(STUDY, as_published(), spread=0.0))
    messages = {row.head: row.cells for row in found["Messages of the NPB, class B on 16 ranks"].rows}
    assert messages["CG"][0] == "p2p: 126479 x 8 B + 86944 x 147 kB"
    assert messages["CG"][1].startswith("point-to-point: 100 x 8 B; point-to-point: 100 x 16 B; ")
    assert messages["MG"][1] == "point-to-point: 1500 x 8 B to 135200 B"
    assert messages["BT"][1] == "point-to-point: 100 x 27040 B; point-to-point: 100 x 162240 B"
    four = found["NPB on 8 + 8 nodes of two sites, relative to 4 nodes of one"]
    assert (four.columns, four.rows[0].head) == (("EP", "IS", "CG", "MG", "FT", "LU", "SP", "BT"), MPICH)
    assert [cell.split()[0] for cell in four.rows[0].cells] == [
        "3.98",
        "1.33",
        "1.33",
        "1.50",
        "3.27",
        "3.85",
        "3.48",
        "3.84",
    ]
    rays = {row.head: row.cells for row in found["Rays that a node of each site traces"].rows}
    assert rays["Sophia, 2007"] == ("35375", "36562", "37344", "36438")
    assert [cell.split()[0][:2] for cell in rays[f"Sophia, {MPICH}"]] == ["30", "30", "31", "30"]


def test_the_workers_of_a_site_are_on_its_hosts() -> None:
    for site in SITES:
        (run,) = (one for one in applications.RUNS if one.label == label_of(site))
        hosts = run.placement.removeprefix("hosts=").split("+")
        assert len(hosts) == run.ranks == 33
        assert hosts[0] == f"{site}-1"
        assert [hosts[rank] for rank in ranks_of(site)] == [f"{site}-{number}" for number in range(1, 9)]


def test_the_figures_are_found_in_what_the_applications_print() -> None:
    """The last number counts, and each kernel has its own line."""
    said = (
        '{"messages_of": "cg", "messages": [{"call": "point-to-point", "number": 7, "smallest": 8, "largest": 8}, '
        '{"call": "point-to-point", "number": 9, "smallest": 16, "largest": 16}]}\n'
        '{"app": "cg", "class": "B", "ranks": 16, "seconds": 1.5e+01, "mops": 1, "verified": null}\n'
        '{"app": "ft", "class": "B", "ranks": 16, "seconds": 2.5, "mops": 1, "verified": null}\n'
    )
    (grid,) = (run for run in applications.RUNS if run.label == NPB_GRID)
    assert grid.applications
    found = (*grid.applications.figures, *grid.applications.messages)
    metrics = {name: Metric(name, pattern) for name, pattern in found}
    assert metrics["cg seconds"].find(said) == 15
    assert metrics["ft seconds"].find(said) == 2.5
    with pytest.raises(ValueError, match="ep"):
        metrics["ep seconds"].find(said)
    assert metrics[number_of("cg", "point-to-point", 16)].find(said) == 9
    assert all(re.compile(one.pattern).groups == 1 for one in metrics.values())
