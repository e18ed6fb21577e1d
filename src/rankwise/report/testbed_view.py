"""Testbeds in the terminal: the presets, and which are up."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rankwise.core.errors import HostError
from rankwise.core.network import Topology
from rankwise.core.units import format_duration
from rankwise.report.drawing import topology_svg
from rankwise.report.path_table import path_table
from rankwise.testbeds.check import PathCheck
from rankwise.testbeds.running import Running


def testbed_parts(presets: Mapping[str, Topology], up: Iterable[Running]) -> Iterator[RenderableType]:
    """Yield a table of the presets, then a line for each testbed that is up."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("preset", no_wrap=True)
    table.add_column("nodes", justify="right")
    table.add_column("what it is")
    for name, topology in presets.items():
        table.add_row(name, str(len(topology.nodes)), Text(topology.description))
    yield table
    for running in up:
        since = format_duration(time.time() - running.started_at)
        whose = " by a command that is running" if running.attached else ""
        yield Text(f"\n{running.name} is up for {since}{whose}: {', '.join(running.nodes)}")


def check_parts(checks: Sequence[PathCheck], *, judged: bool) -> Iterator[RenderableType]:
    """Yield the table of measured paths, then what is not as asked for."""
    yield path_table(checks, judged=judged)
    for check in checks:
        for complaint in check.complaints:
            yield Text(f"{check.figures.source} - {check.figures.destination}: {complaint}")


def write_svg(topology: Topology, path: Path) -> None:
    """Draw a testbed into a file. Raises HostError if it cannot be written."""
    try:
        path.write_text(topology_svg(topology, alone=True), encoding="utf-8")
    except OSError as error:
        raise HostError(f"cannot write {path}: {error.strerror}", "give another place for it") from error
