"""Runs an implementation with a profile and asks it what is in force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rankwise.analysis.validation.acting import EDGE_BYTES
from rankwise.artifacts.harness import build
from rankwise.core.errors import HostError
from rankwise.core.jobs import Outcome
from rankwise.core.launch_output import why_failed
from rankwise.core.records import Cell, Implementation
from rankwise.core.tuning import Decision, Loaded, Part, ReadBack, Tuning
from rankwise.measurement import protocol
from rankwise.measurement.job import build_job
from rankwise.measurement.launch import list_benchmarks
from rankwise.mpi.family import FamilyLauncher, family_named
from rankwise.profiles import loading
from rankwise.profiles.checking import Check, checks, host_check
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows.host_settings import applied_settings, values
from rankwise.workflows.overlay import REPORTING, replaced

PAIR = "pingpong"
PAIR_SIZES_BYTES = (8, 1 << 20)
_LIMIT_SECONDS = 60.0


def verify(part: Part, implementation: Implementation, loaded: Loaded, testbed: TestbedKind) -> tuple[Check, ...]:
    """Return what of the part is in force on a testbed that is up: a launch for each number of its ranks.

    A run that fails puts nothing into force, and its reason is what was found. Raises BuildError, HostError.
    """
    program = build(implementation)
    known = {
        benchmark.name: benchmark.sized
        for benchmark in list_benchmarks(implementation, program)
        if benchmark.supported
    }
    evidence: dict[int, ReadBack] = {}
    failures: dict[int, str] = {}
    for ranks, cells in launched_cells(part.tuning, implementation.id, known).items():
        try:
            outcome = _launch(program, cells, implementation, loaded, testbed)
        except HostError as error:  # a kernel that refuses a setting, or has none of this name
            failures[ranks] = str(error)
            continue
        said = outcome.stdout + outcome.stderr
        read_back = family_named(implementation.family).read_back(implementation, said)
        evidence[ranks] = ReadBack((*read_back.in_force, *replaced(outcome.stderr)))
        if not protocol.parse_run(outcome.stdout, cells).ended:
            failures[ranks] = why_failed(outcome, _LIMIT_SECONDS)
    if failures:
        why = "; ".join(f"the run on {ranks} ranks failed: {reason}" for ranks, reason in failures.items())
        missing = [replace(check, found=why, state="not in force") for check in checks(part, {})]
        return (*missing, *host_checks(part, testbed))
    return (*checks(part, evidence, loaded.files), *host_checks(part, testbed))


def host_checks(part: Part, testbed: TestbedKind) -> tuple[Check, ...]:
    """Return the settings of kernel and NICs, as the first host of a launch has them.

    Where they cannot be set the reason is told, and what is in force without.
    """
    settings = part.tuning.host_settings
    keys = [key for key, _ in settings]
    try:
        values_now, why = values(testbed, keys, applied_settings(testbed, settings)), ""
    except HostError as error:
        values_now, why = values(testbed, keys), f" ({error})"
    return tuple(
        host_check(part, key, wanted, f"{said}{why}" if said else "")
        for (key, wanted), said in zip(settings, values_now, strict=True)
    )


def launched_cells(tuning: Tuning, implementation: str, known: Mapping[str, bool]) -> dict[int, list[Cell]]:
    """Return a size within each rule of every decision, by ranks; and messages between two ranks in any case.

    `known`: whether messages of an operation have a size.
    """
    cells_by_ranks = {2: [Cell(implementation, PAIR, size, 2) for size in PAIR_SIZES_BYTES]}
    for decision in tuning.decisions:
        if decision.operation in known:
            sizes = dict.fromkeys(_sizes(decision)) if known[decision.operation] else (0,)
            cells_by_ranks.setdefault(decision.ranks, []).extend(
                Cell(implementation, decision.operation, size, decision.ranks) for size in sizes
            )
    return cells_by_ranks


def _sizes(decision: Decision) -> Sequence[int]:
    """The upper end of each range; of the last one, a little more than where it begins."""
    ends = [rule.up_to_bytes for rule in decision.rules if rule.up_to_bytes is not None]
    return [*ends, max(ends, default=512) + EDGE_BYTES]


def _launch(
    program: Path, cells: Sequence[Cell], implementation: Implementation, loaded: Loaded, testbed: TestbedKind
) -> Outcome:
    """All cells, of the same number of ranks, in a launch that reports; pairs across sites if there are some."""
    ranks = cells[0].ranks
    reporting = loading.place_apart(family_named(implementation.family).reporting(implementation))
    apart = ranks == 2 and len({host.site for host in testbed.hosts()}) > 1
    both = Loaded(
        (*loaded.environment, *reporting.environment, *REPORTING), (*loaded.arguments, *reporting.arguments),
        (*loaded.files, *reporting.files),
    )  # fmt: skip
    job = build_job(
        testbed, (str(program),), ranks, placement="across-sites" if apart else "block", loaded=both
    )  # fmt: skip
    arguments = protocol.arguments(
        cells, seconds_per_cell=0.0005, limit_seconds=_LIMIT_SECONDS, yielding=job.oversubscribed, verify=False,
        from_barrier=True, brief=True,
    )  # fmt: skip
    armed = replace(job, program=(*job.program, *arguments), skips_fabrics=not testbed.has_fabrics())
    steps = FamilyLauncher().steps(implementation, armed)
    steps = replace(steps, settings=applied_settings(testbed, loaded.host_settings))
    return testbed.run(steps, job.hosts, _LIMIT_SECONDS, protocol.END_MARKER)
