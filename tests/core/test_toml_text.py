"""What is written as TOML is read as the same values, and reads well."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.toml_places import parse
from rankwise.core.toml_text import toml_text

_scalars = st.text() | st.integers() | st.booleans() | st.floats(allow_nan=False)
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
_tables = st.dictionaries(st.text(), _values, max_size=5)


@given(_tables)
def test_what_is_written_is_read(table: dict[str, Any]) -> None:
    assert tomllib.loads(toml_text(table)) == table


@given(
    st.lists(st.sampled_from(['"', "\\", "\n", "\r", "\t", "\x7f", "\0", "'", "a", "#", "{", "]"])).map("".join)
)
def test_texts_of_several_lines_are_kept_exactly(text: str) -> None:
    told = toml_text({"plain": text, "pairs": [["name", text]]})
    assert tomllib.loads(told) == {"plain": text, "pairs": [["name", text]]}
    assert parse(told, "f").value["pairs"].value[0].value[1].value == text


def test_a_table_of_short_things_takes_one_line() -> None:
    table = {"n": 1, "rows": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], "deep": [{"rows": [{"a": 1}]}]}
    assert toml_text(table).splitlines() == [
        "n = 1",
        "rows = [",
        '  { a = 1, b = "x" },',
        '  { a = 2, b = "y" },',
        "]",
        "",
        "[[deep]]",
        "rows = [",
        "  { a = 1 },",
        "]",
    ]


def test_a_file_stands_line_by_line() -> None:
    assert toml_text({"files": [["f", 'say "hi"\nbye\n']]}).splitlines() == [
        "files = [",
        '  ["f", """',
        'say "hi"',
        "bye",
        '"""],',
        "]",
    ]


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), 1e-05, 1e16, -0.0])
def test_numbers_keep_every_digit(value: float) -> None:
    assert tomllib.loads(toml_text({"x": value}))["x"] == value


def test_what_toml_cannot_hold_is_spelt_out() -> None:
    assert tomllib.loads(toml_text({"x": "a\udcffb"})) == {"x": "a\\udcffb"}
