"""Warnings about the measurements, each with what to do."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.core.records import Notice
from rankwise.report.page import Section


def notices(found: Sequence[Notice]) -> Section | None:
    """Return the list of warnings; None where there is none."""
    return Section("notices", {"notices": found}) if found else None
