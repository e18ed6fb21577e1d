"""The link emulator's lateness and losses are warned of where the paths of a job make them matter."""

from dataclasses import replace

import pytest

from rankwise.core.network import EmulatorFigures, LostFrames
from rankwise.testbeds.emulator_notices import lost_frames, notices, refused_settings, shortest_delay_seconds
from support.emulated import two_sites

GOOD = EmulatorFigures(0.1, 1000, 5e-6, 20e-6, 90e-6, True)
DUO = two_sites(delay_seconds=2e-3)


def kinds(figures: EmulatorFigures, *hosts: str) -> list[str]:
    return [one.kind for one in notices(DUO, hosts, figures)]


def test_the_delay_that_counts_is_between_sites_if_the_job_spans_them() -> None:
    assert shortest_delay_seconds(DUO, ["a1", "a1", "b2"]) == pytest.approx(2e-3)
    assert shortest_delay_seconds(DUO, ["a1", "a2", "b2"]) == pytest.approx(2e-3)
    assert shortest_delay_seconds(DUO, ["a1", "a2"]) == pytest.approx(10e-6)
    assert shortest_delay_seconds(DUO, ["a1", "a1"]) == 0


def test_late_is_more_than_two_percent_of_that() -> None:
    assert kinds(replace(GOOD, lateness_p99_seconds=39e-6), "a1", "b1") == []
    assert kinds(replace(GOOD, lateness_p99_seconds=41e-6), "a1", "b1") == ["late-link"]
    assert kinds(replace(GOOD, lateness_p99_seconds=41e-6), "a1", "a2") == ["late-link"]
    assert kinds(replace(GOOD, lateness_p99_seconds=1.0), "a1") == []
    assert kinds(replace(GOOD, lateness_p99_seconds=1.0, delivered_packets=0), "a1", "b1") == []


def test_the_remedy_speaks_of_realtime_only_where_it_is_missing() -> None:
    late = replace(GOOD, lateness_p99_seconds=1e-3)
    assert "rtprio" not in notices(DUO, ["a1", "b1"], late)[0].remedy
    assert "rtprio" in notices(DUO, ["a1", "b1"], replace(late, realtime=False))[0].remedy


def test_busy_is_more_than_nine_tenths_of_a_core() -> None:
    assert kinds(replace(GOOD, cpu_fraction=0.9), "a1", "b1") == []
    assert kinds(replace(GOOD, cpu_fraction=0.95), "a1", "b1") == ["emulator-busy"]


def test_frames_that_nobody_asked_to_lose_are_told_with_every_count() -> None:
    assert lost_frames(LostFrames()) == ()
    (told,) = lost_frames(LostFrames(3, 0, 2, 1))
    assert told.kind == "lost-frames"
    for words in ("3 at a node's full transmit ring", "2 malformed", "1 refused by the receiver's NIC"):
        assert words in told.message
    assert "no node has" not in told.message
    assert "modprobe sch_tbf" in told.remedy
    assert "modprobe" not in lost_frames(LostFrames(unknown_frames=1))[0].remedy


def test_a_kernel_without_tbf_loses_silently_and_that_is_told_as_such() -> None:
    line = "the link emulator: this kernel has no tbf (CONFIG_NET_SCH_TBF), so nodes do not wait"
    first, second = refused_settings([line, "cannot set net.ipv4.x"])
    assert (first.kind, second.kind) == ("no-back-pressure", "setting-refused")
    assert "lost without a trace" in first.message and "modprobe sch_tbf" in first.remedy
