"""The cells in which a validation measures default beside tuned, and why each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rankwise.analysis.host_settings.reach import reaches
from rankwise.analysis.validation.acting import acts
from rankwise.analysis.validation.evidence import Evidence
from rankwise.core import bound_variables
from rankwise.core.errors import InputError
from rankwise.core.host_settings import TCP_RMEM
from rankwise.core.records import Benchmark, Cell, Implementation, Options
from rankwise.core.schedule_names import chosen_schedule
from rankwise.core.tuning import Choice, Decision, Reason, Rule, Setting, Tuning
from rankwise.core.units import whole_number
from rankwise.measurement.placement import place
from rankwise.mpi.family import family_named, native_of
from rankwise.workflows.tune.budget import MESSAGES_PER_CELL
from rankwise.workflows.tune.stages import (
    ALGORITHMS,
    HOST_STAGE,
    KIB,
    MIB,
    Collective,
    Target,
    TuneSpec,
    cell_of,
    distinct_placements,
    spread_of,
)

VALIDATION_SIZES = (1, 6 * KIB, 96 * KIB, 384 * KIB, 3 * MIB // 2, 12 * MIB)
"""Between those of the searches; no larger, or the validation would take longer than the search."""
FLOAT_BYTES = 4
"""In which reductions count."""
GROUPS = Options(groups=2)
"""Neighbouring ranks: inside nodes or sites, or with ranks placed across sites each group on both."""

UNTOUCHED = "nothing that was set should act on it"
STEPS = "operations on more ranks may have such steps"
_SPREADS = {"one-per-node": "each on a node of its own", "single-node": "all on one node"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A cell of the validation."""

    cell: Cell
    why: str
    is_required: bool = True
    """What is due to it is not kept unless it is shown; else it is measured if there is time, or named."""
    is_harm_check: bool = False
    """Nothing that was set should act on it: it is looked at once, and again only if it seems slower."""


def validation_cells(
    implementation: Implementation, benchmarks: Mapping[str, Benchmark], target: Target, spec: TuneSpec,
    tuning: Tuning,
) -> list[Wanted]:  # fmt: skip
    """Return the cells for a tuning, each once, those that are required first.

    Settings are measured between two ranks and in every operation that was tuned; rules at sizes of their own, as
    `_sizes` has them, where they were searched, and where else they act: other placements, communicators of their
    size among more ranks, and operations on more ranks that are done in steps of their size.
    """
    wanted_cells = [
        wanted if _touches(implementation, tuning, wanted.cell, target)
        else replace(wanted, why=UNTOUCHED, is_required=False, is_harm_check=True)
        for wanted in _of_settings(implementation.id, benchmarks, target, spec, tuning)
    ]  # fmt: skip
    searched = {(collective.operation, collective.ranks): collective for collective in spec.collectives}
    for decision in tuning.decisions:
        in_jobs = binds_jobs(implementation, Tuning(decisions=(decision,)))
        benchmark = benchmarks[decision.operation]
        sizes = _sizes(decision, searched.get((decision.operation, decision.ranks)), spec, benchmark)
        base = replace(cell_of(target, implementation.id, decision.operation, 0, ""), ranks=decision.ranks)
        placements = distinct_placements(target, spec, decision.ranks)
        wanted_cells += [
            Wanted(
                replace(base, size_bytes=size, placement=placement),
                why,
                is_required=_rule_at(decision, size).choice != Choice(),
            )
            for placement in placements
            for size, why in sizes.items()
        ]
        for cell, why in _elsewhere(base, placements, benchmark, target, in_jobs=in_jobs):
            lies = spread_of(target, (cell.placement,), cell.ranks, max(cell.options.groups, 1))
            if decision.spread not in ("any", lies) and why != STEPS:
                continue
            wanted_cells += [
                Wanted(replace(cell, size_bytes=size), why, is_required=False)
                for size in _largest(decision, sizes)
            ]
    required = {wanted.cell: wanted for wanted in reversed(wanted_cells) if wanted.is_required}
    others = {wanted.cell: wanted for wanted in reversed(wanted_cells) if wanted.cell not in required}
    return [*reversed(required.values()), *reversed(others.values())]


