"""Settings of the kernels and NICs of a testbed's hosts: read back, and which of them a launch can set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import psutil

from rankwise.core.network import MTU, Settings
from rankwise.core.records import Command, LaunchSteps
from rankwise.profiles.checking import host_has
from rankwise.testbed.base import TestbedKind

_LIMIT_SECONDS = 20.0
_SCRIPT = """
for key; do
  if [ "$key" = mtu ]; then
    for nic in /sys/class/net/*; do [ "${nic##*/}" = lo ] || cat "$nic/mtu"; done | sort -nu | tr '\\n' ' '
    echo
  else
    cat "/proc/sys/$key" 2>/dev/null || echo
  fi
done
"""


def values(testbed: TestbedKind, keys: Sequence[str], settings: Settings = ()) -> list[str]:
    """What the first host has, in the order of `keys`, '' for a setting it does not know; MTUs of all NICs.

    `settings` are set while it is asked, and put back. Raises HostError if they cannot be.
    """
    if not keys:
        return []
    words = [key if key == MTU else key.replace(".", "/") for key in keys]
    steps = LaunchSteps(Command(("sh", "-c", _SCRIPT, "sh", *words)), settings=settings)
    hosts = [testbed.hosts()[0].name] if testbed.remote_shell() else []
    lines = [line.strip() for line in testbed.run(steps, hosts, _LIMIT_SECONDS).stdout.splitlines()]
    return [" ".join(line.split()) for line in [*lines, *([""] * len(keys))][: len(keys)]]


def known(testbed: TestbedKind, keys: Sequence[str]) -> Settings:
    """Those of `keys` that the first host has, with what is in force."""
    return tuple((key, value) for key, value in zip(keys, values(testbed, keys), strict=True) if value)


def can_set(testbed: TestbedKind) -> bool:
    """Return whether a launch may have settings of its own: on emulated nodes; hosts that are real are root's."""
    return testbed.sets_host_settings


def applied_settings(testbed: TestbedKind, settings: Settings) -> Settings:
    """Those that a launch sets by itself: all, or none."""
    return settings if can_set(testbed) else ()


def in_force(settings: Settings) -> bool:
    """Return whether this host's kernel has all of these already."""
    return all(host_has(key, value, this_hosts(key)) for key, value in settings)


def this_hosts(key: str) -> str:
    """Return this kernel's value of a setting, '' if it has none; for the MTU those of all NICs."""
    if key == MTU:
        return " ".join(str(nic.mtu) for name, nic in psutil.net_if_stats().items() if name != "lo")
    try:
        return Path("/proc/sys", *key.split(".")).read_text().strip()
    except OSError:
        return ""
