"""Hosts are asked only what their paths give a reason for, and in an order that lets effects show."""

from __future__ import annotations

from dataclasses import replace

from rankwise.analysis.host_settings.buffers import READ, WRITE
from rankwise.analysis.host_settings.variants import AFTER_IDLE, AVAILABLE, CONGESTION_CONTROL
from rankwise.core.host_settings import MTU
from rankwise.core.jobs import Host
from rankwise.core.network import PathFigures, Settings, Topology
from rankwise.workflows.tune.host_search import host_searches
from rankwise.workflows.tune.stages import HOSTS, Target, TuneSpec
from support.emulated import two_sites

KERNEL: Settings = (
    (CONGESTION_CONTROL, "cubic"), (AVAILABLE, "reno bbr cubic"), (AFTER_IDLE, "1"), (MTU, "1500"),
    (READ, "4096 87380 131072"), (WRITE, "4096 16384 131072"),
)  # fmt: skip
SPEC = TuneSpec((HOSTS,), ())


def target(topology: Topology | None, delay_seconds: float = 5.8e-3, kernel: Settings = KERNEL) -> Target:
    path = PathFigures("a1", "b1", 0.0, delay_seconds, 0.0, 0.0, 900e6, 0.0, 0.0)
    hosts = tuple(Host(node.name, 1, node.site) for node in topology.nodes) if topology else (Host("here", 2),)
    return Target("duo", topology, hosts, (path,) if topology else (), kernel)


def subjects(target: Target, spec: TuneSpec = SPEC) -> dict[str, list[str]]:
    return {name: [one.subject for one in own] for name, own in host_searches(target, "mpich-5.0.2", spec).items()}


def test_buffers_first_then_what_stands_on_them() -> None:
    assert subjects(target(two_sites())) == {
        "hosts": ["TCP buffer limits"],
        "hosts-pauses": ["messages after a pause"],
        "hosts-network": ["congestion control and NICs", "other host settings"],
    }


def test_every_trial_is_raw_tcp_between_the_sites() -> None:
    for own in host_searches(target(two_sites()), "mpich-5.0.2", SPEC).values():
        for cell in (cell for search in own for trial in search.ask() for cell in trial.cells):
            assert cell.benchmark.startswith("tcp_") and cell.placement == "across-sites" and cell.ranks == 2


def test_a_short_path_is_left_alone_and_that_is_told() -> None:
    (own,) = host_searches(target(two_sites(), 25e-6), "mpich-5.0.2", SPEC).values()
    assert [search.ask() for search in own] == [()]
    assert "first packets" in own[0].reasons()[0].words


def test_links_without_room_for_jumbo_frames() -> None:
    topology = two_sites()
    small = replace(topology, links=tuple(replace(link, queue_bytes=6000) for link in topology.links))
    search, _ = host_searches(target(small), "mpich-5.0.2", SPEC)["hosts-network"]
    assert [trial.name for trial in search.ask() if "mtu" in trial.name] == []


def test_real_hosts_are_not_ours_to_set() -> None:
    real = replace(two_sites(), kind="ssh", links=(), routes=())
    (own,) = host_searches(target(real), "mpich-5.0.2", SPEC).values()
    assert [search.ask() for search in own] == [()]
    assert "sudo sysctl -w" in own[0].reasons()[0].words
    assert host_searches(target(real, kernel=()), "mpich-5.0.2", SPEC) == {}


def test_nothing_is_asked_of_one_host_alone_or_where_it_was_not_wished() -> None:
    assert subjects(target(None)) == {}
    assert subjects(target(two_sites()), TuneSpec(("eager-threshold",), ())) == {}
