"""The harness gets the cells and options of a plan, and what it prints becomes records, however it is cut off."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.records import Cell, Options
from rankwise.core.tuning import Candidate
from rankwise.measurement import protocol
from support.harness_output import BEGIN, END, record, series, timeline

CELL = Cell("mpich-5.0.2", "pingpong", 64, 2)
PLAIN = Options()


def test_arguments_carry_options_and_cells_in_order() -> None:
    options = Options(datatype="double", layout="vector", root="rotate", cold_cache=True)
    cells = [Cell("m-1", "bcast", 8, 4, options), Cell("m-1", "barrier", 0, 4, options)]
    words = protocol.arguments(cells, seconds_per_cell=0.01, limit_seconds=9.0, yielding=True, verify=False)
    assert words[-2:] == ("bcast:8", "barrier:0")
    assert words[words.index("--layout") + 1] == "vector"
    assert {"--cold-cache", "--yield"} <= set(words)
    assert "--verify" not in words


def test_a_run_becomes_records() -> None:
    failure = record(rankwise="failure", benchmark="put", size_bytes=8, kind="unsupported", reason="needs MPI 3.0")
    put = Cell("mpich-5.0.2", "put", 8, 2)
    spoken = protocol.parse_run("hello\n" + BEGIN + series(CELL, [1e-6, 2e-6]) + failure + END, [CELL, put])
    assert spoken.begun and spoken.ended
    assert spoken.series[0].cell == CELL
    np.testing.assert_array_equal(spoken.series[0].samples_seconds, [1e-6, 2e-6])
    assert spoken.failures[0].kind == "unsupported"
    assert set(spoken.answers()) == {CELL, put}


LABELS = ("default", "null check", "first", "second", "unused", "shorter")
CANDIDATES = {
    "second": Candidate((("b", "2"), ("c", "x"))), "first": Candidate((("a", "1"),)), "null check": Candidate(),
    "unused": Candidate((("d", "4"),)), "shorter": Candidate(bytes_less=8),
}  # fmt: skip


def labelled(*labels: str) -> list[Cell]:
    return [replace(CELL, label=label) for label in labels]


def test_candidates_are_declared_in_the_order_of_the_cells_that_name_them() -> None:
    cells = labelled("second", "default", "first", "null check", "second")
    words = protocol.arguments(
        cells, seconds_per_cell=0.01, limit_seconds=9.0, yielding=False, verify=False, candidates=CANDIDATES
    )
    assert [words[place + 1] for place, word in enumerate(words) if word == "--candidate"] == [
        "b=2,c=x",
        "a=1",
        "",
    ]
    assert words[-5:] == ("pingpong:64@1", "pingpong:64", "pingpong:64@2", "pingpong:64@3", "pingpong:64@1")


@given(st.lists(st.sampled_from(LABELS), min_size=1, max_size=9))
def test_what_is_said_of_a_candidate_belongs_to_the_cell_with_its_label(labels: list[str]) -> None:
    cells = labelled(*labels)
    words = protocol.arguments(
        cells, seconds_per_cell=0.01, limit_seconds=9.0, yielding=False, verify=False, candidates=CANDIDATES
    )
    named = [re.fullmatch(r"pingpong:(\d+)(?:@(\d+))?", word) for word in words[-len(cells) :]]
    sizes, numbers = ([int(one[group] or 0) for one in named if one] for group in (1, 2))
    assert sizes == [56 if label == "shorter" else 64 for label in labels]
    said = "".join(
        record(rankwise="verified", benchmark="pingpong", size_bytes=size, candidate=number)
        for size, number in zip(sizes, numbers, strict=True)
    )
    spoken = protocol.parse_run(BEGIN + said + END, cells, CANDIDATES)
    assert spoken.verified == tuple(cells)
    strange = record(rankwise="verified", benchmark="pingpong", size_bytes=64, candidate=max(numbers) + 1)
    assert protocol.parse_run(BEGIN + strange + END, cells, CANDIDATES).verified == ()


def test_a_schedule_is_measured_as_a_benchmark_of_its_own_and_its_times_are_the_cell_s() -> None:
    cells = [replace(CELL, benchmark="bcast", label=label) for label in ("default", "ours")]
    candidates = {"ours": Candidate(benchmark="bcast.chain:segment=8192")}
    words = protocol.arguments(
        cells, seconds_per_cell=0.01, limit_seconds=9.0, yielding=False, verify=False, candidates=candidates
    )
    assert words[-2:] == ("bcast:64", "bcast.chain:segment=8192:64") and "--candidate" not in words
    named = [replace(CELL, benchmark=name) for name in ("bcast.chain:segment=8192", "bcast")]
    said = "".join(series(cell, [seconds]) for cell, seconds in zip(named, (1e-6, 2e-6), strict=True))
    spoken = protocol.parse_run(BEGIN + said + END, cells, candidates)
    assert {one.cell: one.samples_seconds[0] for one in spoken.series} == dict(
        zip(cells, (2e-6, 1e-6), strict=True)
    )


def words_for(options: Options = PLAIN, **changes: bool) -> tuple[str, ...]:
    cell = Cell("m-1", "stream", 8, 2, options)
    asked = {"yielding": False, "verify": False, **changes}
    return protocol.arguments([cell], seconds_per_cell=0.01, limit_seconds=9.0, **asked)


def test_ranks_that_share_cores_yield_and_only_on_demand_start_from_a_barrier() -> None:
    assert {"--yield", "--start"}.isdisjoint(words_for())
    assert "--start" not in words_for(yielding=True)
    words = words_for(from_barrier=True)
    assert words[words.index("--start") + 1] == "barrier"
    assert "--yield" not in words


def test_streams_are_told_how_many_messages_and_which_congestion_control() -> None:
    words = words_for()
    assert words[words.index("--messages") + 1] == "200"
    assert "--congestion-control" not in words
    words = words_for(Options(messages=7, congestion_control="reno"))
    assert words[words.index("--messages") + 1] == "7"
    assert words[words.index("--congestion-control") + 1] == "reno"


def test_timelines_belong_to_their_cell() -> None:
    stream = Cell("mpich-5.0.2", "tcp_stream", 1000, 2)
    other = Cell("mpich-5.0.2", "tcp_stream", 9, 2)
    said = (
        BEGIN
        + series(stream, [1e-3, 2e-3])
        + timeline(stream, "congestion window", [1e-4, 2e-4], [14480, 28960])
        + timeline(stream, "retransmits", [1e-4, 2e-4], [0, 1])
        + timeline(other, "round trip", [1e-4], [1e-2])
        + END
    )
    spoken = protocol.parse_run(said, [stream])
    assert [one.quantity for one in spoken.timelines] == ["congestion window", "retransmits"]
    assert {one.cell for one in spoken.timelines} == {stream}
    np.testing.assert_array_equal(spoken.timelines[0].times_seconds, [1e-4, 2e-4])
    np.testing.assert_array_equal(spoken.timelines[0].values, [14480, 28960])
    assert len(spoken.series) == 1


def test_a_series_says_how_it_started_and_a_nonsense_start_is_the_cells_failure() -> None:
    def spoken(start: str) -> protocol.Spoken:
        said = series(CELL, [1e-6]).replace('"discarded"', f'"start":"{start}","discarded"')
        return protocol.parse_run(BEGIN + said + END, [CELL])

    assert [one.start for one in spoken("barrier").series] == ["barrier"]
    assert [one.start for one in spoken("agreed").series] == ["agreed"]
    assert spoken("whenever").series == () and len(spoken("whenever").failures) == 1
    assert protocol.parse_run(BEGIN + series(CELL, [1e-6]) + END, [CELL]).series[0].start == ""


def test_the_clocks_error_is_the_last_word_of_the_harness() -> None:
    begin = record(rankwise="begin", clock="synchronised", clock_error_seconds=1e-6, timer_cost_seconds=3e-8)
    spoken = protocol.parse_run(begin + record(rankwise="end", clock_error_seconds=4e-3), [CELL])
    assert (spoken.clock_error_seconds, spoken.timer_cost_seconds) == (4e-3, 3e-8)
    assert protocol.parse_run(begin, [CELL]).clock_error_seconds == 1e-6


def test_polls_and_target_are_told() -> None:
    words = words_for(Options(polls=0, target="computes"))
    assert words[words.index("--polls") + 1] == "0"
    assert words[words.index("--target") + 1] == "computes"


@given(st.integers(0, 400))
def test_a_run_cut_off_anywhere_keeps_its_whole_lines(cut: int) -> None:
    text = BEGIN + series(CELL, [1e-6]) + END
    spoken = protocol.parse_run(text[:cut], [CELL])
    assert spoken.ended == (cut >= len(text) - 1)
    assert len(spoken.series) == int(cut >= len(BEGIN + series(CELL, [1e-6])) - 1)


@given(st.text())
def test_noise_of_launchers_is_left_out(noise: str) -> None:
    spoken = protocol.parse_run(noise + "\n" + BEGIN + END, [CELL])
    assert spoken.begun and spoken.ended


def test_an_empty_list_is_an_error() -> None:
    with pytest.raises(ValueError, match="no list"):
        protocol.parse_list("segmentation fault\n")
