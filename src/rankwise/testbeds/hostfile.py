"""Hostfiles as launchers take them: one host a line, with its slots.

By PRRTE's and ORTE's `util/hostfile/hostfile.c` and `hostfile_lex.l` (Open MPI 5.0.11 and 4.1.4 were tried),
MPICH's `HYDU_parse_hostfile`, and LAM/MPI's boot schemas; which one wrote a file is not asked:

    file     = { line }
    line     = [ [ USER "@" ] HOST [ ":" SLOTS ] { WORD "=" value | text } ]     blanks around "=" do not matter
    WORD     = slots | cpu | count                               how many ranks
             | max_slots | slots_max | max-cpu | ...             the same, where no other word says it
             | username | user_name | user-name | user           as USER@
             | port | binding                                    not used, with a notice
             | site                                              ours: the site of a testbed
    comment  = "#" text | "//" text | "/*" text "*/"             the last ends its line, too

Text without "=" is dropped with a notice, as Open MPI drops it. A host without slots has one, as in MPICH; Open
MPI takes its cores, which cannot be seen from here: a notice says so. A host of 0 slots is left out with a notice.
A host that comes again has the slots of all its lines. Refused: `^host` and `+n0`, as Open MPI refuses them,
rankfiles, and IPv6 addresses, which launchers' lists `HOST:SLOTS` cannot hold.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.core.errors import InputError
from rankwise.core.limits import checked_ranks
from rankwise.core.network import Node, Topology
from rankwise.core.records import Notice

DEFAULT_REMOTE_SHELL = "ssh"
DEFAULT_SITE = "hosts"
_HOST = re.compile(r"(?:(?P<user>[\w.-]+)@)?(?P<name>[^\W_][\w.-]*)(?::(?P<slots>[0-9]+))?")
_COMMENT = re.compile(r"#[^\n]*|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_EQUALS = re.compile(r"[ \t\f\v]*=[ \t\f\v]*")
_SLOTS = re.compile(r"[0-9]{1,15}")
_MOST_SLOTS = 99999
_MOST_BYTES = 8 << 20
_WORDS = {
    **dict.fromkeys(("slots", "cpu", "count"), "slots"),
    **{f"{word}_{other}": "max" for word, other in (
        ("max", "slots"), ("slots", "max"), ("max", "cpu"), ("cpu", "max"), ("max", "count"), ("count", "max"),
    )},
    **dict.fromkeys(("username", "user_name", "user"), "user"),
    "site": "site", "port": "port", "binding": "binding",
}  # fmt: skip
_UNUSED = {"port": "write it into ~/.ssh/config", "binding": "give the launcher's own option for it"}
_NAME = re.compile(r"[\w.-]+")
_KIND = "hostfile"
_REMEDY = "write `HOST slots=4`, `HOST:4` or `HOST`"


@dataclass(frozen=True, slots=True)
class _Line:
    node: Node
    notices: tuple[Notice, ...] = ()
    has_slots: bool = True


def read_hostfile(path: Path) -> Topology:
    """Return the testbed of kind `ssh` that consists of the file's hosts. Raises InputError with file and line."""
    nodes = hosts_in(path)
    return Topology(
        name=path.stem, kind="ssh", sites=tuple(dict.fromkeys(node.site for node in nodes)), nodes=nodes,
        remote_shell=DEFAULT_REMOTE_SHELL, description=f"the hosts of {path}",
    )  # fmt: skip


def hosts_in(path: Path) -> tuple[Node, ...]:
    """Return the hosts in the order in which they first come. Raises InputError with file and line."""
    nodes: dict[str, Node] = {}
    for number, line in _lines(path):
        node = line.node
        nodes[node.name] = _together(nodes.get(node.name), node, f"{path}:{number}")
    hosts = tuple(node for node in nodes.values() if node.cores)
    if not hosts:
        raise InputError(f"no hosts in {path}", _REMEDY)
    checked_ranks(sum(node.cores for node in hosts))
    return hosts


