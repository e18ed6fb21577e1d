"""The catalogue of knobs: what every setting of an implementation that Rankwise knows is called, does and costs.

This is the only place that says it. A family adds its native form (`core.tuning.Knob`) in its own folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["bytes", "count", ""]
Scope = Literal["rank", "node", "job"]
Stage = Literal["values", "threshold", "collectives", ""]
Reach = Literal["between hosts", "within a host", "both"]

EAGER_THRESHOLD = "eager-threshold"
SOCKET_BUFFERS = "socket-buffers"


@dataclass(frozen=True, slots=True)
class KnobDescription:
    """A knob is one setting, under the name that all families share: `eager-threshold`."""

    name: str
    title: str
    """As people write it in a sentence."""
    purpose: str = ""
    """What it changes, in a sentence."""
    unit: Unit = ""
    """Of its value; '' where the value is one of several words."""
    scope: Scope = "rank"
    """What it is a property of: each rank may have its own, all ranks of a node share it, or the whole job."""
    reach: Reach = "both"
    """Which messages it acts on."""
    stage: Stage = ""
    """What tunes it: its values against each other in messages or in collectives, the search for a threshold, or
    '': nothing does."""
    cost: str = ""
    """What more of it costs, in a sentence; '' where nothing but time is at stake."""
    tried: tuple[str, ...] = ()
    """The values worth a trial, where the knob takes any number."""
    operations: tuple[str, ...] = ()
    """The collective operations that it acts on; empty: all."""
    on_shared_hosts: bool = False
    """It has nothing to do where each rank has a host of its own."""


_ALL = (
    KnobDescription(
        SOCKET_BUFFERS, "TCP socket buffers", "send and receive buffer of each TCP connection", unit="bytes",
        reach="between hosts", stage="values", cost="kernel memory of up to this size for each connection",
    ),
    KnobDescription(
        "tcp-connections", "TCP connections", "TCP connections between two ranks, on each network", unit="count",
        reach="between hosts", stage="values", cost="as many times the sockets and their buffers",
        tried=("2", "4"),
    ),
    KnobDescription(
        "tcp-piece-size", "piece size over TCP",
        "the size of the pieces in which the library hands messages to TCP", unit="bytes",
        reach="between hosts", stage="values", cost="memory for each piece under way", tried=("65536",),
    ),
    KnobDescription(
        "transport", "transport between hosts", "what carries messages between hosts", scope="job",
        reach="between hosts", stage="values",
    ),
    KnobDescription(
        "transport-shm", "transport within a host", "how long messages reach a rank of the same host",
        scope="node", reach="within a host", stage="values",
    ),
    KnobDescription(
        "cells-shm", "cells of shared memory", "the size of the pieces that messages within a host are cut into",
        unit="bytes", scope="node", reach="within a host", stage="values", cost="shared memory for each pair",
    ),
    KnobDescription(
        EAGER_THRESHOLD, "eager threshold between hosts",
        "messages of up to about this size between hosts are sent before the receiver asks for them",
        unit="bytes", reach="between hosts", stage="threshold",
        cost="memory for unexpected messages",
    ),
    KnobDescription(
        "eager-threshold-shm", "eager threshold within a host",
        "messages of up to about this size within a host are sent before the receiver asks for them",
        unit="bytes", scope="node", reach="within a host", stage="threshold",
        cost="shared memory for unexpected messages",
    ),
    KnobDescription(
        "yielding", "yielding", "a rank that waits lets others use its core", stage="collectives",
        on_shared_hosts=True,
        cost="a later answer where each rank has a core of its own",
    ),
    KnobDescription(
        "han", "hierarchical collectives", "collective operations go in two steps, within hosts and between them",
        scope="job", stage="collectives", on_shared_hosts=True,
    ),
    KnobDescription(
        "adapt", "event-driven collectives",
        "broadcasts and reductions continue whenever a message arrives, without waiting for others", scope="job",
        stage="collectives", operations=("bcast", "reduce", "ibcast", "ireduce"),
    ),
    KnobDescription(
        "fabrics", "fabrics",
        "whether ranks of one host use shared memory or the same transport as between hosts", scope="job",
        reach="within a host", stage="collectives", on_shared_hosts=True,
    ),
)  # fmt: skip
CATALOGUE = {knob.name: knob for knob in _ALL}


def described(name: str) -> KnobDescription:
    """Return the description of a knob; one that only a plug-in's family has is described by its name alone."""
    return CATALOGUE.get(name) or KnobDescription(name, name)


def tried_by(stage: Stage, reach: Reach | None = None) -> tuple[str, ...]:
    """Return the names of the knobs that a stage of tuning tries for such messages (None: for any), in order."""
    return tuple(knob.name for knob in _ALL if knob.stage == stage and reach in (None, knob.reach))