def likely_tuning(spec: TuneSpec, stage: str) -> Tuning:
    """Return what a stage may find at most, as far as it matters for the number of cells."""
    if stage == ALGORITHMS:
        return Tuning(decisions=tuple(
            Decision(
                collective.operation, collective.ranks,
                (Rule(2 * max(collective.sizes_bytes), Choice("any")), Rule(None, Choice()))
            )
            for collective in spec.collectives
        ))  # fmt: skip
    if stage.startswith(HOST_STAGE):
        return Tuning(host_settings=((TCP_RMEM, ""),))
    return Tuning((Setting("any", ""),))


def binds_jobs(implementation: Implementation, tuning: Tuning) -> bool:
    """Return whether rules hold for all communicators of a job of so many ranks, and for no other job."""
    try:
        return bool(bound_variables.names(native_of(implementation, tuning).environment))
    except InputError:
        return False


def _of_settings(
    implementation: str, benchmarks: Mapping[str, Benchmark], target: Target, spec: TuneSpec, tuning: Tuning
) -> Iterator[Wanted]:
    if not tuning.settings and not tuning.host_settings:
        return
    thresholds = [
        value
        for setting in tuning.settings
        if setting.knob.startswith("eager-threshold") and (value := whole_number(setting.value)) is not None
    ]
    largest = max(VALIDATION_SIZES)
    edges = [size for value in thresholds if value < largest for size in (value, value + 1)]
    late = benchmarks.get("late_receiver")
    is_sent_otherwise = bool(thresholds) or any(
        setting.knob.startswith("transport") for setting in tuning.settings
    )
    sizes_of_late = edges or [largest] * is_sent_otherwise
    for placement in target.placements if spec.knobs else ():
        for size in sorted({*_sizes_in_time(target, placement), *edges}):
            why = "an edge of the eager threshold" if size in edges else "settings act on every message"
            yield Wanted(cell_of(target, implementation, "pingpong", size, placement), why)
        for size in sizes_of_late if late and late.supported else ():
            why = "an eager message may come before its receiver"
            yield Wanted(cell_of(target, implementation, "late_receiver", size, placement), why)
    for collective in spec.collectives:
        for placement in distinct_placements(target, spec, collective.ranks):
            base = replace(
                cell_of(target, implementation, collective.operation, 0, placement), ranks=collective.ranks
            )
            for size in _between(collective.sizes_bytes, spec, benchmarks[collective.operation]):
                yield Wanted(replace(base, size_bytes=size), "settings act on every message")


def _sizes_in_time(target: Target, placement: str) -> list[int]:
    """VALIDATION_SIZES; where the path carries little none that takes too long, but the largest below."""
    byte_seconds = target.byte_seconds(placement)
    if byte_seconds * MESSAGES_PER_CELL * max(VALIDATION_SIZES) <= target.visit_limit_seconds:
        return [*VALIDATION_SIZES]
    most = target.visit_limit_seconds / MESSAGES_PER_CELL / byte_seconds
    return sorted({*(size for size in VALIDATION_SIZES if size <= most), 1 << max(int(math.log2(most)), 0)})


def _touches(implementation: Implementation, tuning: Tuning, cell: Cell, target: Target) -> bool:
    """Whether any of the settings can act on a cell."""
    product = target.product_bytes(cell.placement)
    if reaches(tuning.host_settings, target.settings, product, cell.size_bytes):
        return True
    defaults = {knob.name: knob.default for knob in family_named(implementation.family).knobs(implementation)}
    for setting in tuning.settings:
        before = defaults.get(setting.knob, "")
        ends = [int(value) for value in (setting.value, before) if value.isdigit()]
        if not setting.knob.startswith("eager-threshold") or len(ends) < 2:
            return True
        if min(ends) < cell.size_bytes <= max(ends) + 1:
            return True
    return False


