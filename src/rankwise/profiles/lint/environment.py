"""Files that set variables for a shell, or for a launcher: of Intel MPI, MPICH, MVAPICH and Open MPI.

What is read of a line, as POSIX shells, csh (`setenv`), fish (`set -x`) and mpiexec (`-genv`) take it:

    line       = command { ( ";" | "&&" | "||" | "|" | "&" ) command } [ "#" comment ]
    command    = [ "export" | "declare -x" | "typeset -x" | "readonly" | "env" ] { NAME "=" value | word }
               | ( "setenv" | "set -gx" | "-genv" | "-env" ) NAME value
    value      = 'text', "text", or text without blanks; a ";" before something else than a blank belongs to it

A value is said to be replaced only where the later line is always carried out after the earlier one, and nothing
but settings stands between: a branch of an `if`, a `case` or a loop may not be taken, and a program that starts
between has the earlier value. A value with `$` or a backquote in it is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from rankwise.profiles.lint import parameters
from rankwise.profiles.lint.findings import LARGEST, Finding, Known, size_findings
from rankwise.profiles.lint.intervals import Interval, unreachable

TITLE = "a file of environment variables"
_ADJUST = "I_MPI_ADJUST_"
_CVAR = "MPIR_CVAR_"
_OURS = re.compile(r"(?:I_MPI|MPIR_CVAR|MPICH|MV2|MVP|OMPI_MCA|PRTE_MCA|PMIX_MCA|UCX|FI)_\w+")
_TOKEN = re.compile(
    r"""(?P<space>\s+)|(?P<comment>\#.*)|(?P<end>;;|&&|\|\||[;|&](?=\s|$))
    |(?:"[^"]*"|'[^']*'|\\.|;(?!;|\s|$)|[^\s"'\\;])+|.""",
    re.VERBOSE | re.DOTALL,
)
_SETTING = frozenset({"export", "declare", "typeset", "readonly", "local", "env", "setenv", "set"})
_BEFORE_PAIRS = frozenset({"-genv", "-env", "--genv", "--env"})
_OPENING = frozenset({"if", "case", "for", "while", "until", "switch", "foreach", "select", "{"})
_CLOSING = frozenset({"fi", "esac", "done", "endif", "endsw", "}", "end"})
_BRANCHES = frozenset({"else", "elif", ";;", "breaksw"})
_ENDS_COMMAND = frozenset({"then", "do", "else", "{"})
_SHELLS_OWN = frozenset({
    *_OPENING, *_CLOSING, *_BRANCHES, *_ENDS_COMMAND, "source", ".", "unset", "unsetenv", "echo", "module", "set",
    "ulimit", "cd", "[", "test",
})  # fmt: skip
"""What begins a command that starts no program of MPI."""
_LONGEST_LINE = 1 << 16
_ENTRY = re.compile(r"(?P<preset>[^:@]*)(?::(?P<low>[^-@:]*)-(?P<high>[^@:]*))?(?:@(?P<ranks>[^:]*))?", re.DOTALL)
_NOT_OPERATIONS = re.compile(r"\w+_(?:LIST|KN_FACTOR|RADIX|NODE|SEGSIZE|KNOMIAL\w*|COMPOSITION|GROUP)")


@dataclass(frozen=True, slots=True)
class Setting:
    """A variable that a line sets."""

    line: int
    name: str
    value: str
    branches: tuple[int, ...] = ()
    """The branches that it stands in, from the outermost."""
    section: int = 0
    """Number of other commands before it."""


def recognises(text: str) -> bool:
    """Return whether any line sets a variable of an MPI."""
    return next(settings(text), None) is not None


def findings(text: str, known: Known) -> Iterator[Finding]:
    """Yield what is wrong with the variables of MPIs; other lines are the shell's own."""
    assigned = list(settings(text))
    later: dict[str, Setting] = {}
    for setting in reversed(assigned):
        after = later.get(setting.name)
        if (
            after
            and after.section == setting.section
            and setting.branches[: len(after.branches)] == after.branches
        ):
            yield parameters.set_again(setting.line, after.line, setting.name)
        later[setting.name] = setting
    for setting in assigned:
        if setting.name.startswith(_ADJUST) and not parameters.is_computed(setting.value):
            yield from _adjusted(setting.name, setting.value, setting.line, known)
        elif setting.name.startswith(_CVAR) and not parameters.is_computed(setting.value):
            yield from known.variable("mpich", setting.name, setting.value, setting.line)
    openmpi = [
        (setting.line, setting.name.removeprefix(parameters.VARIABLE), setting.value)
        for setting in assigned
        if setting.name.startswith(parameters.VARIABLE)
    ]
    yield from parameters.of_assignments(openmpi, known)


