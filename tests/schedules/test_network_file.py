"""A network file as Python writes it is the network that C reads; mistakes are told by line and remedy."""

import ctypes
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.core.network import Link, Node, Route, Topology
from rankwise.schedules import generator
from rankwise.schedules.network_file import network_on, network_text
from rankwise.schedules.structures import CNetwork

FIRST = "# rankwise network 1\n"
TWO = FIRST + "site a a1 a2\nsite b b1.far.org b2\nlink a b 0.005 1e8\nnode 1.25e8\n"


def library() -> ctypes.CDLL:
    made = ctypes.CDLL(generator._library()._name)
    for function in (made.read_network, made.network_of_hosts, made.uniform_network):
        function.restype = ctypes.POINTER(CNetwork)
    made.uniform_network.argtypes = [ctypes.c_int] * 4 + [ctypes.c_double] * 2
    made.free_network.argtypes = [ctypes.POINTER(CNetwork)]
    made.free_network.restype = None
    return made


Read = tuple[list[list[int]], list[float], list[float], float]


def contents(pointer: "ctypes._Pointer[CNetwork]") -> Read:
    """Groups by level, delays, rates, the interfaces' rate; the memory is freed."""
    network = pointer.contents
    groups = [
        network.group[level * network.ranks : (level + 1) * network.ranks] for level in range(network.levels)
    ]
    pairs = network.sites**2
    figures = [list(array[:pairs]) if array else [] for array in (network.delay_seconds, network.bytes_per_second)]
    found = (groups, figures[0], figures[1], network.node_bytes_per_second)
    library().free_network(pointer)
    return found


def strings(hosts: Sequence[str]) -> "ctypes.Array[ctypes.c_char_p]":
    return (ctypes.c_char_p * len(hosts))(*(host.encode() for host in hosts))


def read(path: Path, text: str, hosts: Sequence[str]) -> Read | str:
    """What C reads, or its message without the path."""
    file = path / "network"
    file.write_text(text, encoding="utf-8")
    error = ctypes.create_string_buffer(400)
    pointer = library().read_network(
        str(file).encode(), strings(hosts), len(hosts), error, ctypes.c_size_t(len(error))
    )
    return contents(pointer) if pointer else error.value.decode().removeprefix(str(file))


def test_hosts_by_whole_and_short_names(tmp_path: Path) -> None:
    found = read(tmp_path, TWO, ["b1", "a2", "b1", "a2.near.org", "b2"])
    groups = [[1, 0, 1, 0, 1], [1, 0, 1, 0, 2]]
    assert found == (groups, [0, 0.005, 0.005, 0], [0, 1e8, 1e8, 0], 1.25e8)


def test_hosts_lead_in_the_order_of_the_file(tmp_path: Path) -> None:
    found = read(tmp_path, FIRST + "site a a3 a1 a2\nsite b b2 b1\n", ["a1", "a2", "a3", "b1", "b2"])
    assert found[0] == [[0, 0, 0, 1, 1], [1, 2, 0, 4, 3]]


def test_sites_without_ranks_are_left_out(tmp_path: Path) -> None:
    assert read(tmp_path, TWO, ["b2", "b2"]) == ([[0, 0], [0, 0]], [0], [0], 1.25e8)


def test_without_links_all_are_alike(tmp_path: Path) -> None:
    assert read(tmp_path, FIRST + "site a a1 # near\n\nsite b b1", ["b1", "a1"]) == ([[1, 0], [1, 0]], [], [], 0)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("site a a1\n", ":1:", "its first line is not '# rankwise network 1'"),
        ("# rankwise network 12\n", ":1:", "its first line is not"),
        (FIRST + "site a a1\ncable a b 1 1\n", ":3:", "begins with site, link or node"),
        (FIRST + "site a\n", ":2:", "site NAME HOST"),
        (FIRST + "site a a1\nsite a a2\n", ":3:", "site a is there twice"),
        (FIRST + "site a a1\nsite b a1\n", ":", "host a1 is there twice"),
        (FIRST + "site a a1\nlink a b 1 1\n", ":3:", "there is no site b"),
        (FIRST + "site a a1\nsite b b1\nlink a b fast 1\n", ":4:", "DELAY_SECONDS BYTES_PER_SECOND"),
        (FIRST + "site a a1\nsite b b1\nlink a b -1 1\n", ":4:", "DELAY_SECONDS BYTES_PER_SECOND"),
        (FIRST + "site a a1\nsite b b1\nlink a b nan 1\n", ":4:", "DELAY_SECONDS BYTES_PER_SECOND"),
        (FIRST + "site a a1\nnode\n", ":3:", "node BYTES_PER_SECOND"),
        (FIRST + "site a a2\n", ":", "rank 0 is on host a1, which is in no site: add it to a line"),
        (FIRST + "site a a1\nsite b b1\nsite c c1\nlink a b 1 1\n", ":", "no link between sites a and c"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, line: str, reason: str) -> None:
    found = read(tmp_path, text, ["a1", "b1", "c1"] if "c1" in text else ["a1"])
    assert isinstance(found, str)
    assert found.startswith(line)
    assert reason in found


