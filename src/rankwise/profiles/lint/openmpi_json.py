"""Open MPI's rules files as JSON, which it reads from version 6 on: the first match counts, twice.

By `ompi/mca/coll/base/coll_base_dynamic_file.c` and its JSON schema. The text is what `opal/util/json` takes:
JSON, with a comma behind the last value, and without comments.

    file     = { "rule_file_version": 3, "module": "tuned", "collectives": { NAME: [ section ] } }
    section  = { "comm_size_min", "comm_size_max", "comm_rank_distribution", "rules": [ rule ] }
    rule     = { "msg_size_min", "msg_size_max", "alg": name or number, "reqs", "faninout", "seg_size" }
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence

from rankwise.profiles.lint.findings import LARGEST, Finding, Known, size_findings
from rankwise.profiles.lint.intervals import ENDLESS, Interval, unreachable
from rankwise.profiles.lint.json_lines import Node, parse
from rankwise.profiles.lint.openmpi_rules import FAMILY, OPERATIONS, UNUSED

TITLE = "Open MPI's rules file in JSON"
_VERSION = 3
_TOP = ("$schema", "rule_file_version", "module", "collectives")
_SECTION = ("comm_size_min", "comm_size_max", "comm_rank_distribution", "rules")
_RULE = ("msg_size_min", "msg_size_max", "alg", "reqs", "faninout", "seg_size")
_DISTRIBUTIONS = ("any", "one-per-node", "single-node")
_WHOLE_FILE = "Open MPI ignores the whole file"


def recognises(text: str) -> bool:
    """Return whether the text is an object with one of the keys of such a file."""
    return bool(re.match(r"\ufeff?\s*(?:\{|//|/\*)", text)) and any(f'"{key}"' in text for key in _TOP[1:])


def findings(text: str, known: Known) -> Iterator[Finding]:
    """Yield what is wrong. Raises UnreadableError for what is not JSON."""
    top = parse(text, dialect="open-mpi")
    yield from _keys(top, _TOP)
    for vocabulary in known.of(FAMILY) if known.named else ():
        if int(vocabulary.version.partition(".")[0] or 0) < 6:
            yield Finding(1, "other version", f"{vocabulary.implementation} reads no JSON: {_WHOLE_FILE}")
    version, module, collectives = (top.get(name) for name in _TOP[1:])
    if version is None or version.value != _VERSION:
        line = version.line if version else top.line
        yield Finding(
            line, "out of range", f"rule_file_version is not {_VERSION}", f'write "rule_file_version": {_VERSION}'
        )
    if module is None or module.value != "tuned":
        yield Finding(module.line if module else top.line, "out of range", "module is not tuned")
    if collectives is None or not collectives.is_object:
        yield Finding(
            top.line, "syntax", f"collectives is not an object: {_WHOLE_FILE}", '"collectives": {"bcast": [...]}'
        )
        return
    seen: dict[str, int] = {}
    for name, node in collectives.entries:
        if name not in OPERATIONS:
            yield Finding(
                node.line, "unknown name", f"unknown collective '{name[:40]}': {_WHOLE_FILE}", _near(name)
            )
        elif name in UNUSED:
            yield Finding(node.line, "no effect", f"tuned has no algorithms for {name} to choose from")
        elif name in seen:
            yield Finding(seen[name], "unreachable", f"line {node.line} has rules for {name} again, which count")
        seen[name] = node.line
        yield from _sections(name, node, known)


def _sections(operation: str, node: Node, known: Known) -> Iterator[Finding]:
    if not node.is_list:
        yield Finding(node.line, "syntax", f"{operation[:40]} has no list: {_WHOLE_FILE}")
        return
    ranks = []
    for section in node.items:
        yield from _keys(section, _SECTION)
        ranks.append((yield from _interval(section, "comm_size")))
        where = section.get("comm_rank_distribution")
        if where is not None and where.value not in _DISTRIBUTIONS:
            yield Finding(
                where.line, "unknown name", "comm_rank_distribution is taken as any", ", ".join(_DISTRIBUTIONS)
            )
        rules = section.get("rules")
        if rules is None or not rules.is_list:
            yield Finding(section.line, "syntax", f"a list of rules is missing: {_WHOLE_FILE}")
        else:
            yield from _rules(operation, rules.items, known)
    general = [
        interval if _is_general(section) else Interval(1, 0)
        for interval, section in zip(ranks, node.items, strict=True)
    ]
    for place, section in enumerate(node.items):
        if place in unreachable([*general[:place], ranks[place]]):
            what = f"for communicators of {_words(ranks[place])} ranks"
            yield Finding(
                section.line, "unreachable", f"rules before these hold {what}", "order them, or remove one"
            )


def _rules(operation: str, rules: Sequence[Node], known: Known) -> Iterator[Finding]:
    sizes = []
    for rule in rules:
        yield from _keys(rule, _RULE)
        sizes.append((yield from _interval(rule, "msg_size")))
        for name in _RULE[3:]:
            node = rule.get(name)
            if node is not None:
                yield from _whole(name, node)
        algorithm = rule.get("alg")
        if algorithm is None or isinstance(algorithm.value, bool) or not isinstance(algorithm.value, int | str):
            yield Finding(rule.line, "syntax", "the rule names no algorithm", '"alg": a name or a number')
        elif isinstance(algorithm.value, int):
            yield from known.algorithm(FAMILY, operation, str(algorithm.value)[:40], algorithm.line)
        else:
            yield from _named(operation, algorithm.value, algorithm.line, known)
    for place in unreachable(sizes):
        what = f"messages of {_words(sizes[place])} bytes"
        yield Finding(rules[place].line, "unreachable", f"rules before this one take all {what}", "order them")


def _named(operation: str, name: str, line: int, known: Known) -> Iterator[Finding]:
    """The name of an algorithm; one that is not known makes Open MPI leave out the rule."""
    having = [vocabulary for vocabulary in known.of(FAMILY) if operation in vocabulary.algorithms]
    lacking = [
        vocabulary.implementation for vocabulary in having if name not in vocabulary.algorithms[operation].values()
    ]
    if having and len(lacking) == len(having):
        names = ", ".join(having[-1].algorithms[operation].values())
        yield Finding(
            line, "unknown name", f"{operation} has no algorithm {name[:40]}: the rule is left out", names
        )
    elif lacking:
        yield Finding(
            line, "other version",
            f"{', '.join(lacking)} have no algorithm {name} of {operation}: the rule is left out",
            "name the version that reads this: --mpi",
        )  # fmt: skip


def _interval(node: Node, name: str) -> Generator[Finding, None, Interval]:
    """Return what the pair of keys says; it yields what is wrong with it."""
    bounds = []
    for key, otherwise in ((f"{name}_min", 0), (f"{name}_max", ENDLESS)):
        bound = node.get(key)
        value = otherwise
        if bound is not None and isinstance(bound.value, str) and bound.value[:3] in ("inf", "INF", "Inf"):
            value = ENDLESS
        elif bound is not None:
            yield from _whole(key, bound)
            value = bound.value if type(bound.value) is int else otherwise
        bounds.append(value)
    if bounds[0] > bounds[1]:
        yield Finding(node.line, "unreachable", f"{name}_min {bounds[0]} is above {name}_max {bounds[1]}")
    return Interval(*bounds)


def _whole(name: str, node: Node) -> Iterator[Finding]:
    if isinstance(node.value, str):
        yield from size_findings(name, node.value, node.line)
        yield Finding(node.line, "syntax", f"{name} is a string: {_WHOLE_FILE}", "write it without quotes")
    elif type(node.value) is not int:
        yield Finding(node.line, "syntax", f"{name} is not a whole number: {_WHOLE_FILE}")
    elif node.value < 0 or (node.value > LARGEST and not name.startswith("msg_size")):
        yield Finding(node.line, "out of range", f"{name} {str(node.value)[:30]} is not from 0 to {LARGEST}")


def _keys(node: Node, known: Sequence[str]) -> Iterator[Finding]:
    if not node.is_object:
        yield Finding(
            node.line, "syntax", f"an object is expected here: {_WHOLE_FILE}", f"with {', '.join(known)}"
        )
    seen: set[str] = set()
    for key, value in node.entries:
        if key not in known:
            yield Finding(
                value.line, "unknown name", f"'{key[:40]}' is an unknown key", f"known: {', '.join(known)}"
            )
        elif key in seen:
            yield Finding(value.line, "unreachable", f"'{key}' occurs twice", "remove one")
        seen.add(key)


def _is_general(section: Node) -> bool:
    where = section.get("comm_rank_distribution")
    return where is None or where.value not in _DISTRIBUTIONS[1:]


def _words(interval: Interval) -> str:
    return f"{interval.least} and more" if interval.most >= ENDLESS else f"{interval.least} to {interval.most}"


def _near(name: str) -> str:
    plain = name.lower().removeprefix("mpi_")
    return next(
        (
            f"did you mean {operation}?"
            for operation in OPERATIONS
            if operation.replace("_", "") == plain.replace("_", "")
        ),
        "",
    )
