"""The statements of Hablot 2007 come out as the data has them, either way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial

import pytest

from rankwise.core.tuning import Knob, Native, Setting, Tuning
from rankwise.studies import base
from rankwise.studies.base import Results, Statement
from studies import simulated
from studies.simulated import Speed, Speeds
from support import profiles

STUDY = base.find("hablot2007")
MPICH, OPENMPI = "mpich-5.0.2", "openmpi-5.0.11"
KNOB = Knob("eager-threshold", ("limit",), "environment", "how far messages go eagerly")


def as_published(label: str) -> Speeds:
    """A world in which every statement of the paper is true."""
    rate = {"grid-untuned": 100e6, "slow-start": 900e6, "slow-start-16M": 900e6}.get(label, 940e6)
    if label.startswith("cluster"):
        latency, jump = 68e-6, 120e-6  # half of 940 Mbit/s at 8 KiB
    else:
        latency, jump = 5812e-6, 11.6e-3
    slow, slower = (3.5, 5.0) if label == "slow-start-16M" else (5.0, 8.0)
    tcp = Speed(latency, rate, slow_seconds=slow)
    mpi = Speed(latency + 6e-6, rate, jump_bytes=128 << 10, jump_seconds=jump, slow_seconds=slower)
    openmpi = replace(mpi, bits_per_second=890e6) if label == "grid-tuned" else mpi
    if label.endswith("-mpi"):  # no rendezvous any more, but for Open MPI with 16 MiB and more
        mpi = replace(mpi, jump_seconds=0.0)
        openmpi = replace(mpi, jump_bytes=16 << 20, jump_seconds=jump)
    return {"TCP": tcp, MPICH: mpi, OPENMPI: openmpi}


def statements(found: Mapping[str, Results]) -> dict[str, Statement]:
    return {one.claim.key: one for one in STUDY.page(found).statements}


@cache
def published() -> dict[str, Results]:
    return simulated.results(STUDY, as_published, quick=False, count=3)


def tuned(**settings: dict[str, tuple[Setting, ...]]) -> dict[str, Results]:
    """The published world; by network, then by implementation, what tuning has set."""
    found = published()
    for label, of_each in {"cluster": {}, "grid": {}, **settings}.items():
        parts = [
            replace(profiles.part(name, Native(), Tuning(of_each.get(name, ()))), verdicts=profiles.VERDICTS)
            for name in (MPICH, OPENMPI)
        ]
        knobs = {
            MPICH: (replace(KNOB, default="auto"),),
            OPENMPI: (Knob("tcp-connections", ("l",), "environment"), replace(KNOB, default="65536")),
        }
        one = found[f"{label}-mpi"]
        profile = profiles.profile(*parts, name=f"hablot2007-{label}-mpi")
        found = {**found, f"{label}-mpi": replace(one, profile=profile, knobs=knobs)}
    return found


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
    assert not otherwise


def test_the_aims_are_stricter_than_the_paper() -> None:
    """Its Open MPI was as good as TCP at its best size only."""
    bandwidth, no_dip = STUDY.page(published()).aims
    assert f"rue of {MPICH} (" in bandwidth.measured
    assert f"ot true of {OPENMPI} (9" in bandwidth.measured
    assert (bandwidth.verdict, no_dip.verdict) == ("no longer", "holds")


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
    "threshold-necessary": partial(changed, "grid-tuned", MPICH, jump_seconds=0.0),
    "threshold-gone": partial(changed, "grid-mpi", MPICH, jump_seconds=11.6e-3),
    "same-behaviour": partial(changed, "grid-mpi", MPICH, latency_seconds=8e-3),
    "openmpi-lower": partial(changed, "grid-mpi", OPENMPI, jump_seconds=0.0),
    "as-good-as-tcp": partial(changed, "grid-mpi", MPICH, bits_per_second=800e6),
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


def aim(found: Mapping[str, Results], key: str) -> Statement:
    return next(one for one in STUDY.page(found).aims if one.claim.key == f"aim-{key}")


def test_a_bandwidth_below_the_aim_misses_it() -> None:
    found = changed("grid-mpi", MPICH, bits_per_second=890e6)
    assert aim(published(), "bandwidth").measured.startswith(f"True of {MPICH} (")
    missed = aim(found, "bandwidth")
    assert missed.verdict == "no longer"
    assert f"ot true of {MPICH} (" in missed.measured
    assert aim(found, "no-dip").verdict == "holds"


def test_a_rendezvous_within_the_dip_misses_the_aim() -> None:
    found = changed("grid-mpi", OPENMPI, jump_bytes=512 << 10, jump_seconds=11.6e-3)
    missed = aim(found, "no-dip")
    assert missed.verdict == "no longer"
    assert f"ot true of {OPENMPI} (2.13 times at 512 KiB)" in missed.measured


def test_what_was_not_measured_is_undecided() -> None:
    page = STUDY.page({})
    for one in (*page.statements, *page.aims):
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


def rows_of(found: Mapping[str, Results], title: str) -> dict[str, tuple[str, ...]]:
    table = next(one for one in STUDY.page(found).tables if one.title.startswith(title))
    return {row.head: row.cells for row in table.rows}


def test_table_5_has_the_papers_thresholds_beside_ours() -> None:
    found = tuned(
        cluster={OPENMPI: (Setting("eager-threshold", str(1 << 20)),)},
        grid={OPENMPI: (Setting("transport", "tcp"), Setting("eager-threshold", str(32 << 20)))},
    )
    rows = rows_of(found, "Up to which size")
    assert list(rows) == [MPICH, OPENMPI, "GridMPI", "MPICH-Madeleine"]
    assert rows[OPENMPI] == ("64 KiB", "1 MiB", "32 MiB", "64 KiB", "32 MiB", "32 MiB")
    assert rows[MPICH] == (
        "auto (64 KiB – 128 KiB)", "as it was", "as it was", "256 KiB", "65 MiB", "65 MiB",
    )  # fmt: skip
    assert rows["GridMPI"] == ("–", "–", "–", "∞", "∞", "∞")


def test_a_transport_without_rendezvous_is_eager_everywhere() -> None:
    """Whether it has one shows in its times: no size takes a round trip longer than TCP."""
    chosen = {MPICH: (Setting("transport", "ofi"),)}
    assert rows_of(tuned(grid=chosen), "Up to which size")[MPICH][2] == "eager everywhere (ofi)"
    slow = changed("grid-mpi", MPICH, jump_seconds=11.6e-3)["grid-mpi"]
    found = tuned(grid=chosen)
    again = {**found, "grid-mpi": replace(slow, profile=found["grid-mpi"].profile)}
    assert rows_of(again, "Up to which size")[MPICH][2] == "its own (ofi)"


def test_what_was_set_and_gained() -> None:
    rows = rows_of(tuned(grid={MPICH: (Setting("socket-buffers", str(4 << 20)),)}), "What tuning set")
    assert rows[MPICH][2] == "socket-buffers 4 MiB"
    assert rows[MPICH][3].endswith("2 of 4 cells faster")
    assert rows[OPENMPI][0] == "nothing"


def test_how_near_it_comes_to_tcp() -> None:
    rows = rows_of(published(), "In the grid, TCP and MPI tuned")
    assert rows[MPICH][0].startswith("100.0 % [")
    assert rows[OPENMPI][1].startswith("92.7 % [")
    assert rows[OPENMPI][3].startswith("1.001 times [")


def test_a_profile_that_is_gone_leaves_dashes_and_a_caveat() -> None:
    found = {**tuned(), "grid-mpi": published()["grid-mpi"]}
    page = STUDY.page(found)
    (caveat,) = (one for one in page.caveats if "is gone" in one)
    assert caveat.startswith("Rennes to Nancy, TCP buffers of 4 MiB, each MPI tuned: ")
    assert f"leave run {found['grid-mpi'].run.id} out of --from" in caveat
    rows = rows_of(found, "Up to which size")
    assert rows[MPICH][1:3] == ("as it was", "–")
    assert "is gone" not in " ".join(STUDY.page(tuned()).caveats)


def test_a_stream_that_never_reaches_500_megabits() -> None:
    one = statements(changed("slow-start", MPICH, bits_per_second=90e6))["mpi-to-500"]
    assert one.verdict == "no longer"
    assert f"not true of {MPICH} (never)" in one.measured


def test_figures_show_what_the_paper_states() -> None:
    charts = {one.key: one.figure for one in STUDY.page(published()).charts}
    assert list(charts) == ["figure-5", "figure-3", "figure-6", "figure-7", "figure-9"]
    stated = {
        key: [one["text"][0] for one in figure["data"] if one["meta"].get("baseline") == "the paper"]
        for key, figure in charts.items()
    }
    assert stated["figure-5"] == ["2007: 940 Mbit/s at most", "2007: half at 8 KiB"]
    assert stated["figure-3"] == ["2007: 120 Mbit/s at most"]
    assert stated["figure-7"] == ["2007: all but Open MPI as TCP, ≈ 900 Mbit/s"]
    assert stated["figure-9"][-1] == "2007: TCP at its maximum"
    names = [one["meta"].get("implementation") for one in charts["figure-6"]["data"]]
    assert names.count(MPICH) == names.count(OPENMPI) == 1
