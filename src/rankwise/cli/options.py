"""Options and types that several verbs share, and the JSON that they print."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np
from rich.console import Console, RenderableType

from rankwise.core import units
from rankwise.core.errors import InputError
from rankwise.core.paths import STORE_VARIABLE, store_path

T = TypeVar("T")


class Parsed(click.ParamType):  # type: ignore[type-arg] # generic since click 8.5 only
    """A value that core.units can read; what it cannot read is a usage error that names the option."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse the text; values that are none (defaults) pass."""
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value)
        except InputError as error:
            self.fail(f"{error}: {error.remedy}", param, ctx)


SIZE = Parsed("size", units.parse_size_bytes)
"""One size: `4K` as bytes."""

SIZES = Parsed("sizes", units.parse_sizes_bytes)
"""Sizes: `1,64,4K` or `1:4M`, as an ascending tuple of bytes."""

DURATION = Parsed("duration", units.parse_duration_seconds)
"""A span of time: `90s`, `3m`, `1h30m` as seconds."""


MOST_RANKS = 1_000_000
"""Of one job. More is a mistake in typing, and would fill the memory before any launcher could say so."""


def _checked(ranks: int) -> int:
    if ranks > MOST_RANKS:
        raise InputError("too many ranks", f"a job has at most {MOST_RANKS}")
    return ranks


class Ranks(click.IntRange):
    """The number of ranks of one job, this one or more."""

    name = "number"

    def __init__(self, least: int = 1) -> None:
        super().__init__(least)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the number; one that no job can have is a usage error."""
        try:
            return _checked(super().convert(value, param, ctx))
        except InputError as error:
            self.fail(f"{error}: {error.remedy}", param, ctx)


def rank_counts(least: int, example: str) -> Parsed:
    """Return the type of one or several numbers of ranks, `4` or `2,4,8`, each this one or more."""

    def parse(text: str) -> tuple[int, ...]:
        counts = tuple(int(part) if part.strip().isdecimal() else -1 for part in text.split(","))
        if min(counts) < least:
            raise InputError(f"'{text}' is not a number of ranks", f"write {example}")
        return tuple(_checked(count) for count in counts)

    return Parsed("ranks", parse)


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split(",")))


NAMES = Parsed("names", _names)
"""Words with commas between them, each once."""

store_option = click.option(
    "--store",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar=STORE_VARIABLE,
    default=store_path,
    help=f"The results file.  [env: {STORE_VARIABLE}; default: results.sqlite in Rankwise's data folder]",
)
"""Passes `store`, a Path."""

run_argument = click.argument("run", type=click.IntRange(1), required=False)
"""Passes `run`, a run's id or None for the newest: what `Store.run` takes."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
"""Passes `as_json`."""


def print_parts(parts: Iterable[RenderableType]) -> None:
    """Print an answer on standard output, part by part."""
    console = Console(highlight=False)
    for part in parts:
        console.print(part)


def echo_json(answer: Any) -> None:
    """Print records (dataclasses, also nested) and plain values as JSON; what is not a finite number is null."""
    click.echo(json.dumps(_plain(answer), indent=2, ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value
