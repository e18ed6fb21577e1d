"""A platform of two sites of two nodes, whose times can be computed by hand."""

from pathlib import Path

from rankwise.core.platform import (
    ContentionModel,
    CostRange,
    Interval,
    PairClass,
    Platform,
    PlatformLink,
    PlatformSite,
    Provenance,
    Route,
)
from rankwise.platforms import platform_file

NIC, WAN = 125e6, 50e6
LAN_DELAY, WAN_DELAY = 1e-5, 1e-3
OVERHEAD = 1e-6


def costs(delay: float, rate: float) -> CostRange:
    return CostRange(
        latency_seconds=delay, send_overhead_seconds=OVERHEAD, receive_overhead_seconds=OVERHEAD,
        gap_seconds_per_byte=1 / rate,
    )  # fmt: skip


def two_sites(**more: object) -> Platform:
    """Classes lan, wan and node; the links ab and ba; eager up to 1 GiB, so that messages never wait."""
    eager = 1 << 30
    given = {
        "models": (ContentionModel(relative_error=0.03),),
        "provenance": Provenance(testbed="two-clusters", implementation="mpich-5.0.2"),
        "intervals": {"classes.wan.ranges.0.latency_seconds": Interval(0.9e-3, 1.1e-3)},
    } | more
    return Platform(
        sites=(PlatformSite("a", ("a1", "a2"), NIC, NIC), PlatformSite("b", ("b1", "b2"), NIC, NIC)),
        routes=(
            Route("a", "a", "lan"), Route("b", "b", "lan"), Route("a", "b", "wan", ("ab",)),
            Route("b", "a", "wan", ("ba",)),
        ),
        classes=(
            PairClass("lan", (costs(LAN_DELAY, NIC),), eager), PairClass("wan", (costs(WAN_DELAY, WAN),), eager),
            PairClass("node", (costs(1e-6, 5e9),), eager),
        ),
        same_node="node",
        links=(PlatformLink("ab", WAN), PlatformLink("ba", WAN)),
        **given,  # type: ignore[arg-type]
    )  # fmt: skip


def write_two_sites(path: Path, **more: object) -> Path:
    """The same as a file."""
    platform_file.write(path, platform_file.platform_text(two_sites(**more)))
    return path
