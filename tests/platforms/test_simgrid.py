"""A platform survives SimGrid's XML as far as that holds it; what has no words here is refused by line."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.core.platform import CostRange, PairClass, Platform, Route
from rankwise.platforms.platform_file import platform_text, read_text
from rankwise.platforms.simgrid_reading import read_simgrid
from rankwise.platforms.simgrid_values import by_size, flops, limit, rate, seconds
from rankwise.platforms.simgrid_writing import reference_class, simgrid_xml
from support.platforms import TWO_SITES

COSTS = (
    CostRange(65535, 2e-5, 1e-6, 1e-10, 2e-6, 0.0, 0.0, 8e-9),
    CostRange(None, 3e-5, 2e-6, 0.0, 0.0, 0.0, 0.0, 8e-9),
)
PLATFORM = replace(
    TWO_SITES,
    classes=(
        TWO_SITES.classes[0],
        PairClass("within a site", COSTS),
        PairClass("across sites", (replace(COSTS[0], up_to_bytes=None, latency_seconds=5e-3),), 65536),
    ),
)
CLUSTER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <cluster id="one" prefix="n" suffix=".org" radical="0-2,5" speed="2Gf" bw="125MBps" lat="50us" router_id="r1"/>
    <cluster id="two" prefix="m" suffix="" radical="0-1" speed="2Gf" bw="1Gbps" lat="50us" router_id="r2"/>
    <link id="wan" bandwidth="80Mbps" latency="5ms" sharing_policy="SPLITDUPLEX"/>
    <zoneRoute src="one" dst="two" gw_src="r1" gw_dst="r2"><link_ctn id="wan" direction="UP"/></zoneRoute>
  </zone>
</platform>
"""


def test_what_is_exported_is_imported() -> None:
    again = read_simgrid(simgrid_xml(PLATFORM), "p.xml")
    assert again.sites == PLATFORM.sites
    assert again.links == PLATFORM.links
    assert [one.links for one in again.routes] == [one.links for one in PLATFORM.routes]
    own = next(one for one in again.classes if one.name == "within a")
    assert own.eager_below_bytes == 65536
    for found, put in zip(own.ranges, COSTS, strict=True):
        assert found.up_to_bytes == put.up_to_bytes
        for name in CostRange.__slots__[1:]:
            assert getattr(found, name) == pytest.approx(getattr(put, name), rel=1e-9)
    across = next(one for one in again.classes if one.name == "a - b")
    assert across.ranges[0].latency_seconds == pytest.approx(5e-3)
    assert again.same_node == "same node"
    same = next(one for one in again.classes if one.name == "same node").ranges[0]
    assert (same.latency_seconds, same.gap_seconds_per_byte) == pytest.approx((5e-7, 1e-10))
    assert reference_class(PLATFORM) == "within a site"


def test_a_rendezvous_within_a_range_is_exported() -> None:
    """One range for all sizes: from the eager threshold on SMPI has three latencies for one message."""
    one = PairClass("within a site", (CostRange(latency_seconds=2e-5, gap_seconds_per_byte=8e-9),), 1000)
    text = simgrid_xml(replace(PLATFORM, classes=(PLATFORM.classes[0], one, PLATFORM.classes[2])))
    assert 'id="smpi/lat-factor" value="0:1.0;999:3.0"' in text
    own = next(one for one in read_simgrid(text, "p.xml").classes if one.name == "within a")
    assert own.eager_below_bytes == 1000
    assert [(part.up_to_bytes, part.latency_seconds) for part in own.ranges] == [
        (999, pytest.approx(2e-5)), (None, pytest.approx(2e-5)),
    ]  # fmt: skip


