"""Talks to a running link emulator over its control socket: one line there, one line back."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankwise.core.errors import HostError
from rankwise.core.network import EmulatorFigures, LinkCounters

_LIMIT_SECONDS = 5.0


class LinkControl:
    """A link control is the emulator behind one socket.

    Every method raises HostError if it does not answer, or refuses.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def reset(self) -> None:
        """Count from now."""
        self._order("reset")

    def counters(self) -> tuple[tuple[LinkCounters, ...], EmulatorFigures]:
        """Return what went over each link since the last reset, and how well the emulator kept its times."""
        answer = self._ask("counters")
        try:
            return read_counters(json.loads(answer))
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise _nonsense(answer) from error

    def lost_frames(self) -> tuple[int, int, int]:
        """Return how many frames were unknown, malformed and undeliverable since the last reset."""
        answer = self._ask("counters")
        try:
            counters = json.loads(answer)
            return (
                int(counters["unknown_frames"]),
                int(counters["malformed_frames"]),
                int(counters["undeliverable_frames"]),
            )
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise _nonsense(answer) from error

    def set_link(self, link: str, up: bool) -> None:
        """Let packets through a link, or lose them all."""
        self._order(f"{'up' if up else 'down'} {link}")

    def _order(self, line: str) -> None:
        answer = self._ask(line)
        if answer != "ok":
            raise HostError(f"the link emulator refused '{line}': {answer.removeprefix('error ')}")

    def _ask(self, line: str) -> str:
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.settimeout(_LIMIT_SECONDS)
                connection.connect(str(self._path))
                connection.sendall(line.encode() + b"\n")
                with connection.makefile(encoding="utf-8", errors="replace") as answer:
                    return answer.readline().rstrip("\n")
        except OSError as error:
            raise HostError(
                f"the link emulator at {self._path} does not answer: {error}", "bring the testbed up again"
            ) from error


def _nonsense(answer: str) -> HostError:
    return HostError(f"invalid counters of the link emulator: {answer[:200]}", "reinstall rankwise")


def read_counters(counters: Mapping[str, Any]) -> tuple[tuple[LinkCounters, ...], EmulatorFigures]:
    """Return the emulator's own words as records. Raises KeyError, TypeError or ValueError."""
    links = tuple(
        LinkCounters(
            link=str(link["link"]), packets=int(link["packets"]), bytes=int(link["bytes"]),
            dropped_packets=int(link["dropped_packets"]), lost_packets=int(link["lost_packets"]),
            queue_high_water_bytes=int(link["queue_high_water_bytes"]),
        )
        for link in counters["links"]
    )  # fmt: skip
    lateness = counters["lateness_seconds"]
    wall = float(counters["wall_seconds"])
    figures = EmulatorFigures(
        cpu_fraction=float(counters["cpu_seconds"]) / wall if wall > 0 else 0.0,
        delivered_packets=int(counters["delivered_packets"]),
        lateness_p50_seconds=float(lateness["p50"]),
        lateness_p99_seconds=float(lateness["p99"]),
        lateness_max_seconds=float(lateness["max"]),
        realtime=bool(counters["realtime"]),
    )
    return links, figures
