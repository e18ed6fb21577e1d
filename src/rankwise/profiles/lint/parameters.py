"""Open MPI's parameter files: `name = value`, of a name that comes twice the last line counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from rankwise.profiles import merging
from rankwise.profiles.lint.findings import Finding, Known

TITLE = "Open MPI's parameter file"
FAMILY = "openmpi"
VARIABLE = "OMPI_MCA_"
Assignments = Sequence[tuple[int, str, str]]
_FORCED = re.compile(r"coll_tuned_(\w+)_algorithm(?:_\w+)?")
_SWITCH = "coll_tuned_use_dynamic_rules"
_RULES = "coll_tuned_dynamic_rules_filename"
_TRUE = ("1", "true", "yes", "enabled", "t", "y")
_LINE = re.compile(r"\s*(?:#.*|[\w-]+\s*=.*|)")


def recognises(text: str) -> bool:
    """Return whether most of the lines are comments or assignments, one at least an assignment."""
    lines = text.splitlines()[:1000]
    fitting = sum(bool(_LINE.fullmatch(line)) for line in lines)
    return any("=" in line for line in lines) and 2 * fitting > len(lines)


def findings(text: str, known: Known) -> Iterator[Finding]:
    """Yield what is wrong."""
    for number, words in enumerate(text.split("\n"), 1):
        if not _LINE.fullmatch(words.rstrip("\r")):
            yield Finding(
                number, "syntax", f"'{words.strip()[:40]}' is no 'name = value'", "begin comments with #"
            )
    found = list(merging.assignments(text))
    for line, name, _ in found:
        if name.startswith(VARIABLE):
            yield Finding(
                line, "unknown name", f"{VARIABLE} is for variables", f"write {name.removeprefix(VARIABLE)}"
            )
    plain = [(line, name, value) for line, name, value in found if not name.startswith(VARIABLE)]
    yield from of_assignments(plain, known)


def of_assignments(found: Assignments, known: Known) -> Iterator[Finding]:
    """Yield what is wrong with parameters of Open MPI, by their names without `OMPI_MCA_`."""
    last = {name: line for line, name, _ in found}
    values = {name: value for _, name, value in found}
    for line, name, value in found:
        if last[name] != line:
            yield Finding(
                line, "unreachable", f"line {last[name]} sets {name} again, and that value counts", "remove one"
            )
        yield from known.variable(FAMILY, name, value, line)
        if (_FORCED.fullmatch(name) or name == _RULES) and values.get(_SWITCH, "").lower() not in _TRUE:
            yield Finding(line, "no effect", f"{name} does nothing without {_SWITCH}", f"add {_SWITCH} = 1")
        if name.endswith("_filename") and value.startswith("/") and not _is_file(value):
            yield Finding(line, "out of range", f"{name}: there is no file {value[:200]} on this host")


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False
