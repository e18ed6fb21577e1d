"""A platform's parameters by name, as `platform.toml` names them in its intervals: read one, or change it."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from rankwise.core.errors import InputError
from rankwise.core.platform import Platform
from rankwise.core.units import whole_number

_GROUPS = ("classes", "links", "models", "sites")


def value_of(platform: Platform, path: str) -> float:
    """Return the figure of this name: `classes.lan.ranges.0.latency_seconds`. Raises InputError."""
    record, rest = _record(platform, path)
    value = getattr(record, rest, None)
    if not isinstance(value, int | float):
        raise InputError(f"the platform has no parameter {path}", "look at its file")
    return float(value)


def with_value(platform: Platform, path: str, value: float) -> Platform:
    """Return the platform with another figure of this name. Raises InputError."""
    kind = type(getattr(_record(platform, path)[0], path.rpartition(".")[2], 0.0))
    return _changed(platform, path, round(value) if kind is int else value)


def _record(platform: Platform, path: str) -> tuple[Any, str]:
    """What has the field, and the field's name."""
    group, _, rest = path.partition(".")
    if group not in _GROUPS:
        return platform, path
    for part in getattr(platform, group):
        if rest.startswith(f"{part.name}."):
            inner = rest[len(part.name) + 1 :]
            if not inner.startswith("ranges."):
                return part, inner
            number, _, field = inner.removeprefix("ranges.").partition(".")
            place = whole_number(number)
            if place is not None and place < len(part.ranges):
                return part.ranges[place], field
    raise InputError(f"the platform has no parameter {path}", "look at its file")


def _changed(platform: Platform, path: str, value: float) -> Platform:
    record, field = _record(platform, path)
    if field not in {known_field.name for known_field in fields(record)}:
        raise InputError(f"the platform has no parameter {path}", "look at its file")
    made: Any = replace(record, **{field: value})
    if isinstance(made, Platform):
        return made
    group = path.partition(".")[0]
    if ".ranges." in path:
        return replace(platform, classes=tuple(
            replace(pair_class, ranges=tuple(made if it is record else it for it in pair_class.ranges))
            for pair_class in platform.classes
        ))  # fmt: skip
    known = tuple(made if part is record else part for part in getattr(platform, group))
    changes: dict[str, Any] = {group: known}
    return replace(platform, **changes)
