"""When is an emulated network itself to blame? Judges what the link emulator says of one launch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from rankwise.core import units
from rankwise.core.network import EmulatorFigures, LostFrames, Topology
from rankwise.core.records import Notice
from rankwise.testbeds.paths import path

LATE_SHARE = 0.02
"""Of the delay on the path: packets that come later than that blur what is measured."""

BUSY_FRACTION = 0.9
"""Of a core: an emulator that has no time left delays packets and lowers rates."""


_TBF = "CONFIG_NET_SCH_TBF"
"""In the link emulator's words where nodes cannot be made to wait for their NIC."""

LOAD_TBF = "load it: sudo modprobe sch_tbf; or take a kernel with CONFIG_NET_SCH_TBF: nothing here replaces it"


def breakdown(reason: str) -> Notice:
    """Return the warning that a launch is lost because the testbed itself ended."""
    return Notice(
        "testbed-broke",
        f"the testbed broke down, nothing of that launch is kept: {reason}",
        "the next launch brings it up again; if it was not ended by hand, see the reason in dmesg (out of memory)",
    )


def notices(topology: Topology, hosts: Sequence[str], figures: EmulatorFigures) -> tuple[Notice, ...]:
    """Return the warnings for a job on these hosts."""
    return tuple(_judge(topology, hosts, figures))


def lost_frames(lost: LostFrames) -> tuple[Notice, ...]:
    """Return the warning that the emulated network lost frames unasked, with every count; none if it did not."""
    counts = [
        f"{number} {what}"
        for number, what in (
            (lost.full_ring_frames, "at a node's full transmit ring"),
            (lost.unknown_frames, "to an address that no node has"),
            (lost.malformed_frames, "malformed"),
            (lost.undeliverable_frames, "refused by the receiver's NIC"),
        )
        if number
    ]
    if not counts:
        return ()
    return (
        Notice(
            "lost-frames",
            "the emulated network lost frames that no link counts and no setting explains: "
            f"{', '.join(counts)}; TCP has sent them again, so times of this launch may be too long",
            "leave the link emulator a core of its own: fewer ranks, a quiet host"
            + ("; and have nodes wait for their NIC: sudo modprobe sch_tbf" if lost.full_ring_frames else ""),
        ),
    )


def refused_settings(warnings: Sequence[str]) -> tuple[Notice, ...]:
    """Return what the kernel refused when the testbed came up, as warnings with a remedy each."""
    return tuple(
        Notice("no-back-pressure", f"{line}; what they send too fast is lost without a trace", LOAD_TBF)
        if _TBF in line
        else Notice("setting-refused", line, "as root, or allow it on this host")
        for line in warnings
    )


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
            f"the link emulator used {figures.cpu_fraction:.0%} of a core: this host was too slow to "
            "emulate the network as specified",
            "lower rates, or segmentation offload in the nodes (segment_limit 65536)",
        )


def shortest_delay_seconds(topology: Topology, hosts: Sequence[str]) -> float:
    """Return the shortest delay of the job's paths: between sites if it spans several, else within; 0 if none."""
    used = [node for node in topology.nodes if node.name in set(hosts)]
    between: list[float] = []
    within: list[float] = []
    for source, destination in permutations(used, 2):
        delays = within if source.site == destination.site else between
        delays.append(path(topology, source.name, destination.name).delay_seconds)
    return min(between or within or [0.0])
