"""From the table of a description to a testbed of real hosts, `kind = "ssh"`: its hosts, here or in a hostfile."""

from __future__ import annotations

import re
from pathlib import Path

from rankwise.core.network import Node, Topology
from rankwise.core.toml_places import Entry
from rankwise.testbeds.description.section import Section, testbed_name
from rankwise.testbeds.hostfile import DEFAULT_REMOTE_SHELL, DEFAULT_SITE, hosts_in

_TOP = ("name", "description", "kind", "hostfile", "host", "remote_shell")
_HOST = ("name", "slots", "site", "user")
_HOST_NAME = re.compile(r"[^\W_][\w.-]*")
_WORD = re.compile(r"[\w.-]+")


def describe_hosts(table: Entry, name: str, kind: str) -> Topology:
    """Return the topology of this description: first a hostfile's hosts, then every `[[host]]`.

    A hostfile is looked for beside the description. Raises InputError with file, line and key.
    """
    top = Section(table, _TOP)
    nodes: list[Node] = []
    if "hostfile" in top:
        nodes += hosts_in(Path(top["hostfile"].file).parent / top.text("hostfile"))
    for entry in top.tables("host"):
        node = _host(Section(entry, _HOST))
        if any(earlier.name == node.name for earlier in nodes):
            raise entry.refused(f"the host '{node.name}' is given twice", "leave one of them out")
        nodes.append(node)
    if not nodes:
        raise top.at("host").refused("no hosts given", 'write hostfile = "FILE", or [[host]] and name = "HOST"')
    return Topology(
        name=testbed_name(top, name),
        kind=kind,
        sites=tuple(dict.fromkeys(node.site for node in nodes)),
        nodes=tuple(nodes),
        remote_shell=top.text("remote_shell", DEFAULT_REMOTE_SHELL),
        description=top.text("description"),
    )


def _host(section: Section) -> Node:
    name, user, site = section.text("name"), section.text("user"), section.text("site", DEFAULT_SITE)
    if not _HOST_NAME.fullmatch(name):
        raise section.at("name").refused(f"invalid host name '{name}'", 'write name = "node1.example.org"')
    for key, word in (("user", user), ("site", site)):
        if word and not _WORD.fullmatch(word):
            raise section.at(key).refused(f"invalid name '{word}'", "use letters, digits, . _ and -")
    return Node(name, site, section.count("slots", 1, 1, 4096), address=f"{user}@{name}" if user else name)
