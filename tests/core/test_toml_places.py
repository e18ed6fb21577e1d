"""Every key of a TOML file knows its line, and any text is read or refused with a line."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.core.toml_places import Entry, key_lines, parse

TEXT = '''# a comment with [brackets] = "and more"
name = "x" # 2
words = """
three
lines""" # 3
a."b.c".'d' = 1.5 # 6

[site.north] # 8
nodes = ["a",
  "b", # 10
]
uplink = { rate = "1 Gbit/s", delay = 1979-05-27T07:32:00Z } # 12
[[link]] # 13
between = ["x", "y"]
[link.back] # 15
delay = 0
[[link]] # 17
between = [["x"], [{ y = 1 }]]
[site] # 19
'''


def test_every_key_has_its_line() -> None:
    lines = key_lines(TEXT)
    assert lines["name",] == 2
    assert lines["words",] == 3
    assert lines["a", "b.c", "d"] == 6
    assert lines["site", "north"] == 8
    assert lines["site", "north", "nodes", 1] == 10
    assert lines["site", "north", "uplink", "delay"] == 12
    assert lines["link", 0] == 13
    assert lines["link", 0, "back"] == 15
    assert lines["link", 1, "between", 1, 0, "y"] == 18
    assert lines["site",] == 19


def test_entries_carry_key_and_place() -> None:
    top = parse(TEXT, "f.toml")
    back = top.value["link"].value[0].value["back"].value["delay"]
    assert (back.value, back.key, back.place) == (0, "link[1].back.delay", "f.toml:16")
    assert str(back.refused("is late", "hurry")) == "f.toml:16: link[1].back.delay: is late"


@pytest.mark.parametrize(
    ("text", "line"), [("a = 1\nb = \n", 2), ("a = 1\na = 2", 2), ('a = "x', 1), ("[a\n", 1), ("x = [1,\n2", 2)]
)
def test_the_parsers_line_is_told(text: str, line: int) -> None:
    with pytest.raises(InputError, match=rf"^f\.toml:{line}: this is not TOML: ") as caught:
        parse(text, "f.toml")
    assert caught.value.remedy


_KEYS = st.sampled_from(["a", "b", "c-d", '"e.f"', "'g h'", '"i\\"j"', "1"])
_SCALARS = st.sampled_from(
    ["1", "-2.5e3", "true", '"x # y"', "'[z]'", '"""\nm\\"""\n""n"""', "'''\n'o'\n'''", "07:32:00", "inf"]
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: "[\n" + ", # c\n".join(parts) + "\n]"),
        st.dictionaries(_KEYS, inner.filter(lambda word: "\n" not in word), max_size=3).map(
            lambda table: "{" + ", ".join(f"{key} = {value}" for key, value in table.items()) + "}"
        ),
    ),
    max_leaves=4,
)
_LINES = st.one_of(
    st.builds("{} = {}".format, _KEYS, _VALUES),
    st.builds("{}.{} = {}".format, _KEYS, _KEYS, _VALUES),
    st.builds("[{}]".format, _KEYS),
    st.builds("[{}.{}] # t".format, _KEYS, _KEYS),
    st.builds("[[{}]]".format, _KEYS),
    st.builds("[[{}.{}]]".format, _KEYS, _KEYS),
    st.just(""),
)


@given(st.lists(_LINES, max_size=8).map("\n".join))
def test_whatever_tomllib_reads_is_found_in_a_line_of_the_text(text: str) -> None:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    lines = key_lines(text)
    assert all(steps in lines for steps in _ways(data, ()))
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())


def _ways(value: Any, steps: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return ([steps] if steps else []) + [way for key, one in items for way in _ways(one, (*steps, key))]


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert isinstance(parse(text, "f"), Entry)
    except InputError as error:
        assert str(error).startswith("f:")
