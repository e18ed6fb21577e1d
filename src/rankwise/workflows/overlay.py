"""What a job loads so that our schedules carry out its collectives: as a user asks, or as a tuning has chosen."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.artifacts import builder, overlay
from rankwise.core.errors import InputError
from rankwise.core.network import Topology
from rankwise.core.records import Implementation
from rankwise.core.schedule_names import chosen_schedule
from rankwise.core.tuning import FOLDER, Choice, Decision, Loaded, Native, Rule, Tuning
from rankwise.mpi import preload
from rankwise.mpi.family import native_of
from rankwise.schedules.network_file import network_text
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows.schedule_files import SCHEDULES, place_text, placed_schedule
from rankwise.workflows.schedule_network import network_file

DEFAULT_TABLE = "default"
_TABLE, _NETWORK, _REPORT = "RANKWISE_OVERLAY", "RANKWISE_NETWORK", "RANKWISE_OVERLAY_REPORT"
REPORTING = ((_REPORT, "-"),)
"""Makes an overlay that is loaded say which schedules ran."""
_REPLACED = re.compile(r"rankwise overlay: (\w+)\.(\w+) [1-9]")
_TABLE_FILE, _NETWORK_FILE = "overlay-table", "network"
_HEADING = "# rankwise overlay 1"
_FILE = re.compile(r"(?<=\s)file:(\S+)")
_RANKS = re.compile(r"(?<=\s)ranks=([0-9]{1,7})(?=\s)")
_MOST_BYTES = "2G"
"""Longer messages are the library's own anyway. A range without end would hold for v-variants too."""


@dataclass(frozen=True, slots=True)
class OverlayChoice:
    """Whether a job runs under the overlay, and with which decision table."""

    table: str = ""
    """A file, `default` for the built-in table, '' for no overlay."""
    reproducible: bool = False
    """Sums do not depend on which rank runs in which site."""
    congestion_control: str = ""
    """Of the job's TCP connections; '' for that of the hosts."""


def overlaid(
    loaded: Loaded, choice: OverlayChoice, implementation: Implementation, testbed: TestbedKind, program: Path,
    ranks: int,
) -> Loaded:  # fmt: skip
    """Return what the job of so many ranks loads with the overlay as well, built if need be.

    Raises InputError for a table or a schedule's file that is not there, a schedule that is wrong, and a program
    that would not load the overlay; BuildError; HostError if the cache cannot be written.
    """
    if not choice.table:
        return loaded
    if reason := preload.ignored_by(program):
        raise InputError(
            f"{program.name} {reason}: the loader ignores LD_PRELOAD, and with it the overlay",
            f"link it dynamically, as {implementation.mpicc} does, and install it without special rights",
        )
    library = overlay.build(implementation)
    files, variables = [str(library)], [(_TABLE, DEFAULT_TABLE)]
    if choice.table != DEFAULT_TABLE:
        table, schedules = _own_table(Path(choice.table).absolute(), ranks)
        files += [table, *schedules]
        variables = [(_TABLE, table)]
    if network := network_file(testbed):
        files.append(network)
        variables.append((_NETWORK, network))
    if choice.reproducible:
        variables.append(("RANKWISE_OVERLAY_REPRODUCIBLE", "1"))
    if choice.congestion_control:
        variables.append(("RANKWISE_OVERLAY_CONGESTION_CONTROL", choice.congestion_control))
    if report := os.environ.get(_REPORT):
        variables.append((_REPORT, report))  # not every launcher passes on the caller's variables
    environment = (*preload.loading(library, loaded.environment), *variables)
    return replace(loaded, environment=environment, files=(*loaded.files, *files))