def _between(sizes_bytes: Sequence[int], spec: TuneSpec, benchmark: Benchmark) -> list[int]:
    """Half an octave above each size, or below it for an application, whose sizes are the most of their class."""
    if not benchmark.sized:
        return [0]
    share = 0.75 if spec.application else 1.5
    return sorted({_whole(share * size, benchmark) for size in sizes_bytes})


def _whole(size_bytes: float, benchmark: Benchmark) -> int:
    """The size in whole elements, one at least."""
    unit = _unit(benchmark)
    return max(int(size_bytes) // unit * unit, unit)


def _unit(benchmark: Benchmark) -> int:
    return FLOAT_BYTES if benchmark.reduces else 1


def _sizes(
    decision: Decision, searched: Collective | None, spec: TuneSpec, benchmark: Benchmark
) -> dict[int, str]:
    """The sizes for a decision, and why.

    The smallest there is, half the smallest of the search, its sizes, between neighbouring ones, above the largest
    if a rule has no end, and both sides of every edge: a rule's last size, and the next one that the datatype
    allows. Of the default's sizes only those at an edge.
    """
    if not benchmark.sized:
        return {0: "the operation has no size"}
    known = sorted(searched.sizes_bytes) if searched else []
    why_by_size = {_unit(benchmark): "below the smallest size searched"}
    if known:
        why_by_size[_whole(known[0] / 2, benchmark)] = "below the smallest size searched"
        why_by_size |= {_whole(size, benchmark): "a size of the search" for size in known}
        why_by_size |= {
            _whole(min(1.5 * math.sqrt(max(low, 1) * high), 0.75 * high), benchmark): "between sizes searched"
            for low, high in pairwise(known)
        }
        if spec.application:
            why_by_size |= dict.fromkeys(_between(known, spec, benchmark), "in a class of the application's sizes")
    ends = [rule.up_to_bytes for rule in decision.rules if rule.up_to_bytes is not None]
    last = max([*known, *ends], default=_unit(benchmark))
    why_by_size[_whole(2 * last, benchmark)] = "above the largest size searched"
    why_by_size = {size: why for size, why in why_by_size.items() if _rule_at(decision, size).choice != Choice()}
    for end in ends:
        edge = _whole(end, benchmark)
        why_by_size |= dict.fromkeys((edge, edge + _unit(benchmark)), "an edge of a rule")
    return dict(sorted(why_by_size.items()))


def _rule_at(decision: Decision, size_bytes: int) -> Rule:
    return next(rule for rule in decision.rules if rule.up_to_bytes is None or size_bytes <= rule.up_to_bytes)


def _largest(decision: Decision, sizes: Iterable[int]) -> list[int]:
    """The largest of the sizes in each rule other than the default's."""
    largest_by_rule = {_rule_at(decision, size): size for size in sorted(sizes)}
    return [size for rule, size in largest_by_rule.items() if rule.choice != Choice()]


def _elsewhere(
    base: Cell, placements: Sequence[str], benchmark: Benchmark, target: Target, *, in_jobs: bool
) -> Iterator[tuple[Cell, str]]:
    """Where else rules for `base.ranks` act; sizes are still open."""
    ranks, slots = base.ranks, sum(host.slots for host in target.hosts)
    several_sites = len({host.site for host in target.hosts}) > 1
    placement_names = ("across-sites", "cyclic", "block") if several_sites else ("cyclic", "block")
    known = {place(word, target.hosts, ranks) for word in placements}
    other = next((word for word in placement_names if place(word, target.hosts, ranks) not in known), "")
    if other:
        yield replace(base, placement=other), "rules do not know how ranks are placed"
    if benchmark.groups and in_jobs and ranks % 2 == 0 and ranks // 2 >= max(benchmark.min_ranks, 2):
        yield replace(base, placement=placements[0], options=GROUPS), "rules hold for parts of the job too"
    if in_jobs:
        return
    if benchmark.groups and GROUPS.groups * ranks <= slots:
        for word in ("block", "across-sites") if several_sites else ("block",):
            cell = replace(base, ranks=GROUPS.groups * ranks, placement=word, options=GROUPS)
            yield cell, "rules hold for communicators of their size among more ranks"
    if ranks < slots and ranks in _steps(target, slots):
        yield (
            replace(base, ranks=slots, placement="block"),
            STEPS,
        )


def _steps(target: Target, ranks: int) -> set[int]:
    """The sizes of the communicators within hosts, and of the one with a rank of each."""
    placed = place("block", target.hosts, ranks)
    return {placed.count(host) for host in placed} | {len(set(placed))}


def reach_reason(
    implementation: Implementation, tuning: Tuning, wanted: Sequence[Wanted], evidence: Iterable[Evidence]
) -> Reason | None:
    """Return what was validated, and what the tuning reaches beside that; None for the default."""
    known = {cell_evidence.cell: cell_evidence for cell_evidence in evidence}
    acted = [wanted_cell for wanted_cell in wanted if acts(tuning, wanted_cell.cell)]
    if not acted:
        return None
    shown = [
        wanted_cell.cell
        for wanted_cell in acted
        if wanted_cell.cell in known and known[wanted_cell.cell].state == "shown"
    ]
    cells = f"{len(shown)} cell{'s' * (len(shown) != 1)}"
    texts = [f"shown to be no slower in {cells}: {'; '.join(sorted({*map(_group_words, shown)}))}"]
    missing: dict[str, dict[str, None]] = {}
    for acted_cell in acted:
        if acted_cell.cell not in shown:
            why = known[acted_cell.cell].words if acted_cell.cell in known else f"not measured ({acted_cell.why})"
            missing.setdefault(why, {}).setdefault(_group_words(acted_cell.cell))
    texts += [f"{why[0].upper()}{why[1:]}: {'; '.join(groups)}" for why, groups in missing.items()]
    texts += [_beyond_words(implementation, tuning)] if tuning.decisions else []
    return Reason("what was validated", ". ".join(texts))


def _group_words(cell: Cell) -> str:
    groups = cell.options.groups
    on = f"{groups} groups of {cell.ranks // groups} ranks" if groups > 1 else f"{cell.ranks} ranks"
    return f"{cell.benchmark} on {on}, placement {cell.placement}"


def _beyond_words(implementation: Implementation, tuning: Tuning) -> str:
    """What rules reach whatever is measured."""
    text = (
        "The rules act on every communicator of so many ranks, in jobs of any size, and know neither nodes nor "
        "ranks per node: communicators that are placed otherwise were not validated"
    )
    ways = {decision.spread for decision in tuning.decisions}
    if len(ways) == 1 and "any" not in ways:
        text = (
            f"The rules act on every communicator of so many ranks, {_SPREADS[ways.pop()]}, in jobs of any size: "
            "nodes that are nearer or farther than these were not validated"
        )
    elif len(ways) > 1:
        bound = (
            f"{decision.operation} at {decision.ranks}"
            for decision in tuning.decisions
            if decision.spread != "any"
        )
        text += f"; but those of {', '.join(bound)} ranks act only where ranks lie on nodes as they did here"
    of_jobs = [
        decision for decision in tuning.decisions if binds_jobs(implementation, Tuning(decisions=(decision,)))
    ]
    if of_jobs and len(of_jobs) < len(tuning.decisions):
        named = ", ".join(sorted({decision.operation for decision in of_jobs}))
        text += f". Those of {named} act on all communicators of a job of so many ranks, at every size"
    elif of_jobs:
        text = (
            "The rules act on all communicators of a job of so many ranks, leave no size to the default, and know "
            "neither nodes nor ranks per node: other placements and communicators were not validated"
        )
    if any(chosen_schedule(rule.choice) for decision in tuning.decisions for rule in decision.rules):
        text += (
            ". Schedules act between sites alone, but also on what is nonblocking or has blocks of several "
            "lengths: what is for allgather on MPI_Iallgatherv; that was not validated"
        )
    return text
