"""What the words for kinds of emulated hosts stand for: hardware, and the queues where none are given."""

from __future__ import annotations

from dataclasses import dataclass

from rankwise.core.network import Hardware

_KIB = 1024


@dataclass(frozen=True, slots=True)
class NicProfile:
    """A NIC profile is the defaults of a description; whatever it says itself wins."""

    hardware: Hardware
    nic_queue_bytes: int
    uplink_queue_bytes: int = 0
    """0: what is on its way during one round trip, at least as much as a NIC's queue."""
    link_queue_bytes: int = 0


NIC_PROFILES = {
    "modern": NicProfile(Hardware("modern"), nic_queue_bytes=1024 * _KIB),
    # A Gigabit Ethernet host of 2006: sending and receiving at once share its bus, and receiving wins.
    # Super-packets of 9000 bytes keep the shares of concurrent flows fine-grained.
    "gige-2006": NicProfile(
        Hardware("gige-2006", segment_limit_bytes=9000, acknowledgements_first=True, bus=1.25),
        nic_queue_bytes=1024 * _KIB,
    ),
    # Cheap switches: bursts of several senders overflow them, so that TCP loses packets and retransmits.
    "lossy": NicProfile(
        Hardware("lossy", segment_limit_bytes=9000),
        nic_queue_bytes=64 * _KIB,
        uplink_queue_bytes=128 * _KIB,
        link_queue_bytes=256 * _KIB,
    ),
}
