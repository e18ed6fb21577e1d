"""Variables that hold only for jobs of one number of ranks, and how a shell sets them.

Where an implementation cannot say in its own words for how many ranks something holds, its variable carries the
number in its name, `RANKWISE_AT_4_I_MPI_ADJUST_BCAST`: that means nothing to the implementation, and a job of
four ranks gets it by its real name. Launches know their number; a shell is told it by the variable `RANKS`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from rankwise.core.records import Environment

RANKS = "RANKS"
_BOUND = re.compile(r"(?:RANKWISE_AT_([0-9]{1,18})_)?(.+)", re.DOTALL)


def bound(ranks: int, name: str) -> str:
    """Return the variable's name for jobs of so many ranks only."""
    return f"RANKWISE_AT_{ranks}_{name}"


def real(name: str) -> tuple[int, str]:
    """Return the number of ranks that a variable is for, 0 for all, and its real name."""
    match = _BOUND.fullmatch(name)
    return (int(match[1] or 0), match[2]) if match else (0, name)


def of_job(environment: Environment, ranks: int) -> Environment:
    """Return the variables of a job of so many ranks by their real names; those of other numbers are left out."""
    variables = [(*real(name), value) for name, value in environment]
    return tuple((name, value) for own, name, value in variables if own in (0, ranks))


def of_all(environment: Environment) -> Environment:
    """Return those that hold for any number of ranks."""
    return tuple((name, value) for name, value in environment if not real(name)[0])


def tables(environment: Environment) -> dict[int, Environment]:
    """Return the others by their real names, ascending in the number of ranks that they are for."""
    by_ranks: dict[int, list[tuple[str, str]]] = {}
    for name, value in environment:
        ranks, plain = real(name)
        if ranks:
            by_ranks.setdefault(ranks, []).append((plain, value))
    return {ranks: tuple(by_ranks[ranks]) for ranks in sorted(by_ranks)}


def names(environment: Environment) -> tuple[str, ...]:
    """Return the real names of all that are for one number of ranks."""
    return tuple(dict.fromkeys(name for own in tables(environment).values() for name, _ in own))


def missing_words(numbers: Iterable[int], how: str) -> str:
    """Return what to say where RANKS is not set; `how`: the command that would load all."""
    known = ", ".join(map(str, numbers))
    return f"collective tables are for {known} ranks and not loaded: {RANKS}={known.partition(',')[0]} {how}"


def unknown_words(numbers: Iterable[int]) -> str:
    """Return what to say where RANKS is another number."""
    return f"collective tables are for {', '.join(map(str, numbers))} ranks: the default is kept for"


def shell_lines(environment: Environment, file: str, setting: str = "export {name}={value}") -> list[str]:
    """Lines of a POSIX shell that choose by RANKS; none where nothing is bound. `file`: which has these lines.

    `setting` is the line that sets a variable. Where it exports, tables of another number that were loaded before
    are taken back first.
    """
    by_number = tables(environment)
    if not by_number:
        return []
    lines = [f"unset {' '.join(names(environment))}"] if setting.startswith("export") else []
    lines.append(f'case "${{{RANKS}:-}}" in')
    for ranks, variables in by_number.items():
        settings = [f"    {setting.format(name=name, value=shlex.quote(value))}" for name, value in variables]
        lines += [f"{ranks})", *settings, "    ;;"]
    missing = shlex.quote(f"{file}: {missing_words(by_number, f'. {file}')}")
    unknown = shlex.quote(f"{file}: {unknown_words(by_number)} ")
    return [
        *lines,
        "'')", f"    echo {missing} >&2", "    ;;",
        "*)", f'    echo {unknown}"${RANKS}" >&2', "    ;;",
        "esac",
    ]  # fmt: skip
