"""Hosts of a SimGrid file are as far apart here as there, and share what they share there."""

import shutil
import subprocess
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import Phase, given, reject, settings
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.core.platform import Platform
from rankwise.platforms.checking import FASTEST
from rankwise.platforms.platform_file import platform_text, read_text
from rankwise.platforms.simgrid_reading import read_simgrid

US = 1e-6
HEAD = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'


def file_of(body: str, routing: str = "Full", config: str = "") -> str:
    return f'{HEAD}<platform version="4.1">{config}<zone id="w" routing="{routing}">{body}</zone></platform>'


def read(body: str, routing: str = "Full", config: str = "") -> Platform:
    platform = read_simgrid(file_of(body, routing, config), "p.xml")
    assert read_text(platform_text(platform), "p.toml") == platform
    return platform


def cluster(attributes: str = "", name: str = "c", hosts: str = "0-2") -> str:
    return (
        f'<cluster id="{name}" prefix="{name}" suffix="" radical="{hosts}" speed="1Gf" bw="125MBps" lat="10us" '
        f"{attributes}/>"
    )


def zone_cluster(links: str, up: str, down: str, more: str = "") -> str:
    """A zone Cluster of three hosts."""
    ends = "".join(f'<host_link id="h{n}" up="{up.format(n)}" down="{down.format(n)}"/>' for n in range(3))
    hosts = "".join(f'<host id="h{n}" speed="1Gf"/>' for n in range(3))
    made = "".join(dict.fromkeys(links.format(n) for n in range(3)))
    return f'<zone id="c" routing="Cluster">{hosts}{made}{more}{ends}</zone>'


def costs(platform: Platform, one: str, other: str) -> tuple[float, float]:
    """Latency of an eager message, and its rate."""
    site = {node: site.name for site in platform.sites for node in site.nodes}
    route = next(r for r in platform.routes if (r.from_site, r.to_site) == (site[one], site[other]))
    name = platform.same_node if one == other else route.pair_class
    found = next(pairs for pairs in platform.classes if pairs.name == name).ranges[0]
    return found.latency_seconds, 1 / found.gap_seconds_per_byte


def shared(platform: Platform) -> dict[tuple[str, str], tuple[str, ...]]:
    return {(route.from_site, route.to_site): route.links for route in platform.routes if route.links}


def test_a_link_of_a_host_for_both_directions_is_shared_by_them() -> None:
    link = '<link id="l{0}" bandwidth="125MBps" latency="10us"/>'
    for body in (zone_cluster(link, "l{0}", "l{0}"), cluster('sharing_policy="SHARED"')):
        platform = read(body)
        assert [site.out_bytes_per_second for site in platform.sites] == [FASTEST] * 3
        one, two = platform.sites[0].name, platform.sites[1].name
        there, back = shared(platform)[one, two], shared(platform)[two, one]
        assert len(there) == 2 and there == back[::-1]
        assert costs(platform, platform.sites[0].nodes[0], platform.sites[1].nodes[0]) == pytest.approx(
            (20 * US, 125e6)
        )


def test_one_link_for_all_hosts_is_shared_by_all() -> None:
    platform = read(zone_cluster('<link id="l" bandwidth="125MBps" latency="10us"/>', "l", "l"))
    assert len(platform.sites) == 1
    assert shared(platform) == {("c", "c"): ("l",)}
    assert costs(platform, "h0", "h1") == pytest.approx((10 * US, 125e6))  # SimGrid crosses it once


def test_links_that_nobody_shares_limit_single_messages() -> None:
    platform = read(
        zone_cluster(
            '<link id="l{0}" bandwidth="125MBps" latency="10us" sharing_policy="FATPIPE"/>', "l{0}", "l{0}"
        )
    )
    assert not shared(platform)
    assert {site.out_bytes_per_second for site in platform.sites} == {FASTEST}
    assert costs(platform, "h0", "h1") == pytest.approx((20 * US, 125e6))


@pytest.mark.parametrize("policy", ["SPLITDUPLEX", "FULLDUPLEX"])
def test_split_links_and_cabinets_are_interfaces(policy: str) -> None:
    link = f'<link id="l{{0}}" bandwidth="125MBps" latency="10us" sharing_policy="{policy}"/>'
    cabinet = '<cabinet id="k" prefix="k" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="10us"/>'
    for body in (zone_cluster(link, "l{0}_UP", "l{0}_DOWN"), f'<zone id="c" routing="Cluster">{cabinet}</zone>'):
        platform = read(body)
        assert [(s.name, s.out_bytes_per_second, s.in_bytes_per_second) for s in platform.sites] == [
            ("c", 125e6, 125e6)
        ]
        assert not shared(platform)


