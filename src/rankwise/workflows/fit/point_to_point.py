"""The stage that measures what single messages cost: a curve of each quantity for each class of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from rankwise import __version__
from rankwise.analysis.fit.assembly import platform_of
from rankwise.analysis.fit.curves import (
    BURST,
    KERNELS,
    ONE_WAY,
    RECEIVING,
    WAITING,
    Curves,
    curves_of,
)
from rankwise.analysis.fit.point_to_point import ALL_EAGER, ClassFit, eager_limit, fit_class
from rankwise.core.errors import HostError, InputError
from rankwise.core.platform import Platform, Provenance
from rankwise.core.records import DEFAULT, Cell, Launch, Notice, Options
from rankwise.core.units import format_share
from rankwise.measurement import plan as planning
from rankwise.store.store import Store
from rankwise.testbeds.base import TestbedKind, make
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows import measure
from rankwise.workflows.events import Events
from rankwise.workflows.fit.pairs import SAME_NODE, Pair, pairs_of, sites_of
from rankwise.workflows.fit.request import SECONDS_PER_CLASS, FitRequest, FitResult
from rankwise.workflows.prepare import prepare

BURST_MESSAGES = 8
FEWEST_LAUNCHES, MOST_LAUNCHES = 6, 12
"""Of each class: with fewer than six a median has no 95 % interval."""
LIMITS_TIME_SHARE = 0.15
"""Of the time, for a closer look at where a sender begins to wait for its receiver."""
LIMIT_SIZES = 12
SIZES_BYTES = (1, 4, 16, 64, *(1 << k for k in range(8, 23)))
SMALLEST_THAT_MAY_WAIT = 256
LARGEST_SHARES = {BURST: 2, RECEIVING: 4}
"""The largest message of a class over the largest of these quantities."""
SIZES_OF_THE_RATE = 64 << 10
"""From here on bursts have all sizes: what passes at most is told by long messages."""
SECONDS_PER_CELL = 0.02
TOO_NOISY = 0.15
"""A class whose times are known no better than this, relatively, is said to be too noisy to fit."""


def measured(request: FitRequest, store: Store, events: Events) -> int:
    """Measure every class of pairs, and return the run. Raises InterruptedRun with the way to go on."""
    pairs = pairs_of(request.testbed)
    if not pairs:
        raise HostError(
            f"{request.testbed.name} has one slot, and fit needs two ranks",
            "take a testbed with more hosts or slots",
        )
    seconds = _seconds(request, pairs)
    largest = {pair.placement: pair.largest_bytes for pair in pairs}
    ask = measure.Request(
        command_line=request.command_line, benchmarks=KERNELS, sizes_bytes=SIZES_BYTES,
        time_budget_seconds=(1 - LIMITS_TIME_SHARE) * seconds, implementations=(_the_one(request, events),),
        prefixes=request.prefixes, ranks=(2,), options=(Options(window=BURST_MESSAGES),),
        min_launches=FEWEST_LAUNCHES, max_launches=MOST_LAUNCHES, seconds_per_cell=SECONDS_PER_CELL,
        verify_first=False, seed=request.seed, testbed=request.testbed,
        placements=tuple(pair.placement for pair in pairs),
        profiles=(request.profile,) if request.profile else (),
        wanted=lambda cell: _is_wanted(cell, largest[cell.placement]), kind="fit", parent=request.parent,
    )  # fmt: skip
    run_id = measure.measure(ask, store, events)
    _look_at_limits(
        replace(ask, time_budget_seconds=LIMITS_TIME_SHARE * seconds, parent=run_id), pairs, store, events
    )
    return run_id


def _is_wanted(cell: Cell, largest: int) -> bool:
    """T has all sizes, what bends less every second one; that a sender waits is a matter of long messages."""
    if cell.size_bytes > largest // LARGEST_SHARES.get(cell.benchmark, 1):
        return False
    if cell.benchmark == WAITING:
        return cell.size_bytes >= SMALLEST_THAT_MAY_WAIT
    if cell.benchmark == BURST and cell.size_bytes >= SIZES_OF_THE_RATE:
        return True
    return cell.benchmark == ONE_WAY or cell.size_bytes.bit_length() % 2 == 1


def _seconds(request: FitRequest, pairs: Sequence[Pair]) -> float:
    """What was asked for, or a minute for each class, and more where the fewest launches take longer."""
    if request.time_budget_seconds:
        return request.time_budget_seconds
    needed = 0.0
    for pair in pairs:
        cells = sum(
            _is_wanted(Cell("", name, size, 2), pair.largest_bytes) for name in KERNELS for size in SIZES_BYTES
        )
        launch = planning.round_seconds(cells, 1, pair.delay_seconds) + cells * SECONDS_PER_CELL
        needed += max(SECONDS_PER_CLASS, (FEWEST_LAUNCHES + 1) * launch)
    return needed / (1 - LIMITS_TIME_SHARE)


def _the_one(request: FitRequest, events: Events) -> str:
    """The id of the implementation: a platform is that of one MPI. Raises InputError where several are meant."""
    names = (request.implementation,) if request.implementation else ()
    known = prepare(names, request.prefixes, events).implementations
    if len(known) > 1:
        raise InputError(
            f"fit measures one MPI, {len(known)} match: {', '.join(mpi.id for mpi in known)}",
            f"--mpi {known[0].id}",
        )
    return known[0].id


def _look_at_limits(ask: measure.Request, pairs: Sequence[Pair], store: Store, events: Events) -> None:
    """Between the last size that was sent eagerly and the first that was not, look at a dozen more."""
    launches = store.launches(ask.parent)
    sizes: dict[str, tuple[int, ...]] = {}
    for pair in pairs:
        curves = curves_of(launches, pair.placement)
        limit = eager_limit(curves)[0] if curves else 0
        if curves and 0 < limit < ALL_EAGER:
            below = curves.waiting.sizes[curves.waiting.sizes < limit][-1]
            between = np.linspace(below, limit, LIMIT_SIZES + 2)[1:-1]
            sizes[pair.placement] = tuple(sorted({int(size) for size in between} - {int(below), limit}))
    if not any(sizes.values()):
        return
    measure.measure(
        replace(
            ask, benchmarks=(WAITING,), sizes_bytes=tuple(sorted({size for of in sizes.values() for size in of})),
            placements=tuple(sizes), min_launches=2, max_launches=2,
            wanted=lambda cell: cell.size_bytes in sizes[cell.placement],
        ),
        store, events,
    )  # fmt: skip


def load(run_id: int, store: Store) -> FitResult:
    """Return what a stored run says of single messages; nothing is measured."""
    topology = store.topology(run_id)
    testbed = make(topology) if topology else LocalTestbed()
    launches = store.launches(run_id)
    closer = [
        launch
        for run in store.runs()
        if run.parent == run_id and run.kind == "fit"
        for launch in store.launches(run.id)
    ]
    pairs = pairs_of(testbed)
    fits: dict[str, ClassFit] = {}
    noisy, missing = [], []
    for pair in pairs:
        curves = curves_of(launches, pair.placement, closer)
        if curves is None:
            missing.append(_missing(pair, launches))
            continue
        fits[pair.name] = fit_class(pair.name, curves)
        noisy += _noise(pair, curves)
    if not fits:
        raise HostError(
            f"no class of pairs could be measured: {missing[0].message}", f"rankwise show {run_id} shows more"
        )
    return FitResult(_platform(run_id, store, testbed, pairs, fits), run_id, tuple(noisy), tuple(missing), fits)


def _platform(
    run_id: int, store: Store, testbed: TestbedKind, pairs: Sequence[Pair], fits: Mapping[str, ClassFit]
) -> Platform:
    run = store.run(run_id)
    labels = sorted({cell.label for cell in store.plan(run_id).cells} - {DEFAULT})
    nodes = {site: [host.name for host in hosts] for site, hosts in sites_of(testbed).items()}
    across = {pair.sites: fits[pair.name] for pair in pairs if pair.name in fits and pair.name != SAME_NODE}
    return platform_of(
        nodes, across, fits.get(SAME_NODE),
        Provenance(
            run.testbed, ", ".join(run.implementations), ", ".join(labels), str(run_id),
            datetime.fromtimestamp(run.created_at, UTC).strftime("%Y-%m-%d"), __version__,
        ),
    )  # fmt: skip


def _missing(pair: Pair, launches: Sequence[Launch]) -> Notice:
    """Why a class has no figures."""
    own = [
        launch for launch in launches for failure in launch.failures if failure.cell.placement == pair.placement
    ]
    reasons = [failure.reason for launch in own for failure in launch.failures]
    return Notice(
        "not-measured",
        f"{pair.name}: not measured: {reasons[0] if reasons else 'no time was left'}",
        "" if reasons else "give it more time (--time)",
    )


def _noise(pair: Pair, curves: Curves) -> list[Notice]:
    """The warning that a class varied too much, or was seen too seldom, for its figures to mean anything."""
    if curves.launches < FEWEST_LAUNCHES:
        return [
            Notice(
                "too-few-launches",
                f"{pair.name}: {curves.launches} launches instead of {FEWEST_LAUNCHES} give no intervals",
                "give it more time (--time)",
            )
        ]
    spread = curves.spread()
    if spread <= TOO_NOISY:
        return []
    return [
        Notice(
            "too-noisy",
            f"{pair.name}: too noisy to fit: half of its times are known to {format_share(spread)} or worse "
            f"after {curves.launches} launches",
            "measure on an idle machine, or give it more time (--time)",
        )
    ]
