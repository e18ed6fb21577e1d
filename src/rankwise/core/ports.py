"""Ports for programs that are told where to listen before they start."""

from __future__ import annotations

import contextlib
import secrets
import socket
from pathlib import Path

_GIVEN_AWAY = Path("/proc/sys/net/ipv4/ip_local_port_range")
_FIRST, _LAST = 20_000, 65_535
_TRIES = 100


def free_port() -> int:
    """Return a TCP port that nobody on this host has now, and that its kernel gives to nobody who asks for any.

    Whoever is told it can listen there some time later: until then, other programs come and go at other ports.
    Raises OSError if this host has none left.
    """
    low, high = (int(word) for word in _GIVEN_AWAY.read_text().split())
    kept = [*range(_FIRST, low), *range(max(high, _FIRST) + 1, _LAST + 1)]
    for port in secrets.SystemRandom().sample(kept, min(_TRIES, len(kept))):
        with contextlib.suppress(OSError):
            return _bound(port)
    return _bound(0)


def _bound(port: int) -> int:
    with socket.socket() as listener:
        listener.bind(("", port))
        return int(listener.getsockname()[1])
