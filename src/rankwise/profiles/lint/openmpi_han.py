"""The rules file of Open MPI's component han: which component does an operation, by communicator and message size.

By `ompi/mca/coll/han/coll_han_dynamic_file.c`: 4.1 reads numbers of collectives and levels; from 5.0 on names do,
too, and a rule may name an algorithm of han.

    file          = COLLECTIVES { collective }
    collective    = ( NUMBER | NAME ) LEVELS { level }
    level         = ( "0" | "1" | "2" | "intra_node" | "inter_node" | "global_communicator" )
                    CONFIGURATIONS { configuration }
    configuration = RANKS MESSAGE_SIZES { rule }             the first of a level is for 1 rank
    rule          = BYTES COMPONENT [ "@" ( NAME | NUMBER ) ] [ "[" SEGMENT_BYTES... "]" ]     the first from 0
    comment       = "#" text to the end of the line

What stands before a mistake is used, and the rest of the file is ignored; only `coll_han_verbose` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rankwise.core.units import version_numbers, whole_number
from rankwise.core.vocabulary import nearest
from rankwise.profiles.lint import openmpi_rules
from rankwise.profiles.lint.findings import Finding, Known
from rankwise.profiles.lint.openmpi_rules import FAMILY, OPERATIONS
from rankwise.profiles.lint.rule_layout import Words

TITLE = "the rules file of Open MPI's component han"
COMPONENTS = frozenset({
    "self", "basic", "libnbc", "tuned", "sm", "adapt", "inter", "han", "shared", "xhc", "acoll", "sync",
})  # fmt: skip
LEVELS = ("intra_node", "inter_node", "global_communicator")
"""By their numbers."""
OF_HAN = "han "
"""Before the name of an operation: under which vocabularies have the algorithms of han."""
_FIRST, _NAMES_SINCE = (4, 1), (5, 0)
_REST = "the rest of the file is ignored"


def recognises(text: str) -> bool:
    """Return whether it has the numbers of a rules file, and a component beside a message size."""
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return openmpi_rules.recognises(text) and any(len(line) > 1 and line[1] in COMPONENTS for line in lines)


def findings(text: str, known: Known) -> Iterator[Finding]:
    """Yield what is wrong, in order. Raises UnreadableError where the numbers are too few."""
    words = Words(text)
    reader = _Reader(words, known)
    for _ in range(words.count("the number of collectives")):
        line, written = words.next("a collective's name or number")
        number = OPERATIONS.index(written) if written in OPERATIONS else whole_number(written)
        if number is None or number >= len(OPERATIONS):
            near = nearest(written, OPERATIONS) or "0 to 21"
            yield Finding(line, "unknown name", f"unknown collective {written[:20]}: {_REST}", near)
        operation = OPERATIONS[number] if number is not None and number < len(OPERATIONS) else ""
        for _ in range(words.count("the number of topologic levels")):
            line, written = words.next("a topologic level")
            level = whole_number(written)
            if written in LEVELS:
                reader.names_from = reader.names_from or line
            elif level is None or level >= len(LEVELS):
                near = nearest(written, LEVELS)
                yield Finding(line, "unknown name", f"unknown topologic level {written[:20]}: {_REST}", near)
            yield from reader.configurations(operation)
    yield from reader.versions()
    if words.left:
        line, word = words.next("")
        yield Finding(
            line, "unreachable", f"'{word[:20]}' and what follows is not read", "correct the counts above"
        )


class _Reader:
    """What of a file is below its levels; `names_from`: the line from which on only later versions read it."""

    def __init__(self, words: Words, known: Known) -> None:
        self.names_from = 0
        self._words = words
        self._known = known

    def configurations(self, operation: str) -> Iterator[Finding]:
        """Yield what is wrong with those of one level."""

        def rules() -> Iterator[Finding]:
            return _ascending(self._words, "message size", 1, lambda: self._rule(operation))

        return _ascending(self._words, "communicator size", 1, rules)

    def _rule(self, operation: str) -> Iterator[Finding]:
        line, written = self._words.next("a component")
        if written not in COMPONENTS:
            known = ", ".join(sorted(COMPONENTS))
            yield Finding(line, "unknown name", f"unknown component {written[:20]}: {_REST}", known)
        if written == "han" and self._words.peek().startswith("@"):
            line, mark = self._words.next("an algorithm")
            self.names_from = self.names_from or line
            name = mark[1:] or self._words.next("an algorithm")[1]
            yield from self._algorithm(operation, name, line)
        if self._words.peek().startswith("["):
            while "]" not in self._words.next("the end of segment lengths")[1]:
                pass

    def _algorithm(self, operation: str, name: str, line: int) -> Iterator[Finding]:
        subject = OF_HAN + operation
        having = [vocabulary for vocabulary in self._known.of(FAMILY) if subject in vocabulary.algorithms]
        lacking = [
            vocabulary.implementation
            for vocabulary in having
            if name not in vocabulary.algorithms[subject] and name not in vocabulary.algorithms[subject].values()
        ]
        if lacking:
            known = [other for vocabulary in having for other in vocabulary.algorithms[subject].values()]
            what = f"han has no algorithm {name[:20]} of {operation} in {', '.join(lacking)}: {_REST}"
            yield Finding(line, "unknown name", what, nearest(name, dict.fromkeys(known)))

    def versions(self) -> Iterator[Finding]:
        """Yield a finding if versions with han read numbers alone, and this file has names."""
        ids = [
            vocabulary.implementation
            for vocabulary in self._known.of(FAMILY)
            if _FIRST <= version_numbers(vocabulary.version)[:2] < _NAMES_SINCE
        ]
        if self.names_from and ids:
            yield Finding(
                self.names_from, "other version",
                f"{', '.join(ids)} reads no names of levels and no @ALGORITHM: {_REST}",
                "name the version that reads this: --mpi",
            )  # fmt: skip


def _ascending(words: Words, what: str, first: int, inner: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """A count, and as many sizes in ascending order, the first at most `first`, each with what `inner` reads."""
    before = -1
    for place in range(words.count(f"the number of {what}s")):
        line, written = words.next(f"a {what}")
        size = whole_number(written)
        if size is None:
            yield Finding(line, "syntax", f"'{written[:20]}' is not a valid {what}")
        elif place == 0 and size > first:
            yield Finding(line, "syntax", f"the first {what} is above {first}: {_REST}", f"begin with {first}")
        elif size <= before:
            yield Finding(
                line, "unreachable", f"{what}s are not in ascending order: {before}, then {size}", "sort them"
            )
        before = before if size is None else size
        yield from inner()
