"""A pattern survives its name, which is what a run stores of it, and its text; what is no pattern is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.core.flows import Flow, Pattern, benchmark_of, from_text, is_pattern, pattern_of, ranks_of, text_of

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


@given(PATTERNS)
def test_the_text_says_all_of_it(pattern: Pattern) -> None:
    assert from_text(text_of(pattern)) == pattern


def test_flows_without_bytes_have_those_of_the_cell() -> None:
    assert pattern_of("pattern:0-1+2-1-8-500", 64) == (Flow(0, 1, 64), Flow(2, 1, 8, 5e-4))
    assert ranks_of(pattern_of("pattern:0-1+2-1-8-500")) == 3


@pytest.mark.parametrize("name", ["pattern:", "pattern:1-1", "pattern:0-1+x", "bcast", "pattern:0-1-2-3-4"])
def test_what_is_no_pattern(name: str) -> None:
    with pytest.raises(InputError, match="is no pattern"):
        pattern_of(name)


@pytest.mark.parametrize("line", ["0 0 8", "0 1", "0 1 8 -1", "0 1 8 0 9", "-1 1 8", "a b c"])
def test_the_line_that_is_wrong_is_named(line: str) -> None:
    with pytest.raises(InputError, match=r"flows\.txt, line 2"):
        from_text(f"# flows\n{line}\n", "flows.txt")
