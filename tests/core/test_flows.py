"""A pattern survives its name, which is what a run stores of it; what is no pattern is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.core.flows import Flow, Pattern, benchmark_of, is_pattern, pattern_of, ranks_of, text_of

FLOWS = st.builds(
    lambda source, step, size, start: Flow(source, source + step, size, start / 1e6),
    st.integers(0, 40), st.integers(1, 40), st.integers(0, 1 << 30), st.integers(0, 10**7),
)  # fmt: skip
PATTERNS = st.lists(FLOWS, min_size=1, max_size=30).map(tuple)


@given(PATTERNS)
def test_the_name_says_all_of_it(pattern: Pattern) -> None:
    name = benchmark_of(pattern)
    assert is_pattern(name)
    assert pattern_of(name) == pattern


def test_the_text_is_what_the_simulator_reads() -> None:
    assert text_of((Flow(0, 1, 8), Flow(2, 1, 64, 1e-3))) == "0 1 8 0\n2 1 64 0.001\n"


def test_flows_without_bytes_have_those_of_the_cell() -> None:
    assert pattern_of("pattern:0-1+2-1-8-500", 64) == (Flow(0, 1, 64), Flow(2, 1, 8, 5e-4))
    assert ranks_of(pattern_of("pattern:0-1+2-1-8-500")) == 3


@pytest.mark.parametrize("name", ["pattern:", "pattern:1-1", "pattern:0-1+x", "bcast", "pattern:0-1-2-3-4"])
def test_what_is_no_pattern(name: str) -> None:
    with pytest.raises(InputError, match="is not a valid pattern"):
        pattern_of(name)
