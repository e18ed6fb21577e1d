"""Every file of the tests says in its first line, in a sentence of its own, what it protects or is for."""

from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
LINES = {str(path.relative_to(TESTS)): path.read_text().partition("\n")[0] for path in TESTS.rglob("*.py")}
LEAST_WORDS = 5
"""A property cannot be said in fewer."""


def fault(line: str) -> str:
    """Return what is wrong with a first line; '' if nothing is."""
    if not line.startswith('"""'):
        return "no docstring"
    sentence = line.removeprefix('"""').removesuffix('"""')
    if not sentence.endswith("."):
        return "no whole sentence"
    return "" if len(sentence.split()) >= LEAST_WORDS else "says too little"


def test_every_file_begins_with_what_it_protects() -> None:
    assert {path: fault(line) for path, line in sorted(LINES.items()) if fault(line)} == {}


def test_no_two_files_say_the_same() -> None:
    assert [line for line, count in Counter(LINES.values()).items() if count > 1] == []


@pytest.mark.parametrize(
    "line", ["import json", "", '"""Reads files."""', '"""What a launch loads of a profile"""']
)
def test_a_line_that_says_nothing_is_refused(line: str) -> None:
    assert fault(line)
