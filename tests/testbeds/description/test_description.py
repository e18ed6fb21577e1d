"""A description of a testbed becomes exactly the network it spells out, or is refused at its line."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.network import Link, Node, Topology
from rankwise.core.toml_places import parse
from rankwise.testbeds import description
from rankwise.testbeds.description.emulated_kind import describe_emulated

Write = Callable[[str], Topology]

TWO_SITES = """
[nic]
rate = "1 Gbit/s"
delay = "5 us"
[site.a]
nodes = 2
delay = "10 us"
[site.b]
nodes = 1
cores = 4
[[link]]
between = ["a", "b"]
rate = "100 Mbit/s"
delay = "5 ms"
loss = "0.1 %"
"""


@pytest.fixture
def load(tmp_path: Path) -> Write:
    def loaded(text: str) -> Topology:
        (tmp_path / "t.toml").write_text(text)
        return description.load(str(tmp_path / "t.toml"))

    return loaded


def link(topology: Topology, name: str) -> Link:
    return next(one for one in topology.links if one.name == name)


def node(topology: Topology, name: str) -> Node:
    return next(one for one in topology.nodes if one.name == name)


def route(topology: Topology, source: str, destination: str) -> tuple[str, ...]:
    return next(one.links for one in topology.routes if (one.source, one.destination) == (source, destination))


def test_everything_is_spelt_out(load: Write) -> None:
    topology = load(TWO_SITES)
    assert (topology.name, topology.kind, topology.sites) == ("t", "emulated", ("a", "b"))
    assert [(one.name, one.site, one.cores, one.address) for one in topology.nodes] == [
        ("a-1", "a", 1, "10.77.1.1"),
        ("a-2", "a", 1, "10.77.1.2"),
        ("b-1", "b", 4, "10.77.2.1"),
    ]
    assert link(topology, "a-1.out") == Link("a-1.out", 1e9, 5e-6, 1 << 20)
    assert link(topology, "a.switch").delay_seconds == 10e-6
    assert link(topology, "a>b") == Link("a>b", 100e6, 5e-3, 1 << 20, loss=0.001)
    assert route(topology, "a", "a") == ("a.switch",)
    assert route(topology, "a", "b") == ("a>b",)
    assert route(topology, "b", "a") == ("b>a",)
    assert topology.hardware.nic_profile == "modern"


def test_every_link_that_is_named_exists(load: Write) -> None:
    topology = load(TWO_SITES)
    known = {one.name for one in topology.links}
    used = {name for one in topology.routes for name in one.links}
    assert used | {one.out for one in topology.nodes} | {one.into for one in topology.nodes} == known


def test_a_long_fast_link_queues_what_a_round_trip_holds(load: Write) -> None:
    topology = load(TWO_SITES.replace('"5 ms"', '"50 ms"').replace('"100 Mbit/s"', '"1 Gbit/s"'))
    assert link(topology, "a>b").queue_bytes == 12_500_000


def test_the_way_back_may_differ(load: Write) -> None:
    topology = load(
        TWO_SITES + 'jitter = "1 ms"\nburst = 3\nback = { rate = "10 Mbit/s", distribution = "uniform" }'
    )
    back = link(topology, "b>a")
    assert (back.rate_bits_per_second, back.delay_seconds, back.loss, back.loss_burst) == (10e6, 5e-3, 0.001, 3)
    assert (back.jitter_seconds, back.jitter_distribution) == (1e-3, "uniform")
    assert link(topology, "a>b").rate_bits_per_second == 100e6
    assert link(topology, "a>b").jitter_distribution == "normal"


def test_uplinks_are_on_every_way_out_of_their_site(load: Write) -> None:
    topology = load(TWO_SITES.replace("[site.b]", 'uplink = { rate = "500 Mbit/s", queue = 70000 }\n[site.b]'))
    assert route(topology, "a", "b") == ("a.up", "a>b")
    assert route(topology, "b", "a") == ("b>a", "a.down")
    assert link(topology, "a.up") == Link("a.up", 500e6, queue_bytes=70000)


def test_tcp_is_always_explicit_and_the_most_special_word_wins(load: Write) -> None:
    topology = load(
        TWO_SITES.replace("nodes = 1", 'nodes = 1\ntcp = { congestion_control = "reno", tcp_sack = false }')
        + '[tcp]\nrmem = [4096, "64 KiB", "1 MiB"]\n"net.core.somaxconn" = 99\nnet.ipv4.tcp_adv_win_scale = 2\n'
        + '[node.b-1]\ntcp = { wmem = "4096 8192 16384" }\n'
        + '[node.a-2]\ncores = 3\nnic = { rate = "10 Mbit/s" }'
    )
    first, last = dict(node(topology, "a-1").settings), dict(node(topology, "b-1").settings)
    assert first["net.ipv4.tcp_congestion_control"] == "cubic"
    assert last["net.ipv4.tcp_congestion_control"] == "reno"
    assert first["net.ipv4.tcp_rmem"] == last["net.ipv4.tcp_rmem"] == "4096 65536 1048576"
    assert first["net.ipv4.tcp_wmem"] == "4096 16384 4194304"
    assert last["net.ipv4.tcp_wmem"] == "4096 8192 16384"
    assert last["net.ipv4.tcp_sack"] == "0"
    assert "net.ipv4.tcp_sack" not in first
    assert first["net.core.somaxconn"] == "99"
    assert first["net.ipv4.tcp_adv_win_scale"] == "2"
    assert node(topology, "a-2").cores == 3
    assert link(topology, "a-2.in").rate_bits_per_second == 10e6
    assert link(topology, "a-1.in").rate_bits_per_second == 1e9


@pytest.mark.parametrize(
    ("nic_profile", "bus", "segment_bytes", "queues"),
    [
        ("modern", 0.0, 65536, (1 << 20, 1 << 20)),
        ("gige-2006", 1.25, 9000, (1 << 20, 1 << 20)),
        ("lossy", 0.0, 9000, (1 << 16, 1 << 18)),
    ],
)
def test_nic_profiles(
    load: Write, nic_profile: str, bus: float, segment_bytes: int, queues: tuple[int, int]
) -> None:
    topology = load(f'nic_profile = "{nic_profile}"\n' + TWO_SITES)
    assert topology.hardware.nic_profile == nic_profile
    assert (topology.hardware.bus, topology.hardware.segment_limit_bytes) == (bus, segment_bytes)
    assert topology.hardware.served_queues
    assert topology.hardware.acknowledgements_first == (nic_profile == "gige-2006")
    assert (link(topology, "a-1.out").queue_bytes, link(topology, "a>b").queue_bytes) == queues


def test_what_is_said_wins_over_the_nic_profile(load: Write) -> None:
    topology = load(
        'nic_profile = "lossy"\n' + TWO_SITES + 'queue = "2 MiB"\n[hardware]\nmtu = 9000\nsegment_limit = 65536\n'
    )
    assert (topology.hardware.mtu_bytes, topology.hardware.segment_limit_bytes) == (9000, 65536)
    assert link(topology, "b>a").queue_bytes == 2 << 20


CHAIN = "".join(f"[site.{name}]\n" for name in "abcd") + "".join(
    f'[[link]]\nbetween = ["{one}", "{other}"]\ndelay = "1 ms"\n' for one, other in ("ab", "bc", "cd")
)


def test_the_only_chain_of_sites_is_taken(load: Write) -> None:
    topology = load(CHAIN)
    assert route(topology, "a", "d") == ("a>b", "b>c", "c>d")
    assert route(topology, "d", "a") == ("d>c", "c>b", "b>a")
    assert len(topology.routes) == 16


def test_a_route_settles_what_is_ambiguous(load: Write) -> None:
    ring = CHAIN + '[[link]]\nbetween = ["d", "a"]\n'
    with pytest.raises(InputError, match=r":3: site\.c: there are several routes from 'a' to 'c': a-b-c or a-d-c"):
        load(ring)
    asked = '[[route]]\nbetween = ["a", "c"]\nvia = ["d"]\n[[route]]\nbetween = ["d", "b"]\nvia = ["a"]\n'
    topology = load(ring + asked)
    assert route(topology, "a", "c") == ("a>d", "d>c")
    assert route(topology, "c", "a") == ("c>d", "d>a")
    assert route(topology, "d", "a") == ("d>a",)


def test_a_site_without_nodes_is_a_crossing(load: Write) -> None:
    topology = load(CHAIN.replace("[site.b]", "[site.b]\nnodes = 0"))
    assert route(topology, "a", "c") == ("a>b", "b>c")
    assert {one.source for one in topology.routes} == {"a", "c", "d"}


def test_an_including_file_wins_key_by_key(load: Write, tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(TWO_SITES)
    topology = load(
        'include = "base.toml"\n[site.b]\nnodes = ["x", "y"]\n[site.c]\n'
        '[[link]]\nbetween = ["a", "b"]\ndelay = "9 ms"\n[[link]]\nbetween = ["b", "c"]\n'
    )
    others = [(one.name, one.cores) for one in topology.nodes if one.site != "a"]
    assert others == [("x", 4), ("y", 4), ("c-1", 1)]
    assert (link(topology, "a>b").delay_seconds, link(topology, "a>b").loss) == (9e-3, 0.001)
    assert route(topology, "a", "c") == ("a>b", "b>c")


def test_a_preset_can_be_included(load: Write) -> None:
    topology = load('include = "grid5000-2007"\n[site.nancy]\nnodes = 8\n')
    assert len(topology.nodes) == 10


def test_an_error_in_an_included_file_points_there(load: Write, tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text("[site.a]\nnodes = 2\ndelya = 1\n")
    with pytest.raises(InputError, match=r"base\.toml:3: site\.a\.delya: unknown key") as caught:
        load('include = "base.toml"\n')
    assert caught.value.remedy == "did you mean delay?"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a = \n", 1, "this is not TOML"),
        ("sites = 3\n", 1, "sites: unknown key; did you mean site?"),
        ("description = 7\n[site.a]", 1, "description: 7 is not a string"),
        ("[site.a]\nnodes = 'many'", 2, "site.a.nodes: 'many' is not a whole number from 0 to 254"),
        ("[site.a]\nnodes = -1", 2, "site.a.nodes: -1 is not a whole number"),
        ("[site.a]\nnodes = 255", 2, "site.a.nodes: 255 is not a whole number"),
        ("[site.a]\nnodes = true", 2, "site.a.nodes: true is not a whole number"),
        ("[site.a]\nnodes = [1]", 2, "site.a.nodes[1]: invalid host name"),
        ("[site.a]\nnodes = 0", 1, "site: no nodes given"),
        ("description = 'x'", 1, "no nodes given"),
        ("site = 3", 1, "site: must be tables with a name each"),
        ("[[site]]\nname = 'a'", 1, "site: must be tables with a name each"),
        ("site.a = 3", 1, "site.a: must be a table"),
        ("[site.a]\ndelay = 5", 2, "site.a.delay: 5 has no unit"),
        ("[site.a]\ndelay = '5 parsec'", 2, "site.a.delay: '5 parsec' is not a delay"),
        ("[site.a]\ndelay = -0.5", 2, "site.a.delay: -0.5 is negative"),
        ("[site.a]\ndelay = '-5 ms'", 2, "site.a.delay: '-5 ms' is not a delay"),
        ("[site.a]\ndelay = []", 2, "site.a.delay: a list is not a quantity"),
        ("[site.a]\n[nic]\nrate = '0 bit/s'", 3, "nic.rate: link rate too low: 0 bit/s"),
        ("[site.a]\n[nic]\nrate = 0", 3, "nic.rate: link rate too low: 0 bit/s"),
        ("[site.a]\n[nic]\nrate = '3 GB/s'", 3, "nic.rate: '3 GB/s' is not a rate"),
        ("[site.a]\n[nic]\nqueue = 100", 3, "nic.queue: 100 is less than 1514 bytes"),
        ("[site.a]\n[nic]\nqueue = 1.5", 3, "nic.queue: 1.5 is not a size"),
        ("[site.a]\nuplink = { loss = 1.5 }", 2, "site.a.uplink.loss: 1.5 is not a share from 0 to 1"),
        ("[site.a]\nuplink = { loss = '150 %' }", 2, "site.a.uplink.loss: '150 %' is not a share"),
        ("[site.a]\nuplink = { burst = 0.5 }", 2, "site.a.uplink.burst: 0.5 is not a number from 1"),
        ("[site.a]\nuplink = { distribution = 'norml' }", 2, "'norml' is not supported; did you mean normal?"),
        ("[site.a]\nuplink = { jitter = '2 ms', delay = '1 ms', distribution = 'uniform' }", 2, "is more than"),
        ("[site.a_b]", 1, "site.a_b: invalid site name 'a_b'"),
        ("[site.a]\nnodes = ['b-']", 2, "site.a.nodes[1]: invalid host name 'b-'"),
        ("[site.a]\nnodes = ['localhost']", 2, "site.a.nodes[1]: invalid host name 'localhost'"),
        ("[site.a]\nnodes = ['X', 'x']", 2, "site.a.nodes[2]: the host name 'x' is taken"),
        ("[site.a]\n[site.b]\nnodes = ['a-1']", 3, "site.b.nodes[1]: the host name 'a-1' is taken"),
        ("[site.a]\n[node.a-2]\ncores = 2", 2, "node.a-2: unknown node 'a-2'; did you mean a-1?"),
        ("[site.a]\ncores = 0", 2, "site.a.cores: 0 is not a whole number from 1"),
        ("[site.a]\n[site.b]", 2, "site.b: no route from site 'a' to site 'b'; write [[link]] and"),
        ("[site.a]\n[[link]]\nbetween = ['a', 'c']", 3, "link[1].between[2]: unknown site 'c'"),
        ("[site.a]\n[[link]]\nbetween = ['a', 'a']", 3, "link[1].between: 'a' is linked to itself"),
        ("[site.a]\n[[link]]\nbetween = ['a']", 3, "link[1].between: must name two sites"),
        ("[site.a]\n[[link]]\ndelay = 0", 2, "link[1]: must name two sites"),
        ("[site.a]\n[link]\nbetween = ['a', 'b']", 2, "link: must be given as a list of tables"),
        ("[site.a]\n[site.b]\n[[link]]\nbetween=['a','b']\n[[link]]\nbetween=['b','a']", 6, "given twice, see "),
        ("[site.a]\n[site.b]\n[[link]]\nbetween=['a','b']\n[[route]]\nbetween=['a','b']", 5, "must name"),
        ("[site.a]\n[site.b]\n[[route]]\nbetween=['a','b']\nvia=[]", 5, "there is no link between 'a' and 'b'"),
        ("[site.a]\n[tcp]\nrmem = [1, 2]", 3, "tcp.rmem: has 2 sizes instead of three"),
        ("[site.a]\n[tcp]\nwmem = [3, 2, 1]", 3, "tcp.wmem: 3, 2, 1 are not in ascending order"),
        ("[site.a]\n[tcp]\nwmem = ['4 apples', 2, 1]", 3, "tcp.wmem: '4 apples' is not a message size"),
        ("[site.a]\n[tcp]\ncongestion = 'bbr'", 3, "unknown key; did you mean congestion_control?"),
        ("[site.a]\n[tcp]\ncongestion_control = 'a b'", 3, "tcp.congestion_control: 'a b' is not valid"),
        ("[site.a]\n[tcp]\nnet.ipv6.x = 1", 3, "tcp.net.ipv6.x: is not a setting of a node's network"),
        ("[site.a]\n[tcp]\ntcp_sack = 1.5", 3, "tcp.tcp_sack: is not a valid kernel setting"),
        ("nic_profile = 'moden'\n[site.a]", 1, "nic_profile: 'moden' is not supported; did you mean modern?"),
        ("[site.a]\n[hardware]\nbus = 0.5", 3, "hardware.bus: is slower than the NIC itself"),
        ("[site.a]\n[hardware]\nmtu = 9000\nsegment_limit = 1500", 4, "hardware.segment_limit: 1500 is"),
        ("[site.a]\n[hardware]\nserved_queues = 1", 3, "hardware.served_queues: 1 is neither true nor false"),
        ("name = 'a b'\n[site.a]", 1, "name: invalid testbed name 'a b'"),
        ("include = 'cluter'", 1, "include: there is neither a preset nor a file 'cluter'; did you mean cluster"),
        ("include = 't.toml'", 1, "include: 't.toml' includes this file again"),
        ("include = 3", 1, "include: must be the name of a preset"),
    ],
)  # fmt: skip
def test_what_is_refused_is_pointed_at(load: Write, text: str, line: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        load(text)
    assert caught.value.remedy
    message = f"{caught.value}; {caught.value.remedy}"
    assert f"t.toml:{line}: " in message
    assert words in message


def test_names_that_nothing_answers_to(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown testbed 'clutser'") as caught:
        description.load("clutser")
    assert caught.value.remedy.startswith("did you mean cluster")
    for missing in (str(tmp_path / "none.toml"), "none.toml"):
        with pytest.raises(InputError, match="file not found"):
            description.load(missing)
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="it is not UTF-8 text"):
        description.load(str(tmp_path / "binary.toml"))


def test_real_hosts(load: Write, tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("# ours\nn1 slots=4\nme@n2:2\n\nn3 site=b # bare\n")
    topology = load(
        'kind = "ssh"\nhostfile = "hosts"\nremote_shell = "ssh -p 22"\n[[host]]\nname = "n4"\nslots = 3\n'
    )
    assert (topology.kind, topology.remote_shell, topology.sites) == ("ssh", "ssh -p 22", ("hosts", "b"))
    assert [(one.name, one.address, one.cores) for one in topology.nodes] == [
        ("n1", "n1", 4), ("n2", "me@n2", 2), ("n3", "n3", 1), ("n4", "n4", 3),
    ]  # fmt: skip


def test_an_error_in_a_hostfile_points_there(load: Write, tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("a\nb slots=x\n")
    with pytest.raises(InputError, match="hosts:2"):
        load('kind = "ssh"\nhostfile = "hosts"\n')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no hosts given"),
        ('hostfile = "none"', "cannot read the hostfile"),
        ("site.a.nodes = 1", "unknown key"),
        ('[[host]]\nname = "a"\n[[host]]\nname = "a"', "given twice"),
        ('[[host]]\nname = "a b"', "invalid host name"),
        ('[[host]]\nname = "a"\nuser = "b c"', "host.1..user: invalid name 'b c'"),
    ],
)
def test_real_hosts_that_make_no_sense(load: Write, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        load('kind = "ssh"\n' + text)


_WORDS = st.sampled_from(
    ["site", "a", "b", "link", "between", "nodes", "uplink", "tcp", "rmem", "nic", "rate", "node", "route", "via"]
)
_VALUES = st.sampled_from(
    ["1", "-1", "true", '"a"', '["a", "b"]', "[[1]]", "{}", '{ delay = "1 ms" }', "1.5", '"1 Gbit/s"']
)
_TEXTS = st.lists(
    st.one_of(
        st.builds("{} = {}".format, _WORDS, _VALUES),
        st.builds("[{}.{}]".format, _WORDS, _WORDS),
        st.builds("[[{}]]".format, _WORDS),
        st.builds("[{}]".format, _WORDS),
    ),
    max_size=8,
).map("\n".join)


@given(_TEXTS)
def test_any_table_is_read_or_refused(text: str) -> None:
    try:
        table = parse(text, "t.toml")
        assert describe_emulated(table, "t").nodes
    except InputError as error:
        assert str(error).startswith("t.toml:")
