"""A parameter's name leads to its figure, and changing it changes that figure alone."""

import pytest

from rankwise.analysis.predict.parameters import value_of, with_value
from rankwise.core.errors import InputError
from support.two_sites import two_sites

NAMES = (
    "classes.wan.ranges.0.latency_seconds", "classes.wan.eager_below_bytes", "links.ab.bytes_per_second",
    "sites.b.in_bytes_per_second", "models.alpha-fair.alpha", "flops_per_second", "packet_bytes",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_one_figure_changes(name: str) -> None:
    before = two_sites()
    after = with_value(before, name, 7)
    assert value_of(after, name) == 7
    assert [other for other in NAMES if value_of(after, other) != value_of(before, other)] == [name]
    assert type(value_of(before, name)) is float


@pytest.mark.parametrize("name", ["", "x", "classes.wan", "classes.wan.ranges.9.latency_seconds", "links.no.rate",
                                  "classes.wan.ranges.0.name", "sites"])  # fmt: skip
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="no parameter"):
        value_of(two_sites(), name)
