"""The statements of Eickermann 1999 come out as the data has them, either way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial

import pytest

from rankwise.core.errors import InputError
from rankwise.core.network import Node, Topology
from rankwise.studies import base
from rankwise.studies.base import Results, Statement
from studies import simulated
from studies.simulated import Speed, Speeds

STUDY = base.find("eickermann1999")
MPICH = "mpich-5.0.2"
MB = 8e6


def as_published(label: str) -> Speeds:
    """A world in which every statement of the paper is true."""
    latency, tuned, untuned = (0.91e-3, 57.5 * MB, 33.1 * MB) if "622" in label else (2.6e-3, 12.5 * MB, 6.5 * MB)
    tcp = Speed(latency, untuned if "untuned" in label else tuned)
    return {"TCP": tcp, MPICH: replace(tcp, latency_seconds=latency + 1.5e-3)}


def statements(found: Mapping[str, Results]) -> dict[str, Statement]:
    return {one.claim.key: one for one in STUDY.page(found).statements}


@cache
def published() -> dict[str, Results]:
    return simulated.results(STUDY, as_published, count=3)


def changed(label: str, name: str, **changes: float) -> dict[str, Results]:
    """The published world, but for one implementation on one network."""

    def truth(asked: str) -> Speeds:
        speeds = dict(as_published(asked))
        speeds[name] = replace(speeds[name], **changes)  # type: ignore[arg-type]
        return speeds

    return {**published(), **simulated.results(STUDY, truth, count=3, labels=[label])}


REFUTED: dict[str, Callable[[], dict[str, Results]]] = {
    "tuning-atm622": partial(changed, "atm622-untuned", "TCP", bits_per_second=57 * MB),
    "good-use": partial(changed, "atm622-tuned", "TCP", bits_per_second=40 * MB),
    "no-delay-by-hosts": partial(changed, "atm622-tuned", "TCP", latency_seconds=3e-3),
    "tuning-atm155": partial(changed, "atm155-untuned", "TCP", bits_per_second=12 * MB),
    "delay-by-hosts": partial(changed, "atm155-tuned", "TCP", latency_seconds=0.95e-3),
    "limited-by-hosts": partial(changed, "atm155-tuned", "TCP", bits_per_second=16.8 * MB),
    "mpi-delay": partial(changed, "atm622-tuned", MPICH, latency_seconds=0.92e-3),
    "mpi-bandwidth": partial(changed, "atm155-tuned", MPICH, bits_per_second=7.7 * MB),
}


def test_in_the_published_world_all_hold() -> None:
    found = statements(published())
    assert list(found) == list(REFUTED)
    assert {key: one.measured for key, one in found.items() if one.verdict != "holds"} == {}


@pytest.mark.parametrize("key", list(REFUTED))
def test_otherwise_it_holds_no_longer(key: str) -> None:
    statement = statements(REFUTED[key]())[key]
    assert statement.verdict == "no longer", statement.measured


def test_what_was_not_measured_is_undecided() -> None:
    assert {(one.verdict, one.measured) for one in statements({}).values()} == {("undecided", "Not measured.")}


def test_tables_have_the_papers_figures_beside_ours() -> None:
    tcp, mpi, _ = STUDY.page(published()).tables
    rows = {row.head: row.cells for row in tcp.rows}
    ours = rows["Ultra60 – E5000, ATM 622"]
    assert (ours[0], ours[2], ours[4], ours[6]) == ("67.3 MB/s", "56.9 MB/s", "33.1 MB/s", "0.91 ms")
    assert ours[1].startswith("57.2 MB/s [")
    assert ours[5].startswith("0.91 ms [")
    assert rows["T3E – T3E, HiPPI"][1::2] == ("–", "–", "–")
    assert mpi.rows[-1].cells[3:] == ("7.7 MB/s", "–", "4.3 ms")


JOB = "juelich=openmpi-5.0.11:1,augustin=mpich-5.0.2:1"


def joined_job(label: str) -> Speeds:
    """A joined job that adds 4 us and has all of TCP's bandwidth; by relays it adds 50 us and lacks 5 %."""
    relayed = label.endswith("relayed")
    tcp = Speed(0.91e-3, 57 * MB)
    return {"TCP": tcp, JOB: Speed(0.91e-3 + (50e-6 if relayed else 4e-6), (54 if relayed else 57) * MB)}


def test_a_joined_job_stands_beside_metampi() -> None:
    labels = [f"{route}-{way}" for route in ("atm622", "atm155") for way in ("joined", "relayed")]
    found = simulated.results(STUDY, joined_job, quick=False, labels=labels)
    assert list(found) == labels
    page = STUDY.page({**published(), **found})
    verdicts = {one.claim.key: one.verdict for one in page.aims}
    assert verdicts == {
        "aim-joined-delay": "holds", "aim-relayed-delay": "no longer", "aim-joined-bandwidth": "no longer",
    }  # fmt: skip
    rows = {row.head: row.cells for row in page.tables[2].rows}
    assert rows["1999: T3E – SP2, ATM 155"] == ("12.5 MB/s", "7.7 MB/s", "62%", "2.6 ms", "4.3 ms", "+1.7 ms")
    direct = rows["joined job over ATM 622, connected directly"]
    assert direct[2].startswith("100") and direct[5].startswith("+4"), direct
    assert rows["joined job over ATM 155, by two relays"][5].startswith("+50 µs")
    assert JOB not in {row.implementation for row in page.tables[1].rows}, "table 2 has jobs of one MPI"
    assert {one.verdict for one in STUDY.page(published()).aims} == {"undecided"}


def test_a_run_is_a_variant_of_the_preset() -> None:
    nodes = tuple(
        Node(name, site, settings=(("net.ipv4.tcp_rmem", "1 2 3"), ("net.ipv4.tcp_congestion_control", "cubic")))
        for name, site in (("ultra60", "j"), ("t3e", "j"), ("e5000", "a"), ("sp2", "a"))
    )
    run = STUDY.runs[0]
    variant = STUDY.topology(run, Topology("gigabit-testbed-1999", "emulated", ("j", "a"), nodes))
    assert variant.name == "eickermann1999-atm622-untuned"
    assert [node.name for node in variant.nodes] == ["ultra60", "e5000"]
    settings = dict(variant.nodes[0].settings)
    assert settings["net.ipv4.tcp_rmem"] == "4096 131072 131072"
    assert settings["net.ipv4.tcp_congestion_control"] == "cubic"
    assert STUDY.run_of(variant.name) is run
    with pytest.raises(InputError, match="no node e5000, ultra60"):
        STUDY.topology(run, Topology("other", "emulated", nodes=nodes[1:2]))
