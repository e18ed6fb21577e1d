"""Routes follow the links of a description, and two possible ways are an error, also in large meshes."""

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from rankwise.testbeds.description.routes import chains, neighbours

PAIRS = st.sets(st.sampled_from(list(combinations("abcdef", 2))))


@given(PAIRS)
def test_chains_follow_links_and_visit_no_site_twice(pairs: set[tuple[str, str]]) -> None:
    near = neighbours(sorted(pairs))
    for chain in chains(near, "a", "f"):
        assert (chain[0], chain[-1]) == ("a", "f")
        assert len(set(chain)) == len(chain)
        assert all(tuple(sorted(step)) in pairs for step in pairwise(chain))


@given(PAIRS)
def test_a_direct_link_is_the_only_way_and_two_ways_are_told(pairs: set[tuple[str, str]]) -> None:
    found = chains(neighbours(sorted(pairs)), "a", "f")
    assert len(found) == len(set(found)) <= 2
    if ("a", "f") in pairs:
        assert found == [("a", "f")]


def test_a_mesh_of_many_sites_does_not_take_long() -> None:
    sites = [f"s{number}" for number in range(40)]
    pairs = [pair for pair in combinations(sites, 2) if pair != ("s0", "s39")]
    assert len(chains(neighbours(pairs), "s0", "s39")) == 2
