"""Values kept by runs of elements are those that an array would hold."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from rankwise.schedules.spans import Spans

SIZE = 30


@given(st.lists(st.tuples(st.integers(0, SIZE - 1), st.lists(st.tuples(st.integers(1, 9), st.integers(0, 2)),
                                                             min_size=1, max_size=4)), max_size=12))  # fmt: skip
def test_as_an_array(writes: list[tuple[int, list[tuple[int, int]]]]) -> None:
    spans, array = Spans(SIZE, 0), [0] * SIZE
    for start, values in writes:
        runs, at = [], start
        for length, value in values:
            if at < SIZE:
                end = min(at + length, SIZE)
                runs.append((at, end, value))
                array[at:end] = [value] * (end - at)
                at = end
        spans.write(runs)
        for a, b in ((0, SIZE), (start, at), (start // 2, (start + SIZE + 1) // 2)):
            found = spans.read(a, b)
            assert [value for c, d, value in found for _ in range(d - c)] == array[a:b]
            assert (found[0][0], found[-1][1]) == (a, b)
            assert all(one[1] == other[0] for one, other in pairwise(found))
    whole = spans.read(0, SIZE)
    assert all(one[2] != other[2] for one, other in pairwise(whole)), "neighbours that are alike are one run"