def notices_in(path: Path) -> tuple[Notice, ...]:
    """Return what of the file is not used, or read otherwise by another launcher. Raises InputError."""
    notices: list[Notice] = []
    bare: list[str] = []
    for _, line in _lines(path):
        notices += line.notices
        if not line.has_slots:
            bare.append(line.node.name)
        if not line.node.cores:
            notices.append(
                Notice(_KIND, f"{line.node.name} has 0 slots: no rank starts there", "give it slots to use it")
            )
    alone = [name for name in dict.fromkeys(bare) if bare.count(name) == 1]
    if alone:
        which = ", ".join(alone[:3]) + (f" and {len(alone) - 3} others" if len(alone) > 3 else "")
        notices.append(
            Notice(_KIND, f"1 slot is taken for {which}, as MPICH does", "Open MPI takes its cores: write slots=N")
        )
    return tuple(dict.fromkeys(notices))


def _lines(path: Path) -> list[tuple[int, _Line]]:
    """Every line that has a host, with its number."""
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        text = content.decode()
    except (OSError, ValueError) as error:  # a name with a zero byte is one, as bytes that are no UTF-8 are
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"cannot read the hostfile {path}: {reason}", "give a file with a host a line") from error
    if len(content) > _MOST_BYTES or "\0" in text:
        reason = "it is binary" if "\0" in text else f"it is longer than {_MOST_BYTES >> 20} MiB"
        raise InputError(f"cannot read the hostfile {path}: {reason}", "give a file with a host a line")
    plain = _COMMENT.sub(lambda match: "\n" * match[0].count("\n") + "\0" * match[0].startswith("/*"), text)
    lines = []
    for number, line in enumerate(plain.split("\n"), start=1):
        for part in line.split("\0"):
            words = _EQUALS.sub("=", part).split()
            if words:
                lines.append((number, _line(words, f"{path}:{number}")))
    return lines


def _line(words: list[str], place: str) -> _Line:
    match = _HOST.fullmatch(words[0])
    if not match or _is_ipv6(words[0]):
        raise InputError(f"{place}: invalid host name '{words[0][:80]}'", _other_remedy(words[0]))
    said: dict[str, str] = {"slots": match["slots"]} if match["slots"] else {}
    if match["user"]:
        said["user"] = match["user"]
    notices = []
    for word in words[1:]:
        name, equals, value = word.partition("=")
        key = _WORDS.get(name.replace("-", "_"), "")
        if not equals and not _WORDS.get(name):
            notices.append(Notice(_KIND, f"{place}: '{word[:40]}' is not used", _REMEDY))
            continue
        if not key or not value or (key in ("user", "site") and not _NAME.fullmatch(value)):
            raise InputError(f"{place}: '{word[:80]}' is not understood", _REMEDY)
        if key in said:
            raise InputError(f"{place}: {key} is given twice", _REMEDY)
        said[key] = value
        if key in _UNUSED:
            notices.append(Notice(_KIND, f"{place}: {word[:80]} is not used", _UNUSED[key]))
    most = _number(said.get("max", "0"), place)
    slots = _number(said.get("slots", str(most or 1)), place)
    if most and most < slots:
        raise InputError(f"{place}: at most {most} slots, and {slots} of them", "make the two agree")
    address = f"{said['user']}@{match['name']}" if "user" in said else match["name"]
    node = Node(match["name"], said.get("site", DEFAULT_SITE), cores=slots, address=address)
    return _Line(node, tuple(notices), not {"slots", "max"}.isdisjoint(said))


def _is_ipv6(word: str) -> bool:
    try:
        return ipaddress.ip_address(word.rpartition("@")[2]).version == 6
    except ValueError:
        return False


def _other_remedy(word: str) -> str:
    if _is_ipv6(word):
        return "give the address a name in /etc/hosts: launchers' lists of hosts are HOST:SLOTS"
    if word[:1] in ("^", "+"):
        return "Open MPI refuses it in a hostfile, too: leave the host out"
    return "write one `HOST slots=4` a line" if word == "rank" or word.startswith("rank=") else _REMEDY


def _number(text: str, place: str) -> int:
    if not _SLOTS.fullmatch(text) or int(text) > _MOST_SLOTS:
        raise InputError(f"{place}: '{text[:40]}' is not a number of slots", _REMEDY)
    return int(text)


def _together(earlier: Node | None, node: Node, place: str) -> Node:
    if earlier is None:
        return node
    if (earlier.address, earlier.site) != (node.address, node.site):
        raise InputError(
            f"{place}: {node.name} has another user or site in an earlier line",
            "make the two lines agree",
        )
    return replace(earlier, cores=earlier.cores + node.cores)
