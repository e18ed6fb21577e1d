"""Open MPI's rules files in the classic form: numbers in a fixed order, of which the reader knows only the place.

By `ompi/mca/coll/base/coll_base_dynamic_file.c` (4.0 to 5.0); `coll_base_util.c` reads a number with C's `%li`
and skips every character that begins none, so that words mean nothing, and lines do not matter.

    file       = [ "rule-file-version-2" ] COLLECTIVES { collective }
    collective = NUMBER COMMUNICATOR_SIZES { section }
    section    = RANKS MESSAGE_SIZES { rule }
    rule       = BYTES ALGORITHM FANOUT SEGMENT_BYTES [ REQUESTS ]      the last one in version 2 (5.0.7)
    comment    = "#" text to the end of the line

Of a file with a mistake Open MPI reads nothing at all, and says so only with `coll_base_verbose`. A count that is
wrong shifts all that follows it. So where a text cannot be read as it stands, it is read by its lines again, each
rule on a line of its own: if that explains it, the counts to write are all that is said.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from rankwise.core.units import version_numbers, whole_number
from rankwise.profiles.lint import rule_layout
from rankwise.profiles.lint.findings import Finding, Known, UnreadableError, size_findings
from rankwise.profiles.lint.rule_layout import Words

TITLE = "Open MPI's classic rules file"
FAMILY = "openmpi"
OPERATIONS = (
    "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast", "exscan",
    "gather", "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter", "scatterv",
    "neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw",
)  # fmt: skip
"""By their numbers."""
UNUSED = frozenset({"alltoallw", "gatherv", "scatterv", *(name for name in OPERATIONS if "neighbor" in name)})
"""Those for which `tuned` has no algorithm to choose."""
_VERSIONED_SINCE, _JSON_SINCE = (5, 0, 7), (6,)
_TWO_RANKS = "two_proc"
_WHOLE_FILE = "Open MPI ignores the whole file"
_MOST_LINES = 200000


def recognises(text: str) -> bool:
    """Return whether the text's first word is a number, or the version of such a file."""
    lines = (line.partition("#")[0].split() for line in text.splitlines()[:_MOST_LINES])
    first = next((word for line in lines for word in line), "")
    return bool(re.fullmatch(r"-?[0-9]+\w{0,3}|rule-file-version-\S*", first))


def findings(text: str, known: Known) -> Iterator[Finding]:
    """Yield what is wrong, in order. Raises UnreadableError where the numbers are too few."""
    in_order: list[Finding] = []
    try:
        in_order.extend(_in_order(text, known))
    except UnreadableError:
        miscounts = list(rule_layout.miscounts(Words(text)))
        if not miscounts:
            raise
    else:
        miscounts = list(rule_layout.miscounts(Words(text))) if in_order else []
    yield from miscounts or in_order


def _in_order(text: str, known: Known) -> Iterator[Finding]:
    """By the counts of the file."""
    words = Words(text)
    yield from _of_version(words.version, known)
    seen: dict[str, int] = {}
    operations = words.count("the number of collectives")
    for _ in range(operations):
        line, identity = words.next("a collective's number")
        operation = yield from _operation(line, identity)
        if operation in seen:
            yield Finding(
                seen[operation], "unreachable", f"line {line} has rules for {operation} again, which count"
            )
        if operation:
            seen[operation] = line
        yield from _sizes(words, operation, known)
    if words.left:
        line, word = words.next("")
        yield Finding(
            line, "unreachable", f"'{word[:20]}' and what follows is not read", "correct the counts above"
        )


def _operation(line: int, identity: str) -> Generator[Finding, None, str]:
    """The operation that stands here, '' if none does."""
    if identity in OPERATIONS:
        yield Finding(
            line, "syntax", f"'{identity}' is skipped, and the next number taken for a collective's",
            f"write {OPERATIONS.index(identity)}",
        )  # fmt: skip
        return identity
    number = whole_number(identity)
    if number is None or number >= len(OPERATIONS):
        yield Finding(line, "unknown name", f"unknown collective {identity[:20]}: {_WHOLE_FILE}", "0 to 21")
        return ""
    operation = OPERATIONS[number]
    if operation in UNUSED:
        yield Finding(line, "no effect", f"tuned has no algorithms for {operation} ({identity}) to choose from")
    return operation


def _of_version(version: int, known: Known) -> Iterator[Finding]:
    for vocabulary in known.of(FAMILY) if known.named else ():
        release = version_numbers(vocabulary.version)[:3]
        if version > 1 and release < _VERSIONED_SINCE:
            yield Finding(
                1,
                "other version",
                f"{vocabulary.implementation} does not know versions of rules files",
                "5.0.7 does",
            )
        if release >= _JSON_SINCE:
            yield Finding(
                1, "other version",
                f"{vocabulary.implementation} reads communicator sizes in this form as one less",
                "write it as JSON",
            )  # fmt: skip


def _sizes(words: Words, operation: str, known: Known) -> Iterator[Finding]:
    """The sections of one collective: each for communicators from its size on."""
    largest: tuple[int, int] | None = None
    sections = words.count("the number of communicator sizes")
    for _ in range(sections):
        line, size = words.next("a communicator size")
        ranks = whole_number(size)
        if ranks is None:
            yield Finding(line, "syntax", f"'{size[:20]}' is not a valid communicator size: {_WHOLE_FILE}")
        elif largest is not None and ranks == largest[0]:
            yield Finding(largest[1], "unreachable", f"line {line} has rules for {ranks} ranks again, which count")
        elif largest is not None and ranks < largest[0]:
            yield Finding(
                line, "unreachable", f"{ranks} ranks stand below {largest[0]} of line {largest[1]}", "sort them"
            )
        if ranks is not None:
            largest = (ranks, line) if largest is None or ranks >= largest[0] else largest
        rules = words.count("the number of message sizes")
        if rules == 0:
            yield Finding(line, "no effect", f"communicators of {size[:20]} ranks have no rules")
        yield from _rules(words, operation, ranks, rules, known)


def _rules(words: Words, operation: str, ranks: int | None, count: int, known: Known) -> Iterator[Finding]:
    before: tuple[int, int] | None = None
    for index in range(count):
        line, written = words.next("a message size")
        yield from size_findings("the message size", written, line) if whole_number(written) is None else ()
        size = whole_number(written)
        if index == 0 and size != 0:
            yield Finding(line, "syntax", f"the first message size is not 0: {_WHOLE_FILE}", "begin with size 0")
        if size is not None and before is not None and size <= before[0]:
            where = before[1] if size == before[0] else line
            yield Finding(
                where,
                "unreachable",
                f"message sizes are not in ascending order: {before[0]}, then {size}",
                "sort them",
            )
        before = before if size is None else (size, line)
        at, algorithm = words.next("an algorithm")
        yield from known.algorithm(FAMILY, operation, algorithm, at)
        names = {vocabulary.algorithms.get(operation, {}).get(algorithm) for vocabulary in known.of(FAMILY)}
        if names == {_TWO_RANKS} and ranks not in (None, 2):
            yield Finding(
                at, "out of range", f"{_TWO_RANKS} of {operation} aborts with {ranks} ranks", "give 2 ranks"
            )
        for what in ("the fan-out", "the segment size"):
            at, written = words.next(what)
            yield from size_findings(what, written, at)
        if words.version > 1 and words.on_line(at):
            at, written = words.next("the number of requests")
            yield from size_findings("the number of requests", written, at)
