"""What every rank gets from whoever starts a job: environment, umask, limits. One rule for all hosts."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Mapping
from pathlib import Path

PASSED = "RANKWISE_PASSED"
"""In the environment of a launcher: the names of those variables, for the remote shell that it calls."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OF_ONE_HOST = frozenset((
    "HOME", "USER", "LOGNAME", "SHELL", "MAIL", "HOSTNAME", "HOST", "PWD", "OLDPWD", "SHLVL", "_",
    "TMPDIR", "TMP", "TEMP", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS",
    "KRB5CCNAME", "INVOCATION_ID", "JOURNAL_STREAM", "RANKWISE_LAUNCH", "RANKWISE_REMOTE", PASSED,
))  # fmt: skip
"""A login on each host sets these for itself, or they name files, sockets and screens of one host."""
_OF_ONE_PROCESS = (
    "SSH_", "XDG_SESSION_", "XDG_RUNTIME_", "XDG_SEAT", "XDG_VTNR", "BASH_FUNC_",
    "PMI_", "PMIX_RANK", "PMIX_NAMESPACE", "PMIX_SERVER_", "OMPI_COMM_WORLD_", "HYDI_", "LAMRANK", "LAMWORLD",
)  # fmt: skip
"""Beginnings of what belongs to one session or one rank: a launcher that finds another rank's would obey it."""
_LIMITS = {
    "cpu": resource.RLIMIT_CPU, "fsize": resource.RLIMIT_FSIZE, "data": resource.RLIMIT_DATA,
    "stack": resource.RLIMIT_STACK, "core": resource.RLIMIT_CORE, "nofile": resource.RLIMIT_NOFILE,
    "as": resource.RLIMIT_AS, "memlock": resource.RLIMIT_MEMLOCK,
}  # fmt: skip
"""By the names of prlimit(1). Those that hosts set by their memory (processes, signals) stay theirs."""
LIMIT_TITLES = {
    "Max cpu time": "cpu", "Max file size": "fsize", "Max data size": "data", "Max stack size": "stack",
    "Max core file size": "core", "Max open files": "nofile", "Max address space": "as",
    "Max locked memory": "memlock",
}  # fmt: skip
"""The same limits as /proc/PID/limits calls them."""


def is_passed(name: str) -> bool:
    """Return whether every rank on every host gets this variable of the caller's."""
    return _NAME.fullmatch(name) is not None and name not in _OF_ONE_HOST and not name.startswith(_OF_ONE_PROCESS)


def variables(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables of the caller that every rank gets."""
    return {name: value for name, value in environment.items() if is_passed(name)}


def umask() -> int:
    """Return the umask of this process, without changing it for a moment as umask(2) would."""
    match = re.search(r"^Umask:\s*([0-7]+)", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(match[1], 8) if match else 0o022


def soft_limits() -> dict[str, str]:
    """Return the soft limits of this process by the names of prlimit(1): a number, or `unlimited`."""
    limits = {name: resource.getrlimit(number)[0] for name, number in _LIMITS.items()}
    return {name: "unlimited" if limit == resource.RLIM_INFINITY else str(limit) for name, limit in limits.items()}
