"""How verbs print what they found: for people or as JSON, with a page, and the exit code of a check."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from rich.console import RenderableType

from rankwise.cli.screen import Screen, Terminal, err, out
from rankwise.core import errors
from rankwise.core.plain import plain


class Answer(Protocol):
    """What a verb found, as the Python API returns it."""

    def parts(self) -> Iterable[RenderableType]:
        """Yield what a terminal shows."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return it for programs: the keys are a promise."""
        ...


class PagedAnswer(Answer, Protocol):
    """An answer that also has a page."""

    def report(self, path: str | Path) -> Path:
        """Write the page, and return its absolute path; '' has a default."""
        ...


def print_answer(answer: Any, parts: Iterable[RenderableType], *, as_json: bool) -> None:
    """Print an answer on standard output: results, other records and plain values as JSON, or else the parts."""
    if as_json:
        print_json(answer)
    else:
        print_parts(parts)


def print_result(
    result: PagedAnswer, screen: Screen, page: str | Path | None, parts: Iterable[RenderableType] | None = None,
    *, as_json: bool, **places: object,
) -> None:  # fmt: skip
    """Write the page (None: no page), print the answer, and the paths of the page and of these other `places`."""
    report = None if page is None else result.report(page)
    if as_json:
        print_json({**result.to_dict(), "report": report})
        return
    print_parts(result.parts() if parts is None else parts)
    lines = [f"{name}: {place}" for name, place in {**places, "report": report}.items() if place]
    if lines:
        screen.say("\n" + "\n".join(lines), whole=True)


def print_parts(parts: Iterable[RenderableType]) -> None:
    """Print an answer on standard output, part by part; a text is not wrapped."""
    console = Terminal()
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, str))


def print_json(answer: Any) -> None:
    """Print results, other records and plain values as JSON; what is not a finite number is null."""
    out(json.dumps(plain(answer), indent=2, allow_nan=False))


def code_of_check(objections: Sequence[str]) -> int:
    """Print why a check failed, on standard error, and return its exit code."""
    for objection in objections:
        err(f"check failed: {objection}")
    return errors.EXIT_ANSWER_IS_NO if objections else errors.EXIT_OK
