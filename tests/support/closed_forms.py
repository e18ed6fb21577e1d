"""The closed forms in the tables of docs/schedules.md, as functions of what their letters stand for."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "schedules.md"
ALIKE = 0.03
"""How far what is ≈ may be away, as a part of it."""
Values = Mapping[str, float]
"""What each letter stands for; Sᵢ is not among them: `sites` are."""
Form = Callable[[Values, Sequence[int]], float]
"""Of the letters' values and the sites' ranks."""
_TOKEN = re.compile(r"\s*(\d+|log[₂ₖ]|Sᵢ|[A-Za-z]|[-+/()²Σ⌈⌉⌊⌋])")
_ROUNDED = 9
"""Decimals of a logarithm: that of a power is whole."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What a table says of one quantity."""

    text: str

    def holds(self, found: float, values: Values, sites: Sequence[int] = ()) -> bool:
        """Return whether the quantity is what the form gives; an empty cell says nothing. Raises ValueError."""
        if not self.text:
            return True
        form = parse(self.text.lstrip("≤≈ "))(values, sites)
        if self.text[0] == "≤":
            return found <= form
        return abs(found - form) <= (ALIKE * form if self.text[0] == "≈" else 1e-6)


@dataclass(frozen=True, slots=True)
class Row:
    """One algorithm's closed forms."""

    operation: str
    name: str
    condition: str
    """Under which the row holds, in words; '': always."""
    cells: tuple[Cell, ...]

    @property
    def id(self) -> str:
        """Return `allreduce.recursive_multiplying (P = kⁿ)`."""
        return f"{self.operation}.{self.name}{f' ({self.condition})' if self.condition else ''}"


def rows(head: str) -> list[Row]:
    """Return the rows of the table whose second head this is: one for each algorithm that a line names."""
    lines = PAGE.read_text().splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith(f"| algorithm | {head} |"))
    found = []
    for line in lines[begin + 2 :]:
        if not line.startswith("|"):
            break
        names, *cells = (cell.strip() for cell in line.strip().strip("|").split("|"))
        for name in names.split(", "):
            one = re.fullmatch(r"(\w+)\.(\w+)(?: \((.+)\))?", name)
            if not one:
                raise ValueError(f"'{name}' names no algorithm: {line}")
            found.append(Row(one[1], one[2], one[3] or "", tuple(map(Cell, cells))))
    return found


def parse(text: str) -> Form:
    """Return what a form like `2 (P - 1) ⌈log₂ P⌉` gives. Raises ValueError for what is none."""
    reader = _Reader(text)
    form = reader.sum()
    if reader.tokens:
        raise ValueError(f"'{text}' is no closed form from '{reader.tokens[0]}' on")
    return form


class _Reader:
    """Sums of products of powers; factors stand side by side, and Σ takes the rest of its product."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        if "".join(self.tokens) != re.sub(r"\s", "", text):
            raise ValueError(f"'{text}' has signs that no closed form has")

    def taken(self, signs: str) -> str:
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in signs else ""

    def sum(self) -> Form:
        form = self.product()
        while sign := self.taken("+-"):
            form = _combined(form, self.product(), sign)
        return form

    def product(self) -> Form:
        form = self.power()
        while self.tokens and self.tokens[0] not in "+-)⌉⌋":
            sign = self.taken("/") or "*"
            form = _combined(form, self.power(), sign)
        return form

    def power(self) -> Form:
        form = self.factor()
        return _combined(form, form, "*") if self.taken("²") else form

    def factor(self) -> Form:
        token = self.tokens.pop(0) if self.tokens else ""
        if token.isdigit():
            return lambda values, sites: float(token)
        if token in {"(", "⌈", "⌊"}:
            inner = self.sum()
            if not self.taken({"(": ")", "⌈": "⌉", "⌊": "⌋"}[token]):
                raise ValueError(f"a {token} is not closed")
            rounded = {"(": float, "⌈": math.ceil, "⌊": math.floor}[token]
            return lambda values, sites: rounded(inner(values, sites))
        if token.startswith("log"):
            of = self.power()
            return lambda values, sites: round(
                math.log2(of(values, sites)) / (1 if token == "log₂" else math.log2(values["k"])), _ROUNDED
            )
        if token == "Σ":
            each = self.product()
            return lambda values, sites: sum(each({**values, "Sᵢ": size}, sites) for size in sites)
        if token[:1].isalpha():
            return lambda values, sites: values[token]
        raise ValueError(f"'{token}' stands where a number should")


def _combined(one: Form, other: Form, sign: str) -> Form:
    match sign:
        case "+":
            return lambda values, sites: one(values, sites) + other(values, sites)
        case "-":
            return lambda values, sites: one(values, sites) - other(values, sites)
        case "/":
            return lambda values, sites: one(values, sites) / other(values, sites)
    return lambda values, sites: one(values, sites) * other(values, sites)
