"""From the table of a description to an emulated testbed: its sites, their nodes and NICs, what joins them.

The delay of a path within a site: NIC, the site's switch, NIC. Between sites: NIC, uplink, links, uplink, NIC;
the switches are not counted there, because what is published of long paths is end to end.
"""

from __future__ import annotations

import dataclasses
import re

from rankwise.core.errors import UnknownNameError
from rankwise.core.network import Hardware, Link, Node, Route, Topology
from rankwise.core.toml_places import Entry
from rankwise.testbeds.description.host_settings import settings
from rankwise.testbeds.description.links import WIRE, Wiring, wire
from rankwise.testbeds.description.nic_profiles import NIC_PROFILES
from rankwise.testbeds.description.section import Section, testbed_name

_TOP = ("name", "description", "kind", "nic_profile", "hardware", "tcp", "nic", "site", "link", "route", "node")
_HARDWARE = ("mtu", "segment_limit", "served_queues", "acknowledgements_first", "bus")
_NIC = ("rate", "delay", "queue")
_SITE = ("nodes", "cores", "delay", "uplink", "nic", "tcp")
_NODE = ("cores", "nic", "tcp")
_MOST_SITES = 254
_MOST_NODES = 254
"""In one site; both because a byte of the address numbers them."""

_LEAST_MTU_BYTES, _LARGEST_MTU_BYTES = 576, 65521
_LARGEST_SEGMENT_BYTES = 65536
_HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")


def describe_emulated(table: Entry, name: str, kind: str = "emulated") -> Topology:
    """Return the topology of this description. Raises InputError with file, line and key."""
    return _Emulated(table, name).topology(kind)


