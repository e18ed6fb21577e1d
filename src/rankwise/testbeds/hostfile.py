"""Hostfiles as mpirun takes them: one host a line, with its slots.

    node1 slots=4          # Open MPI; `cpu=4` as in LAM/MPI's boot schemas, `max_slots` is understood and not used
    node2:4                # MPICH
    ada@node3 site=rennes  # as another user; the site is our addition

A host without slots has one. A host that comes again has the slots of all its lines.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from rankwise.core.errors import InputError
from rankwise.core.network import Node, Topology

DEFAULT_REMOTE_SHELL = "ssh"
DEFAULT_SITE = "hosts"
_HOST = re.compile(r"(?:(?P<user>[\w.-]+)@)?(?P<name>[^\W_][\w.-]*)(?::(?P<slots>[0-9]+))?")
_SLOTS = re.compile(r"0{0,9}[1-9][0-9]{0,4}")
_WORD = re.compile(r"(slots|cpu|max_slots|max-slots|site)=(\S+)")
_REMEDY = "write `HOST slots=4`, `HOST:4` or `HOST`"


def read_hostfile(path: Path) -> Topology:
    """Return the testbed of kind `ssh` that consists of the file's hosts. Raises InputError with file and line."""
    nodes = hosts_in(path)
    return Topology(
        name=path.stem, kind="ssh", sites=tuple(dict.fromkeys(node.site for node in nodes)), nodes=nodes,
        remote_shell=DEFAULT_REMOTE_SHELL, description=f"the hosts of {path}",
    )  # fmt: skip


def hosts_in(path: Path) -> tuple[Node, ...]:
    """Return the hosts in the order in which they first come. Raises InputError with file and line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # a name with a zero byte is one, as bytes that are no UTF-8 are
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"cannot read the hostfile {path}: {reason}", "give a file with a host a line") from error
    nodes: dict[str, Node] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.partition("#")[0].split()
        if words:
            node = _host(words, f"{path}:{number}")
            nodes[node.name] = _together(nodes.get(node.name), node, f"{path}:{number}")
    if not nodes:
        raise InputError(f"there is no host in {path}", _REMEDY)
    return tuple(nodes.values())


def _host(words: list[str], place: str) -> Node:
    match = _HOST.fullmatch(words[0])
    if not match:
        raise InputError(f"{place}: '{words[0]}' is no host", _REMEDY)
    said: dict[str, str] = {"slots": match["slots"]} if match["slots"] else {}
    for word in words[1:]:
        pair = _WORD.fullmatch(word)
        if not pair:
            raise InputError(f"{place}: '{word}' is not understood", _REMEDY)
        key = "slots" if pair[1] == "cpu" else pair[1].replace("-", "_")
        if key in said:
            raise InputError(f"{place}: {key} is said twice", _REMEDY)
        said[key] = pair[2]
    slots = _number(said.get("slots", "1"), place)
    _number(said.get("max_slots", "1"), place)
    address = f"{match['user']}@{match['name']}" if match["user"] else match["name"]
    return Node(match["name"], said.get("site", DEFAULT_SITE), cores=slots, address=address)


def _number(text: str, place: str) -> int:
    if not _SLOTS.fullmatch(text):
        raise InputError(f"{place}: '{text}' is no number of slots", _REMEDY)
    return int(text)


def _together(earlier: Node | None, node: Node, place: str) -> Node:
    if earlier is None:
        return node
    if (earlier.address, earlier.site) != (node.address, node.site):
        raise InputError(
            f"{place}: {node.name} was another user's or site's host in an earlier line",
            "make the two lines agree",
        )
    return replace(earlier, cores=earlier.cores + node.cores)
