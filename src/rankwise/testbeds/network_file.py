"""Writes a `Topology` as the text that `rankwise-nodes` and `rankwise-link` read: words and plain numbers."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from rankwise.core.errors import InputError
from rankwise.core.network import Hardware, Link, Node, Topology

REALTIME_PRIORITY = 50
"""Of SCHED_FIFO, for the link emulator where this is allowed: above all ordinary work, below the kernel's own."""

SPIN_SECONDS = 100e-6
"""How long the emulator waits busily before a packet is due: sleeping wakes it that late now and then."""

_SHARED_BITS = 16
_LEAST_DELAY = 1e-9
_TOO_LARGE = 1e15


def network_text(topology: Topology) -> str:
    """Return the file's text. Raises InputError for what cannot be written: names with blanks, bad addresses."""
    lines = [
        f"# testbed {_word(topology.name)}",
        *_options(topology.hardware),
        *(_link(link) for link in topology.links),
        *_nodes(topology),
        *(" ".join(["route", *map(_word, (r.source, r.destination, *r.links))]) for r in topology.routes),
    ]
    return "\n".join(lines) + "\n"


def _options(hardware: Hardware) -> Iterator[str]:
    yield f"option mtu {hardware.mtu_bytes}"
    yield f"option segment_limit {hardware.segment_limit_bytes}"
    yield f"option served_queues {int(hardware.served_queues)}"
    yield f"option acknowledgements_first {int(hardware.acknowledgements_first)}"
    yield f"option bus {_number(hardware.bus)}"
    yield f"option realtime {REALTIME_PRIORITY}"
    yield f"option spin {_nanoseconds(SPIN_SECONDS)}"


def _link(link: Link) -> str:
    fields = (
        "link", _word(link.name), _number(link.rate_bits_per_second), _nanoseconds(link.delay_seconds),
        link.queue_bytes, _nanoseconds(link.jitter_seconds), link.jitter_distribution, _number(link.loss),
        _number(link.loss_burst),
    )  # fmt: skip
    return " ".join(map(str, fields))


def _nodes(topology: Topology) -> Iterator[str]:
    bits = _network_bits(topology.nodes)
    for node in topology.nodes:
        fields = map(_word, (node.name, node.site, f"{node.address}/{bits}", node.out, node.into))
        yield " ".join(["node", *fields])
        for key, value in node.settings:
            if not value.split() or "#" in value or not value.replace("\t", " ").isprintable():
                raise InputError(
                    f"node {node.name}: '{value}' is not a valid value of {key}", "write what sysctl takes"
                )
            yield " ".join(["setting", node.name, _word(key), *value.split()])


def _network_bits(nodes: tuple[Node, ...]) -> int:
    """Of the one network that all nodes are in: 16, or fewer if their addresses differ earlier."""
    if not nodes:
        raise InputError("the testbed has no nodes", "give a site at least one node")
    numbers = []
    for node in nodes:
        try:
            numbers.append(int(ipaddress.IPv4Address(node.address)))
        except ValueError as error:
            raise InputError(
                f"node {node.name}: '{node.address}' is not an IPv4 address", "write four numbers: 10.77.1.1"
            ) from error
    differing = max(number ^ numbers[0] for number in numbers)
    return min(_SHARED_BITS, 32 - differing.bit_length())


def _word(text: str) -> str:
    """A word in the file: without blanks, which part words, and '#', which begins a comment."""
    if not text or not text.isprintable() or " " in text or "#" in text:
        raise InputError(f"'{text}' cannot name a part of a testbed", "use letters, digits, '-' and '.'")
    return text


def _nanoseconds(seconds: float) -> int:
    return round(_finite(seconds) / _LEAST_DELAY)


def _number(value: float) -> str:
    """Without an exponent, and no digits that are not there."""
    text = f"{_finite(value):.12f}".rstrip("0").rstrip(".")
    return text or "0"


def _finite(value: float) -> float:
    if not 0 <= value < _TOO_LARGE:
        raise InputError(f"{value} is not a rate, delay or share", "write a number from 0 on that a link can have")
    return value
