"""Whatever a harness prints, its run is read: nonsense about a cell is that cell's failure, never a traceback."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.records import Cell
from rankwise.measurement import protocol

CELL = Cell("x", "bcast", 8, 2)
SERIES = {
    "rankwise": "series", "benchmark": "bcast", "size_bytes": 8, "quantity": "time", "samples_seconds": [1e-6],
    "bytes_per_sample": 8.0, "batch": 1, "discarded": 0,
}  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KINDS = st.sampled_from(["begin", "series", "failure", "verified", "timeline", "end", "nonsense"])


def told(*messages: dict[str, Any]) -> protocol.Spoken:
    return protocol.parse_run("\n".join(json.dumps(message) for message in messages), [CELL])


def test_a_series_that_makes_sense_is_one() -> None:
    spoken = told(SERIES)
    assert len(spoken.series) == 1 and spoken.failures == ()


@pytest.mark.parametrize("key", [key for key in SERIES if key not in ("rankwise", "benchmark", "size_bytes")])
def test_a_missing_key_is_the_cells_failure(key: str) -> None:
    spoken = told({name: value for name, value in SERIES.items() if name != key})
    assert spoken.series == () and [one.cell for one in spoken.failures] == [CELL]
    assert "invalid harness output" in spoken.failures[0].reason


@pytest.mark.parametrize("samples", [[float("nan")], [-1e-6], [float("inf")], [[1e-6]], "1", None, ["a"]])
def test_samples_that_are_no_times_are_the_cells_failure(samples: Any) -> None:
    spoken = told({**SERIES, "samples_seconds": samples})
    assert spoken.series == () and len(spoken.failures) == 1


@given(
    st.lists(
        st.builds(
            lambda kind, more: {**SERIES, **more, "rankwise": kind},
            KINDS,
            st.dictionaries(
                st.sampled_from([*SERIES, "reason", "kind", "times_seconds", "values", "clock_error_seconds"]),
                JSON,
            ),
        ),
        max_size=4,
    )
)
def test_any_messages_are_read(messages: list[dict[str, Any]]) -> None:
    for series in told(*messages).series:
        assert np.all(np.isfinite(series.samples_seconds)) and np.all(series.samples_seconds >= 0)


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    protocol.parse_run(f'{{"rankwise":{text}\n{text}', [CELL])
