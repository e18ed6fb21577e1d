"""What a SimGrid file configures (`<config>`): SMPI's costs by size, and what limits a message.

Names as SimGrid 3.32 lists them (src/simgrid/sg_config.cpp, src/smpi/internals/smpi_config.cpp), with `-` or, as
older versions spell them, with `_`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from rankwise.core.errors import InputError
from rankwise.core.platform import CostRange
from rankwise.core.units import whole_number
from rankwise.platforms.checking import FASTEST
from rankwise.platforms.simgrid_values import Law, by_size, limit, rate, seconds

EAGER_BELOW = 65536
"""SMPI's own default of smpi/send-is-detached-thresh."""
RENDEZVOUS_TRIPS = 3
LEAST_FACTOR = 1e-9
DEFAULT_GAMMA = 4194304.0
"""SimGrid's own default of network/TCP-gamma."""
_LAWS = {"os": (0.0, 0.0), "or": (0.0, 0.0), "bw-factor": (1.0,), "lat-factor": (1.0,)}
"""SMPI's laws by size, and what they are here where the file has none."""
_LAW_NAMES = {
    "smpi/os": "os", "smpi/or": "or", "smpi/bw-factor": "bw-factor", "network/bandwidth-factor": "bw-factor",
    "smpi/lat-factor": "lat-factor", "network/latency-factor": "lat-factor",
}  # fmt: skip
_EAGER = {"smpi/send-is-detached-thresh", "smpi/send-is-detached-thres"}
_OFF = {"no", "off", "false", "0"}


@dataclass(slots=True)
class Settings:
    """The configuration, as far as messages depend on it."""

    laws: dict[str, Law] = field(default_factory=dict)
    eager_below: int = EAGER_BELOW
    gamma: float | None = None
    """A message has at most this over twice its route's latency; 0: no limit; None: the file has none."""
    crosstraffic: bool | None = None
    loopback_rate: float = 1e10
    loopback_latency: float = 0.0
    """SimGrid's own defaults, those of 3.32."""
    unused: list[str] = field(default_factory=list)

    def set(self, name: str, text: str, refused: Callable[[str, str], InputError]) -> None:
        """Take one setting. Raises what `refused` makes of a reason and a remedy."""
        known = name.replace("_", "-")

        def number(read: Callable[[str], float | None]) -> float:
            value = read(text)
            if value is None or value > FASTEST:
                raise refused(
                    f"{name}: {text[:60]} is not a number with a known unit", "as 125MBps, 50us, 4194304"
                )
            return value

        if known in _LAW_NAMES:
            own = _LAW_NAMES[known]
            law = by_size(text, len(_LAWS[own]))
            if law is None:
                raise refused(f"{name} cannot be read: {text[:60]}", "write size:number;size:number")
            self.laws[own] = law
        elif known in _EAGER:
            self.eager_below = int(number(whole_number))
        elif known == "network/TCP-gamma":
            self.gamma = number(limit)
        elif known == "network/loopback-bw":
            self.loopback_rate = number(rate)
        elif known == "network/loopback-lat":
            self.loopback_latency = number(seconds)
        elif known == "network/crosstraffic":
            self.crosstraffic = text.strip().lower() not in _OFF
        else:
            self.unused.append(name)

    def slowest_rate(self, slowest_link: float, latency: float) -> float:
        """Return what a message has at most on a route, before the factor of its size."""
        return min(slowest_link, self.gamma / (2 * latency)) if self.gamma and latency else slowest_link

    def ranges(self, latency: float, most: float) -> Iterator[CostRange]:
        """Return SMPI's costs by size on a route. What a law names for a size holds above that size.

        SMPI counts a message's latency once, and here a rendezvous has three: each is a third.
        """
        laws = {name: self.laws.get(name, {}) for name in _LAWS}
        ends = {size for law in laws.values() for size in law if size > 0}
        ends |= {self.eager_below - 1} if self.eager_below > 1 else set()
        first = 0
        for end in (*sorted(ends), None):
            now = {name: _value(name, law, max(first, 1)) for name, law in laws.items()}
            trips = 1 if first < self.eager_below else RENDEZVOUS_TRIPS
            (sending, sending_byte), (receiving, receiving_byte) = now["os"], now["or"]
            yield CostRange(
                end, latency * now["lat-factor"][0] / trips, sending, sending_byte, receiving, receiving_byte,
                gap_seconds_per_byte=1 / max(1.0, most * max(now["bw-factor"][0], LEAST_FACTOR)),
            )  # fmt: skip
            first = 0 if end is None else end + 1

    def notices(self) -> Iterator[tuple[str, str]]:
        """Return what was left out, each under a name."""
        if not self.laws:
            yield "classes", "the file has no costs by size: SMPI would take its own, and here there are none"
        elif any(values[0] != 1.0 for values in self.laws.get("bw-factor", {}).values()):
            yield "classes", "bw-factor slows single messages here, and not the links that several share"
        if self.crosstraffic:
            yield "network/crosstraffic", "not taken: here messages do not slow those of the other direction"
        if self.unused:
            yield "config", f"not taken: {', '.join(dict.fromkeys(self.unused))}"


def _value(name: str, law: Law, size: int) -> tuple[float, ...]:
    """Below a law's first size a factor is 1 and an overhead that of the first."""
    below = [start for start in law if start < size]
    if below:
        return law[max(below)]
    return law[min(law)] if law and name in ("os", "or") else _LAWS[name]