def _own_table(table: Path, ranks: int) -> tuple[str, list[str]]:
    """The table that the job reads, and the schedules' files that it names: proved, and as C reads them."""
    if not table.is_file():
        raise InputError(f"decision table not found: {table}", "name a file, or `default` for the built-in table")
    placed: list[str] = []

    def place(line: str) -> str:
        rule, mark, comment = line.partition("#")
        match, of_ranks = _FILE.search(rule), _RANKS.search(rule)
        if not match:
            return line
        file = table.parent / match[1]
        wanted = int(of_ranks[1]) if of_ranks else ranks if file.suffix == ".py" else 0
        _, text = placed_schedule(file, wanted)
        placed.append(text)
        return f"{rule[: match.start(1)]}{Path(text).name}{rule[match.end(1) :]}{mark}{comment}"

    written = "\n".join(map(place, table.read_text(encoding="utf-8").split("\n")))
    return (place_text(written, SCHEDULES, "table"), placed) if placed else (str(table), [])


def whole_native(implementation: Implementation, tuning: Tuning, topology: Topology | None) -> Native:
    """Return `tuning` as this implementation loads it, the overlay with it if the tuning has chosen schedules.

    Raises InputError as `Family.native`, BuildError, HostError if the cache cannot be written.
    """
    own = native_of(implementation, tuning)
    table = table_text(tuning.decisions)
    if not table:
        return own
    return own + _native(implementation, topology, f"{FOLDER}/{_TABLE_FILE}", ((_TABLE_FILE, table),))


def built_in_native(implementation: Implementation, topology: Topology | None) -> Native:
    """Return what a launch loads to run under the overlay with its built-in table.

    Raises BuildError, HostError if the cache cannot be written.
    """
    return _native(implementation, topology, DEFAULT_TABLE, ())


def loads_overlay(native: Native) -> bool:
    """Return whether what is loaded has an overlay."""
    return any(name == _TABLE for name, _ in native.environment)


def _native(
    implementation: Implementation, topology: Topology | None, table: str, files: tuple[tuple[str, str], ...]
) -> Native:
    library = overlay.build(implementation)
    variables = [(preload.VARIABLE, f"{FOLDER}/{library.name}"), (_TABLE, table)]
    if topology and topology.sites:
        files = (*files, (_NETWORK_FILE, network_text(topology)))
        variables.append((_NETWORK, f"{FOLDER}/{_NETWORK_FILE}"))
    return Native(files, tuple(variables), libraries=(builder.reference(library),))


def replaced(output: str) -> tuple[tuple[str, str], ...]:
    """Return which schedules a run has taken, from what an overlay said that was asked to report."""
    return tuple((f"schedules of {operation}", name) for operation, name in _REPLACED.findall(output))


def table_text(decisions: Iterable[Decision]) -> str:
    """Return the overlay's decision table with the schedules among these decisions; '' where there are none.

    They hold between sites alone, as they were measured: what is within one site is the library's own.
    """
    lines = [line for decision in decisions for line in _lines(decision)]
    return "\n".join([_HEADING, *lines, ""]) if lines else ""


def _lines(decision: Decision) -> Iterator[str]:
    above = 0
    for rule in decision.rules:
        if chosen_schedule(rule.choice):
            conditions = [f"ranks={decision.ranks}", "sites=2-", *_bytes(decision, rule, above)]
            yield " ".join([decision.operation, *conditions, _algorithm(rule.choice)])
        above = rule.up_to_bytes + 1 if rule.up_to_bytes is not None else above


def _bytes(decision: Decision, rule: Rule, least: int) -> tuple[str, ...]:
    """No condition for what has no size."""
    if decision.operation == "barrier":
        return ()
    return (f"bytes={least}-{_MOST_BYTES if rule.up_to_bytes is None else rule.up_to_bytes}",)


def _algorithm(choice: Choice) -> str:
    parameters = {"segment": choice.segment_bytes, "fan-out": choice.fanout}
    text = ",".join(f"{name}={value}" for name, value in parameters.items() if value)
    return f"{chosen_schedule(choice)}:{text}" if text else chosen_schedule(choice)
