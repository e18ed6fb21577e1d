"""MPICH's selection files: trees of questions, of which the first key that fits is followed, to an algorithm.

MPICH ends every program that comes to a case for which no key fits, or to a name that it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rankwise.profiles.lint.findings import LARGEST, Finding, Known, number, size_findings
from rankwise.profiles.lint.json_lines import Node, parse

TITLE = "MPICH's selection file"
FAMILY = "mpich"
SUBJECT = "MPICH"
"""Under which vocabularies have the names of all algorithms."""
_LEAVES = ("algorithm=", "composition=")
_BOUND = re.compile(r"(comm_size|comm_avg_ppn|avg_msg_size|total_msg_size|count)(<=|<)(.*)", re.DOTALL)
_YES_NO = (
    "is_multi_threaded", "is_node_consecutive", "is_sendbuf_inplace", "is_block_regular", "is_commutative",
    "is_op_built_in",
)  # fmt: skip
_FIXED = {
    "comm_type=intra", "comm_type=inter", "comm_size=pow2", "comm_size=node_comm_size", "count<pow2",
    *(f"comm_hierarchy={word}" for word in ("any", "parent", "node", "node_roots", "flat")),
    *(f"{name}={word}" for name in _YES_NO for word in ("yes", "no", "any")),
}  # fmt: skip
_COMPLETE_PAIRS = {"yes", "no"}, {"intra", "inter"}


def recognises(text: str) -> bool:
    """Return whether the text is an object whose keys are such questions."""
    return text.lstrip().startswith("{") and bool(
        re.search(r'"\s*(collective|algorithm|composition|comm_type)\s*=', text)
    )


def findings(text: str, known: Known) -> Iterator[Finding]:
    """Yield what is wrong. Raises UnreadableError for what is not JSON."""
    yield from _level(parse(text), known, "")


def _level(node: Node, known: Known, operation: str) -> Iterator[Finding]:
    """The keys of one object: each is a question for those that have answered no before."""
    if not node.is_object:
        yield Finding(node.line, "syntax", "an object is expected here: MPICH aborts", "{}")
        return
    keys = [(key.replace(" ", ""), below) for key, below in node.entries]
    leaves = [(key, below) for key, below in keys if key.startswith(_LEAVES)]
    if leaves:
        yield from _leaf(keys, known)
        return
    done: dict[str, int] = {}
    for key, below in keys:
        yield from _question(key, below, done)
        name, _, value = key.partition("=")
        yield from _level(below, known, value if name == "collective" else operation)
    if not keys:
        yield Finding(node.line, "syntax", "no algorithm is named here: MPICH aborts", '"algorithm=NAME": {}')
    elif not _is_complete([key for key, _ in keys]):
        which = f" of {operation[:40]}" if operation else ""
        yield Finding(
            node.line,
            "out of range",
            f"no key is for all other cases{which}, in which MPICH aborts",
            f'end with "{re.split("[<=]", keys[-1][0])[0]}=any"',
        )


def _leaf(keys: list[tuple[str, Node]], known: Known) -> Iterator[Finding]:
    first, below = keys[0]
    for key, other in keys[1:]:
        yield Finding(other.line, "unreachable", f"{key[:60]} is not looked at: {first[:60]} stands before it")
    if not first.startswith(_LEAVES):
        return
    name = first.partition("=")[2]
    having = [one for one in known.of(FAMILY) if SUBJECT in one.algorithms]
    lacking = [one.implementation for one in having if name not in one.algorithms[SUBJECT]]
    if lacking and len(lacking) == len(having):
        yield Finding(
            below.line, "unknown name", f"{', '.join(lacking)} has no {name[:80]}: it aborts in MPI_Init"
        )
    elif lacking:
        yield Finding(
            below.line, "other version", f"{', '.join(lacking)} has no {name}: it aborts in MPI_Init",
            "name the version that reads this: --mpi",
        )  # fmt: skip


def _question(key: str, below: Node, done: dict[str, int]) -> Iterator[Finding]:
    """One key; `done`: what the keys before it have answered, by question, with their bound."""
    line = below.line
    name = re.split("[<=]", key)[0]
    if "any" in done or done.get(name) == LARGEST + 1:
        yield Finding(
            line, "unreachable", f"{key[:60]} comes after a key that fits all other cases", "put it before"
        )
        return
    match = _BOUND.fullmatch(key)
    if key.startswith("collective=") or key in _FIXED:
        if key in done:
            yield Finding(line, "unreachable", f"{key[:60]} stands here twice")
        done[key] = 0
        if key == "comm_hierarchy=any" or (key.endswith("=any") and name in _YES_NO):
            done[name] = LARGEST + 1
    elif key == "any" or key.endswith("=any"):
        done["any"] = 0
    elif match:
        yield from size_findings(name, match[3], line)
        bound = number(match[3])
        if bound is not None:
            last = bound if match[2] == "<=" else bound - 1
            if last <= done.get(name, -1):
                yield Finding(
                    line, "unreachable", f"{key[:60]} comes after a key that takes all up to {done[name]}"
                )
            done[name] = max(last, done.get(name, -1))
    else:
        yield Finding(line, "unknown name", f"MPICH has no question '{key[:60]}': it aborts in MPI_Init")


def _is_complete(keys: list[str]) -> bool:
    """Whether some key fits, whatever is asked; operations may be left out only by who never calls them."""
    if all(key.startswith("collective=") for key in keys) or any(
        key == "any" or key.endswith("=any") for key in keys
    ):
        return True
    if all(key.startswith("comm_type=") for key in keys):
        return True
    return any(wanted <= {key.partition("=")[2] for key in keys} for wanted in _COMPLETE_PAIRS)