def test_no_file_and_no_text(tmp_path: Path) -> None:
    error = ctypes.create_string_buffer(400)
    hosts = strings(["a"])
    assert not library().read_network(str(tmp_path / "none").encode(), hosts, 1, error, ctypes.c_size_t(400))
    assert b"cannot be read: No such file" in error.value
    assert "zero byte" in str(read(tmp_path, FIRST + "\0", ["a"]))


@given(text=st.text(alphabet="sitelnkode ab1#.\n\t-", max_size=80))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    found = read(tmp_path_factory.getbasetemp(), FIRST + text, ["a", "b"])
    assert isinstance(found, tuple) or found.startswith(":")


def test_a_testbed_as_written_and_read(tmp_path: Path) -> None:
    """Delays add up from interface to interface; the slowest link between the sites gives the rate."""
    nodes = tuple(
        Node(f"{site}{i}", site, out=f"{site}{i}out", into=f"{site}{i}in") for site in "ab" for i in "12"
    )
    cards = [Link(name, 1e9, 1e-6) for node in nodes for name in (node.out, node.into)]
    topology = Topology(
        "t", "emulated", ("a", "b"), nodes, (*cards, Link("far", 4e8, 5e-3), Link("farther", 2e8, 1e-3)),
        (Route("a", "b", ("far", "farther")), Route("b", "a", ("farther", "far")), Route("a", "a", ())),
    )  # fmt: skip
    groups, delays, rates, interface = read(tmp_path, network_text(topology), ["b1", "a2", "a1"])
    assert (groups, rates, interface) == ([[1, 0, 0], [2, 1, 0]], [0, 2.5e7, 2.5e7, 0], 1.25e8)
    assert delays == pytest.approx([0, 6.002e-3, 6.002e-3, 0])


def test_the_nearest_nodes_come_first(tmp_path: Path) -> None:
    """By the delay of their own links, then by the rate; both files and networks in memory say so."""
    cards = [("a1", 1e9, 4e-4), ("a2", 1e8, 1e-6), ("a3", 1e9, 1e-6), ("b1", 1e9, 1e-6), ("b2", 0.0, 1e-6)]
    nodes = tuple(Node(name, name[0], out=name, into=name) for name, _, _ in cards)
    links = (*(Link(*card) for card in cards), Link("far", 4e8, 5e-3))
    routes = (Route("a", "b", ("far",)), Route("b", "a", ("far",)))
    topology = Topology("t", "emulated", ("a", "b"), nodes, links, routes)
    hosts = [node.name for node in nodes]
    text = network_text(topology)
    assert text.splitlines()[1:3] == ["site a a3 a2 a1", "site b b2 b1"]
    (sites, order), delays, _, _ = read(tmp_path, text, hosts)
    assert (sites, order) == ([0, 0, 0, 1, 1], [2, 1, 0, 4, 3])
    network = network_on(topology, hosts)
    assert list(network.groups[0]) == sites
    for site in (0, 1):
        members = [rank for rank in range(5) if sites[rank] == site]
        assert sorted(members, key=order.__getitem__) == sorted(members, key=network.groups[1].__getitem__)
    assert [*delays] == pytest.approx([0, 5.002e-3, 5.002e-3, 0])
    assert network.delay_seconds[0][1] == pytest.approx(5.002e-3)


def test_hosts_of_which_nothing_is_known(tmp_path: Path) -> None:
    topology = Topology("t", "ssh", ("a", "b"), (Node("a1", "a"), Node("b1", "b")))
    assert read(tmp_path, network_text(topology), ["a1", "b1"]) == ([[0, 1], [0, 1]], [], [], 0)
    with pytest.raises(InputError, match="cannot name"):
        network_text(Topology("t", "ssh", ("a",), (Node("a 1", "a"),)))


def test_nodes_from_equal_names() -> None:
    found = contents(library().network_of_hosts(strings(["x", "y", "x"]), 3))
    assert found == ([[0, 0, 0], [0, 1, 0]], [], [], 0)


@pytest.mark.parametrize(
    ("cyclic", "sites", "nodes"),
    [(0, [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2, 3, 3]), (1, [0, 1] * 4, [0, 2, 1, 3] * 2)],
)
def test_uniform_networks(cyclic: int, sites: list[int], nodes: list[int]) -> None:
    found = contents(library().uniform_network(2, 2, 2, cyclic, 0.01, 1e8))
    assert found == ([sites, nodes], [0, 0.01, 0.01, 0], [0, 1e8, 1e8, 0], 0)