class _Emulated:
    """Collects nodes and links while it goes through the table."""

    def __init__(self, table: Entry, name: str) -> None:
        self._top = Section(table, _TOP)
        self._name = testbed_name(self._top, name)
        self._nic_profile = NIC_PROFILES["modern"]
        if "nic_profile" in self._top:
            self._nic_profile = self._top.choice("nic_profile", NIC_PROFILES)
        self._hardware = self._read_hardware()
        self._links: dict[str, Link] = {}
        self._nodes: dict[str, Node] = {}
        self._named_at: dict[str, Entry] = {}

    def topology(self, kind: str) -> Topology:
        """Return everything, checked."""
        sites = self._read_sites()
        special = self._top.named("node")
        for number, (name, site) in enumerate(sites.items(), start=1):
            self._add_site(name, site, number, special)
        self._check_nodes(special)
        mtu_bytes, queue_bytes = self._hardware.mtu_bytes, self._nic_profile.link_queue_bytes
        wiring = Wiring(self._top, sites, mtu_bytes, queue_bytes)
        uplinks = tuple(self._links)
        for link, entry in wiring.links:
            self._add(link, entry)
        inhabited = tuple(dict.fromkeys(node.site for node in self._nodes.values()))
        inside = [Route(site, site, (f"{site}.switch",)) for site in inhabited]
        return Topology(
            name=self._name,
            kind=kind,
            sites=tuple(sites),
            nodes=tuple(self._nodes.values()),
            links=tuple(self._links.values()),
            routes=(*inside, *wiring.routes(inhabited, uplinks)),
            hardware=self._hardware,
            description=self._top.text("description"),
        )

    def _read_hardware(self) -> Hardware:
        base = self._nic_profile.hardware
        if "hardware" not in self._top:
            return base
        given = Section(self._top["hardware"], _HARDWARE)
        mtu_bytes = given.count("mtu", base.mtu_bytes, _LEAST_MTU_BYTES, _LARGEST_MTU_BYTES)
        limit_bytes = given.count(
            "segment_limit", max(mtu_bytes, base.segment_limit_bytes), mtu_bytes, _LARGEST_SEGMENT_BYTES
        )
        bus = given.number("bus", base.bus, 0.0, 2.0)
        if 0 < bus < 1:
            raise given["bus"].refused("is slower than the NIC itself", "write 1.25, or 0 for no limit")
        return dataclasses.replace(
            base,
            mtu_bytes=mtu_bytes,
            segment_limit_bytes=limit_bytes,
            served_queues=given.flag("served_queues", base.served_queues),
            acknowledgements_first=given.flag("acknowledgements_first", base.acknowledgements_first),
            bus=bus,
        )

    def _read_sites(self) -> dict[str, Section]:
        sites = {}
        for name, entry in self._top.named("site").items():
            if not _HOST_NAME.fullmatch(name):
                raise entry.refused(f"invalid site name '{name}'", "use letters, digits and inner hyphens")
            sites[name] = Section(entry, _SITE)
        if len(sites) > _MOST_SITES:
            raise self._top["site"].refused(f"{len(sites)} sites, addresses for {_MOST_SITES}", "use fewer sites")
        return sites

    def _add_site(self, name: str, site: Section, number: int, special: dict[str, Entry]) -> None:
        nodes = self._node_names(name, site)
        if len(nodes) > _MOST_NODES:
            raise site.at("nodes").refused(f"{len(nodes)} nodes, addresses for {_MOST_NODES}", "use more sites")
        self._add(Link(f"{name}.switch", delay_seconds=site.delay_seconds("delay", 0.0)), site.entry)
        if "uplink" in site:
            uplink = Section(site["uplink"], WIRE)
            mtu_bytes, queue_bytes = self._hardware.mtu_bytes, self._nic_profile.uplink_queue_bytes
            for way in ("up", "down"):
                self._add(wire(uplink, Link(f"{name}.{way}"), mtu_bytes, queue_bytes), uplink.entry)
        for index, (node, entry) in enumerate(nodes, start=1):
            own = [Section(special[node], _NODE)] if node in special else []
            self._add_node(Node(node, name, address=f"10.77.{number}.{index}"), entry, [site, *own])

    def _node_names(self, site_name: str, site: Section) -> list[tuple[str, Entry]]:
        """The names of a site's nodes and where they come from: a number of them, or a list of names."""
        if "nodes" in site and isinstance(site["nodes"].value, list):
            for entry in site["nodes"].value:
                if not isinstance(entry.value, str):
                    raise entry.refused("invalid host name", 'write nodes = 2, or nodes = ["a", "b"]')
            return [(entry.value, entry) for entry in site["nodes"].value]
        count = site.count("nodes", 1, 0, _MOST_NODES)
        return [(f"{site_name}-{number}", site.at("nodes")) for number in range(1, count + 1)]

    def _add_node(self, node: Node, entry: Entry, own: list[Section]) -> None:
        """A node with its NIC; `own`: its site, then its own table, whose words win."""
        self._check_host_name(node.name, entry)
        everywhere = [self._top, *own]
        rate, delay, queue = 0.0, 0.0, self._nic_profile.nic_queue_bytes
        cores = node.cores
        for section in everywhere:
            if "nic" in section:
                nic = Section(section["nic"], _NIC)
                rate = nic.rate_bits_per_second("rate", rate)
                delay = nic.delay_seconds("delay", delay)
                queue = nic.size_bytes("queue", queue, self._hardware.mtu_bytes + 14)
        for section in own:
            cores = section.count("cores", cores, 1, 4096)
        for way in ("out", "in"):
            self._add(Link(f"{node.name}.{way}", rate, delay, queue), entry)
        self._nodes[node.name] = dataclasses.replace(
            node,
            cores=cores,
            out=f"{node.name}.out",
            into=f"{node.name}.in",
            settings=settings([section["tcp"] for section in everywhere if "tcp" in section]),
        )

    def _check_host_name(self, name: str, entry: Entry) -> None:
        if not _HOST_NAME.fullmatch(name) or name.isdigit() or name.lower() == "localhost":
            remedy = "use letters, digits and inner hyphens, at most 63, not digits alone"
            raise entry.refused(f"invalid host name '{name}'", remedy)
        if name.lower() in self._named_at:
            place = self._named_at[name.lower()].place
            raise entry.refused(f"the host name '{name}' is taken, see {place}", "give one of them another name")
        self._named_at[name.lower()] = entry

    def _check_nodes(self, special: dict[str, Entry]) -> None:
        for name, entry in special.items():
            if name not in self._nodes:
                remedy = UnknownNameError("node", name, self._nodes).remedy
                raise entry.refused(f"unknown node '{name}'", remedy)
        if not self._nodes:
            raise self._top.at("site").refused("no nodes given", "write [site.NAME] and nodes = 2 below it")

    def _add(self, link: Link, entry: Entry) -> None:
        if link.name in self._links:
            raise entry.refused(f"the name '{link.name}' is taken", "give the site or node another name")
        self._links[link.name] = link
