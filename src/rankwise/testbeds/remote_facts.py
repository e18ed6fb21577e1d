"""Facts about other hosts that can change a measurement: a shell script reads them, nothing of ours is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rankwise.core.host_settings import CATALOGUE
from rankwise.core.records import Fact

SCRIPT = r"""
say() { [ -n "$2" ] && printf '%s\t%s\n' "$1" "$(printf %s "$2" | tr -s '[:space:]' ' ')"; }
field() { sed -n "s/^$1[[:space:]]*:[[:space:]]*//p" /proc/cpuinfo | head -n 1; }
cpus=/sys/devices/system
say hostname "$(uname -n)"
say kernel "$(uname -sr)"
say distribution "$(. /etc/os-release 2>/dev/null; echo "$PRETTY_NAME")"
say cpu "$(field 'model name')"
say microcode "$(field microcode)"
say virtual_machine "$(grep -qw hypervisor /proc/cpuinfo && echo yes || echo no)"
say cores_usable "$(nproc)"
say governor "$(cat $cpus/cpu/cpu*/cpufreq/scaling_governor 2>/dev/null | sort -u)"
say memory_bytes "$(awk '/^MemTotal/ {printf "%d", $2 * 1024}' /proc/meminfo)"
say load_average "$(cut -d' ' -f1-3 /proc/loadavg)"
HOST_SETTINGS
say aslr "$(cat /proc/sys/kernel/randomize_va_space 2>/dev/null)"
say clocksource "$(cat $cpus/clocksource/clocksource0/current_clocksource 2>/dev/null)"
say transparent_hugepages "$(cat /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null)"
say read_at "$(date +%Y-%m-%dT%H:%M:%S%z)"
true
""".replace(
    "HOST_SETTINGS",
    "\n".join(f'say {setting.fact} "$({setting.read_script})"' for setting in CATALOGUE if setting.fact),
)
"""Prints `KEY<tab>VALUE` lines; the keys are those of this host's own facts where they mean the same."""


def facts(said: Mapping[str, str]) -> Iterator[Fact]:
    """Yield one fact a key from what the hosts said; where they differ, who said what."""
    by_host = {host: dict(_pairs(text)) for host, text in said.items()}
    for key in dict.fromkeys(key for pairs in by_host.values() for key in pairs):
        by_value: dict[str, list[str]] = {}
        for host, pairs in by_host.items():
            by_value.setdefault(pairs.get(key, "unknown"), []).append(host)
        texts = (
            f"{value} ({' '.join(hosts)})" if len(by_value) > 1 else value for value, hosts in by_value.items()
        )
        yield Fact(key, "; ".join(texts))


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        key, tab, value = line.partition("\t")
        if tab:
            yield key, value.strip()
