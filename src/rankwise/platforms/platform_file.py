"""`platform.toml`: a platform in one file that people can read and compare line by line."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from rankwise.core.errors import HostError, InputError
from rankwise.core.platform import CostRange, Interval, Platform
from rankwise.core.toml_places import Entry, parse
from rankwise.core.toml_records import to_plain, to_record
from rankwise.core.toml_text import toml_text
from rankwise.core.whole_files import written_beside
from rankwise.platforms.checking import check

FILE = "platform.toml"
FORMAT = "rankwise-platform 1"
MOST_BYTES = 1 << 28
_LEFT_OUT = ("provenance", "links", "intervals", "misfits", "not_identified")
"""Keys that are not written where they would be empty."""
_HEADER = """\
# A platform of Rankwise: what messages cost on a testbed with one MPI. Times are seconds, rates bytes a second.
# A range of message sizes ends with up_to_bytes; a cost that it does not name is 0. `intervals` are 95 %
# confidence intervals, by parameter; `misfits` say by what share the times of single messages that the figures
# predict are off those measured; `not_identified` says what the measurements could not tell, and why.
"""


def platform_text(platform: Platform) -> str:
    """Return the file's text. `read_text` returns the same platform."""
    plain: dict[str, Any] = {"format": FORMAT}
    for field in fields(platform):
        plain[field.name] = _plain(getattr(platform, field.name))
    plain["provenance"] = to_plain(platform.provenance)
    plain["intervals"] = {name: [interval.low, interval.high] for name, interval in platform.intervals.items()}
    first = ("format", "provenance")
    keys = [*first, *(key for key in plain if key not in first)]
    return _HEADER + toml_text({key: plain[key] for key in keys if plain[key] or key not in _LEFT_OUT})


def _plain(value: Any) -> Any:
    """Spelt out, defaults too, for a later version may have others; but of a range only the costs that it has."""
    if isinstance(value, CostRange):
        return to_plain(value)
    if is_dataclass(value) and not isinstance(value, type):
        own = {field.name: getattr(value, field.name) for field in fields(value)}
        return {name: _plain(element) for name, element in own.items() if element is not None}
    return [_plain(element) for element in value] if isinstance(value, tuple) else value


def read_text(text: str, file: str) -> Platform:
    """Return the platform of a text. Raises InputError with file, line and key for what cannot be one."""
    top = parse(text, file)
    table: dict[str, Entry] = dict(top.value)
    form = table.pop("format", None)
    if form is None:
        raise top.refused(
            "this is not a platform: the key format is missing",
            f'name a file of `rankwise fit`, whole; one that is written by hand begins with format = "{FORMAT}"',
        )
    if form.value != FORMAT:
        raise form.refused(
            f'expected "{FORMAT}"', "measure it again with `rankwise fit`, or take a newer Rankwise"
        )
    intervals = _table(table.pop("intervals", None))
    misfits = _table(table.pop("misfits", None))
    unknown = _table(table.pop("not_identified", None))
    platform = to_record(Platform, replace(top, value=table))
    check(platform, replace(top, value=table))
    return replace(
        platform,
        intervals={name: _interval(interval) for name, interval in intervals.items()},
        misfits={name: _number(misfit) for name, misfit in misfits.items()},
        not_identified={name: _reason(reason) for name, reason in unknown.items()},
    )


def read(path: Path) -> Platform:
    """Return the platform in a file. Raises InputError as `read_text`, and for a file that cannot be read."""
    return read_text(contents(path), str(path))


def contents(path: Path, most_bytes: int = MOST_BYTES) -> str:
    """Return the text of a platform's file of any format. Raises InputError for one that cannot be read."""
    try:
        if path.stat().st_size > most_bytes:
            raise InputError(
                f"{path}: larger than {most_bytes >> 20} MiB: this is not a platform", "name its file"
            )
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}", "name a file of `rankwise fit`") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: this is not text (UTF-8)", "name a file of `rankwise fit`") from error


def write(path: Path, text: str) -> None:
    """Write a platform's text, whole or not at all. Raises HostError where that is impossible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_beside(path) as beside:
            beside.write_text(text, encoding="utf-8")
    except OSError as error:
        raise HostError(f"{path} cannot be written: {error.strerror}", "name another file with -o") from error


def _table(entry: Entry | None) -> dict[str, Entry]:
    if entry is None:
        return {}
    if not isinstance(entry.value, dict):
        raise entry.refused("must be a table", "write keys below a [header]")
    return entry.value


def _interval(entry: Entry) -> Interval:
    ends = [end.value for end in entry.value] if isinstance(entry.value, list) else []
    if len(ends) != 2 or not all(isinstance(end, int | float) and math.isfinite(end) for end in ends):
        raise entry.refused("must be an interval", "write [low, high]")
    if ends[0] > ends[1]:
        raise entry.refused("invalid interval: low is larger than high", "write [low, high]")
    return Interval(float(ends[0]), float(ends[1]))


def _number(entry: Entry) -> float:
    if type(entry.value) not in (int, float) or not math.isfinite(entry.value):
        raise entry.refused("must be a number", "correct that line")
    return float(entry.value)


def _reason(entry: Entry) -> str:
    if not isinstance(entry.value, str):
        raise entry.refused("must be a string", "give the reason")
    return entry.value