def test_different_links_out_and_in() -> None:
    links = '<link id="o{0}" bandwidth="1GBps" latency="9us"/><link id="i{0}" bandwidth="125MBps" latency="1us"/>'
    (site,) = read(zone_cluster(links, "o{0}", "i{0}")).sites
    assert (site.out_bytes_per_second, site.in_bytes_per_second) == (1e9, 125e6)


def test_a_backbone_is_shared_by_the_whole_cluster() -> None:
    links = '<link id="l{0}" bandwidth="125MBps" latency="10us" sharing_policy="SPLITDUPLEX"/>'
    backbone = '<backbone id="b" bandwidth="200MBps" latency="5us"/>'
    for body, name in (
        (cluster('bb_bw="200MBps" bb_lat="5us"'), "c_backbone"),
        (zone_cluster(links, "l{0}_UP", "l{0}_DOWN", backbone), "b"),
    ):
        platform = read(body)
        assert shared(platform) == {("c", "c"): (name,)}
        assert {link.name: link.bytes_per_second for link in platform.links} == {name: 200e6}
        first, second, *_ = platform.sites[0].nodes
        assert costs(platform, first, second) == pytest.approx((25 * US, 125e6))
    assert not shared(read(cluster('bb_bw="200MBps" bb_sharing_policy="FATPIPE"')))


def test_loopbacks_and_what_is_without() -> None:
    looped = read(cluster('loopback_bw="5GBps" loopback_lat="1us"'))
    assert costs(looped, "c0", "c0") == pytest.approx((1 * US, 5e9))
    assert "same_node" not in looped.not_identified
    assert costs(read(cluster()), "c0", "c0") == pytest.approx((20 * US, 125e6))  # its links out and in
    lone = '<host id="a" speed="1Gf"/>'
    assert costs(read(lone), "a", "a") == pytest.approx((0, 1e10))  # SimGrid's own
    own = config(**{"network/loopback-bw": "1GBps", "network/loopback-lat": "2us"})
    assert costs(read(lone, config=own), "a", "a") == pytest.approx((2 * US, 1e9))


LINKS = "".join(
    f'<link id="{name}" bandwidth="{10 + at}MBps" latency="1us"/>' for at, name in enumerate("abcdefgh")
)
HOSTS = "".join(f'<host id="h{n}" speed="1Gf"/>' for n in range(3)) + '<router id="r"/>'


def way(source: str, target: str, links: str, more: str = "") -> str:
    return f'<route src="{source}" dst="{target}" {more}>{"".join(f"<link_ctn id={x!r}/>" for x in links)}</route>'


def test_hosts_in_zones_with_routes() -> None:
    full = HOSTS + LINKS + way("h0", "h1", "ab") + way("h1", "h2", "c") + way("h0", "h2", "d", 'symmetrical="NO"')
    platform = read(full + way("h2", "h0", "ef", 'symmetrical="NO"'))
    assert [site.nodes for site in platform.sites] == [("h0",), ("h1",), ("h2",)]
    assert shared(platform)["h1", "h0"] == ("b", "a")
    assert (shared(platform)["h0", "h2"], shared(platform)["h2", "h0"]) == (("d",), ("e", "f"))
    with pytest.raises(InputError, match="no route from h2 to h0"):
        read(full)
    for routing in ("Floyd", "Dijkstra", "DijkstraCache"):
        body = (
            HOSTS + LINKS + way("h0", "r", "a") + way("r", "h1", "b") + way("r", "h2", "cd") + way("h1", "h2", "e")
        )
        assert shared(read(body, routing))["h0", "h2"] in (("a", "c", "d"), ("a", "b", "e"))
        assert "routes" in read(body, routing).not_identified  # there are two that are as short
        assert "routes" not in read(body.replace("<link_ctn id='d'/>", ""), routing).not_identified


def test_routes_with_more_links_than_there_is_place_for_leave_out_the_idle() -> None:
    for name in ("abcde", "abcdefgh"):
        platform = read(HOSTS.replace('<host id="h2" speed="1Gf"/>', "") + LINKS + way("h0", "h1", name))
        assert shared(platform)["h0", "h1"] == ("a",)  # the slowest, which all others' messages cross too
    hosts = [f"k{n}" for n in range(8)]
    lines = "".join(f'<host id="{h}" speed="1Gf"/><link id="l{h}" bandwidth="1MBps" latency="0"/>' for h in hosts)
    chain = [way(a, b, "") for a, b in combinations(hosts, 2)]
    ways = "".join(
        one.replace("></route>", ">" + "".join(f'<link_ctn id="l{h}"/>' for h in hosts[i : j + 1]) + "</route>")
        for one, (i, j) in zip(chain, combinations(range(8), 2), strict=True)
    )
    with pytest.raises(InputError, match=r"crosses 5 links that others share.*at most 4"):
        read(lines + ways)


