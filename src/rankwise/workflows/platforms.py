"""Platforms as files: read, compared, and exchanged with SimGrid."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from rankwise.core.errors import InputError
from rankwise.core.platform import Platform
from rankwise.core.units import format_share
from rankwise.platforms import platform_file
from rankwise.platforms.simgrid_reading import MOST_BYTES, read_simgrid
from rankwise.platforms.simgrid_writing import reference_class, simgrid_xml
from rankwise.platforms.simulator_json import simulator_json

FORMATS = ("simgrid", "simulator")
"""What a platform is exported as: SimGrid's XML, or the JSON that `rankwise-sim` reads."""
Row = tuple[str, str, str, str]


def read(path: Path) -> Platform:
    """Return the platform in a file. Raises InputError with file, line and key for what is none."""
    return platform_file.read(path)


def exported(platform: Platform, form: str) -> str:
    """Return the text of a platform in another format."""
    return simgrid_xml(platform) if form == "simgrid" else simulator_json(platform) + "\n"


def lost_in_export(platform: Platform, form: str) -> str:
    """Return what the format cannot hold; '' if nothing."""
    if form == "simulator" or len(platform.classes) < 2:
        return ""
    return f"SMPI has one set of costs by message size: those of '{reference_class(platform)}' are written"


def imported(path: Path) -> Platform:
    """Return the platform of a SimGrid file. Raises InputError with file and line for what is not known here."""
    text = platform_file.contents(path, MOST_BYTES)
    if not text.lstrip().startswith("<"):
        raise InputError(f"{path}: this is not XML", "name a SimGrid platform; a platform.toml needs no import")
    return read_simgrid(text, str(path))


def write(path: Path, text: str) -> None:
    """Write a text, whole or not at all. Raises HostError."""
    platform_file.write(path, text)


def text_of(platform: Platform) -> str:
    """Return a platform as `platform.toml` has it."""
    return platform_file.platform_text(platform)


def difference(platform: Platform, other: Platform) -> list[Row]:
    """Return each parameter that differs: its name, both values, and whether their intervals overlap.

    Numbers are compared where both have them; provenance and intervals are no parameters.
    """
    first, second = dict(_flat(platform)), dict(_flat(other))
    rows = []
    for name in dict.fromkeys((*first, *second)):
        a, b = first.get(name), second.get(name)
        if a != b:
            rows.append((name, _word(a), _word(b), _meaning(name, a, b, platform, other)))
    return rows


def _meaning(name: str, a: Any, b: Any, platform: Platform, other: Platform) -> str:
    if not isinstance(a, int | float) or not isinstance(b, int | float):
        return ""
    text = f"{'+' if b > a else '-'}{format_share(abs(b - a) / abs(a))}" if a else ""
    own, others = platform.intervals.get(name), other.intervals.get(name)
    if own and others:
        overlap = own.low <= others.high and others.low <= own.high
        text += ", within the intervals" if overlap else ", beyond the intervals"
    return text


def _word(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


_NO_PARAMETERS = ("provenance", "intervals", "misfits", "not_identified")


def _flat(value: Any, name: str = "") -> list[tuple[str, Any]]:
    """Parameters by the names that intervals have: `classes.lan.ranges.0.latency_seconds`."""
    if isinstance(value, tuple) and value and hasattr(value[0], "__dataclass_fields__"):
        return [
            pair
            for index, record in enumerate(value)
            for pair in _flat(record, f"{name}.{_own_name(record) or index}".lstrip("."))
        ]
    if hasattr(value, "__dataclass_fields__"):
        own = [field.name for field in fields(value) if field.name not in ("name", *_NO_PARAMETERS)]
        return [pair for key in own for pair in _flat(getattr(value, key), f"{name}.{key}".lstrip("."))]
    return [(name, ", ".join(value) if isinstance(value, tuple) else value)]


def _own_name(value: Any) -> str:
    if hasattr(value, "from_site"):
        return f"{value.from_site}.{value.to_site}"
    return getattr(value, "name", "")
