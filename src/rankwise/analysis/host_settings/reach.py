"""Which messages a setting of the hosts can act on at all."""

from __future__ import annotations

from rankwise.analysis.host_settings.buffers import HEADROOM, HELD_BACK
from rankwise.analysis.host_settings.variants import FIRST_SEGMENTS
from rankwise.core.host_settings import SLOW_START_AFTER_IDLE, TCP_RMEM, TCP_WMEM
from rankwise.core.network import Settings

FIRST_BYTES = FIRST_SEGMENTS * 1448
"""What a connection sends at once: neither limits nor windows hold it back."""


def reaches(settings: Settings, before: Settings, product_bytes: float, size_bytes: int) -> bool:
    """Return whether any of the settings can act on messages of this size.

    `before`: what is in force without them; `product_bytes`: bandwidth times round trip of the messages' path.
    A limit of buffers acts on what is larger than the share of it that carries data, where the path would hold as
    much.
    """
    known = dict(before)

    def acts(name: str) -> bool:
        if name in (TCP_RMEM, TCP_WMEM):
            limits = known.get(name, "").split()
            limit = int(limits[-1]) if limits and limits[-1].isdigit() else 0
            return size_bytes > max(limit / HEADROOM, FIRST_BYTES) and product_bytes >= HELD_BACK * limit
        return name != SLOW_START_AFTER_IDLE or (size_bytes > FIRST_BYTES and product_bytes > FIRST_BYTES)

    return any(acts(name) for name, _ in settings)
