"""The packages of a host's cores, from the XML file that hwloc's `lstopo` writes."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from rankwise.core.errors import InputError

_REMEDY = "write it on one of the hosts: lstopo host.xml"


def packages_of(path: Path) -> tuple[int, ...]:
    """Return the number of cores in each package, in hwloc's (logical) order.

    Raises InputError for a file that cannot be read or has no packages with cores.
    """
    try:
        root = ET.parse(path).getroot()
    except (OSError, ET.ParseError) as error:
        raise InputError(f"cannot read the topology {path}: {error}", _REMEDY) from error
    packages = [one for one in root.iter("object") if one.get("type") in {"Package", "Socket"}]  # hwloc 1: Socket
    counts = tuple(sum(part.get("type") == "Core" for part in one.iter("object")) for one in packages)
    if not counts or 0 in counts:
        raise InputError(f"{path} has no packages with cores", _REMEDY)
    return counts