def test_a_gateway_shares_its_links_with_those_that_pass() -> None:
    body = cluster(name="a") + cluster(name="b") + '<link id="l" bandwidth="1GBps" latency="1ms"/>'
    body += '<zoneRoute src="a" dst="b" gw_src="a0" gw_dst="bb_router"><link_ctn id="l"/></zoneRoute>'
    platform = read(body)
    assert [site.nodes for site in platform.sites] == [("a0",), ("a1", "a2"), ("b0", "b1", "b2")]
    gateway, others, far = (site.name for site in platform.sites)
    assert len(shared(platform)[others, far]) == 2  # the gateway's link in, and the one to the other cluster
    assert shared(platform)[others, gateway] == shared(platform)[others, far][:1]
    assert costs(platform, "a0", "b0") == pytest.approx((1e-3 + 10 * US, 125e6))
    assert costs(platform, "a1", "b0") == pytest.approx((1e-3 + 30 * US, 125e6))


def test_speeds_that_differ_are_named() -> None:
    two = HOSTS.replace('id="h1" speed="1Gf"', 'id="h1" speed="3Gf,2Gf" pstate="1" core="4"') + LINKS
    platform = read(two + way("h0", "h1", "a") + way("h1", "h2", "b") + way("h0", "h2", "c"))
    assert platform.flops_per_second == 1e9
    assert "1e+09 to 2e+09" in platform.not_identified["flops_per_second"]
    assert "core of <host>" in platform.not_identified["elements"]


def config(**values: str) -> str:
    return (
        "<config>"
        + "".join(f'<prop id="{name}" value="{value}"/>' for name, value in values.items())
        + "</config>"
    )


