"""Counts what an emulated network loses of one launch though nobody asked for it: no link's counters show it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rankwise.core import process
from rankwise.core.errors import HostError
from rankwise.core.network import LostFrames
from rankwise.core.units import whole_number
from rankwise.testbeds.link_control import LinkControl

_LIMIT_SECONDS = 10.0
_RING = "/sys/class/net/eth0/statistics/tx_dropped"
"""What the kernel of a node dropped because the emulator had not yet read what was sent before."""


class LossWatch:
    """A loss watch knows what was lost before a launch, and says after it what was lost since."""

    def __init__(self, folder: Path, nodes: Sequence[str]) -> None:
        """Begin to watch these nodes. Raises HostError if one of them is gone."""
        self._shell = folder / "rsh"
        self._control = LinkControl(folder / "link")
        self._nodes = tuple(nodes)
        self._before = self._ring_drops()

    def lost(self) -> LostFrames:
        """Return what was lost since then; the emulator counts from its last reset. Raises HostError."""
        unknown, malformed, undeliverable = self._control.lost_frames()
        return LostFrames(self._ring_drops() - self._before, unknown, malformed, undeliverable)

    def _ring_drops(self) -> int:
        return sum(map(self._drops_of, self._nodes))

    def _drops_of(self, node: str) -> int:
        # with a mark of its own it would look for descendants, of which there are none
        outcome = process.run(
            (str(self._shell), "-e", node, "cat", _RING), _LIMIT_SECONDS, mark=process.new_mark()
        )
        if outcome.returncode != 0 or whole_number(outcome.stdout.strip()) is None:
            said = outcome.stderr.strip() or "it did not answer"
            raise HostError(
                f"cannot read what the NIC of node {node} dropped: {said}", "bring the testbed up again"
            )
        return int(outcome.stdout)
