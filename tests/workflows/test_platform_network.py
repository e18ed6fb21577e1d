"""A platform becomes the network that it describes: places, delays, rates and overheads, or is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rankwise.core.errors import InputError
from rankwise.workflows.platform_network import measured_network
from support.platforms import TWO_SITES


def test_places_delays_and_rates_are_the_platforms() -> None:
    found = measured_network(TWO_SITES, 6, 1024)
    assert found.ranks == 6
    assert found.network.groups == ((0, 0, 0, 0, 1, 1), (0, 0, 1, 1, 2, 3))
    assert found.network.delay_seconds == ((0.0, 5e-3), (5e-3, 0.0))
    assert found.network.bytes_per_second == ((0.0, 6e7), (6e7, 0.0))
    assert found.network.node_bytes_per_second == 125e6
    assert found.model.near_seconds == 2e-5
    assert found.model.local_seconds == 5e-7
    assert found.model.eager_bytes == 65536


@pytest.mark.parametrize(
    ("size_bytes", "overhead"), [(1000, (1e-6 + 1e-7 + 2e-6) / 2), (1 << 20, (2e-6 + 3e-6) / 2)]
)
def test_the_overhead_is_that_of_the_size(size_bytes: int, overhead: float) -> None:
    assert measured_network(TWO_SITES, 0, size_bytes).model.overhead_seconds == pytest.approx(overhead)


def test_ranks_on_one_site_have_no_wide_area() -> None:
    found = measured_network(TWO_SITES, 2, 8).network
    assert (found.sites, found.delay_seconds, found.bytes_per_second) == (1, (), ())


def test_a_missing_route_is_told() -> None:
    with pytest.raises(InputError, match="no route from b to a"):
        measured_network(replace(TWO_SITES, routes=TWO_SITES.routes[:2]), 4, 8)
