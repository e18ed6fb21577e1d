"""What stands in other people's files is read or refused, in little memory, and moves no cursor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from support.command_line import BY_DAY
from support.limited import run_limited
from support.other_files import NO_MPI, OTHER_FILES, OtherFile

NUMBERS = ("9" * 5000, "99999999999999999999", "199999999", "²", "٣", "-1", "nan", "1e308")
Answers = dict[OtherFile, list[tuple[str, int, str]]]
"""Of each file the texts that were tried in its place, the exit codes, and what was printed."""
pytestmark = pytest.mark.timeout(600 if BY_DAY else 7200)
NAMES = [f"{one.line.replace('FILE', one.name)}" for one in OTHER_FILES]


def changed(text: str, numbers: tuple[str, ...]) -> Iterator[str]:
    """The text with another number in place of each of its own in turn."""
    for place in re.finditer(r"\d+", text):
        for number in numbers:
            yield text[: place.start()] + number + text[place.end() :]


def some(texts: Iterable[str], most: int = 24) -> list[str]:
    """By day a few of them, from all over the file."""
    found = list(texts)
    return found[:: 1 + len(found) // most] if BY_DAY else found


def answers(texts_of: Callable[[OtherFile], list[str]], folder: Path) -> Answers:
    """All of these in one process, which takes long to start."""
    (folder / "pairs.csv").write_text("from,to,bytes\n0,1,100\n1,2,50\n")
    asked, lines = [], []
    for one in OTHER_FILES:
        for text in texts_of(one):
            file = folder / str(len(lines)) / one.name
            file.parent.mkdir()
            file.write_text(text)
            asked.append((one, text))
            lines.append([str(file) if word == "FILE" else word for word in one.line.split()])
    found: Answers = {one: [] for one in OTHER_FILES}
    for (one, text), (code, printed) in zip(asked, run_limited(lines, folder), strict=True):
        found[one].append((text, code, printed))
    return found


@pytest.fixture(scope="module")
def with_other_numbers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    return answers(lambda one: some(changed(one.text, NUMBERS)), tmp_path_factory.mktemp("numbers"))


@pytest.fixture(scope="module")
def with_escapes(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    return answers(lambda one: some(escaped(one.text)), tmp_path_factory.mktemp("escapes"))


def escaped(text: str) -> Iterator[str]:
    """Each word with an escape sequence after it, raw and as TOML, JSON and XML write it."""
    for place in re.finditer(r"[A-Za-z]\w*", text):
        for escape in ("\x1b[31m\x9b2J\u202e", "\\u001b[31m\\u202e", "&#155;"):
            yield text[: place.end()] + escape + text[place.end() :]


def test_the_files_themselves_are_read(tmp_path: Path) -> None:
    for one, found in answers(lambda one: [one.text], tmp_path).items():
        for _, code, printed in found:
            assert code in (0, 1) or NO_MPI in printed, f"{one.line}: {printed}"


@pytest.mark.parametrize("one", OTHER_FILES, ids=NAMES)
def test_no_number_in_a_file_is_a_fault_of_ours(one: OtherFile, with_other_numbers: Answers) -> None:
    for text, code, printed in with_other_numbers[one]:
        assert code in (0, 1, 2, 3), text[:3000] + printed
        assert "Warning" not in printed, text[:3000] + printed


@pytest.mark.parametrize("one", OTHER_FILES, ids=NAMES)
def test_no_file_moves_the_cursor(one: OtherFile, with_escapes: Answers) -> None:
    for text, code, printed in with_escapes[one]:
        assert code in (0, 1, 2, 3), text[:3000] + printed
        assert not re.search("[\x1b\x9b\u202e]", printed), text + printed
