"""Measures the paths of a testbed that is up, and compares them with what its description asks for."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any

from rankwise.core.errors import HostError
from rankwise.core.jobs import Command, LaunchSteps
from rankwise.core.native_programs import program
from rankwise.core.network import PathFigures, Topology
from rankwise.core.ports import free_port
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.path_verdicts import complaints
from rankwise.testbeds.paths import Path, path, site_paths

_INTERVAL_SECONDS = 0.002
"""From one delay sample to the next: rare enough to disturb nothing."""

_DATAGRAM_BITS = 8 * 130
"""A datagram of the probe with all that belongs to it on the wire."""

_MOST_PACKETS_PER_SECOND = 20_000.0
_MOST_LOSS_PACKETS = 100_000
_FEWEST_LOSS_PACKETS = 5_000
_LOSSES_WANTED = 20
_PATIENCE_SECONDS = 20.0
"""More than the tests of a path take by themselves."""


@dataclass(frozen=True, slots=True)
class PathCheck:
    """A path check is what was measured of one path, and what of it is not as asked for."""

    figures: PathFigures
    complaints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Effort:
    """How long a path is looked at."""

    delay_samples: int
    rate_seconds: float
    rate_skip_seconds: float
    loss_packets: int
    packets_per_second: float

    @property
    def seconds(self) -> float:
        return (
            self.delay_samples * _INTERVAL_SECONDS
            + self.rate_seconds
            + self.loss_packets / self.packets_per_second
        )


def check_paths(testbed: TestbedKind, topology: Topology, *, quick: bool = False) -> tuple[PathFigures, ...]:
    """Return the figures of a path between any two sites and of one within each; `quick`: under a second each.

    A quick look measures no loss, and of a long path the rate that TCP reaches in its first round trips.
    Raises HostError if the probe cannot be started or does not get through.
    """
    return tuple(checked.figures for checked in checks(testbed, topology, quick=quick))


def checks(testbed: TestbedKind, topology: Topology, *, quick: bool = False) -> Iterator[PathCheck]:
    """Yield the same, path by path as they are measured, with what is not as asked for."""
    probe = program("rankwise-probe")
    for source, destination in site_paths(topology):
        there, back = path(topology, source, destination), path(topology, destination, source)
        effort = _effort(there, back, quick)
        measured = _measure(testbed, probe, there, effort)
        figures = _figures(there, back, measured)
        sent = measured.get("loss", {}).get("sent", 0)
        yield PathCheck(figures, () if quick else complaints(topology, figures, sent))


def _effort(there: Path, back: Path, quick: bool) -> _Effort:
    """Slow start takes round trips: a long path needs longer."""
    round_trip_seconds = there.delay_seconds + back.delay_seconds
    if quick:
        seconds = 0.3 + 15 * round_trip_seconds
        return _Effort(100, seconds, 0.5 * seconds, 0, 1.0)
    seconds = 1.5 + 80 * round_trip_seconds
    rate = there.rate_bits_per_second
    pace = min(_MOST_PACKETS_PER_SECOND, rate / 10 / _DATAGRAM_BITS) if rate else _MOST_PACKETS_PER_SECOND
    wanted = _LOSSES_WANTED * there.loss_burst / there.loss if there.loss else 0
    packets = round(min(max(wanted, _FEWEST_LOSS_PACKETS), _MOST_LOSS_PACKETS, 10 * pace))
    return _Effort(1000, seconds, 0.5 * seconds, packets, pace)


def _measure(testbed: TestbedKind, probe: File, there: Path, effort: _Effort) -> dict[str, Any]:
    """What the probe says of the path. Servers are on both nodes, because steps are for one or for all."""
    port = str(free_port())
    limit = effort.seconds + _PATIENCE_SECONDS
    name = there.destination.address.rpartition("@")[2] or there.destination.name
    serve = ("serve", "--port", port, "--background", "yes", "--limit", f"{2 * limit:.0f}")
    measure = (
        "measure", name, "--port", port, "--limit", f"{limit:.0f}",
        "--delay-samples", str(effort.delay_samples), "--delay-interval", str(_INTERVAL_SECONDS),
        "--rate-seconds", f"{effort.rate_seconds:.3f}", "--rate-skip", f"{effort.rate_skip_seconds:.3f}",
        "--loss-packets", str(effort.loss_packets), "--loss-pace", f"{max(effort.packets_per_second, 1):.0f}",
    )  # fmt: skip
    steps = LaunchSteps(
        main=_command(probe, measure),
        everywhere=(_command(probe, serve),),
        everywhere_after=(_command(probe, ("end", "127.0.0.1", "--port", port)),),
        files=(str(probe),),
    )
    outcome = testbed.run(steps, (there.source.name, there.destination.name), limit + _PATIENCE_SECONDS)
    what = f"cannot measure the path from {there.source.name} to {there.destination.name}"
    if outcome.broken:
        raise HostError(f"{what}: the testbed broke down: {outcome.broken}", "bring it up again")
    if outcome.returncode != 0 or outcome.timed_out:
        silent = "timed out" if outcome.timed_out else f"exit code {outcome.returncode}"
        raise HostError(f"{what}: {outcome.stderr.strip() or silent}", "check that the hosts reach one another")
    try:
        answer = json.loads(outcome.stdout)
    except ValueError as error:
        raise HostError(
            f"{what}: invalid output of the probe: '{outcome.stdout.strip()}'", "check that it is of this version"
        ) from error
    return dict(answer)


def _command(probe: File, arguments: Iterable[str]) -> Command:
    return Command((str(probe), *arguments))


def _figures(there: Path, back: Path, measured: dict[str, Any]) -> PathFigures:
    delay, rate, loss = measured.get("delay", {}), measured.get("rate", {}), measured.get("loss", {})
    described = bool(there.links)
    return PathFigures(
        source=there.source.name,
        destination=there.destination.name,
        asked_delay_seconds=(there.delay_seconds + back.delay_seconds) / 2 if described else math.nan,
        delay_seconds=delay.get("p50_seconds", math.nan),
        delay_p99_seconds=delay.get("p99_seconds", math.nan),
        asked_rate_bits_per_second=there.rate_bits_per_second if described else math.nan,
        rate_bits_per_second=8 * rate["bytes"] / rate["seconds"] if rate.get("seconds") else math.nan,
        asked_loss=there.loss if described else math.nan,
        loss=1.0 - loss["received"] / loss["sent"] if loss.get("sent") else math.nan,
    )
