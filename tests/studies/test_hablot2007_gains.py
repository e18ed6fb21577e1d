"""What overlay, profiles and a mapping gain is told as a ratio, and why one is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rankwise.analysis.compare.variants import with_cells
from rankwise.core.records import Notice
from rankwise.studies import base
from rankwise.studies.base import Results, Table
from rankwise.studies.hablot2007.applications import KERNELS, NPB_GAINS, RAY2MESH_GAINS, seconds_of
from studies import simulated

STUDY = base.find("hablot2007")
MPICH, OPENMPI = "mpich-5.0.2", "openmpi-5.0.11"
NPB, RAY2MESH = "What NPB on 8 + 8 nodes of two sites would have gained", "What ray2mesh would have gained"


def measured(label: str, seconds: Mapping[tuple[str, str], float], *, notices: tuple[Notice, ...] = ()) -> Results:
    """Each figure of a run takes as long in a variant, by its label and placement ('': as the run has it)."""
    parts = ("tracing_seconds", "merging_seconds", "total")
    figures = tuple(map(seconds_of, KERNELS)) if label == NPB_GAINS else parts
    launches = []
    for (of, placement), value in seconds.items():
        truth = {label: {name: dict.fromkeys(figures, value) for name in (MPICH, OPENMPI)}}
        one = simulated.applications(STUDY, truth, spread=0.0, placement=placement)[label]
        launches += [with_cells(launch, lambda cell, of=of: replace(cell, label=of)) for launch in one.launches]
    return replace(one, launches=tuple(launches), comparison=replace(one.comparison, notices=notices))


def tables(**results: Results) -> dict[str, Table]:
    return {
        one.title: one for one in STUDY.page({name.replace("_", "-"): of for name, of in results.items()}).tables
    }


def firsts(table: Table) -> dict[str, set[str]]:
    return {row.head: {cell.split()[0] for cell in row.cells} for row in table.rows}


def test_each_variant_is_beside_the_same_mpi_as_it_is() -> None:
    seconds = {("default", ""): 6.0, ("overlay", ""): 3.0, ("wan", ""): 8.0, ("default", "hosts=nancy-1"): 1.5}
    found = tables(npb_gains=measured(NPB_GAINS, seconds))
    assert firsts(found[NPB]) == {
        f"{name}, {variant}": {ratio}
        for variant, ratio in {"overlay": "2.00", "tuned profile": "0.75", "mapped placement": "4.00"}.items()
        for name in (MPICH, OPENMPI)
    }
    assert found[NPB].columns == ("EP", "IS", "CG", "MG", "FT", "LU", "SP", "BT")
    assert found[NPB].rows[0].cells[0] == "2.00 [2.00, 2.00]"


def test_of_ray2mesh_its_parts_are_shown() -> None:
    seconds = {("default", ""): 6.0, ("overlay", ""): 3.0}
    found = tables(ray2mesh_gains=measured(RAY2MESH_GAINS, seconds))[RAY2MESH]
    assert found.columns == ("computing", "merging", "total")
    assert firsts(found) == {f"{name}, overlay": {"2.00"} for name in (MPICH, OPENMPI)}


def test_why_a_variant_is_missing_is_told_below() -> None:
    notices = (Notice("no-profile", "no profile of grid-mpi for mpich-5.0.2"), Notice("other", "no word"))
    seconds = {("default", ""): 6.0, ("overlay", ""): 3.0}
    note = tables(npb_gains=measured(NPB_GAINS, seconds, notices=notices))[NPB].note
    assert note.endswith("No profile of grid-mpi for mpich-5.0.2.")


def test_without_the_run_there_is_no_table() -> None:
    assert not {NPB, RAY2MESH} & set(tables())
    found = tables(npb_gains=measured(NPB_GAINS, {("default", ""): 1.0}))
    assert not found[NPB].rows, "nothing beside the default; the note says why"


def test_a_quick_study_leaves_them_out() -> None:
    assert {run.label for run in STUDY.runs if run.further} == {NPB_GAINS, RAY2MESH_GAINS}
    assert not [run for run in STUDY.runs if run.further and run.effort(quick=True)]
