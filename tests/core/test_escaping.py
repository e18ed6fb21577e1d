"""What is printed moves no cursor and hides no word, whatever it was made of, and JSON means what it meant."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.escaping import escaped

ANY = st.text(st.characters())  # also surrogates
MOVING = {"Cc", "Zl", "Zp", "Cs"}
DIRECTING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@given(ANY)
def test_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    left = set(escaped(text)) - {"\n", "\t"}
    assert not {unicodedata.category(one) for one in left} & MOVING
    assert not {unicodedata.bidirectional(one) for one in left} & DIRECTING
    escaped(text).encode()


def test_all_of_them_are_seen() -> None:
    for code in range(0x10000):
        one = chr(code)
        obeyed = unicodedata.category(one) in MOVING or unicodedata.bidirectional(one) in DIRECTING
        marks = code in (0x061C, 0x200E, 0x200F)
        assert (escaped(one) != one) == (marks or (obeyed and one not in "\n\t")), hex(code)


@given(ANY)
def test_it_is_done_once(text: str) -> None:
    assert escaped(escaped(text)) == escaped(text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_means_the_same(text: str) -> None:
    assert json.loads(escaped(json.dumps(text, ensure_ascii=False))) == text


def test_words_are_left_alone() -> None:
    assert escaped("naïve µs → 日本語\n\t±1.5 %") == "naïve µs → 日本語\n\t±1.5 %"
    assert escaped("\x1b[31mred\r") == "\\u001b[31mred\\u000d"
