"""Public docstrings begin with a sentence: an imperative for what does something, and a full stop in the end."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import rankwise

PACKAGE = Path(rankwise.__file__).parent
NO_VERBS = frozenset(
    [
        "The",
        "A",
        "An",
        "What",
        "Whether",
        "Those",
        "Its",
        "Of",
        "How",
        "All",
        "Each",
        "As",
        "One",
        "Some",
        "Every",
        "None",
        "More",
        "No",
        "In",
        "From",
        "With",
        "That",
        "Which",
        "These",
        "It",
        "They",
        "At",
        "By",
        "For",
        "On",
        "To",
        "Two",
        "Who",
        "Where",
        "When",
        "This",
        "If",
        "Only",
        "Everything",
        "Not",
        "Nothing",
        "Most",
        "Least",
        "Why",
        "Up",
    ]
)
DONE = (
    "analysis", "artifacts", "cli", "core", "measurement", "mpi", "profiles", "stats", "store", "studies",
    "testbeds", "workflows",
)  # fmt: skip
"""The packages in which every docstring is a sentence; the list only grows."""


def beginnings(folder: Path) -> Iterator[tuple[str, str]]:
    """Where each public function or method is, and how its docstring begins."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                continue
            if any(isinstance(one, ast.Name) and one.id.endswith("property") for one in node.decorator_list):
                continue
            said = ast.get_docstring(node)
            if said:
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}", said.partition("\n\n")[0]


@pytest.mark.parametrize("package", DONE)
def test_functions_say_what_they_do(package: str) -> None:
    fragments = [
        f"{where}: {said}"
        for where, said in beginnings(PACKAGE / package)
        if said.split()[0].strip("`,.:;") in NO_VERBS or said.startswith("`") or said.rstrip()[-1] not in ".:?"
    ]
    assert fragments == []
