"""Descriptions of testbeds: a preset, or a TOML file, into a `Topology` with everything spelt out.

A file may build on another: `include = "grid5000-2007"`. Tables are merged key by key, entries of `[[link]]`,
`[[route]]` and `[[host]]` where they name the same sites or host, and what the including file says wins.
"""

from __future__ import annotations

from pathlib import Path

from rankwise.core import registry
from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.network import Topology
from rankwise.core.toml_places import Entry, parse
from rankwise.testbeds.base import kind_named

_OWN_PRESETS = Path(__file__).parent / "presets"
_DEFAULT_KIND = "emulated"
LOCAL = "local"
"""This host, which needs no description."""
_IDENTITY = {"link": "between", "route": "between", "host": "name"}


def presets() -> dict[str, Path]:
    """Return the files of the presets by name; a plug-in folder's `testbed/NAME.toml` replaces ours."""
    folders = [_OWN_PRESETS, *registry.plugin_folders("testbeds")]
    return {file.stem: file for folder in folders for file in sorted(folder.glob("*.toml"))}


def complete_names(_context: object, _parameter: object, incomplete: str) -> list[str]:
    """Return the presets that begin so, for a shell's completion (click's `shell_complete`)."""
    return [name for name in presets() if name.startswith(incomplete)]


def load(name_or_path: str) -> Topology:
    """Return the testbed of this preset or TOML file, or this host. Raises InputError with file, line and key."""
    known = presets()
    if name_or_path in known:
        return read(known[name_or_path])
    if name_or_path == LOCAL:
        return kind_named(LOCAL).describe(parse("", LOCAL), LOCAL)
    path = Path(name_or_path)
    if path.is_file():
        return read(path)
    if path.suffix == ".toml" or len(path.parts) > 1:
        raise InputError(f"file not found: {name_or_path}", f"give a TOML file, or one of: {', '.join(known)}")
    raise UnknownNameError("testbed", name_or_path, known)


def read(path: Path) -> Topology:
    """Return the testbed that this file describes, as its kind reads it. Raises InputError with its place."""
    table = _included(path, ())
    kind = table.value.get("kind")
    try:
        described_by = kind_named(str(kind.value) if kind else _DEFAULT_KIND)
    except UnknownNameError as error:
        raise (kind or table).refused(str(error), error.remedy) from error
    return described_by.describe(table, path.stem)


def _included(path: Path, above: tuple[Path, ...]) -> Entry:
    """The file's table, merged over what it includes."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"cannot read {path}: {reason}", "give a TOML file that describes a testbed") from error
    table = parse(text, path.name if path.parent == _OWN_PRESETS else str(path))
    include = table.value.pop("include", None)
    if include is None:
        return table
    below = _included_file(include, path)
    if below.resolve() in (file.resolve() for file in (path, *above)):
        raise include.refused(f"'{include.value}' includes this file again", "leave one of the two includes out")
    return _merged(_included(below, (path, *above)), table)


def _included_file(include: Entry, path: Path) -> Path:
    name = include.value
    if not isinstance(name, str):
        raise include.refused("must be the name of a preset or a file", 'write include = "cluster"')
    known = presets()
    if name in known:
        return known[name]
    file = path.parent / name
    if not file.is_file():
        error = UnknownNameError("preset", name, known)
        raise include.refused(f"there is neither a preset nor a file '{name}'", error.remedy)
    return file


def _merged(below: Entry, above: Entry, key: str = "") -> Entry:
    """`above` wins; where both are tables, or lists of the same named things, they are merged."""
    low, high = below.value, above.value
    if isinstance(low, dict) and isinstance(high, dict):
        both = {name: _merged(low[name], high[name], name) for name in low if name in high}
        return Entry({**low, **high, **both}, above.key, above.file, above.line)
    if isinstance(low, list) and isinstance(high, list) and key in _IDENTITY:
        old = {_identity(element, key): element for element in low}
        new = {_identity(element, key): element for element in high}
        if len(old) < len(low) or len(new) < len(high):  # named twice: the one who reads it says so
            return Entry([*low, *high], above.key, above.file, above.line)
        both = {name: _merged(old[name], new[name]) for name in old if name in new}
        return Entry(list({**old, **new, **both}.values()), above.key, above.file, above.line)
    return above


def _identity(element: Entry, key: str) -> str:
    """What two elements have in common that mean the same link (its sites in this order) or host."""
    table = element.value if isinstance(element.value, dict) else {}
    name = table.get(_IDENTITY[key])
    if name is None:
        return element.place
    parts = name.value if isinstance(name.value, list) else [name]
    return " ".join(str(word.value) for word in parts)
