"""The packages of a host's cores, from the XML file that hwloc's `lstopo` writes."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

from rankwise.core.errors import InputError

_REMEDY = "write it on one of the hosts: lstopo host.xml"
_PACKAGES = frozenset({"Package", "Socket"})  # hwloc 1: Socket
_NUMA = "NUMANode"


def packages_of(path: Path) -> tuple[int, ...]:
    """Return the number of cores in each package, in hwloc's (logical) order; without packages, of each NUMA node.

    Raises InputError for a file that cannot be read or has neither with cores.
    """
    try:
        root = ET.parse(path).getroot()
    except (OSError, ET.ParseError) as error:
        raise InputError(f"cannot read the topology {path}: {error}", _REMEDY) from error
    packages = [element for element in root.iter("object") if element.get("type") in _PACKAGES] or list(
        _around_memory(root)
    )
    counts = tuple(sum(part.get("type") == "Core" for part in element.iter("object")) for element in packages)
    if not counts or 0 in counts:
        raise InputError(f"{path} has no packages with cores", _REMEDY)
    return counts


def _around_memory(root: ET.Element) -> Iterator[ET.Element]:
    """What has the cores of each NUMA node: beside it (hwloc 2), or within it (hwloc 1)."""
    for element in root.iter("object"):
        nodes = [child for child in element.findall("object") if child.get("type") == _NUMA]
        within = [node for node in nodes if node.find(".//object[@type='Core']") is not None]
        if nodes:
            yield from within or [element]
