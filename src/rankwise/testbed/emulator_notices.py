"""When is an emulated network itself to blame? Judges what the link emulator says of one launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from rankwise.core import units
from rankwise.core.network import EmulatorFigures, Topology
from rankwise.core.records import Notice
from rankwise.testbed.paths import path

LATE_SHARE = 0.02
"""Of the delay on the path: packets that come later than that blur what is measured."""

BUSY_FRACTION = 0.9
"""Of a core: an emulator that has no time left delays packets and lowers rates."""


def breakdown(reason: str) -> Notice:
    """The warning that a launch is lost because the testbed itself ended."""
    return Notice(
        "testbed-broke",
        f"the testbed broke down, nothing of that launch is kept: {reason}",
        "the next launch brings it up again; if nobody ended it, look for the reason (dmesg: too little memory?)",
    )


def notices(topology: Topology, hosts: Sequence[str], figures: EmulatorFigures) -> tuple[Notice, ...]:
    """The warnings for a job on these hosts."""
    return tuple(_judge(topology, hosts, figures))


def _judge(topology: Topology, hosts: Sequence[str], figures: EmulatorFigures) -> Iterator[Notice]:
    delay, late = shortest_delay_seconds(topology, hosts), figures.lateness_p99_seconds
    if figures.delivered_packets and delay > 0 and late > LATE_SHARE * delay:
        yield Notice(
            "late-link",
            f"1 % of the packets came more than {units.format_time(late)} late: {late / delay:.1%} of the "
            f"{units.format_time(delay)} that the path takes",
            "fewer ranks than cores, a quiet host"
            + ("" if figures.realtime else ", and root or an rtprio limit for the link emulator"),
        )
    if figures.cpu_fraction > BUSY_FRACTION:
        yield Notice(
            "emulator-busy",
            f"the link emulator used {figures.cpu_fraction:.0%} of a core: the network was as fast as this host "
            "can emulate it, not as fast as it was asked to be",
            "lower rates, or segmentation offload in the nodes (segment_limit 65536)",
        )


def shortest_delay_seconds(topology: Topology, hosts: Sequence[str]) -> float:
    """Of the paths that the job uses: those between sites if it spans several, else those within; 0: none."""
    used = [node for node in topology.nodes if node.name in set(hosts)]
    between: list[float] = []
    within: list[float] = []
    for source, destination in permutations(used, 2):
        delays = within if source.site == destination.site else between
        delays.append(path(topology, source.name, destination.name).delay_seconds)
    return min(between or within or [0.0])
