"""What the emulator counted in each launch is summed up for the run, in order of time."""

from __future__ import annotations

from dataclasses import replace

from rankwise.analysis.network import network_figures
from rankwise.core.network import EmulatorFigures, LinkCounters
from rankwise.core.records import Launch, Segment

BARE = Launch((Segment("a", 2),), "finished", "", (), 0.0, 1.0)
WAN = LinkCounters("wan", 10, 15_000, 2, 1, 9_000)
KEPT = EmulatorFigures(0.1, 10, 1e-6, 5e-6, 1e-4, True)


def test_counters_are_summed_and_the_high_water_is_the_highest() -> None:
    launches = [
        replace(BARE, links=(WAN, replace(WAN, link="lan"))),
        replace(BARE, links=(replace(WAN, packets=5, queue_high_water_bytes=700),)),
        BARE,
    ]
    found = network_figures(launches)
    assert found is not None
    assert found.links == (LinkCounters("wan", 15, 30_000, 4, 2, 9_000), replace(WAN, link="lan"))
    assert found.launches == 2


def test_the_emulator_is_told_launch_by_launch_in_order_of_time() -> None:
    late = replace(KEPT, lateness_p99_seconds=1e-3)
    found = network_figures([replace(BARE, started_at=9.0, emulator=late), replace(BARE, emulator=KEPT)])
    assert found is not None
    assert found.emulator == (KEPT, late)


def test_without_an_emulated_network_there_is_nothing() -> None:
    assert network_figures([BARE]) is None
    assert network_figures([]) is None
