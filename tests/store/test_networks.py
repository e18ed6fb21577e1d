"""What a run knows of its network comes back as it was, also in a store that an older release began."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given

from rankwise.core.errors import StoreError, UnknownNameError
from rankwise.core.network import Link, PathFigures, Topology
from rankwise.store.networks import topology_from_json, topology_to_json
from rankwise.store.store import Store
from support import stored


def refuse(word: str) -> None:
    raise AssertionError(f"{word} is not JSON")


@given(topology=stored.topologies)
def test_a_topology_is_strict_json_and_comes_back(topology: Topology) -> None:
    text = topology_to_json(topology)
    json.loads(text, parse_constant=refuse)
    assert stored.plain(topology_from_json(text)) == stored.plain(topology)


def test_a_topology_written_with_other_fields_is_read() -> None:
    fields = json.loads(topology_to_json(stored.TOPOLOGY))
    fields["of_the_future"] = 1
    del fields["hardware"], fields["links"][0]["queue_bytes"]
    read = topology_from_json(json.dumps(fields))
    assert read.hardware == Topology("", "").hardware
    assert read.links[0].queue_bytes == Link("").queue_bytes
    assert (read.nodes, read.links[1:]) == (stored.TOPOLOGY.nodes, stored.TOPOLOGY.links[1:])


@pytest.mark.parametrize("text", ["", "[]", '"a"', '{"name": "a"}', '{"name": "a", "kind": "b", "nodes": [1]}'])
def test_a_text_that_is_no_topology_is_an_error_of_the_store(text: str) -> None:
    with pytest.raises(StoreError, match="cannot read the testbed's description") as caught:
        topology_from_json(text)
    assert caught.value.remedy


def test_a_run_has_the_topology_it_began_with(store: Store) -> None:
    plain = stored.begin(store)
    networked = stored.begin(store, topology=stored.TOPOLOGY)
    assert store.topology(plain) is None
    assert store.topology(networked) == stored.TOPOLOGY
    store.finish_run(networked, "complete", "precise")
    assert store.topology(networked) == stored.TOPOLOGY


@given(first=stored.paths, second=stored.paths)
def test_paths_are_appended_and_come_back(
    shared: Store, first: tuple[PathFigures, ...], second: tuple[PathFigures, ...]
) -> None:
    other = stored.begin(shared)
    run_id = stored.begin(shared)
    shared.add_paths(run_id, first)
    shared.add_paths(run_id, second)
    assert stored.plain(shared.paths(run_id)) == stored.plain((*first, *second))
    assert shared.paths(other) == ()


def test_a_figure_that_was_not_measured_is_null(store: Store, path: Path) -> None:
    store.add_paths(stored.begin(store), stored.PATHS)
    raw = sqlite3.connect(path)
    found = raw.execute("SELECT delay_p99_seconds, rate_bits_per_second, loss FROM path ORDER BY position")
    assert found.fetchall() == [(0.0115, 9.4e7, 0.0012), (None, None, None)]
    raw.close()


def test_paths_and_topology_of_a_run_that_is_not_there(store: Store) -> None:
    with pytest.raises(UnknownNameError):
        store.topology(1)
    with pytest.raises(UnknownNameError):
        store.paths(1)
    with pytest.raises(UnknownNameError):
        store.add_paths(1, stored.PATHS)


def test_what_launches_saw_of_the_network_comes_back_launch_by_launch(store: Store) -> None:
    run_id = stored.begin(store, topology=stored.TOPOLOGY)
    expected = [stored.networked_launch(0), stored.make_launch(1), stored.networked_launch(2)]
    for launch in expected:
        store.add_launch(run_id, launch)
    assert stored.plain(store.launches(run_id)) == stored.plain(expected)
    assert [launch.emulator for launch in store.iter_launches(run_id)] == [stored.EMULATOR, None, stored.EMULATOR]
