"""Bounds of collectives over sites are what pencil and paper say, and every tree of sites is among those tried."""

import importlib.util
import sys
from pathlib import Path

import pytest

from rankwise.workflows import testbeds

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
_SPEC = importlib.util.spec_from_file_location("wan_bounds", BENCHMARKS / "wan_bounds.py")
assert _SPEC is not None and _SPEC.loader is not None
wan_bounds = importlib.util.module_from_spec(_SPEC)
sys.modules["wan_bounds"] = wan_bounds
_SPEC.loader.exec_module(wan_bounds)

MIB = 1 << 20
NICS = 2 * 5e-6
DATA = 1448 / 1538
"""Of what is on the wire, the share of TCP's data."""


def bounds(testbed: str) -> wan_bounds.Bounds:  # type: ignore[name-defined]
    topology = testbeds.testbed_of(testbed).topology()
    assert topology is not None
    return wan_bounds.bounds_of(topology)


@pytest.mark.parametrize(("sites", "number"), [(2, 1), (3, 3), (4, 16), (5, 125)])
def test_all_labelled_trees_are_tried(sites: int, number: int) -> None:
    """Cayley's formula: n^(n - 2)."""
    assert len({*wan_bounds.trees(sites)}) == number


def test_between_uneven_sites_the_best_tree_relays() -> None:
    uneven = bounds(str(BENCHMARKS / "uneven_sites.toml"))
    assert uneven.seconds("bcast", 0, 6) == pytest.approx(25e-3 + NICS, rel=1e-3)
    relayed, direct = MIB * 8 / DATA / 200e6, MIB * 8 / DATA / 100e6
    assert relayed < direct
    assert uneven.seconds("bcast", MIB, 6) == pytest.approx(25e-3 + relayed, rel=1e-3)


def test_sums_of_uneven_sites_are_exchanged_if_small_and_else_go_up_and_down_a_tree() -> None:
    uneven = bounds(str(BENCHMARKS / "uneven_sites.toml"))
    assert uneven.seconds("allreduce", 8, 6) == pytest.approx(25e-3 + NICS, rel=1e-3)
    to_the_middle_and_back = 2 * 20e-3 + MIB * 8 / DATA / 200e6
    assert uneven.seconds("allreduce", MIB, 6) == pytest.approx(to_the_middle_and_back + 2 * NICS, rel=1e-3)


def test_over_a_thin_link_all_bytes_cross_it_once() -> None:
    thin = bounds(str(BENCHMARKS / "thin_wan.toml"))
    assert thin.seconds("bcast", MIB, 8) == pytest.approx(5.8e-3 + MIB * 8 / DATA / 200e6, rel=1e-3)
    assert thin.seconds("alltoall", 1024, 8) == pytest.approx(5.8e-3 + 16 * 1024 * 8 / DATA / 200e6, rel=1e-3)


def test_where_sites_are_joined_well_the_nodes_interfaces_are_the_limit() -> None:
    """Rabenseifner's two halves move 2 (n - 1) / n of the data through each node."""
    tuned = bounds("grid5000-2007-tuned")
    assert tuned.seconds("allreduce", MIB, 8) == pytest.approx(5.8e-3 + 1.5 * MIB * 8 / DATA / 1e9, rel=1e-3)


def test_a_broadcast_between_uneven_sites_begins_where_its_root_is() -> None:
    uneven = bounds(str(BENCHMARKS / "uneven_sites.toml"))
    assert uneven.seconds("bcast", 0, 6, 1) == pytest.approx(20e-3 + NICS, rel=1e-3)
    assert uneven.seconds("bcast", 0, 6, 2) == pytest.approx(25e-3 + NICS, rel=1e-3)
