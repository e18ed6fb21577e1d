"""What ranks of one launch have got unlike: the caller's variables and limits, as the kernel shows them.

Only what every rank has to have counts: variables that the caller has, in ranks' environments as they began.
Folders, umasks and cores are not compared: programs change them, rank by rank. They may change limits as well,
so these are compared in programs of ours alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rankwise.core import caller

_RANK = ("PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "LAMRANK")
_NOT_ALIKE = "the ranks were not started alike"
_MOST_NAMES = 5
_LIMIT = re.compile(r"^(Max [a-z ]+?) {2,}(\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Given:
    """What one process has got from whatever started it."""

    variables: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, str] = field(default_factory=dict)
    """Soft ones by the names of prlimit(1), those of `caller` alone."""


def given_to(pid: int | str) -> Given:
    """Return what a process of this host has got. Raises OSError if it is gone."""
    environment = Path(f"/proc/{pid}/environ").read_text(errors="surrogateescape")
    return Given(variables_in(environment.split("\0")), limits_in(Path(f"/proc/{pid}/limits").read_text()))


def variables_in(assignments: Iterable[str]) -> dict[str, str]:
    """Return the variables of an environment, `NAME=VALUE` each."""
    return dict(word.split("=", 1) for word in assignments if "=" in word)


def limits_in(text: str) -> dict[str, str]:
    """Return the soft limits that /proc/PID/limits shows and every rank gets."""
    return {
        caller.LIMIT_TITLES[title]: soft for title, soft in _LIMIT.findall(text) if title in caller.LIMIT_TITLES
    }


def difference(ranks: Mapping[str, Given], expected: Mapping[str, str], but: Collection[str] = ()) -> str:
    """Return what some of these processes lack that others have; '' if they are alike.

    `expected` are the caller's variables, without those that launch lines set (`but`). A launcher may put folders
    before those of a list (`PATH`). Values are not told: they may be secrets.
    """
    lacking: dict[str, list[str]] = {}
    for name in [name for name in expected if name not in but]:
        without = [pid for pid, given in ranks.items() if not _holds(given.variables.get(name), expected[name])]
        if len(without) < len(ranks):
            for process in without:
                lacking.setdefault(process, []).append(name)
    for process, names in lacking.items():
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        return (
            f"{_NOT_ALIKE}: {_named(process, ranks)} does not have the caller's "
            f"{', '.join(names[:_MOST_NAMES])}{more}"
        )
    return ""


def limit_difference(ranks: Mapping[str, Given]) -> str:
    """Return which process has another limit than most; '' if all have the same."""
    for name in caller.LIMIT_TITLES.values():
        values = {process: given.limits[name] for process, given in ranks.items() if name in given.limits}
        usual = max(values.values(), key=list(values.values()).count, default="")
        for process, value in values.items():
            if value != usual:
                return f"{_NOT_ALIKE}: {_named(process, ranks)} has the limit {name}={value}, others have {usual}"
    return ""


def _holds(value: str | None, expected: str) -> bool:
    return value is not None and (value == expected or set(expected.split(":")) <= set(value.split(":")))


def _named(process: str, ranks: Mapping[str, Given]) -> str:
    number = next((ranks[process].variables[name] for name in _RANK if name in ranks[process].variables), "")
    return f"rank {number} (process {process})" if number else f"process {process}"
