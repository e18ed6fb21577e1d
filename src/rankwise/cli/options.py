"""Options and types that several verbs share."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from rankwise.core import units
from rankwise.core.errors import InputError
from rankwise.core.limits import MOST_RANKS, checked_ranks
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


class Ranks(click.IntRange):
    """The number of ranks of one job, this one or more."""

    name = "number"

    def __init__(self, least: int = 1) -> None:
        super().__init__(least, MOST_RANKS)


class Share(click.FloatRange):
    """A number from 0 to `most`; click's own type takes nan for one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the number."""
        number = super().convert(value, param, ctx)
        return self.fail(f"{value} is not a number", param, ctx) if math.isnan(number) else number


def _whole_number(least: int | None) -> Parsed:
    def parse(text: str) -> int:
        number = units.signed_number(text)
        if number is None or (least is not None and number < least):
            bound = "" if least is None else f", {least} or more"
            raise InputError(
                f"'{units.short(text)}' is not valid", f"give a whole number of up to 18 digits{bound}"
            )
        return number

    return Parsed("integer", parse)


RUN = _whole_number(1)
"""A run's number."""
RUN_OR_NEWEST = _whole_number(0)
"""A run's number, or 0 for the newest."""
SEED = _whole_number(None)
RANK = click.IntRange(0, MOST_RANKS - 1)
"""One rank, as a root."""
COUNT = click.IntRange(0, MOST_RANKS)
"""A number of parts or parallel things of an algorithm, 0 for its own choice."""


def rank_counts(least: int, example: str) -> Parsed:
    """Return the type of one or several numbers of ranks, `4` or `2,4,8`, each this one or more."""

    def parse(text: str) -> tuple[int, ...]:
        counts = tuple(
            -1 if (count := units.whole_number(part.strip())) is None else count for part in text.split(",")
        )
        if min(counts) < least:
            raise InputError(f"'{units.short(text)}' is not a number of ranks", f"write {example}")
        return tuple(checked_ranks(count) for count in counts)

    return Parsed("ranks", parse)


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split(",")))


NAMES = Parsed("names", _names)
"""Words with commas between them, each once."""


def names_of(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return `--bench a,b --bench c` as a, b, c."""
    return tuple(name for text in texts for name in text.split(",") if name)


store_option = click.option(
    "--store",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar=STORE_VARIABLE,
    default=store_path,
    help=f"The results file.  [env: {STORE_VARIABLE}; default: results.sqlite in Rankwise's data folder]",
)
"""Passes `store`, a Path."""

run_argument = click.argument("run", type=RUN, required=False)
"""Passes `run`, a run's id or None for the newest: what `Store.run` takes."""

long_option = click.option(
    "--long", "as_long", is_flag=True, help="Also print every cell, explanation, warning and remedy."
)
"""Passes `as_long`."""

mpi_option = click.option(
    "--mpi", multiple=True, metavar="NAMES",
    help="Implementations, separated by commas.  [default: all that work]",
)  # fmt: skip
"""Passes `mpi`, which `names_of` reads."""

prefix_option = click.option(
    "--prefix", "prefixes", multiple=True, metavar="DIR", type=click.Path(path_type=Path),
    help="Also look for an MPI in this prefix, the folder that contains bin/mpicc (repeatable).",
)  # fmt: skip
"""Passes `prefixes`, Paths."""

quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress, no messages.")
"""Passes `quiet`."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
"""Passes `as_json`."""
