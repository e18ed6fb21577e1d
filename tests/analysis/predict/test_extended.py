"""A larger platform is more of the same, a smaller one a part of it; the original is recognised as such."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.analysis.predict.extended import extended, node_apart
from rankwise.core.errors import InputError
from support.two_sites import NIC, WAN, two_sites


def test_the_same_is_not_larger() -> None:
    made, larger = extended(two_sites(), [2, 2])
    assert (made.sites, larger) == (two_sites().sites, False)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6))
def test_sizes_and_routes_are_complete(nodes: list[int]) -> None:
    made, larger = extended(two_sites(), nodes)
    assert [len(one.nodes) for one in made.sites] == nodes
    assert larger == (len(nodes) > 2 or max(nodes) > 2)
    every = [node for site in made.sites for node in site.nodes]
    assert len(set(every)) == len(every)
    assert len(made.routes) == len(nodes) ** 2
    known = {one.name for one in made.links}
    assert all(link in known for route in made.routes for link in route.links)
    between = [one for one in made.routes if one.from_site != one.to_site]
    assert all(one.pair_class == "wan" and len(one.links) == 1 for one in between)
    assert len({one.links for one in between}) == len(between)
    assert {one.bytes_per_second for one in made.links} <= {WAN}
    assert {one.out_bytes_per_second for one in made.sites} == {NIC}


def test_what_is_between_sites_is_not_invented() -> None:
    one_site, _ = extended(two_sites(), [2])
    with pytest.raises(InputError, match="one site"):
        extended(one_site, [2, 2])


def test_a_node_apart_keeps_routes() -> None:
    made, site = node_apart(two_sites(), "a2")
    assert next(one.nodes for one in made.sites if one.name == site) == ("a2",)
    assert {one.pair_class for one in made.routes if one.from_site == site and one.to_site == "b"} == {"wan"}
    with pytest.raises(InputError, match="no node"):
        node_apart(two_sites(), "c1")
