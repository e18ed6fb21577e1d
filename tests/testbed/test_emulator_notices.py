"""Warnings about the link emulator, judged by the paths that a job uses."""

from dataclasses import replace

import pytest

from rankwise.core.network import EmulatorFigures
from rankwise.testbed.emulator_notices import notices, shortest_delay_seconds
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
