"""Makes a plan that fails smaller: operations, communicators and steps are left out as long as it still fails."""

from collections.abc import Callable

Line = list[str]


def smaller(text: str, fails: Callable[[str], bool]) -> str:
    """Return the smallest plan found that fails as this one does."""
    lines = [line.split() for line in text.splitlines()]
    for parts in (2, 4, 8, 16, 32):
        lines = _with_fewer(lines, parts, fails)
    return _written(_with_fewer(lines, 1000, fails))


def _with_fewer(lines: list[Line], parts: int, fails: Callable[[str], bool]) -> list[Line]:
    """Leave out one part of all that can be left out after another."""
    everything = _all_things(lines)
    size = max(1, len(everything) // parts)
    for first in range(0, len(everything), size):
        without = _left(lines, set(everything[first : first + size]))
        if without != lines and fails(_written(without)):
            lines = without
    return lines


def _start(line: Line) -> int:
    """Where the step begins, after its thread."""
    return int(line[0].startswith("@"))


def _all_things(lines: list[Line]) -> list[str]:
    """Operations and communicators by name, other steps by their text; later ones first."""
    found = []
    for line in lines:
        first, *rest = line[_start(line) :]
        name = _made(first, rest)
        found.append(name or " ".join(line))
    return list(dict.fromkeys(reversed(found)))


def _made(first: str, rest: Line) -> str:
    if first in ("send", "recv", "exchange", "coll"):
        return f"operation {rest[0]}"
    return f"comm {rest[0]}" if first == "comm" else ""


def _left(lines: list[Line], without: set[str]) -> list[Line]:
    """Return all steps that need nothing of what is left out; both halves of a message go together."""
    gone, before = set(without), -1
    while len(gone) > before:
        before = len(gone)
        for line in lines:
            first, *rest = line[_start(line) :]
            gone |= _needing(lines, first, rest, gone)
    return [left for line in lines if (left := _rest_of(lines, line, gone))]


def _needing(lines: list[Line], first: str, rest: Line, gone: set[str]) -> set[str]:
    """What goes with a step, if what it needs is gone."""
    name = _made(first, rest)
    if first == "comm":
        parents = rest[2:4] if rest[1] == "inter" else rest[2:3]
        return {name} if gone & {f"comm {one}" for one in parents} else set()
    found = {name} if name and f"comm {rest[1]}" in gone else set()
    if first == "recv" and rest[-1].startswith("m"):
        both = {name, f"operation {rest[-1][1:]}"}
        return found | (both if both & (gone | found) else set())
    pool = _pool_of_step(lines, first, rest)
    return found | (_pool(lines, pool) if pool and name in gone else set())


def _pool_of_step(lines: list[Line], first: str, rest: Line) -> str:
    """The pool of a receive or a send; none of anything else."""
    if first == "recv" and rest[-1].startswith("p"):
        return rest[-1]
    return _pool_of(lines, rest) if first == "send" and "p" in rest[-1] else ""


def _rest_of(lines: list[Line], line: Line, gone: set[str]) -> Line:
    """What is left of a step; nothing of one that is gone."""
    start = _start(line)
    first, *rest = line[start:]
    if " ".join(line) in gone or _made(first, rest) in gone:
        return []
    if first in ("free", "cancel") and f"comm {rest[0]}" in gone:
        return []
    if first in ("start", "wait"):
        numbers = [one for one in rest[2:] if not {f"operation {one}", _copy(lines, one)} & gone]
        return [*line[: start + 3], *numbers] if numbers else []
    return [] if first == "drop" and f"operation {rest[0]}" in gone else line


def _copy(lines: list[Line], number: str) -> str:
    """The communicator that this operation makes."""
    for line in lines:
        _, *rest = line[_start(line) :]
        if line[_start(line)] == "comm" and rest[1] == "idup" and rest[3] == number:
            return f"comm {rest[0]}"
    return ""


def _pool_of(lines: list[Line], send: Line) -> str:
    """The pool that a message belongs to: of the same communicator, receiver and tag."""
    for line in lines:
        first, *rest = line[_start(line) :]
        same = first == "recv" and rest[-1].startswith("p") and rest[1] == send[1] and rest[2] == send[3]
        if same and rest[4] in ("*", send[4]):
            return rest[-1]
    return ""


def _pool(lines: list[Line], pool: str) -> set[str]:
    """All operations of a pool."""
    steps = [line[_start(line) :] for line in lines]
    return {f"operation {rest[0]}" for first, *rest in steps if _pool_of_step(lines, first, rest) == pool}


def _written(lines: list[Line]) -> str:
    return "".join(" ".join(line) + "\n" for line in lines)
