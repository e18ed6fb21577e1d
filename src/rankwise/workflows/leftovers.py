"""What a killed Rankwise left behind: processes and testbeds that belong to nobody any more."""

from __future__ import annotations

from rankwise.core import process
from rankwise.testbeds import running


def clear() -> None:
    """End the processes and take down the testbeds whose owners are gone."""
    process.end_orphans()
    running.clear_left_over()
