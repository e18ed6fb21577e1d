"""Logs of OSU and IMB are read as what they say, and no text whatever breaks the readers."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.errors import InputError
from rankwise.core.peers import IMB_NAMES, OSU_TITLES
from rankwise.store import logs
from rankwise.store.logs import LogResult

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


def read(text: str, ranks: int = 0) -> tuple[LogResult, ...]:
    return tuple(logs.read(io.StringIO(text), "some.log", ranks).results)


def shown(results: Iterable[LogResult]) -> list[tuple[object, ...]]:
    return [(*one.place, one.seconds) for one in results]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (OSU_LATENCY, [result("pingpong", 1, 2, 0.25), result("pingpong", 4096, 2, 1.1)]),
        (OSU_FULL, [result("bcast_cuda", 8, 16, 2.5)]),
        (
            OSU_OVERLAP,
            [
                result("iallreduce", 64, 16, 12, "total"),
                result("iallreduce", 64, 16, 7, "compute"),
                result("iallreduce", 64, 16, 8),
            ],
        ),
        (OSU_PAIRS, [result("multi_bandwidth", 1000, 4, 0.5)]),
        (OSU_BARRIER, [result("barrier", 0, 16, 1.5)]),
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
        (
            "# OSU One Sided MPI_Put latency Test v3.3\n# Size\tLatency (us)\n8\t1.50\n",
            [result("put", 8, 2, 1.5)],
        ),
        ("# OSU MPI Latency Test (Version 2.1)\n# Size Latency (us)\n8 1.50\n", [result("pingpong", 8, 2, 1.5)]),
        (
            "# OSU MPI Bi-Directional Bandwidth Test v3.1.1\n# Size     Bi-Bandwidth (MB/s)\n1000   2000.00\n",
            [result("bibandwidth", 1000, 2, 1)],
        ),
        (
            "# OSU MPI Init Test v7.4\nnprocs: 4, min: 120 ms, max: 130 ms, avg: 125 ms\n",
            [result("init", 0, 4, 125000)],
        ),
        (
            "# OSU MPI Non-blocking Barrier Latency Test v7.0\n# Overall = Coll. Init + Compute + MPI_Test\n\n"
            "    Overall(us)    Compute(us)   Pure Comm.(us)    Overlap(%)\n  9.00  5.00  6.00  40.00\n",
            [
                result("ibarrier", 0, 16, 9, "total"),
                result("ibarrier", 0, 16, 5, "compute"),
                result("ibarrier", 0, 16, 6),
            ],
        ),
        (
            "#    Intel(R) MPI Benchmarks 2021.11, MT part\n# Benchmarking PingPongMT\n"
            "# #processes = 2 (threads: 4)\n#bytes #repetitions t_max[usec] t_avg[usec] Mbytes/sec\n"
            "32 100 3.00 2.00 1.00\n",
            [result("pingpong_threads", 8, 2, 2)],
        ),
    ],
    ids=["latency", "full", "overlap", "pairs", "barrier", "imb", "one-sided", "version", "both", "init", "sharp",
         "threads"],
)  # fmt: skip
def test_a_log_is_read_as_what_it_says(text: str, wanted: list[tuple[object, ...]]) -> None:
    assert shown(read(text, ranks=16)) == wanted


@pytest.mark.parametrize(
    "before",
    [
        "mpirun -np 16 ./osu_bcast",
        "+ srun --ntasks=16 osu_bcast",
        "time jsrun -n 4 -a 4 osu_bcast",
        "$ mpiexec.hydra -n 16 osu_bcast",
    ],
)
def test_the_launcher_in_the_log_gives_the_ranks_of_the_next_block(before: str) -> None:
    assert {one.ranks for one in read(f"{before}\n{OSU_FULL}", ranks=3)} == {16}
    later = f"{before}\n{OSU_FULL}{OSU_FULL}"
    assert [one.ranks for one in read(later, ranks=3)] == [16, 3]


def test_programs_for_two_processes_have_two() -> None:
    assert {one.ranks for one in read(f"srun -n 16 osu_latency\n{OSU_LATENCY}", ranks=8)} == {2}
    assert {one.ranks for one in read(IMB_LOG, ranks=16)} == {2, 4}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (OSU_FULL, "some.log:5"),
        ("# Benchmarking Bcast\n# #processes = 1000000000\n", "some.log:2"),
        ("# OSU MPI Multiple Bandwidth Test v5\n# [ pairs: 1000000000 ] [ window size: 64 ]\n", "some.log:2"),
    ],
)
def test_ranks_that_are_not_known_or_too_many_are_refused(text: str, place: str) -> None:
    with pytest.raises(InputError, match=place):
        read(text)


def test_bandwidth_comes_out_as_it_was() -> None:
    (one,) = read(OSU_PAIRS)
    assert one.bytes_per_sample / one.seconds == pytest.approx(4000e6)


@pytest.mark.parametrize(
    "other",
    [
        "# OSU OpenSHMEM Put Test v7.4\n# Size  Latency (us)\n",
        "# OSU NCCL Latency Test\n# Size  Latency (us)\n",
        "# OMB Python MPI Latency Test\n# Size  Latency (us)\n",
        "# Results of something else\n",
        "# Uni-directional Bandwidth (MB/sec)\n",
    ],
)
def test_what_follows_a_block_is_not_its_own(other: str) -> None:
    text = f"{OSU_LATENCY}{other}8192  9.10\n"
    log = logs.read(io.StringIO(text))
    assert len(log.results) == 2
    assert list(log.unused.values()) == [[6]]


def test_sizes_that_begin_again_are_another_benchmark() -> None:
    log = logs.read(io.StringIO(f"{OSU_LATENCY}1   7.00\n2   7.00\n"))
    assert (len(log.results), list(log.unused.values())) == (2, [[6]])


def test_blocks_of_one_kind_are_runs() -> None:
    again = OSU_LATENCY.replace("0.25", "0.75")
    found = [one for one in read(OSU_LATENCY + IMB_LOG + again) if one.size_bytes == 1]
    assert [one.seconds for one in found] == [pytest.approx(0.25e-6), pytest.approx(0.75e-6)]
    assert len({one.block for one in found}) == 2
    assert len({one.kind for one in found}) == 1


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("# Synchronization: MPI_Win_fence", ("put", "fence")),
        ("# Synchronization: MPI_Win_flush", ("put", "flush")),
        ("# Synchronization: MPI_Win_lock_all/unlock_all", ("put_win_lock_all_unlock_all", "flush")),
        ("# Window creation: MPI_Win_create", ("put_win_create", "flush")),
        ("# Window creation: MPI_Win_allocate", ("put", "flush")),
        ("# Rank 0 Memory on DEVICE (D) and Rank 1 Memory on HOST (H)", ("put_device_host", "flush")),
        ("# Send Buffer on HOST (H) and Receive Buffer on HOST (H)", ("put", "flush")),
    ],
)
def test_how_a_window_is_used_is_part_of_what_is_measured(line: str, wanted: tuple[str, str]) -> None:
    device = "-CUDA" if "(H)" in line else ""
    (one,) = read(f"# OSU MPI_Put{device} Latency Test v7.4\n{line}\n# Size  Latency (us)\n8  1.50\n")
    assert (one.benchmark, one.options.sync) == wanted


def test_threads_and_datatypes_are_options() -> None:
    threads = "# Number of Sender threads: 1 \n# Number of Receiver threads: 8\n"
    (one,) = read(f"{threads}# OSU MPI Multi-threaded Latency Test v7.4\n# Size  Latency (us)\n8  1.50\n")
    assert (one.benchmark, one.options.threads) == ("pingpong_threads", 8)
    blocks = "".join(
        f"# Datatype: {name}.\n# Size  Avg Latency(us)\n8  1.50\n" for name in ("MPI_CHAR", "MPI_INT")
    )
    assert [one.options.datatype for one in read(f"# OSU MPI Latency Test v7.4\n{blocks}")] == ["byte", "int"]


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("Multi-PingPong", ("multi_pingpong", 8, 1)),
        ("Multi-Allreduce", ("allreduce", 8, 4)),
    ],
)
def test_groups_of_imb(title: str, wanted: tuple[str, int, int]) -> None:
    (one,) = read(f"# Benchmarking {title} \n# ( 4 groups of 2 processes each running simultaneous ) \n"
                  "#bytes #repetitions t_avg[usec]\n4 1000 7.10\n")  # fmt: skip
    assert (one.benchmark, one.ranks, one.options.groups) == wanted


def test_rows_of_single_groups_are_one_result_a_size() -> None:
    rows = "".join(f"\n0 {size} 1000 {size}.00 5.00\n1 {size} 1000 {size + 2}.00 4.00\n" for size in (4, 8))
    text = (
        "# Benchmarking Multi-{} \n# ( 2 groups of 2 processes each running simultaneous ) \n"
        "# Group  0:     0    1 \n#\n# Group  1:     2    3 \n#\n"
        "        Group       #bytes #repetitions      {}   Mbytes/sec\n"
    )
    found = read(text.format("PingPong", "t[usec]") + rows)
    assert shown(found) == [result("multi_pingpong", 4, 4, 6), result("multi_pingpong", 8, 4, 10)]
    found = read(text.format("Exchange", "t_avg[usec]") + rows + "0 16 1000 1.00 5.00\n")
    assert shown(found) == [result("exchange", 4, 4, 5), result("exchange", 8, 4, 9)]


@pytest.mark.parametrize(
    "text",
    [
        "# Benchmarking PingPongMT\n# #processes = 2 (threads: 0)\n#bytes #repetitions t_avg[usec]\n8 1 2.00\n",
        "# OSU MPI Init Test v7.4\nnprocs: 4, min: 1 ms, max: 3 ms, avg: . ms\n",
        "# OSU MPI Init Test v7.4\nnprocs: 4, min: 1 ms, max: 3 ms, avg: 1.2.3 ms\n",
    ],
)
def test_numbers_that_are_none_break_nothing(text: str) -> None:
    assert len(read(text)) <= 1


@pytest.mark.parametrize(
    ("part", "name", "mode", "wanted"),
    [
        ("MPI-RMA part", "Unidir_put", "NON-AGGREGATE", ("put", "flush")),
        ("MPI-RMA part", "Unidir_put", "AGGREGATE", ("put_aggregate", "flush")),
        ("MPI-RMA part", "Put_local", "NON-AGGREGATE", ("put", "flush-local")),
        ("MPI-2 part", "Unidir_Put", "NON-AGGREGATE", ("put", "fence")),
        ("MPI-2 part", "Accumulate", "NON-AGGREGATE", ("accumulate", "fence")),
    ],
)
def test_one_sided_of_imb(part: str, name: str, mode: str, wanted: tuple[str, str]) -> None:
    (one,) = read(f"#    Intel(R) MPI Benchmarks 2021.8, {part}\n# Benchmarking {name} \n# #processes = 2 \n#\n"
                  f"#    MODE: {mode} \n#\n#bytes #repetitions t[usec] Mbytes/sec\n8 100 1.50 5.33\n")  # fmt: skip
    assert (one.benchmark, one.options.sync) == wanted


def test_wrong_data_are_no_result() -> None:
    osu = "# OSU MPI Latency Test v7.5\n# Size  Avg Latency(us)  Validation\n4 10.00 Pass\n8 11.00 Fail\n"
    imb = ("# Benchmarking Bcast\n# #processes = 2\n#bytes #repetitions t_avg[usec] defects\n"
           "4 1000 7.10 0.00\n8 1000 7.10 1.00\n")  # fmt: skip
    assert [(one.size_bytes, bool(one.wrong)) for one in read(osu + imb)] == [(4, False), (8, True)] * 2


@pytest.mark.parametrize("text", [OSU_LATENCY, IMB_LOG], ids=["osu", "imb"])
@pytest.mark.parametrize(
    "prefix",
    ["    ", "[0] ", "0: ", " 0: ", "[1,0]<stdout>:", "[1,0]<stdout>: ", "[prterun-node01-7@1,0]<stdout>: ", "> ",
     "> > ", "2026-11-27T04:00:00.123Z ", "\x1b[32m", "\x1b]0;title\x07", "\t"],
)  # fmt: skip
def test_what_launchers_and_terminals_put_before_lines_is_taken_away(text: str, prefix: str) -> None:
    assert shown(read("".join(prefix + line for line in text.splitlines(keepends=True)))) == shown(read(text))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_encodings(encoding: str, end: str, tmp_path: Path) -> None:
    file = tmp_path / "some.log"
    file.write_bytes((OSU_LATENCY + IMB_LOG + "# \xe9\n").replace("\n", end).encode(encoding))
    assert shown(logs.read(logs.lines_of(file)).results) == shown(read(OSU_LATENCY + IMB_LOG))


@pytest.mark.parametrize(
    "content", [b"\x1f\x8b\x08" + bytes(50), b"\x7fELF" + bytes(90), bytes(5000), b"# OSU\0\0" * 9]
)
def test_binary_files_are_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "some.log"
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"some\.log:1"):
        list(logs.lines_of(file))


def test_a_line_without_end_is_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "some.log"
    file.write_text(OSU_LATENCY + "1" * (1 << 20))
    with pytest.raises(InputError, match=r"some\.log:6"):
        list(logs.lines_of(file))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("<?xml version='1.0'?>", "XML"), ('{"a": 1}', "JSON"), ("num_ranks 2", "a GOAL schedule"), ("", ""),
     ("@ mpiP", "an mpiP report"), ("[site]\n", "TOML"), ("a,b,c\n1,2,3\n", "CSV"), ("some words", "")],
)  # fmt: skip
def test_what_a_file_looks_like(text: str, wanted: str, tmp_path: Path) -> None:
    file = tmp_path / "some.log"
    file.write_text(f"\n{text}")
    assert logs.looks_like(file) == wanted


@pytest.mark.parametrize("line", ["# OSU " + " " * 60_000 + "x", "[" * 60_000, "1,1" * 20_000, "0: " * 20_000])
def test_long_lines_are_passed_over(line: str) -> None:
    assert shown(read(f"{OSU_LATENCY}{line}\n")) == shown(read(OSU_LATENCY))
    mpirun = f"mpirun -x HOSTS={'node,' * 1000} -n 16 osu_bcast\n"
    assert {one.ranks for one in read(f"{mpirun}{OSU_FULL}")} == {16}


@given(st.sampled_from([OSU_LATENCY, OSU_BARRIER, OSU_PAIRS, IMB_LOG]), st.integers(0, 2000))
def test_a_truncated_log_gives_no_other_numbers(text: str, end: int) -> None:
    assert set(read(text[:end], ranks=16)) <= set(read(text, ranks=16))


def test_a_benchmark_that_we_have_not_keeps_its_name() -> None:
    (one,) = read(OSU_LATENCY.replace("MPI Latency", "MPI Multi-process Latency").replace("4096", "# 4096"))
    assert one.benchmark == "mpi_multiprocess_latency_test"


def test_names_lead_to_one_benchmark_each() -> None:
    for names in (OSU_TITLES, IMB_NAMES):
        plain = [name.lower().replace("-", "") for name in names.values()]
        assert len(plain) == len(set(plain))


@st.composite
def legal(draw: st.DrawFn) -> tuple[str, list[tuple[object, ...]]]:
    """A log with some blocks, and what it says."""
    text, wanted = "", []
    for _ in range(draw(st.integers(1, 5))):
        sizes = sorted(draw(st.sets(st.integers(0, 1 << 40), min_size=1, max_size=5)))
        ranks = draw(st.integers(2, 4096))
        micro = draw(st.lists(st.integers(1, 10**9).map(lambda n: n / 100), min_size=5, max_size=5))
        name = draw(st.sampled_from(["allreduce", "bcast", "alltoallw", "gatherv"]))
        rows = list(zip(sizes, micro, strict=False))
        if draw(st.booleans()) or name == "alltoallw":
            version = draw(st.sampled_from(["5.3", "7.4", "7.5"]))
            text += f"mpirun -n {ranks} ./osu\n\n# OSU {OSU_TITLES[name]} v{version}\n"
            extra = draw(st.sampled_from(["", "   Min Latency(us)   Max Latency(us)  Iterations"]))
            text += draw(st.sampled_from(["", "# Datatype: MPI_CHAR.\n"])) if "reduce" not in name else ""
            text += f"{'# Size':<10}{'Avg Latency(us)':>20}{extra}\n"
            text += "".join(f"{size:<10}{time:>20.2f}{' 1.00 2.00 100' * bool(extra)}\n" for size, time in rows)
        else:
            dashes = "#" + "-" * 64
            text += f"\n{dashes}\n# Benchmarking {IMB_NAMES[name]} \n# #processes = {ranks} \n{dashes}\n"
            text += "".join(
                f"{one:>13}" for one in ("#bytes", "#repetitions", "t_min[usec]", "t_max[usec]", "t_avg[usec]")
            )
            text += "\n" + "".join(
                f"{size:>13}{9:>13}{0.5:>13.2f}{9e5:>13.2f}{time:>13.2f}\n" for size, time in rows
            )
        wanted += [result(name, size, ranks, time) for size, time in rows]
    return text, wanted


@given(legal(), st.sampled_from(["", "0: ", "[1,0]<stdout>: ", "\x1b[1m"]))
def test_legal_logs_are_read_as_they_were_written(log: tuple[str, list[tuple[object, ...]]], prefix: str) -> None:
    text, wanted = log
    assert shown(read("".join(prefix + line for line in text.splitlines(keepends=True)))) == wanted


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
