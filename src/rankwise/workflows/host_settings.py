"""Settings of the kernels and NICs of a testbed's hosts: read back, and which of them a launch can set."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.core.host_settings import setting
from rankwise.core.jobs import Command, LaunchSteps
from rankwise.core.network import Settings
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.local import LocalTestbed

_LIMIT_SECONDS = 20.0


def values(testbed: TestbedKind, keys: Sequence[str], settings: Settings = ()) -> list[str]:
    """Return what the first host has, in the order of `keys`, '' for a setting it does not know; MTUs of all NICs.

    `settings` are set while it is asked, and put back. Raises HostError if they cannot be.
    """
    if not keys:
        return []
    script = "\n".join(setting(key).read_script for key in keys)
    steps = LaunchSteps(Command(("sh", "-c", script)), settings=settings)
    hosts = [testbed.hosts()[0].name] if testbed.remote_shell() else []
    lines = [line.strip() for line in testbed.run(steps, hosts, _LIMIT_SECONDS).stdout.splitlines()]
    return [" ".join(line.split()) for line in [*lines, *([""] * len(keys))][: len(keys)]]


def known(testbed: TestbedKind, keys: Sequence[str]) -> Settings:
    """Return those of `keys` that the first host has, with what is in force."""
    return tuple((key, value) for key, value in zip(keys, values(testbed, keys), strict=True) if value)


def can_set(testbed: TestbedKind) -> bool:
    """Return whether a launch may have settings of its own: on emulated nodes; hosts that are real are root's."""
    return testbed.sets_host_settings


def applied_settings(testbed: TestbedKind, settings: Settings) -> Settings:
    """Return those that a launch sets by itself: all, or none."""
    return settings if can_set(testbed) else ()


def in_force(settings: Settings) -> bool:
    """Return whether this host has all of these already."""
    values_now = values(LocalTestbed(), [key for key, _ in settings])
    return all(setting(key).is_met(value, now) for (key, value), now in zip(settings, values_now, strict=True))
