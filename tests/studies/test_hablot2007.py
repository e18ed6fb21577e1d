"""The statements of Hablot 2007 come out as the data has them, either way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial

import pytest

from rankwise.studies import base
from rankwise.studies.base import Results, Statement
from studies import simulated
from studies.simulated import Speed, Speeds

STUDY = base.find("hablot2007")
MPICH, OPENMPI = "mpich-5.0.2", "openmpi-5.0.11"


def as_published(label: str) -> Speeds:
    """A world in which every statement of the paper is true, but for the one that comes after tuning the MPIs."""
    rate = {"grid-untuned": 100e6, "slow-start": 900e6, "slow-start-16M": 900e6}.get(label, 940e6)
    if label == "cluster":
        latency, jump = 68e-6, 120e-6  # half of 940 Mbit/s at 8 KiB
    else:
        latency, jump = 5812e-6, 11.6e-3
    slow, slower = (3.5, 5.0) if label == "slow-start-16M" else (5.0, 8.0)
    tcp = Speed(latency, rate, slow_seconds=slow)
    mpi = Speed(latency + 6e-6, rate, jump_bytes=128 << 10, jump_seconds=jump, slow_seconds=slower)
    openmpi = replace(mpi, bits_per_second=890e6) if label == "grid-tuned" else mpi
    return {"TCP": tcp, MPICH: mpi, OPENMPI: openmpi}


def statements(found: Mapping[str, Results]) -> dict[str, Statement]:
    return {one.claim.key: one for one in STUDY.page(found).statements}


@cache
def published() -> dict[str, Results]:
    return simulated.results(STUDY, as_published, quick=False, count=3)


def changed(label: str, name: str, **changes: float) -> dict[str, Results]:
    """The published world, but for one implementation on one network."""

    def truth(asked: str) -> Speeds:
        speeds = dict(as_published(asked))
        speeds[name] = replace(speeds[name], **changes)  # type: ignore[arg-type]
        return speeds

    return {**published(), **simulated.results(STUDY, truth, quick=False, count=3, labels=[label])}


KEYS = sorted(statements({}))


def test_in_the_published_world_all_hold() -> None:
    found = statements(published())
    otherwise = {key: one.measured for key, one in found.items() if one.verdict != "holds"}
    assert list(otherwise) == ["as-good-as-tcp"], otherwise


REFUTED: dict[str, Callable[[], dict[str, Results]]] = {
    "latency-is-the-network": partial(changed, "grid-tuned", "TCP", latency_seconds=7e-3),
    "overhead-cluster": partial(changed, "cluster", MPICH, latency_seconds=100e-6),
    "overhead-grid": partial(changed, "grid-tuned", OPENMPI, latency_seconds=5.9e-3),
    "overhead-alike": partial(changed, "cluster", OPENMPI, latency_seconds=90e-6),
    "cluster-maximum": partial(changed, "cluster", OPENMPI, bits_per_second=500e6),
    "untuned-maximum": partial(changed, "grid-untuned", "TCP", bits_per_second=200e6),
    "tuned-maximum": partial(changed, "grid-tuned", OPENMPI, bits_per_second=80e6),
    "half-bandwidth-cluster": partial(changed, "cluster", MPICH, latency_seconds=400e-6),
    "half-bandwidth-grid": partial(changed, "grid-tuned", MPICH, latency_seconds=30e-3),
    "threshold-cluster": partial(changed, "cluster", MPICH, jump_bytes=2 << 20),
    "threshold-grid": partial(changed, "grid-tuned", OPENMPI, jump_seconds=0.0),
    "limits-are-enough": partial(changed, "grid-tuned", OPENMPI, bits_per_second=940e6),
    "as-good-as-tcp": published,
    "tcp-to-maximum": partial(changed, "slow-start", "TCP", slow_seconds=0.3),
    "mpi-to-500": partial(changed, "slow-start", MPICH, slow_seconds=0.3),
    "mpi-slower-to-maximum": partial(changed, "slow-start", MPICH, slow_seconds=4.0),
    "messages-of-16M": partial(changed, "slow-start-16M", MPICH, slow_seconds=0.0),
}


def test_every_statement_has_a_world_in_which_it_is_wrong() -> None:
    assert sorted(REFUTED) == KEYS


@pytest.mark.parametrize("key", KEYS)
def test_where_one_implementation_does_otherwise_it_holds_no_longer(key: str) -> None:
    statement = statements(REFUTED[key]())[key]
    assert statement.verdict == "no longer", statement.measured
    assert "ot true of" in statement.measured


def test_only_what_was_changed_changes() -> None:
    before, after = statements(published()), statements(REFUTED["tcp-to-maximum"]())
    others = {key for key in KEYS if before[key].verdict != after[key].verdict}
    assert others == {"tcp-to-maximum"}


def test_what_was_not_measured_is_undecided() -> None:
    for one in statements({}).values():
        assert (one.verdict, one.measured) == ("undecided", "Not measured.")


def test_two_launches_decide_nothing() -> None:
    found = statements(simulated.results(STUDY, as_published, count=2))
    assert {one.verdict for one in found.values()} == {"undecided"}
    assert f"{MPICH} (+6.0 µs, 2 launches)" in found["overhead-cluster"].measured


def test_an_interval_about_the_bound_decides_nothing() -> None:
    def truth(label: str) -> Speeds:
        return {name: replace(one, bits_per_second=122e6) for name, one in as_published(label).items()}

    found = simulated.results(STUDY, truth, quick=False, spread=0.04, labels=["grid-untuned"])
    assert statements(found)["untuned-maximum"].verdict == "undecided"


def test_table_4_has_the_papers_latencies_beside_ours() -> None:
    table = STUDY.page(published()).tables[0]
    cells = {row.head: row.cells for row in table.rows}
    assert list(cells) == ["TCP", MPICH, OPENMPI, "GridMPI", "MPICH-Madeleine"]
    assert (cells["TCP"][2], cells["TCP"][5]) == ("41 µs", "5812 µs")
    assert (cells[MPICH][2], cells[MPICH][5]) == ("46 µs (+5)", "5818 µs (+6)")
    assert (cells[OPENMPI][2], cells[OPENMPI][5]) == ("46 µs (+5)", "5820 µs (+8)")
    assert cells["MPICH-Madeleine"] == ("–", "–", "62 µs (+21)", "–", "–", "5826 µs (+14)")
    assert cells[MPICH][0].startswith("74 µs [")
    assert cells[MPICH][1].startswith("+6.0 µs [")


def test_thresholds_are_those_of_the_curves() -> None:
    table = STUDY.page(published()).tables[2]
    for row in table.rows:
        assert all(cell.startswith("64 KiB – 128 KiB: ") for cell in row.cells[:3]), row
    assert [row.cells[3] for row in table.rows] == ["256 KiB", "64 KiB"]


def test_a_stream_that_never_reaches_500_megabits() -> None:
    one = statements(changed("slow-start", MPICH, bits_per_second=90e6))["mpi-to-500"]
    assert one.verdict == "no longer"
    assert f"not true of {MPICH} (never)" in one.measured


def test_figures_show_what_the_paper_states() -> None:
    charts = {one.key: one.figure for one in STUDY.page(published()).charts}
    assert list(charts) == ["figure-5", "figure-3", "figure-6", "figure-9"]
    stated = {
        key: [one["text"][0] for one in figure["data"] if one["meta"].get("baseline") == "the paper"]
        for key, figure in charts.items()
    }
    assert stated["figure-5"] == ["2007: 940 Mbit/s at most", "2007: half at 8 KiB"]
    assert stated["figure-3"] == ["2007: 120 Mbit/s at most"]
    assert stated["figure-9"][-1] == "2007: TCP at its maximum"
    names = [one["meta"].get("implementation") for one in charts["figure-6"]["data"]]
    assert names.count(MPICH) == names.count(OPENMPI) == 1
