"""Logs of OSU and IMB are read as what they say, and no text whatever breaks the readers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.peers import IMB_NAMES, OSU_TITLES
from rankwise.store.logs import LogResult, read

OSU_LATENCY = """\
# OSU MPI Latency Test v7.5
# Datatype: MPI_CHAR.
# Size          Latency (us)
1                       0.25
4096                    1.10
"""
OSU_FULL = """\

# OSU MPI-CUDA Broadcast Latency Test v7.5
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations        Validation
8                       2.50              1.00              4.00        1000              Pass
"""
OSU_OVERLAP = """\
# OSU MPI Non-blocking Allreduce Latency Test v7.5
# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait

# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)
64                     12.00              7.00              8.00             37.50
"""
OSU_PAIRS = """\
# OSU MPI Multiple Bandwidth / Message Rate Test v7.5
# [ pairs: 2 ] [ window size: 64 ]
# Size                  MB/s        Messages/s
1000                 4000.00        4000000.00
"""
OSU_BARRIER = """\
# OSU MPI Barrier Latency Test v7.5
# Avg Latency(us)
             1.50
"""
IMB_LOG = """\
#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.8, MPI-1 part
#----------------------------------------------------------------
# PingPong
# Barrier

#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
# ( 2 additional processes waiting in MPI_Barrier)
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.50         0.00
         1024         1000         2.00       512.00

#---------------------------------------------------
# Benchmarking Barrier
# #processes = 4
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         1.00         3.00         2.00

#-----------------------------------------------------------------------------
# Benchmarking Ibcast
# #processes = 4
#-----------------------------------------------------------------------------
       #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]
           16         1000         9.00         5.00         6.00        40.00

# All processes entering MPI_Finalize
"""


def result(benchmark: str, size: int, ranks: int, micro: float, quantity: str = "time") -> tuple[object, ...]:
    return (benchmark, size, ranks, quantity, pytest.approx(micro * 1e-6))


def shown(results: tuple[LogResult, ...]) -> list[tuple[object, ...]]:
    return [(*one.place, one.seconds) for one in results]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (OSU_LATENCY, [result("pingpong", 1, 2, 0.25), result("pingpong", 4096, 2, 1.1)]),
        (OSU_FULL, [result("bcast", 8, 2, 2.5)]),
        (
            OSU_OVERLAP,
            [
                result("iallreduce", 64, 2, 12, "total"),
                result("iallreduce", 64, 2, 7, "compute"),
                result("iallreduce", 64, 2, 8),
            ],
        ),
        (OSU_PAIRS, [result("multi_bandwidth", 1000, 4, 0.5)]),
        (OSU_BARRIER, [result("barrier", 0, 2, 1.5)]),
        (
            IMB_LOG,
            [
                result("pingpong", 0, 2, 0.5),
                result("pingpong", 1024, 2, 2),
                result("barrier", 0, 4, 2),
                result("ibcast", 16, 4, 9, "total"),
                result("ibcast", 16, 4, 5),
                result("ibcast", 16, 4, 6, "compute"),
            ],
        ),
    ],
    ids=["latency", "full", "overlap", "pairs", "barrier", "imb"],
)
def test_a_log_is_read_as_what_it_says(text: str, wanted: list[tuple[object, ...]]) -> None:
    assert shown(read(text)) == wanted


def test_ranks_of_osu_are_what_the_reader_is_told() -> None:
    assert {one.ranks for one in read(OSU_FULL, ranks=16)} == {16}
    assert {one.ranks for one in read(IMB_LOG, ranks=16)} == {2, 4}


def test_bandwidth_comes_out_as_it_was() -> None:
    (one,) = read(OSU_PAIRS)
    assert one.bytes_per_sample / one.seconds == pytest.approx(4000e6)


def test_several_logs_in_one_file_and_the_last_of_a_cell_counts() -> None:
    again = OSU_LATENCY.replace("0.25", "0.75")
    found = {one.place: one.seconds for one in read(OSU_LATENCY + IMB_LOG + again)}
    assert found["pingpong", 4096, 2, "time"] == pytest.approx(1.1e-6)
    assert found["pingpong", 1, 2, "time"] == pytest.approx(0.75e-6)
    assert found["barrier", 0, 4, "time"] == pytest.approx(2e-6)


def test_a_benchmark_that_we_have_not_keeps_its_name() -> None:
    (one,) = read(OSU_LATENCY.replace("MPI Latency", "MPI Multi-process Latency").replace("4096", "# 4096"))
    assert one.benchmark == "mpi_multiprocess_latency_test"


def test_names_lead_to_one_benchmark_each() -> None:
    for names in (OSU_TITLES, IMB_NAMES):
        plain = [name.lower().replace("-", "") for name in names.values()]
        assert len(plain) == len(set(plain))


LINES = st.one_of(
    st.sampled_from([line for text in (OSU_LATENCY, OSU_FULL, OSU_PAIRS, IMB_LOG) for line in text.splitlines()]),
    st.text(max_size=60),
    st.lists(st.one_of(st.floats(), st.integers()), max_size=6).map(lambda row: " ".join(map(str, row))),
)


@given(st.lists(LINES, max_size=25), st.integers(1, 1000))
def test_whatever_stands_in_a_log_results_are_times_of_sizes(lines: list[str], ranks: int) -> None:
    for one in read("\n".join(lines), ranks):
        assert math.isfinite(one.seconds)
        assert one.seconds > 0
        assert 0 <= one.size_bytes < 1 << 63
        assert one.ranks >= 1
        assert math.isfinite(one.bytes_per_sample)
        assert one.benchmark
