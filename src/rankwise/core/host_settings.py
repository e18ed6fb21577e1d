"""The catalogue of host settings: the kernel and NIC settings that Rankwise reads, sets or recommends.

A setting is called by its sysctl name, or by the NIC's own word (`mtu`). A description may also name others below
`net.ipv4.` and `net.core.`: `setting` makes an entry for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Form = Literal["sysctl", "ip link"]
Scope = Literal["connections", "network namespace", "host", "NIC"]
"""What a setting acts on: `host` where namespaces cannot have values of their own."""

TCP_RMEM = "net.ipv4.tcp_rmem"
TCP_WMEM = "net.ipv4.tcp_wmem"
CONGESTION_CONTROL = "net.ipv4.tcp_congestion_control"
AVAILABLE_CONGESTION_CONTROL = "net.ipv4.tcp_available_congestion_control"
SLOW_START_AFTER_IDLE = "net.ipv4.tcp_slow_start_after_idle"
NO_METRICS_SAVE = "net.ipv4.tcp_no_metrics_save"
WINDOW_SCALING = "net.ipv4.tcp_window_scaling"
PACING_SLOW_START = "net.ipv4.tcp_pacing_ss_ratio"
PACING_AVOIDANCE = "net.ipv4.tcp_pacing_ca_ratio"
DEFAULT_QDISC = "net.core.default_qdisc"
RMEM_MAX = "net.core.rmem_max"
WMEM_MAX = "net.core.wmem_max"
MTU = "mtu"
"""The one setting that is no sysctl: the largest packet of the NICs."""

JUMBO_BYTES = 9000
"""The largest packet that jumbo frames usually have."""

_NIC_MTUS = (
    'for nic in /sys/class/net/*; do [ "${nic##*/}" = lo ] || cat "$nic/mtu"; done | sort -nu | tr "\\n" " "; echo'
)


@dataclass(frozen=True, slots=True)
class HostSetting:
    """A host setting is one line of the catalogue."""

    name: str
    title: str
    unit: str = ""
    """Of the value; '' for a word."""
    scope: Scope = "network namespace"
    form: Form = "sysctl"
    key: str = ""
    """Its short name in `[tcp]` of a testbed's description."""
    fact: str = ""
    """Its name among the facts about a host that every run stores."""
    of_nodes: bool = False
    """Whether it is read back from every emulated node and stored with a run."""
    tuned: bool = False
    """Whether `rankwise tune` reads it before it decides what to try."""
    cost: str = ""
    """What it costs to change it, in words."""

    @property
    def path(self) -> str:
        """Return where the kernel shows it, below /proc/sys."""
        return "/proc/sys/" + self.name.replace(".", "/")

    @property
    def label(self) -> str:
        """Return what tables call it: the sysctl name, which can be looked up, else the title."""
        return self.name if self.form == "sysctl" else self.title

    @property
    def read_script(self) -> str:
        """Return the shell script that prints the value in force as one line, empty where there is none."""
        return _NIC_MTUS if self.form == "ip link" else f"cat {self.path} 2>/dev/null || echo"

    def command(self, value: str) -> str:
        """Return the command by which root sets it."""
        if self.form == "ip link":
            return f"ip link set dev IFACE mtu {value}"
        return f'sysctl -w {self.name}="{value}"'

    def is_met(self, wanted: str, current: str) -> bool:
        """Return whether a host has the value; of several NICs one is enough, since others lead elsewhere."""
        return wanted.strip() in current.split() if self.form == "ip link" else current.split() == wanted.split()


CATALOGUE: tuple[HostSetting, ...] = (
    HostSetting(
        CONGESTION_CONTROL, "TCP congestion control", key="congestion_control", fact="tcp_congestion_control",
        of_nodes=True, tuned=True,
        cost="for all connections of the hosts, which share a path with others in another way then",
    ),
    HostSetting(AVAILABLE_CONGESTION_CONTROL, "TCP congestion controls of this kernel", scope="host", tuned=True),
    HostSetting(
        TCP_RMEM, "TCP receive buffer: least, initial and largest", "bytes", key="rmem", fact="tcp_rmem_bytes",
        of_nodes=True, tuned=True,
        cost="a connection whose reader is slow may hold so much memory of the host that reads",
    ),
    HostSetting(
        TCP_WMEM, "TCP send buffer: least, initial and largest", "bytes", key="wmem", fact="tcp_wmem_bytes",
        of_nodes=True, tuned=True, cost="and as much of the host that writes",
    ),
    HostSetting(
        SLOW_START_AFTER_IDLE, "TCP slow start after a pause", "0 or 1", fact="tcp_slow_start_after_idle",
        of_nodes=True, tuned=True,
        cost="after a pause hosts send at once what the path carried before: a burst that others may feel",
    ),
    HostSetting(NO_METRICS_SAVE, "TCP forgets what connections learnt", "0 or 1", of_nodes=True, tuned=True),
    HostSetting(WINDOW_SCALING, "TCP windows above 64 KiB", "0 or 1"),
    HostSetting(PACING_SLOW_START, "TCP pacing in slow start", "% of a window a round trip", tuned=True),
    HostSetting(PACING_AVOIDANCE, "TCP pacing after slow start", "% of a window a round trip", tuned=True),
    HostSetting(DEFAULT_QDISC, "queueing discipline of new NICs", scope="host", tuned=True),
    HostSetting(
        RMEM_MAX, "largest receive buffer that a program may fix", "bytes", "host", fact="rmem_max_bytes",
        of_nodes=True, tuned=True,
    ),
    HostSetting(
        WMEM_MAX, "largest send buffer that a program may fix", "bytes", "host", fact="wmem_max_bytes",
        of_nodes=True, tuned=True,
    ),
    HostSetting(
        MTU, "MTU of the NICs", "bytes", "NIC", "ip link", tuned=True,
        cost="every NIC, switch and router between the hosts has to carry such frames (ping -M do -s "
        f"{JUMBO_BYTES - 28} HOST shows it); where one does not, connections hang",
    ),
)  # fmt: skip
_BY_NAME = {entry.name: entry for entry in CATALOGUE}


def setting(name: str) -> HostSetting:
    """Return the entry of this name; another sysctl gets one without a title of its own."""
    return _BY_NAME.get(name) or HostSetting(name, name)
