"""Streams: what is timed, what TCP says of itself, and the pause before them."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from support.real_harness import records, samples

Launch = Callable[..., subprocess.CompletedProcess[str]]
ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")

pytestmark = pytest.mark.mpi


@pytest.mark.parametrize("benchmark", ["stream", "tcp_stream"])
@pytest.mark.parametrize("ranks", [2, 3])
def test_a_stream_has_one_sample_a_message_whatever_the_time(launch: Launch, benchmark: str, ranks: int) -> None:
    done = launch("--messages", "30", "--seconds", "0", f"{benchmark}:1000", ranks=ranks)
    (series,) = records(done, "series")
    assert len(series["samples_seconds"]) == 30
    assert (series["batch"], series["bytes_per_sample"], series["quantity"]) == (1, 1000, "time")
    assert min(series["samples_seconds"]) >= 0
    assert series["samples_seconds"][0] > 0
    assert records(done, "end")


def test_two_hundred_messages_unless_asked_otherwise(launch: Launch) -> None:
    assert samples(launch("stream:8")).size == 200


def test_a_sample_is_from_arrival_to_arrival(launch: Launch) -> None:
    gaps = samples(launch("--messages", "6", "halting:8"))
    assert gaps[3] > 0.03  # half of what the sender halts for: the receiver may be late for the message before
    assert np.median(gaps) < 0.02


def test_the_pause_before_a_stream_is_not_timed(launch: Launch) -> None:
    begin = time.monotonic()
    gaps = samples(launch("--idle", "1.5", "--messages", "5", "stream:8"))
    assert time.monotonic() - begin > 1.5
    assert gaps.sum() < 0.75


@pytest.mark.nightly
def test_the_silence_before_a_message_is_not_timed(launch: Launch) -> None:
    begin = time.monotonic()
    times = samples(launch("--seconds", "0", "--min-repetitions", "2", "tcp_after_pause:8"))
    assert time.monotonic() - begin > 0.8  # twice two timeouts, of at least 0.2 s each
    assert 0 < times.max() < 0.2


def test_synchronised_clocks_agree_on_the_start_of_a_stream(launch: Launch) -> None:
    arguments = ["--clock", "synchronised", "--clock-skew", "0.5:1e-4", "--messages", "20", "stream:8"]
    gaps = samples(launch(*arguments))
    assert gaps.size == 20
    assert abs(gaps.sum()) < 0.2


def test_tcp_tells_its_window_round_trip_and_retransmits_after_each_message(launch: Launch) -> None:
    done = launch("--messages", "20", "tcp_stream:20000", "stream:20000")
    timelines = records(done, "timeline")
    assert [line["quantity"] for line in timelines] == ["congestion window", "round trip", "retransmits"]
    for line in timelines:
        assert (line["benchmark"], line["size_bytes"]) == ("tcp_stream", 20000)
        assert len(line["times_seconds"]) == len(line["values"]) == 20
        assert line["times_seconds"][0] >= 0
        assert np.all(np.diff(line["times_seconds"]) >= 0)
    window, round_trip, retransmits = (line["values"] for line in timelines)
    assert min(window) > 1000
    assert 0 < max(round_trip) < 1
    assert np.all(np.diff(retransmits) >= 0)


def test_a_congestion_control_that_is_not_there_fails_the_tcp_cells_only(launch: Launch) -> None:
    cells = ["tcp_stream:8", "tcp_pingpong:8", "stream:8"]
    done = launch("--congestion-control", "nonesuch", "--messages", "5", *cells)
    failures = records(done, "failure")
    assert [failure["benchmark"] for failure in failures] == ["tcp_stream", "tcp_pingpong"]
    assert all("refuses the congestion control 'nonesuch'" in failure["reason"] for failure in failures)
    assert [series["benchmark"] for series in records(done, "series")] == ["stream"]
    if ALLOWED.exists():
        assert ALLOWED.read_text().strip() in failures[0]["reason"]


@pytest.mark.skipif(not ALLOWED.exists(), reason="this kernel does not list congestion controls")
def test_every_congestion_control_that_is_allowed_can_be_asked_for(launch: Launch) -> None:
    for name in ALLOWED.read_text().split():
        done = launch("--congestion-control", name, "--messages", "5", "tcp_stream:8", "tcp_pingpong:8")
        assert records(done, "failure") == []
        assert len(records(done, "series")) == 2


@pytest.fixture
def named_apart() -> tuple[str, ...]:
    """Words that give each rank a host name of its own, as the nodes of an emulated testbed have."""
    words = ("unshare", "--uts", "sh", "-c", 'hostname "node$$" && exec "$@"', "sh")
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this user cannot give a process a host name")
    return words


def test_between_hosts_a_stream_waits_until_the_window_starts_anew(
    launch: Launch, named_apart: tuple[str, ...]
) -> None:
    begin = time.monotonic()
    done = launch("--messages", "5", "stream:8", around=named_apart)
    assert time.monotonic() - begin > 2
    assert len(set(records(done, "begin")[0]["hosts"])) == 2
    assert samples(done).sum() < 1


def test_hosts_that_share_a_kernel_share_its_memory(launch: Launch, named_apart: tuple[str, ...]) -> None:
    done = launch("--datatype", "double", "stream:16000000000", around=named_apart)
    (failure,) = records(done, "failure")
    assert "of the 2 ranks on this machine" in failure["reason"]
