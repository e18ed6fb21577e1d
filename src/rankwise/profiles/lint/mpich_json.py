"""MPICH's selection files: trees of questions, of which the first key that fits is followed, to an algorithm.

By `src/mpi/coll/src/csel.c` of 4.0 to 5.0, and as 4.0.2 and 5.0.2 act. The text is what json-c takes: JSON, with
comments of C, 'text', commas behind the last value, and anything behind the end.

    file       = { "collective=NAME" : level }
    level      = { question : level } | { leaf : ... }
    question   = ( "comm_size" | "comm_avg_ppn" | "avg_msg_size" | "total_msg_size" | "count" ) ( "<=" | "<" ) N
               | "comm_size=pow2" | "comm_size=node_comm_size" | "count<pow2"
               | "comm_type=" ("intra" | "inter") | "comm_hierarchy=" ("parent" | "node" | "node_roots" | "flat")
               | ( "is_commutative" | "is_sendbuf_inplace" | ... ) "=" ( "yes" | "no" ) | NAME "=any" | "any"
    leaf       = "algorithm=MPIR_..."          MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE
               | "composition=MPIDI_..."       MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE
               | "algorithm=MPIDI_POSIX_..."   MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE

MPI_Init aborts at a name that is unknown, at a level without a key, at a key behind `=any`, and where the last key
of a level is one of the first two rows of questions (`validate_tree`). For a case that no key fits, files of the
first kind abort in the call (`mpir_coll.c`: cnt); the others fall back to what the first kind chooses
(`ch4_coll.h`, `posix_coll.h`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rankwise.core.units import whole_number
from rankwise.core.vocabulary import nearest
from rankwise.profiles.lint.findings import LARGEST, Finding, Known, size_findings
from rankwise.profiles.lint.json_lines import Node, parse

TITLE = "MPICH's selection file"
FAMILY = "mpich"
SUBJECT = "MPICH"
"""Under which vocabularies have the names of algorithms above all devices ..."""
_CH4, _POSIX, _COLLECTIVES = f"{SUBJECT} CH4", f"{SUBJECT} POSIX", f"{SUBJECT} collectives"
"""... of compositions, of algorithms within a host, and of the collectives that the default has."""
_LEAVES = ("algorithm=", "composition=")
_FIRST_LEAF = re.compile(r"[\"']\s*(composition|algorithm)\s*=\s*(MPIDI_POSIX_)?")
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
_COMPLETE = {"yes", "no"}, {"intra", "inter"}, {"parent", "node", "node_roots", "flat"}
_NEED_ANOTHER = frozenset({"comm_size=pow2", "comm_size=node_comm_size", "count<pow2"})
"""These must not be the last key of a level, as questions with a bound."""
_BLOCKING = (
    "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast", "exscan",
    "gather", "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter", "scatterv",
    "neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw",
)  # fmt: skip
_COLLECTIVE_NAMES = frozenset({*_BLOCKING, *(f"i{name}" for name in _BLOCKING)})


def recognises(text: str) -> bool:
    """Return whether the text is an object whose keys are such questions."""
    return bool(re.match(r"(?:\s|//|/\*|\{)", text)) and bool(
        re.search(r"""[{,]\s*["']\s*(collective|algorithm|composition|comm_type)\s*=""", text)
    )


def findings(text: str, known: Known) -> Iterator[Finding]:
    """Yield what is wrong. Raises UnreadableError for what json-c would not read."""
    top = parse(text, dialect="json-c", ends=False)
    leaf = _FIRST_LEAF.search(text)
    layer = SUBJECT if leaf is None else _CH4 if leaf[1] == "composition" else _POSIX if leaf[2] else SUBJECT
    if layer == SUBJECT:
        yield from _left_out(top, known)
    yield from _level(top, known, "", layer)


def _left_out(top: Node, known: Known) -> Iterator[Finding]:
    """Collectives for which no key is there: files above all devices replace the default as a whole."""
    keys = {key.replace(" ", "") for key, _ in top.entries}
    if not keys or not all(key.startswith("collective=") for key in keys):
        return
    lacking: dict[tuple[str, ...], list[str]] = {}
    for vocabulary in known.of(FAMILY):
        missing = [
            name for name in vocabulary.algorithms.get(_COLLECTIVES, ()) if f"collective={name}" not in keys
        ]
        if missing:
            lacking.setdefault(tuple(missing), []).append(vocabulary.implementation)
    for names, ids in lacking.items():
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} others" if len(names) > 3 else "")
        yield Finding(
            top.line, "out of range",
            f"no key is for {shown}: calls of these abort, also those that MPI_Init makes ({', '.join(ids)})",
            "change a copy of MPICH's own file, maint/tuning/coll/mpir/generic.json",
        )  # fmt: skip


