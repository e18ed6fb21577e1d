"""TCP and kernel settings of emulated nodes: what `[tcp]` says, as sysctl names and values."""

from __future__ import annotations

import re

from rankwise.core.errors import InputError
from rankwise.core.host_settings import CATALOGUE, CONGESTION_CONTROL, NO_METRICS_SAVE, TCP_RMEM, TCP_WMEM
from rankwise.core.network import Settings
from rankwise.core.toml_places import Entry
from rankwise.testbeds.description.section import Section, size_bytes

DEFAULTS: Settings = (
    # Spelt out, so that a testbed is the same on every host: what Linux gives a host with memory to spare ...
    (CONGESTION_CONTROL, "cubic"),
    (TCP_RMEM, "4096 131072 6291456"),
    (TCP_WMEM, "4096 16384 4194304"),
    # ... except that a new connection must not begin with what an earlier one learnt of the path.
    (NO_METRICS_SAVE, "1"),
)
_KEYS = {setting.key: setting.name for setting in CATALOGUE if setting.key}
_LIMITS = {key: name for key, name in _KEYS.items() if name != CONGESTION_CONTROL}
"""Keys that take three sizes; the other takes a word."""
_NAME = re.compile(r"[\w./-]+", re.ASCII)
_PREFIXES = ("net.ipv4.", "net.core.")


def settings(tables: list[Entry]) -> Settings:
    """Return the settings of a node from its `[tcp]` tables, the most special one last."""
    merged = dict(DEFAULTS)
    for table in tables:
        merged.update(_read(table))
    return tuple(sorted(merged.items()))


def _read(table: Entry) -> dict[str, str]:
    if not isinstance(table.value, dict):
        raise table.refused("must be a table", "write its keys below [tcp]")
    named = {key: entry for key, entry in table.value.items() if not _is_sysctl(key)}
    section = Section(Entry(named, table.key, table.file, table.line), tuple(_KEYS))
    given = {}
    if "congestion_control" in section:
        word = section.text("congestion_control")
        if not word.isascii() or not word.replace("_", "").isalnum():
            raise section["congestion_control"].refused(f"'{word}' is not valid", 'write "cubic", "reno" or "bbr"')
        given[CONGESTION_CONTROL] = word
    for key, name in _LIMITS.items():
        if key in section:
            given[name] = _limits(section[key])
    for key, entry in table.value.items():
        if _is_sysctl(key):
            given.update(_sysctls(f"net.ipv4.{key}" if key.startswith("tcp_") else key, entry))
    return given


def _is_sysctl(key: str) -> bool:
    """`net` alone too: without quotation marks, dots make tables of a name."""
    return key == "net" or key.startswith(("tcp_", *_PREFIXES))


def _sysctls(name: str, entry: Entry) -> dict[str, str]:
    """One setting; or several, where dots in an unquoted name have made tables of it."""
    if isinstance(entry.value, dict):
        below: dict[str, str] = {}
        for key, nested in entry.value.items():
            below.update(_sysctls(f"{name}.{key}", nested))
        return below
    if not name.startswith(_PREFIXES):
        raise entry.refused("is not a setting of a node's network", "write names below net.ipv4. or net.core.")
    if not _NAME.fullmatch(name):
        raise entry.refused("invalid name of a setting", "write letters, digits, '_', '-', '/' and '.'")
    return {name: _words(entry)}


def _words(entry: Entry) -> str:
    value = entry.value
    if isinstance(value, list):
        return " ".join(_words(element) for element in value)
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str) and value.strip() and value.replace("\t", " ").isprintable() and "#" not in value:
        return " ".join(value.split())
    if isinstance(value, int) and abs(value) < 1 << 64:
        return str(value)
    raise entry.refused("is not a valid kernel setting", "write a whole number, a text, or a list of these")


def _limits(entry: Entry) -> str:
    """Least, initial and largest size of a socket's buffer."""
    value = entry.value
    texts = value.split() if isinstance(value, str) else []
    if isinstance(value, list):
        texts = [element.value for element in value]
    remedy = 'write the least, initial and largest size: ["4 KiB", "128 KiB", "4 MiB"]'
    try:
        sizes = [size_bytes(word) for word in texts]
    except InputError as error:
        raise entry.refused(str(error), remedy) from error
    if len(sizes) != 3:
        raise entry.refused(f"has {len(sizes)} sizes instead of three", remedy)
    if not 0 < sizes[0] <= sizes[1] <= sizes[2]:
        raise entry.refused(f"{sizes[0]}, {sizes[1]}, {sizes[2]} are not in ascending order", remedy)
    return " ".join(map(str, sizes))