def test_a_users_clusters() -> None:
    platform = read_simgrid(CLUSTER, "c.xml")
    one, two = platform.sites
    assert one.nodes == ("n0.org", "n1.org", "n2.org", "n5.org")
    assert (two.out_bytes_per_second, platform.flops_per_second) == (125e6, 2e9)
    assert {link.name: link.bytes_per_second for link in platform.links} == {"wan_UP": 1e7, "wan_DOWN": 1e7}
    assert [route.links for route in platform.routes] == [(), ("wan_UP",), ("wan_DOWN",), ()]
    costs = {pairs.name: pairs.ranges[0] for pairs in platform.classes}
    assert costs["within one"].latency_seconds == pytest.approx(1e-4)
    assert costs["one - two"].latency_seconds == pytest.approx(5.1e-3)
    assert costs["one - two"].gap_seconds_per_byte == pytest.approx(1e-7)
    assert {"models", "classes"} == set(platform.not_identified)
    assert platform.same_node == "within one"  # SimGrid takes the links of the host
    assert "classes" in platform.not_identified
    assert read_text(platform_text(platform), "p.toml") == platform


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("<platform version", "<platfrom version", 3, "not XML"),
        ('version="4.1"', 'version="3"', 3, "version 3"),
        ('routing="Full"', 'routing="Vivaldi"', 4, "routing Vivaldi"),
        ('<link id="wan"', '<peer id="wan"', 7, "<peer>"),
        ("80Mbps", "fast", 7, "bandwidth: fast"),
        ("0-2,5", "2-0", 5, "radical"),
        ("0-2,5", "0-99999999", 5, "more than"),
        ('radical="0-1"', 'radical="0-1" topology="TORUS"', 6, "topology TORUS"),
        ('radical="0-1"', 'radical="0-1" sharing_policy="WIFI"', 6, "WIFI"),
        ('radical="0-1"', 'radical="0-1" bb_lat="1us"', 6, "bb_lat and no bb_bw"),
        ('radical="0-1"', 'radical="0-1" colour="red"', 6, "colour of <cluster>"),
        ('<link id="wan"', '<link state_file="x" id="wan"', 7, "changes over time"),
        ('<link id="wan"', '<link id="wan_UP" bandwidth="1"/><link id="wan"', 7, "two links wan_UP"),
        ('direction="UP"', "", 8, "wan has two directions"),
        ('gw_src="r1"', 'gw_src="r3"', 8, "no host or router r3 in one"),
        ('dst="two"', 'dst="three"', 8, "unknown zone three"),
        ('<link_ctn id="wan"', '<link_ctn id="lan"', 8, "unknown link lan"),
        ('prefix="m" suffix=""', 'prefix="n" suffix=".org"', 6, "twice"),
        ('gw_dst="r2"', 'gw_dst="r2" symmetrical="NO"', 0, "no route from two to one"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_refused_with_its_line(old: str, new: str, line: int, words: str) -> None:
    assert old in CLUSTER
    text = CLUSTER.replace(old, new, 1)
    with pytest.raises(InputError, match=words) as told:
        read_simgrid(text, "c.xml")
    assert told.value.remedy
    if line and words != "not XML":
        assert str(told.value).startswith(f"c.xml:{line}:")


def test_entities_are_refused() -> None:
    text = CLUSTER.replace('SYSTEM "https://simgrid.org/simgrid.dtd"', '[<!ENTITY a "b"><!ENTITY c "&a;&a;">]')
    with pytest.raises(InputError, match="entities"):
        read_simgrid(text, "c.xml")


@given(st.data())
def test_no_text_makes_it_fall_over(data: st.DataObject) -> None:
    at, length = data.draw(st.integers(0, len(CLUSTER))), data.draw(st.integers(0, 30))
    put = data.draw(st.text(max_size=8) | st.sampled_from(['"', "/>", "<zone>", "1e999", "-1", "0"]))
    try:
        read_simgrid(CLUSTER[:at] + put + CLUSTER[at + length :], "c.xml")
    except InputError as error:
        assert str(error).startswith("c.xml:")


def test_units() -> None:
    assert rate("1Gbps") == 125e6
    assert rate("1GBps") == 1e9
    assert rate("1GiBps") == 2**30
    assert rate("0") is None
    assert seconds("50us") == pytest.approx(5e-5)
    assert seconds("x") is None
    assert flops("1.5Gf,1Gf") == 1.5e9
    assert by_size("0:1:2;10:3:4", 2) == {0: (1, 2), 10: (3, 4)}
    assert by_size("0:1", 2) is None
    assert by_size("0:1:2:0:0", 2) == {0: (1, 2)}
    assert by_size("0.9", 1) == {0: (0.9,)}
    assert flops("1Gf,2gigaflops", 1) == 2e9
    assert rate("1EBps") == 1e18
    assert limit("0") == 0


PROGRAM = """
#include <mpi.h>
#include <stdio.h>
static char data[1 << 20];
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double begin = MPI_Wtime();
    for (int turn = 0; turn < 2; turn++)
        if (rank == turn)
            MPI_Send(data, sizeof data, MPI_BYTE, !rank, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(data, sizeof data, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("took %.9f\\n", (MPI_Wtime() - begin) / 2);
    MPI_Finalize();
    return 0;
}
"""


@pytest.mark.skipif(not shutil.which("smpirun"), reason="no SimGrid with SMPI here (Debian: libsimgrid-dev)")
def test_smpi_takes_it_and_predicts_the_costs_in_it(tmp_path: Path) -> None:
    (tmp_path / "p.xml").write_text(simgrid_xml(PLATFORM))
    (tmp_path / "p.c").write_text(PROGRAM)
    (tmp_path / "hosts").write_text("a1\na2\n")
    subprocess.run(["smpicc", "-o", "p", "p.c"], cwd=tmp_path, check=True, timeout=120, capture_output=True)
    told = subprocess.run(
        ["smpirun", "-np", "2", "-platform", "p.xml", "-hostfile", "hosts", "--cfg=smpi/simulate-computation:no",
         "./p"],
        cwd=tmp_path, check=True, timeout=120, capture_output=True, text=True,
    )  # fmt: skip
    took = next(float(line.split()[1]) for line in told.stdout.splitlines() if line.startswith("took"))
    costs = COSTS[-1]
    assert took == pytest.approx((1 << 20) * costs.gap_seconds_per_byte + 3 * costs.latency_seconds, rel=0.02)


def test_sites_of_one_node_have_the_costs_across() -> None:
    lone = Platform(
        sites=tuple(replace(site, nodes=site.nodes[:1]) for site in PLATFORM.sites),
        routes=PLATFORM.routes, classes=PLATFORM.classes, same_node="same node", links=PLATFORM.links,
    )  # fmt: skip
    assert reference_class(lone) == "across sites"
    again = read_simgrid(simgrid_xml(lone), "p.xml")
    assert [one for one in again.routes if one.from_site != one.to_site] == [
        Route("a", "b", "a - b", ("a-b",)), Route("b", "a", "a - b", ("b-a",)),
    ]  # fmt: skip
