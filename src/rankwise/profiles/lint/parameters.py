"""Open MPI's parameter files, `mca-params.conf` and what `mca_base_param_files` names.

By `opal/util/keyval_parse.c` and `keyval/keyval_lex.l`, and as the `ompi_info` of 4.1.4 and 5.0.11 reads files:

    file     = { line }
    line     = [ "#" text | NAME "=" value | ( "-mca" | "--mca" ) NAME value | "-x" NAME [ "=" text ] ]
    value    = text to the end of the line, without blanks around it

Of a name that comes twice the last line counts. A comment behind a value belongs to the value, and quotes do, too.
Any other line is skipped with a message, and the lines after it are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rankwise.core.units import version_numbers
from rankwise.profiles.lint.findings import Finding, Known

TITLE = "Open MPI's parameter file"
FAMILY = "openmpi"
VARIABLE = "OMPI_MCA_"
Assignments = Sequence[tuple[int, str, str]]
_FORCED = re.compile(r"coll_tuned_(\w+)_algorithm(?:_(?!max_requests)\w+)?")
"""`coll_tuned_alltoall_algorithm_max_requests` acts on fixed decisions, too (`coll_tuned_decision_fixed.c`)."""
_SWITCH = "coll_tuned_use_dynamic_rules"
_RULES = "coll_tuned_dynamic_rules_filename"
_TRUE = ("1", "true", "yes", "enabled", "t", "y")
_LAUNCHERS = re.compile(
    r"(?:orte|prte|pmix|errmgr|ess|filem|grpcomm|iof|odls|oob|plm|ras|rmaps|routed|rtc|schizo|state)(?:_\w+)?"
)
"""Names that the launcher reads: from Open MPI 5 on that is PRRTE, of which its `ompi_info` lists nothing."""
_LAUNCHER_SINCE = (5,)
_LINE = re.compile(r"\s*(?:#.*|-x\s.*|)")
_ASSIGNMENT = re.compile(r"\s*(?:--?mca\s+(?P<behind>\S+)\s+(?P<text>.*)|(?P<name>[\w.-]+)\s*=\s*(?P<value>.*))")


def recognises(text: str) -> bool:
    """Return whether most of the lines are comments or assignments, one at least an assignment."""
    lines = text.splitlines()[:1000]
    set_here = sum(bool(_ASSIGNMENT.fullmatch(line)) for line in lines)
    fitting = set_here + sum(bool(_LINE.fullmatch(line)) for line in lines)
    return set_here > 0 and 2 * fitting > len(lines)


def findings(text: str, known: Known) -> Iterator[Finding]:
    """Yield what is wrong."""
    assignments = []
    for number, raw in enumerate(text.split("\n"), 1):
        written = raw.rstrip("\r")
        match = _ASSIGNMENT.fullmatch(written)
        if match:
            name, value = match["behind"] or match["name"], match["text"] or match["value"] or ""
            assignments.append((number, name, value.strip()))
        elif not _LINE.fullmatch(written):
            yield Finding(
                number, "syntax", f"'{written.strip()[:40]}' is not 'name = value': Open MPI skips the line",
                "begin comments with #",
            )  # fmt: skip
    for line, name, _ in assignments:
        if name.startswith(VARIABLE):
            yield Finding(
                line, "unknown name", f"{VARIABLE} is for variables", f"write {name.removeprefix(VARIABLE)}"
            )
    last = {name: line for line, name, _ in assignments}
    for line, name, _ in assignments:
        if last[name] != line:
            yield set_again(line, last[name], name)
    yield from of_assignments(
        [assignment for assignment in assignments if not assignment[1].startswith(VARIABLE)], known
    )


def set_again(line: int, later: int, name: str) -> Finding:
    """Return the finding that a later line takes the place of this one."""
    return Finding(line, "unreachable", f"line {later} sets {name} again, and that value counts", "remove one")


def of_assignments(assignments: Assignments, known: Known) -> Iterator[Finding]:
    """Yield what is wrong with parameters of Open MPI, by their names without `OMPI_MCA_`."""
    values = {name: value for _, name, value in assignments}
    for line, name, value in assignments:
        if not is_computed(value):
            yield from _readers(name, known).variable(FAMILY, name, value, line)
        if (_FORCED.fullmatch(name) or name == _RULES) and not _is_switched(values):
            yield Finding(line, "no effect", f"{name} does nothing without {_SWITCH}", f"add {_SWITCH} = 1")
        if name.endswith("_filename") and value.startswith("/") and not _is_file(value):
            yield Finding(line, "out of range", f"{name}: file not found: {value[:200]} on this host")


def is_computed(value: str) -> bool:
    """Return whether a shell puts something else in place of a part of this value."""
    return "$" in value or "`" in value


def _readers(name: str, known: Known) -> Known:
    """The versions whose list of parameters has to have this name."""
    if not _LAUNCHERS.fullmatch(name):
        return known
    kept = [
        vocabulary for vocabulary in known.vocabularies if version_numbers(vocabulary.version) < _LAUNCHER_SINCE
    ]
    return replace(known, vocabularies=tuple(kept))


def _is_switched(values: Mapping[str, str]) -> bool:
    value = values.get(_SWITCH, "").lower()
    return value in _TRUE or is_computed(value) or (value.isdecimal() and int(value[:20]) != 0)


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False
