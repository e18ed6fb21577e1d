"""One small file of each kind that Rankwise reads, and the command line that reads it."""

# ruff: noqa: E501

from __future__ import annotations

from typing import NamedTuple


class OtherFile(NamedTuple):
    """A file of somebody else's."""

    name: str
    line: str
    """The command line; FILE is where it lies."""
    text: str


_JSON = """{"format": "rankwise schedule", "version": 1, "name": "tree", "operation": "bcast", "ranks": 2, "root": 0,
 "chunks": 3, "schedules": [
  {"rank": 0, "scratch": 4, "steps": [{"do": "send", "peer": 1, "tag": 5, "from": ["input", 0], "chunks": 3}]},
  {"rank": 1, "scratch": 0, "steps": [
    {"do": "receive", "peer": 0, "tag": 5, "to": ["output", 0], "chunks": 3},
    {"do": "copy", "from": ["output", 1], "to": ["output", 1], "chunks": 0, "after": [0]}]}]}
"""
_XML = """<algo name="x" nchannels="1" nchunksperloop="2" proto="Simple" coll="allgather" ngpus="2" inplace="0">
<gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0"><tb id="0" send="1" recv="1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="1" deps="0" hasdep="0"/></tb>
<tb id="1" send="-1" recv="-1" chan="0">
<step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/></tb></gpu>
<gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0"><tb id="0" send="0" recv="0" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="1" deps="0" hasdep="0"/></tb>
<tb id="1" send="-1" recv="-1" chan="0">
<step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="1"/></tb></gpu>
</algo>
"""
_PLATFORM = """format = "rankwise-platform 1"
sites = [{ name = "a", nodes = ["a1", "a2"], out_bytes_per_second = 125000000.0, in_bytes_per_second = 125000000.0 }]
routes = [{ from_site = "a", to_site = "a", pair_class = "within", links = [] }]
same_node = "within"
models = [{ name = "max-min", alpha = 1.0, kappa = 2.0 }]
packet_bytes = 1500
flops_per_second = 1000000000.0
[[classes]]
name = "within"
ranges = [{ up_to_bytes = 1000, latency_seconds = 1e-4 }, { latency_seconds = 1e-4, gap_seconds_per_byte = 8e-09 }]
eager_below_bytes = 65536
weight = 1.0
[intervals]
packet_bytes = [1, 2]
"""
_SIMGRID = """<?xml version="1.0"?>
<platform version="4.1"><config><prop id="smpi/os" value="0:1:2;100:3:4"/>
<prop id="smpi/async-small-thresh" value="65536"/></config>
 <zone id="w" routing="Full">
  <cluster id="a" prefix="a-" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="10us"/>
  <cluster id="b" prefix="b-" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="10us"/>
  <link id="l" bandwidth="1.25GBps" latency="10ms"/>
  <zoneRoute src="a" dst="b" gw_src="a-a_router" gw_dst="b-b_router"><link_ctn id="l"/></zoneRoute>
 </zone>
</platform>
"""
_TESTBED = """name = "two"
[site.north]
nodes = 2
cores = 2
[site.south]
nodes = ["s1", "s2"]
[site.south.nic]
rate = "100 Mbit/s"
queue = 100000
[[link]]
between = ["north", "south"]
delay = "5 ms"
rate = "1 Gbit/s"
"""
_IMB = """# Benchmarking PingPong
# #processes = 2
       #bytes #repetitions      t[usec]   Mbytes/sec
            1         1000         1.00         1.00
# Benchmarking Multi-PingPong
# ( 4 groups of 2 processes each running simultaneous )
       #bytes #repetitions      t[usec]   Mbytes/sec
            1         1000         7.00         0.14
"""
_MPIP = """@ mpiP
@ Command : ./app 4
@ Version                  : 3.5.0
@ MPI Task Assignment      : 0 node-0
@ MPI Task Assignment      : 1 node-1
---------------------------------------------------------------------------
@--- Callsite Time statistics (all, milliseconds): 2 ---------------------
---------------------------------------------------------------------------
Name              Site Rank  Count      Max     Mean      Min   App%   MPI%
Barrier              4    0      2   0.0261   0.0187   0.0157   5.74   2.86
Barrier              4    1      2   0.0261   0.0187   0.0157   5.74   2.86
---------------------------------------------------------------------------
@--- Callsite Message Sent statistics (all, sent bytes) ------------------
---------------------------------------------------------------------------
Name              Site Rank   Count       Max      Mean       Min       Sum
Allreduce            1    0       4         8         8         8        32
Isend                3    0      20  1.05e+06  1.05e+06  1.05e+06   2.1e+07
---------------------------------------------------------------------------
@--- End of Report --------------------------------------------------------
---------------------------------------------------------------------------
"""
NO_MPI = "no-such-mpi"
"""The MPI of lines that would measure: they end with its name, once they have read the file."""
_TUNE = f"tune {NO_MPI} --time 1s --for FILE"
_MAP = "map FILE --testbed two-clusters --time 20ms"
_PREDICT = "predict trace FILE --testbed two-clusters"
OTHER_FILES = (
    OtherFile("tree.json", "schedule show FILE", _JSON),
    OtherFile("tree.json", "schedule verify FILE", _JSON),
    OtherFile("tree.json", "schedule export FILE --format goal", _JSON),
    OtherFile("ring.xml", "schedule show FILE", _XML),
    OtherFile("ring.xml", "schedule verify FILE", _XML),
    OtherFile("two.goal", _PREDICT, "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 3\nl2: calc 9\nl2 requires l1\n}\n"
                                    "rank 1 {\nl1: recv 8b from 0 tag 3\n}\n"),
    OtherFile("two.ti", _PREDICT, "0 init\n1 init\n0 send 1 0 8\n1 recv 0 0 8\n0 allreduce 8 1\n1 allreduce 8 1\n"
                                  "0 finalize\n1 finalize\n"),
    OtherFile("flows.txt", "predict pattern FILE --testbed two-clusters", "0 1 8 0\n2 1 64 0.5\n"),
    OtherFile("platform.toml", "platform show FILE", _PLATFORM),
    OtherFile("platform.toml", "platform export FILE", _PLATFORM),
    OtherFile("platform.xml", "platform import FILE", _SIMGRID),
    OtherFile("testbed.toml", "testbed show FILE", _TESTBED),
    OtherFile("pairs.csv", _MAP, "from,to,bytes\n0,1,100\n1,2,50\n"),
    OtherFile("table.txt", _MAP, "0 5 6\n5 0 7\n6 7 0\n"),
    OtherFile("sent.0.prof", _MAP, "E\t0\t1\t1120 bytes\t57 msgs sent\t0,3,54\nE\t1\t0\t860 bytes\t24 msgs sent\n"),
    OtherFile("hosts", "map pairs.csv --hostfile FILE --time 20ms", "h0 slots=2\nh1:2\n"),
    OtherFile("ranks", "map pairs.csv --testbed two-clusters --placement FILE --time 20ms",
              "rank 0=north-1 slot=0\nrank 1=north-2 slot=0\nrank 2=south-1 slot=0\n"),
    OtherFile("application.csv", _TUNE, "operation,size_bytes,ranks,count\nbcast,64,4,10\nallreduce,8K,4,7\n"),
    OtherFile("report.mpiP", _TUNE, _MPIP),
    OtherFile("osu.log", "import FILE", "# OSU MPI Latency Test v5.8\n# Size  Latency (us)\n4  20.00\n8  22.00\n"),
    OtherFile("imb.log", "import FILE", _IMB),
    OtherFile("openmpi-mca-params.conf", "profile lint FILE", "btl_tcp_sndbuf = 4096\ncoll_tuned_priority = 30\n"),
    OtherFile("dynamic.rules", "profile lint FILE", "1\n7\n1\n4\n2\n0 1 2 3\n100 2 0 0\n"),
    OtherFile("settings.sh", "profile lint FILE", "export OMPI_MCA_btl_tcp_sndbuf=4096\nexport I_MPI_ADJUST_BCAST=1\n"),
)  # fmt: skip
