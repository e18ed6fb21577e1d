"""Text of files, logs, stores and programs as a terminal may get it: it moves no cursor and hides no word."""

from __future__ import annotations

import re

_UNSAFE = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
r"""Control characters (C0 but for \t and \n, DEL, C1), separators of lines and paragraphs, what changes the
direction of writing, and halves of surrogate pairs, which stand for bytes of a file's name that are no text."""


def escaped(text: str) -> str:
    r"""Return the text with each of these characters as \uXXXX, which within a string of JSON means the same."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