def _level(node: Node, known: Known, operation: str, layer: str) -> Iterator[Finding]:
    """The keys of one object: each is a question for those that have answered no before."""
    if not node.is_object:
        yield Finding(node.line, "syntax", "an object is expected here: MPICH aborts", "{}")
        return
    keys = [(key.replace(" ", ""), below) for key, below in node.entries]
    if any(key.startswith(_LEAVES) for key, _ in keys):
        yield from _leaf(keys, known, layer)
        return
    done: dict[str, int] = {}
    for key, below in keys:
        yield from _question(key, below, done)
        name, _, value = key.partition("=")
        yield from _level(below, known, value if name == "collective" else operation, layer)
    which = f" of {operation[:40]}" if operation else ""
    if not keys:
        yield Finding(
            node.line, "syntax", f"no algorithm is named here{which}: MPICH aborts", '"algorithm=NAME": {}'
        )
        return
    last = keys[-1][0]
    remedy = f'end with "{re.split("[<=]", last)[0]}=any"'
    if "any" not in done and (last in _NEED_ANOTHER or _BOUND.fullmatch(last)):
        yield Finding(
            node.line, "out of range", f"no key comes after {last[:60]}{which}: MPICH aborts in MPI_Init", remedy
        )
    elif layer == SUBJECT and not _is_complete([key for key, _ in keys]):
        yield Finding(
            node.line, "out of range", f"no key is for all other cases{which}, in which MPICH aborts", remedy
        )


def _leaf(keys: list[tuple[str, Node]], known: Known, layer: str) -> Iterator[Finding]:
    first, below = keys[0]
    for key, other in keys[1:]:
        yield Finding(other.line, "unreachable", f"{key[:60]} is never reached: {first[:60]} comes before it")
    if not first.startswith(_LEAVES):
        return
    name = first.partition("=")[2]
    having = [vocabulary for vocabulary in known.of(FAMILY) if layer in vocabulary.algorithms]
    lacking = ", ".join(
        vocabulary.implementation for vocabulary in having if name not in vocabulary.algorithms[layer]
    )
    if lacking and not any(name in vocabulary.algorithms[layer] for vocabulary in having):
        near = nearest(name, [other for vocabulary in having for other in vocabulary.algorithms[layer]])
        yield Finding(below.line, "unknown name", f"{lacking} has no {name[:80]}: it aborts in MPI_Init", near)
    elif lacking:
        yield Finding(
            below.line, "other version", f"{lacking} has no {name}: it aborts in MPI_Init",
            "name the version that reads this: --mpi",
        )  # fmt: skip


def _question(key: str, below: Node, done: dict[str, int]) -> Iterator[Finding]:
    """One key; `done`: what the keys before it have answered, by question, with their bound."""
    line = below.line
    name = re.split("[<=]", key)[0]
    if "any" in done or done.get(name) == LARGEST + 1:
        aborts = ": MPICH aborts in MPI_Init" if "any" in done else ""
        what = f"{key[:60]} comes after a key that fits all other cases{aborts}"
        yield Finding(line, "unreachable", what, "put it before")
        return
    match = _BOUND.fullmatch(key)
    if key.startswith("collective=") or key in _FIXED:
        if key in done:
            yield Finding(line, "unreachable", f"{key[:60]} occurs twice")
        operation = key.partition("=")[2]
        if name == "collective" and operation not in _COLLECTIVE_NAMES:
            what = f"MPICH has no collective '{operation[:40]}': it aborts in MPI_Init"
            yield Finding(line, "unknown name", what, nearest(operation, _COLLECTIVE_NAMES))
        done[key] = 0
        if key == "comm_hierarchy=any" or (key.endswith("=any") and name in _YES_NO):
            done[name] = LARGEST + 1
    elif key == "any" or key.endswith("=any"):
        done["any"] = 0
    elif match:
        yield from size_findings(name, match[3], line)
        bound = whole_number(match[3])
        if bound is not None:
            last = bound if match[2] == "<=" else bound - 1
            if last <= done.get(name, -1):
                yield Finding(
                    line, "unreachable", f"{key[:60]} comes after a key that takes all up to {done[name]}"
                )
            done[name] = max(last, done.get(name, -1))
    else:
        yield Finding(line, "unknown name", f"unknown condition '{key[:60]}': it aborts in MPI_Init")


def _is_complete(keys: list[str]) -> bool:
    """Whether some key fits, whatever is asked; who never calls an operation, or over groups, may leave it out."""
    values = {key.partition("=")[2] for key in keys}
    return (
        all(key.startswith("collective=") for key in keys)
        or all(key.startswith("comm_type=") for key in keys)
        or any(key == "any" or key.endswith("=any") for key in keys)
        or any(wanted <= values for wanted in _COMPLETE)
    )
