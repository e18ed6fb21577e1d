"""Facts about this host that can change a measurement: read now, stored with every run as provenance."""

from __future__ import annotations

import os
import platform
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from rankwise import __version__
from rankwise.core import process
from rankwise.core.errors import HostError
from rankwise.core.host_settings import CATALOGUE
from rankwise.core.records import Fact

_GIT_LIMIT_SECONDS = 5.0
_FILES = {
    **{setting.fact: setting.path for setting in CATALOGUE if setting.fact},
    "aslr": "/proc/sys/kernel/randomize_va_space",
    "clocksource": "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "transparent_hugepages": "/sys/kernel/mm/transparent_hugepage/enabled",
    "turbo_disabled": "/sys/devices/system/cpu/intel_pstate/no_turbo",
    "smt": "/sys/devices/system/cpu/smt/control",
}


def usable_cores() -> int:
    """Return the number of cores that this process may run on."""
    return len(os.sched_getaffinity(0))


def read_text(path: str) -> str:
    """Return what a file of the kernel's says, '' where there is none."""
    try:
        return Path(path).read_text(errors="replace").strip().replace("\t", " ")
    except OSError:
        return ""


def fabric_devices() -> set[str]:
    """Return the names of devices that are not Ethernet's: InfiniBand, Omni-Path, EFA, usNIC; Slingshot."""
    return {path.name for kind in ("infiniband", "cxi") for path in Path("/sys/class", kind).glob("*")}


def governors() -> set[str]:
    """Return the frequency governors in force; empty where the kernel does not say (most virtual machines)."""
    paths = Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    return {text for text in (read_text(str(path)) for path in paths) if text}


def facts() -> tuple[Fact, ...]:
    """Return all facts, in a fixed order; what cannot be read is left out."""
    return tuple(Fact(key, value) for key, value in _pairs() if value)


def _pairs() -> Iterator[tuple[str, str]]:
    yield "host", socket.gethostname()
    yield "kernel", f"{platform.system()} {platform.release()}"
    yield "distribution", _distribution()
    yield "cpu", cpu_field("model name")
    yield "microcode", cpu_field("microcode")
    yield "virtual_machine", "yes" if "hypervisor" in cpu_field("flags").split() else "no"
    yield "cores_usable", str(usable_cores())
    yield "cores_physical", str(psutil.cpu_count(logical=False) or "")
    yield "affinity", ",".join(str(core) for core in sorted(os.sched_getaffinity(0)))
    yield "governor", ", ".join(sorted(governors()))
    yield "memory_bytes", str(psutil.virtual_memory().total)
    yield "memory_available_bytes", str(psutil.virtual_memory().available)
    yield "load_average", " ".join(f"{load:.2f}" for load in os.getloadavg())
    yield "rankwise", _own_revision()
    yield "python", platform.python_version()
    yield "read_at", time.strftime("%Y-%m-%dT%H:%M:%S%z")
    for key, path in _FILES.items():
        yield key, read_text(path)
    yield from _temperatures()
    for name, nic in sorted(psutil.net_if_stats().items()):
        yield f"nic_{name}", f"mtu {nic.mtu}, {nic.speed} Mbit/s, {'up' if nic.isup else 'down'}"


def cpu_field(field: str) -> str:
    """Return a field of the first processor in /proc/cpuinfo, '' where there is none."""
    for line in read_text("/proc/cpuinfo").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == field:
            return value.strip()
    return ""


def _own_revision() -> str:
    """Rankwise's version, and in a checkout of it the git revision and whether files were changed."""
    checkout = Path(__file__).parents[3]
    if not (checkout / ".git").exists():
        return __version__
    git = ("git", "-C", str(checkout))
    try:
        revision = process.run((*git, "rev-parse", "--short", "HEAD"), _GIT_LIMIT_SECONDS).stdout.strip()
        changed = process.run((*git, "status", "--porcelain", "-uno"), _GIT_LIMIT_SECONDS).stdout.strip()
    except HostError:
        return __version__
    return f"{__version__} (git {revision}{', changed' if changed else ''})" if revision else __version__


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        return ""


def _temperatures() -> Iterator[tuple[str, str]]:
    for name, sensors in sorted(psutil.sensors_temperatures().items()):
        yield f"temperature_{name}_celsius", " ".join(f"{sensor.current:.0f}" for sensor in sensors)
