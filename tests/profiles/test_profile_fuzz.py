"""Whatever a profile.toml has become, it is read or refused with its file, a line of it and a remedy."""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.core.toml_text import toml_text
from rankwise.profiles.profile_file import FILE, profile_text, read
from support.profiles import profile

TEXT = profile_text(profile(), Path("/some/where"))
TOKENS = [(found.start(), found.end()) for found in re.finditer(r'"[^"\n]*"|[\w.+-]+|[^\w\s]|\n', TEXT)]
PIECES = (
    "", "=", "[", "]", "[[", "{", "}", ",", ".", "\n", '"', '"""', "'", "#", "\\", "\0", "é", "nan", "-inf",
    "1e400", "true", "[]", "{}", "[[[1]]]", "1979-05-27", "0x10", "10" * 200, "a.b.c = 1\n", "parts = 3\n",
    "[parts]\n",
    "[[parts]]\n", ".x" * 40,
)  # fmt: skip
PLACES: list[tuple[str | int, ...]] = []


def _collect(value: Any, steps: tuple[str | int, ...]) -> None:
    PLACES.append(steps)
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        _collect(one, (*steps, key))


_collect(tomllib.loads(TEXT), ())
_scalars = st.text(max_size=8) | st.integers() | st.booleans() | st.floats() | st.just(10**400)
_values = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


def check(text: str) -> None:
    """Reads the text as a profile; what is refused has to say where and what to do."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, FILE)
        path.write_text(text, encoding="utf-8", newline="")
        try:
            read(Path(folder))
        except InputError as error:
            found = re.match(rf"{re.escape(str(path))}:(\d+): ", str(error))
            assert found, str(error)
            assert 1 <= int(found[1]) <= len(re.findall("\n", text)) + 1
            assert error.remedy


@given(st.lists(st.tuples(st.integers(0, len(TOKENS) - 1), st.sampled_from(PIECES)), min_size=1, max_size=3))
def test_a_text_with_other_pieces(changes: list[tuple[int, str]]) -> None:
    text = TEXT
    for number, piece in sorted(changes, reverse=True):
        start, end = TOKENS[number]
        text = text[:start] + piece + text[end:]
    check(text)


@given(st.sampled_from(PLACES[1:]), _values)
def test_any_value_at_any_place(place: tuple[str | int, ...], value: object) -> None:
    data = tomllib.loads(TEXT)
    table: Any = data
    for step in place[:-1]:
        table = table[step]
    table[place[-1]] = value
    check(toml_text(data))


@given(st.integers(0, len(TEXT)))
def test_a_text_that_was_cut_off(length: int) -> None:
    check(TEXT[:length])


@pytest.mark.parametrize(
    "deep",
    [
        lambda n: ".".join(["a"] * n) + " = 1",
        lambda n: "[" + ".".join(["a"] * n) + "]",
        lambda n: "[[" + ".".join(["a"] * n) + "]]",
        lambda n: "a = " + "[" * n + "]" * n,
        lambda n: "a = " + "{ a = " * n + "1" + " }" * n,
        lambda n: "a = { " + "".join(f"b{i} = {{ " for i in range(n)) + " }" * n + " }",
    ],
)
def test_nesting_is_bounded(deep: Callable[[int], str], tmp_path: Path) -> None:
    for depth in (60, 65, 120, 500, 3000):
        check(f"# first\n{deep(depth)}\n")
    (tmp_path / FILE).write_text(f"# first\n{deep(500)}\n")
    with pytest.raises(InputError, match=rf"{FILE}:\d+: (nesting deeper than|this is not TOML)"):
        read(tmp_path)