def test_a_rendezvous_has_one_latency_as_there() -> None:
    (pairs,) = read(cluster()).classes
    assert [(one.up_to_bytes, one.latency_seconds) for one in pairs.ranges] == [
        (65535, pytest.approx(20 * US)), (None, pytest.approx(20 * US / 3)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "names",
    [("smpi/bw-factor", "smpi/lat-factor"), ("smpi/bw_factor", "smpi/lat_factor"),
     ("network/bandwidth-factor", "network/latency-factor")],
)  # fmt: skip
def test_factors_hold_above_their_size(names: tuple[str, str]) -> None:
    values = dict(zip(names, ("1000:0.5;2000:0.25", "1000:2"), strict=True))
    (pairs,) = read(cluster(), config=config(**values, **{"smpi/send_is_detached_thres": "4000"})).classes
    assert pairs.eager_below_bytes == 4000
    found = [(one.up_to_bytes, one.latency_seconds, one.gap_seconds_per_byte * 125e6) for one in pairs.ranges]
    assert found == [
        (1000, pytest.approx(20 * US), pytest.approx(1)), (2000, pytest.approx(40 * US), pytest.approx(2)),
        (3999, pytest.approx(40 * US), pytest.approx(4)), (None, pytest.approx(40 * US / 3), pytest.approx(4)),
    ]  # fmt: skip


def test_a_message_has_at_most_a_window_each_round_trip() -> None:
    slow = cluster().replace("10us", "50ms")
    assert costs(read(slow), "c0", "c1")[1] == pytest.approx(125e6)
    assert "network/TCP-gamma" in read(slow).not_identified
    for name in ("network/TCP-gamma", "network/TCP_gamma"):
        limited = read(slow, config=config(**{name: "4194304"}))
        assert costs(limited, "c0", "c1")[1] == pytest.approx(4194304 / 0.2)
        assert "network/TCP-gamma" not in limited.not_identified


def test_configuration_that_is_not_taken_is_named() -> None:
    told = read(
        cluster(), config=config(**{"network/model": "CM02", "smpi/ois": "0:0", "network/crosstraffic": "yes"})
    )
    assert told.not_identified["config"] == "not taken: network/model, smpi/ois"
    assert "network/crosstraffic" in told.not_identified
    with pytest.raises(InputError, match=r"p.xml:3: smpi/os cannot be read"):
        read(cluster(), config=config(**{"smpi/os": "fast"}))


@dataclass(frozen=True)
class Drawn:
    """A cluster that Hypothesis thought of."""

    name: str
    hosts: int
    rate: int
    latency: int
    policy: str
    backbone: tuple[int, int] | None
    limiter: int

    def text(self) -> str:
        bus = f'bb_bw="{self.backbone[0]}Bps" bb_lat="{self.backbone[1]}us"' if self.backbone else ""
        cap = f'limiter_link="{self.limiter}Bps"' if self.limiter else ""
        return (
            f'<cluster id="{self.name}" prefix="{self.name}-" suffix="" radical="0-{self.hosts - 1}" speed="1Gf" '
            f'bw="{self.rate}Bps" lat="{self.latency}us" sharing_policy="{self.policy}" {bus} {cap}/>'
        )

    def out(self) -> tuple[int, int]:
        """Latency and rate of a host's way out."""
        bus = self.backbone or (self.rate, 0)
        return self.latency + bus[1], min(self.rate, bus[0], self.limiter or self.rate)


RATES = st.integers(10**6, 10**10)
CLUSTERS = st.builds(
    Drawn, st.just(""), st.integers(1, 3), RATES, st.integers(0, 1000),
    st.sampled_from(["SPLITDUPLEX", "FULLDUPLEX", "SHARED", "FATPIPE"]),
    st.none() | st.tuples(RATES, st.integers(0, 1000)), st.just(0) | RATES,
)  # fmt: skip
WIDE = st.tuples(RATES, st.integers(1, 10**5), st.sampled_from(["SHARED", "FATPIPE", "SPLITDUPLEX"]))


@st.composite
def legal_files(draw: st.DrawFn) -> tuple[str, dict[tuple[str, str], tuple[float, float]]]:
    """A file, and of each two hosts of different clusters their latency in us and rate."""
    made = [replace(draw(CLUSTERS), name=name) for name in "xyz"[: draw(st.integers(1, 3))]]
    body, between, routes = "".join(one.text() for one in made), {}, ""
    for one, other in combinations(made, 2):
        rate, latency, policy = draw(WIDE)
        name = f"{one.name}{other.name}"
        direction = 'direction="UP"' if policy == "SPLITDUPLEX" else ""
        body += f'<link id="{name}" bandwidth="{rate}Bps" latency="{latency}us" sharing_policy="{policy}"/>'
        routes += (
            f'<zoneRoute src="{one.name}" dst="{other.name}" gw_src="{one.name}-{one.name}_router" '
            f'gw_dst="{other.name}-{other.name}_router"><link_ctn id="{name}" {direction}/></zoneRoute>'
        )
        (first, slow), (second, slower) = one.out(), other.out()
        pair = f"{one.name}-0", f"{other.name}-{other.hosts - 1}"
        between[pair] = between[pair[::-1]] = (first + latency + second, min(slow, rate, slower))
    return file_of(body + routes), between


def read_if_held(text: str) -> Platform:
    """Two clusters whose hosts' links, limiters and backbones are all shared have routes that are too long."""
    try:
        return read_simgrid(text, "p.xml")
    except InputError as error:
        assert "a platform's route has at most 4" in str(error)
        return reject()


@given(legal_files())
@settings(max_examples=20, phases=[Phase.explicit, Phase.generate])
def test_legal_files_are_read(drawn: tuple[str, dict[tuple[str, str], tuple[float, float]]]) -> None:
    text, between = drawn
    platform = read_if_held(text)
    assert read_text(platform_text(platform), "p.toml") == platform
    for pair, (latency, rate) in between.items():
        assert costs(platform, *pair) == pytest.approx((latency * US, rate))


@pytest.fixture(scope="module")
def simgrid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that asks SimGrid itself."""
    if not shutil.which("smpirun") or not shutil.which("g++"):
        pytest.skip("no SimGrid here (Debian: libsimgrid-dev)")
    program = tmp_path_factory.mktemp("simgrid") / "routes"
    source = Path(__file__).with_name("simgrid_routes.cpp")
    subprocess.run(["g++", "-std=c++17", source, "-lsimgrid", "-o", program], check=True, timeout=120)
    return program


@given(drawn=legal_files())
@settings(max_examples=10, phases=[Phase.explicit, Phase.generate])
def test_simgrid_has_the_same_costs(
    drawn: tuple[str, dict[tuple[str, str], tuple[float, float]]], simgrid: Path
) -> None:
    file = simgrid.with_name("p.xml")
    file.write_text(drawn[0])
    platform = read_if_held(drawn[0])
    told = subprocess.run([simgrid, file], check=True, timeout=60, capture_output=True, text=True).stdout
    for line in told.splitlines():
        one, other, latency, rate = line.split()
        if one != other or one == platform.sites[0].nodes[0]:
            assert costs(platform, one, other) == pytest.approx((float(latency), float(rate))), line
