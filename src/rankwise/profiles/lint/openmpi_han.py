"""The rules file of Open MPI's component han: which component does an operation, by communicator and message size.

As its documentation of `coll_han_dynamic_rules_filename` has it: for each collective topologic levels, for each of
these communicator sizes, and for each of these message sizes, each with a component.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rankwise.profiles.lint import openmpi_rules
from rankwise.profiles.lint.findings import Finding, Known, number
from rankwise.profiles.lint.openmpi_rules import OPERATIONS, Words

TITLE = "the rules file of Open MPI's component han"
COMPONENTS = frozenset({
    "self", "basic", "libnbc", "tuned", "sm", "adapt", "inter", "han", "shared", "xhc", "acoll", "sync",
})  # fmt: skip
LEVELS = ("within nodes", "between nodes", "all ranks")
"""By their numbers."""


def recognises(text: str) -> bool:
    """Return whether it has the numbers of a rules file, and a component beside a message size."""
    words = (line.partition("#")[0].split() for line in text.splitlines())
    return openmpi_rules.recognises(text) and any(len(line) == 2 and line[1] in COMPONENTS for line in words)


def findings(text: str, known: Known) -> Iterator[Finding]:
    """Yield what is wrong, in order. Raises UnreadableError where the numbers are too few."""
    words = Words(text)
    for _ in range(words.count("the number of collectives")):
        line, written = words.next("a collective's number")
        identity = number(written)
        if identity is None or identity >= len(OPERATIONS):
            yield Finding(line, "unknown name", f"there is no collective {written[:20]}", "0 to 21")
        for _ in range(words.count("the number of topologic levels")):
            line, written = words.next("a topologic level")
            level = number(written)
            if level is None or level >= len(LEVELS):
                yield Finding(line, "unknown name", f"there is no topologic level {written[:20]}", "0 to 2")
            yield from _ascending(words, "communicator size", _components)
    if words.left:
        line, word = words.next("")
        yield Finding(
            line, "unreachable", f"'{word[:20]}' and what follows is not read", "correct the counts above"
        )


def _components(words: Words) -> Iterator[Finding]:
    yield from _ascending(words, "message size", _component)


def _component(words: Words) -> Iterator[Finding]:
    line, written = words.next("a component")
    if written not in COMPONENTS:
        yield Finding(line, "unknown name", f"there is no component {written[:20]}", ", ".join(sorted(COMPONENTS)))


def _ascending(words: Words, what: str, inner: Callable[[Words], Iterator[Finding]]) -> Iterator[Finding]:
    """A count, and as many sizes in ascending order, each with what `inner` reads."""
    before = -1
    for _ in range(words.count(f"the number of {what}s")):
        line, written = words.next(f"a {what}")
        size = number(written)
        if size is None:
            yield Finding(line, "syntax", f"'{written[:20]}' is no {what}")
        elif size <= before:
            yield Finding(line, "unreachable", f"{what}s do not ascend: {before}, then {size}", "sort them")
        before = before if size is None else size
        yield from inner(words)
