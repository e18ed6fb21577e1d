"""Sections that pages of several kinds have: warnings, the testbed, where the numbers come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from rankwise.core.network import NetworkFigures, PathFigures, Topology
from rankwise.core.records import Notice
from rankwise.report import network as rows
from rankwise.report.context import ReportContext
from rankwise.report.drawing import topology_svg
from rankwise.report.page import Choice, Section


def notices(warnings: Sequence[Notice]) -> Section | None:
    """Return the list of warnings; None where there is none."""
    return Section("notices", {"notices": warnings}) if warnings else None


def testbed(
    topology: Topology | None,
    paths: Sequence[PathFigures],
    network: NetworkFigures | None,
    warnings: Sequence[Notice] = (),
) -> Section | None:
    """Return what is known of the testbed; None where there is no network to describe.

    Of `warnings` the section refers to those of the testbed itself.
    """
    if topology is None and network is None:
        return None
    emulator = network.emulator if network else ()
    lateness = [Choice("", {"lateness": rows.emulator_figure(emulator)})] if emulator else []
    return Section(
        "testbed",
        {
            "topology": topology,
            "drawing": drawing(topology, paths) if topology else "",
            "paths": paths,
            "path_rows": rows.path_rows(paths),
            "network": network,
            "links": rows.link_rows(network, topology) if network else [],
            "emulator_rows": rows.emulator_rows(emulator),
            "hardware_rows": rows.hardware_rows(topology) if topology else [],
            "warnings": list(dict.fromkeys(notice.kind for notice in rows.warnings(warnings))),
        },
        link="Testbed",
        choices={"emulator": lateness} if lateness else {},
    )


def drawing(topology: Topology, paths: Sequence[PathFigures]) -> Markup:
    """Return the picture of a testbed for a template."""
    return Markup(topology_svg(topology, paths))


def provenance(
    context: ReportContext, *, alpha: float, delta: float, starts: Mapping[str, int] | None = None
) -> Section:
    """Return all that it takes to measure the run again; `starts`: how many cells began repetitions in which way.

    `alpha` is the family-wise error of the page's tests, `delta` the difference up to which times count as equal.
    """
    return Section(
        "provenance",
        {"context": context, "alpha": alpha, "delta": delta, "starts": starts or {}},
        link="Provenance",
    )