def settings(text: str) -> Iterator[Setting]:
    """Yield the settings of variables of MPIs, in order."""
    branches: list[int] = []
    branch, section = 0, 0
    for line, raw in enumerate(text.split("\n"), 1):
        for command in _commands(raw.rstrip("\r")) if len(raw) <= _LONGEST_LINE else ():
            if command[0] in _OPENING or command[0] in _BRANCHES or command[-1] == "{":
                branch += 1
                branches[len(branches) - (command[0] in _BRANCHES) :] = [branch]
            elif command[0] in _CLOSING:
                del branches[-1:]
            pairs = list(_pairs(command))
            lasting = all(name for name, _ in pairs)
            for name, value in pairs:
                if _OURS.fullmatch(name):
                    yield Setting(line, name, value, tuple(branches), section if lasting else -line)
            section += not (lasting or command[0] in _SHELLS_OWN)


def _commands(line: str) -> Iterator[list[str]]:
    """The words of each command of a line, values in their quotes."""
    command: list[str] = []
    for token in _TOKEN.finditer(line):
        if token["comment"]:
            break
        if not token["space"] and not token["end"]:
            command.append(token[0])
        if command and (token["end"] or (command == [token[0]] and token[0] in _ENDS_COMMAND)):
            yield command
            command = []
        if token[0] == ";;":
            yield [";;"]
    if command:
        yield command


def _pairs(command: list[str]) -> Iterator[tuple[str, str]]:
    """Name and value of each setting of a command; ('', '') for a word that belongs to none."""
    words = iter(command if command[0] not in _SETTING else [word for word in command[1:] if word[:1] != "-"])
    for word in words:
        name, equals, value = word.partition("=")
        if word in _BEFORE_PAIRS or (_OURS.fullmatch(word) and word in command[:3]):
            name = next(words, "") if word in _BEFORE_PAIRS else word
            value = next(words, "")
            yield name, _plain(next(words, "") if value == "=" else value)
        elif equals and name.isidentifier():
            yield name, _plain(value)
        else:
            yield "", ""


def _plain(value: str) -> str:
    return value.strip("\"'")


def _adjusted(name: str, value: str, line: int, known: Known) -> Iterator[Finding]:
    """`3:0-1023;1:1024-4096@4-8`: presets, each for sizes and ranks; the first one that fits counts."""
    operation = name.removeprefix(_ADJUST).lower()
    having = [vocabulary for vocabulary in known.of("intelmpi") if vocabulary.algorithms]
    if _NOT_OPERATIONS.fullmatch(operation.upper()):
        return
    if having and all(operation not in vocabulary.algorithms for vocabulary in having):
        ids = ", ".join(vocabulary.implementation for vocabulary in having)
        yield Finding(line, "unknown name", f"{name} is unknown to {ids}")
    sizes: list[Interval] = []
    entries = [entry for entry in value.split(";") if entry.strip()]
    if not entries:
        yield Finding(line, "syntax", f"{name} has no preset", f"{name}=NUMBER")
    for entry in entries:
        match = _ENTRY.fullmatch(entry.strip())
        if match is None:
            yield Finding(line, "syntax", f"'{entry[:40]}' is not PRESET:FROM-TO", "write 3:0-1023;1:1024-4096")
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
        yield Finding(line, "syntax", f"'{written[:40]}' is not the number of a preset of {operation}")
    else:
        yield from known.algorithm("intelmpi", operation, str(int(written)), line)


def _sizes(low: str | None, high: str | None, line: int) -> Generator[Finding, None, Interval]:
    if low is None or high is None:
        return Interval()
    yield from size_findings("the size", low.strip(), line)
    yield from size_findings("the size", high.strip(), line)
    bounds = [
        int(text) if re.fullmatch(r"\s*[0-9]{1,18}\s*", text) else other
        for text, other in ((low, 0), (high, LARGEST))
    ]
    if bounds[0] > bounds[1]:
        yield Finding(line, "unreachable", f"{low.strip()[:20]}-{high.strip()[:20]}: from is above to")
    return Interval(*bounds)
