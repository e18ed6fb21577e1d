"""Files that set variables for a shell, `export NAME=value`: of Intel MPI, MPICH and Open MPI."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from rankwise.profiles.lint import parameters
from rankwise.profiles.lint.findings import LARGEST, Finding, Known, size_findings
from rankwise.profiles.lint.intervals import Interval, unreachable

TITLE = "a file of environment variables"
_ADJUST = "I_MPI_ADJUST_"
_CVAR = "MPIR_CVAR_"
_LINE = re.compile(
    r"""\s*(?:(?:export|setenv|declare\s+-x|set\s+-x)\s+|env\s+)?
    (?P<name>(?:I_MPI|MPIR_CVAR|MPICH|OMPI_MCA|PRTE_MCA|UCX|FI)_\w+)\s*[=\s]\s*
    (?P<value>"[^"]*"|'[^']*'|[^\s#]*)\s*(?:\#.*)?""",
    re.VERBOSE,
)
_ENTRY = re.compile(r"(?P<preset>[^:@]*)(?::(?P<low>[^-@:]*)-(?P<high>[^@:]*))?(?:@(?P<ranks>[^:]*))?", re.DOTALL)
_NOT_OPERATIONS = re.compile(r"\w+_(?:LIST|KN_FACTOR|RADIX|NODE|SEGSIZE|KNOMIAL\w*|COMPOSITION|GROUP)")


def recognises(text: str) -> bool:
    """Return whether any line sets a variable of an MPI."""
    return any(_LINE.fullmatch(line) for line in text.splitlines()[:10000])


def findings(text: str, known: Known) -> Iterator[Finding]:
    """Yield what is wrong with the variables of MPIs; other lines are the shell's own."""
    found = []
    for number, words in enumerate(text.split("\n"), 1):
        match = _LINE.fullmatch(words.rstrip("\r"))
        if match:
            found.append((number, match["name"], match["value"].strip("\"'")))
    last = {name: line for line, name, _ in found}
    for line, name, value in found:
        if last[name] != line and not name.startswith(parameters.VARIABLE):
            yield Finding(
                line, "unreachable", f"line {last[name]} sets {name} again, and that value counts", "remove one"
            )
        if name.startswith(_ADJUST):
            yield from _adjusted(name, value, line, known)
        elif name.startswith(_CVAR):
            yield from known.variable("mpich", name, value, line)
    openmpi = [
        (line, name.removeprefix(parameters.VARIABLE), value)
        for line, name, value in found
        if name.startswith(parameters.VARIABLE)
    ]
    yield from parameters.of_assignments(openmpi, known)


def _adjusted(name: str, value: str, line: int, known: Known) -> Iterator[Finding]:
    """`3:0-1023;1:1024-4096@4-8`: presets, each for sizes and ranks; the first one that fits counts."""
    operation = name.removeprefix(_ADJUST).lower()
    having = [one for one in known.of("intelmpi") if one.algorithms]
    if _NOT_OPERATIONS.fullmatch(operation.upper()):
        return
    if having and all(operation not in one.algorithms for one in having):
        ids = ", ".join(one.implementation for one in having)
        yield Finding(line, "unknown name", f"{name} is unknown to {ids}")
    sizes: list[Interval] = []
    entries = [entry for entry in value.split(";") if entry.strip()]
    if not entries:
        yield Finding(line, "syntax", f"{name} has no preset", f"{name}=NUMBER")
    for entry in entries:
        match = _ENTRY.fullmatch(entry.strip())
        if match is None:
            yield Finding(line, "syntax", f"'{entry[:40]}' is no PRESET:FROM-TO", "write 3:0-1023;1:1024-4096")
            continue
        yield from _preset(operation, match["preset"].strip(), line, known)
        if match["ranks"] is not None and len(entries) > 1:
            yield Finding(
                line, "out of range",
                f"'@{match['ranks'][:20]}' in a list: the last entry then holds for all sizes",
                "give one entry only, or leave the ranks out",
            )  # fmt: skip
        sizes.append((yield from _sizes(match["low"], match["high"], line)))
    for place in unreachable(sizes):
        yield Finding(
            line, "unreachable", f"entries of {name} before '{entries[place][:40]}' take all of its sizes"
        )


def _preset(operation: str, written: str, line: int, known: Known) -> Iterator[Finding]:
    if not re.fullmatch(r"-?[0-9]{1,18}", written):
        yield Finding(line, "syntax", f"'{written[:40]}' is no number of a preset of {operation}")
    else:
        yield from known.algorithm("intelmpi", operation, str(int(written)), line)


def _sizes(low: str | None, high: str | None, line: int) -> Generator[Finding, None, Interval]:
    if low is None or high is None:
        return Interval()
    yield from size_findings("the size", low.strip(), line)
    yield from size_findings("the size", high.strip(), line)
    bounds = [
        int(one) if re.fullmatch(r"\s*[0-9]{1,18}\s*", one) else other
        for one, other in ((low, 0), (high, LARGEST))
    ]
    if bounds[0] > bounds[1]:
        yield Finding(line, "unreachable", f"{low.strip()[:20]}-{high.strip()[:20]}: from is above to")
    return Interval(*bounds)
