"""How close to the bound do collectives over several sites come: ours, over each MPI's messages, and the natives?

    W="python benchmarks/wan_collectives.py openmpi-5 mpich-5"
    $W -n 4,8,16 --launches 3 --seconds 0.1 --schedules one_crossing,lanes --cells \
        barrier:0,bcast:8,bcast:8K,bcast:64K,allreduce:8,allreduce:8K,allreduce:64K,allgather:64K,alltoall:64K
    $W -n 4,8 --launches 3 --schedules lanes --cells bcast:1M,bcast:16M,allreduce:1M,allreduce:16M
    $W -n 8,16 --testbed benchmarks/thin_wan.toml --launches 3 --schedules one_crossing,lanes \
        --cells bcast:8,bcast:1M,allreduce:8,allreduce:1M,allgather:64K,alltoall:64K
    $W -n 8 --testbed benchmarks/lossy_wan.toml --launches 5 --schedules lanes --congestion-control bbr \
        --cells bcast:1M,allreduce:1M,allreduce:16M
    $W -n 6 --testbed benchmarks/uneven_sites.toml --launches 3 \
        --placements block,shuffled=1,shuffled=2,shuffled=3 --schedules lanes,trees,one_crossing,synthesised \
        --cells bcast:8,bcast:1M,allreduce:8,allreduce:1M

Placements are those of `rankwise bench`, and `shuffled=SEED`: `block` in random order. `synthesised` is a schedule
found for the operation, the size and the order of ranks before anything is measured; `--file` adds one of yours.
Every round launches, in random order, each implementation as it is, Open MPI also without its hierarchical
component (`han`), MPICH also with messages in pieces of 64 KiB; and each of them but `han off` once more for the
schedules alone, since natives leave TCP connections with windows of theirs. `--congestion-control` does all of
that again on hosts whose TCP is set so, as `rankwise tune` may choose it; the best native is one on hosts as
they are. A time is the median over launches, a ratio has a 95 % interval from resampled launches. The bounds:
one crossing, and the bytes over the busiest resource, at what the testbed's line rates leave for TCP's data.
Below each cell stands whether the best schedule over any MPI is within the target's times of the bound, and as
much faster than the best native as is aimed at.
"""

import math
import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np
from wan_bounds import MIB, Bounds, EqualSites, bounds_of
from wan_candidates import SYNTHESISED, Order, different, synthesised

from rankwise.cli.screen import Screen
from rankwise.core.host_settings import CONGESTION_CONTROL
from rankwise.core.network import Topology
from rankwise.core.records import DEFAULT, Cell, Launch, Plan
from rankwise.core.schedule_names import ScheduleFiles
from rankwise.core.tuning import Setting, Tuning
from rankwise.core.units import format_size, parse_size_bytes
from rankwise.measurement.launch import Launching
from rankwise.measurement.runner import Ready
from rankwise.mpi.family import FamilyLauncher, family_named
from rankwise.stats.summary import median
from rankwise.workflows.configurations import loader, tuned
from rankwise.workflows.prepare import prepare, up
from rankwise.workflows.schedule_files import schedule_files
from rankwise.workflows.schedule_network import network_file
from rankwise.workflows.testbeds import testbed_of

CELLS = (
    "barrier:0,bcast:8,bcast:8K,bcast:64K,bcast:1M,bcast:16M,allreduce:8,allreduce:8K,allreduce:64K,allreduce:1M,"
    "allreduce:16M,allgather:8,allgather:64K,alltoall:8,alltoall:64K"
)
SCHEDULES = ("one_crossing", "lanes", "multilevel", "trees")
SETTINGS = {"han off": Setting("han", "off"), "64 KiB pieces": Setting("tcp-piece-size", "65536")}
"""What an implementation that knows it is measured with too."""
WITHOUT_SCHEDULES = "han off"
"""Which changes nothing for them."""
WANTED_GAIN = {"bcast": 2.0, "allreduce": 2.0}
"""Over the best native, from 1 MiB on; elsewhere a schedule shall not be slower."""
UNDER = " under "
"""Between a variant and the congestion control of its hosts."""
DRAWS = 1000
Times = defaultdict[tuple[str, str, Cell], list[float]]
"""Medians of launches by implementation, variant and cell, seconds."""
Homes = Mapping[tuple[int, str], tuple[str, int]]
"""By ranks and placement: what it is called, and the site of rank 0."""


@click.command()
@click.argument("names", nargs=-1)
@click.option("--testbed", default="grid5000-2007-tuned", show_default=True)
@click.option("-n", "ranks", default="8", show_default=True, help="One number, or several: 4,8,16.")
@click.option("--placements", default="block,cyclic", show_default=True, help="Also shuffled=SEED.")
@click.option("--cells", default=CELLS, show_default=True)
@click.option("--schedules", default=",".join(SCHEDULES), show_default=True)
@click.option("--launches", default=5, show_default=True)
@click.option("--seconds", default=0.3, show_default=True, help="Of each cell in a launch.")
@click.option("--congestion-control", "controls", multiple=True, help="Of the hosts' TCP, beside their own.")
@click.option("--file", "files", multiple=True, type=click.Path(path_type=Path), help="A schedule to measure too.")
def main(
    *, names: tuple[str, ...], testbed: str, ranks: str, placements: str, cells: str, schedules: str,
    launches: int, seconds: float, controls: tuple[str, ...], files: tuple[Path, ...],
) -> None:  # fmt: skip
    """Measure natives and schedules in one interleaved run, and print them beside the bounds."""
    built = prepare(names or ("openmpi-5", "mpich-5"), (), Screen())
    wanted = [(name, parse_size_bytes(size)) for name, size in (one.split(":") for one in cells.split(","))]
    times: Times = defaultdict(list)
    with up(testbed_of(testbed), Screen()) as (where, _):
        topology = where.topology()
        assert topology is not None, f"{testbed} has no network"
        bounds = bounds_of(topology)
        orders = [
            one
            for count in map(int, ranks.split(","))
            for one in different(placements.split(","), where.hosts(), count)
        ]
        if isinstance(bounds, EqualSites) and not all(one.spread_evenly(where.hosts()) for one in orders):
            raise click.UsageError("the bounds are for as many ranks on each node; give other -n or --placements")
        plan = Plan((), 0, math.inf, seconds_per_cell=seconds, launch_limit_seconds=180)
        candidates = [_candidates(topology, wanted, one, schedules.split(","), files) for one in orders]
        work = [
            (ready, variant, ours, one)
            for ready in built.ready.values()
            for variant in _variants(ready, controls)
            for ours in (False, True)
            if not (ours and variant.partition(UNDER)[0] == WITHOUT_SCHEDULES)
            for one in zip(orders, candidates, strict=True)
        ]
        for _ in range(launches):
            for ready, variant, ours, (order, known) in random.sample(work, len(work)):
                launching = Launching(
                    FamilyLauncher(), where, plan, load=loader(where), network=network_file(where),
                    schedule_files=known.files,
                )  # fmt: skip
                one = ready.implementation
                asked = list(_cells(one.id, wanted, len(order.hosts), order.placement, where.name))
                if ours:
                    asked = _by_schedules(asked, known, built.menu[one.id])
                launch = launching.launch(
                    one,
                    ready.program,
                    random.sample(asked, len(asked)),
                    configuration=tuned(one, _tuning(variant), topology),
                )
                _keep(times, launch, variant)
    homes = {(len(one.hosts), one.placement): (one.told, one.home(topology)) for one in orders}
    _print(times, bounds, homes)


@dataclass(frozen=True, slots=True)
class Candidates:
    """What carries out the operations in launches of a number of ranks in one order."""

    names: tuple[str, ...]
    """Of algorithms, and of users' files."""
    synthesised: dict[tuple[str, int], str]
    """Benchmarks by operation and bytes."""
    files: ScheduleFiles


def _candidates(
    topology: Topology, wanted: Iterable[tuple[str, int]], order: Order, schedules: Sequence[str],
    files: Sequence[Path],
) -> Candidates:  # fmt: skip
    ranks = len(order.hosts)
    known = schedule_files(files, [ranks]).get(ranks, {})
    found, more = synthesised(topology, wanted, order) if SYNTHESISED in schedules else ({}, {})
    names = (*(one for one in schedules if one != SYNTHESISED), *(name.partition(".")[2] for name in known))
    return Candidates(names, found, {ranks: {**known, **more.get(ranks, {})}})


def _tuning(variant: str) -> Tuning:
    name, _, control = variant.partition(UNDER)
    settings = (SETTINGS[name],) if name in SETTINGS else ()
    return Tuning(settings, host_settings=((CONGESTION_CONTROL, control),) if control else ())


def _variants(ready: Ready, controls: Sequence[str]) -> list[str]:
    knobs = {knob.name for knob in family_named(ready.implementation.family).knobs(ready.implementation)}
    names = [DEFAULT, *(name for name, setting in SETTINGS.items() if setting.knob in knobs)]
    return [*names, *(f"{name}{UNDER}{control}" for control in controls for name in names)]


def _cells(
    implementation: str, wanted: Iterable[tuple[str, int]], ranks: int, placement: str, testbed: str
) -> Iterable[Cell]:
    for name, size in wanted:
        yield Cell(implementation, name, size, ranks, testbed=testbed, placement=placement)


def _by_schedules(cells: Iterable[Cell], known: Candidates, menu: Collection[str]) -> list[Cell]:
    """Those of the menu, all files, and what was found for these operations and sizes."""
    files = {name for of_ranks in known.files.values() for name in of_ranks}
    asked = []
    for cell in cells:
        names = [f"{cell.benchmark}.{name}" for name in dict.fromkeys(known.names)]
        found = known.synthesised.get((cell.benchmark, cell.size_bytes))
        asked += [
            replace(cell, benchmark=name)
            for name in (*names, *([found] if found else []))
            if name in menu or name in files
        ]
    return asked


def _keep(times: Times, launch: Launch, variant: str) -> None:
    if launch.status != "finished":
        print(f"{launch.implementation} {variant}: {launch.reason}", flush=True)
    for failure in launch.failures:
        print(f"{failure.cell.benchmark} {failure.cell.size_bytes}: {failure.reason}", flush=True)
    for series in launch.series:
        times[launch.implementation, variant, _plain(series.cell)].append(median(series.samples_seconds))


def _plain(cell: Cell) -> Cell:
    name = cell.benchmark
    if f".file:{SYNTHESISED}-" in name:
        name = f"{name.partition('.')[0]}.{SYNTHESISED}"
    return Cell("", name, cell.size_bytes, cell.ranks, placement=cell.placement)


def _print(times: Times, bounds: Bounds, homes: Homes) -> None:
    cells = sorted(
        {cell for _, _, cell in times if "." not in cell.benchmark},
        key=lambda cell: (cell.benchmark, cell.size_bytes, cell.ranks, cell.placement),
    )
    met = [_print_cell(times, bounds, cell, homes[cell.ranks, cell.placement]) for cell in cells]
    print(f"targets met in {sum(met)} of {len(met)} cells")


def _print_cell(times: Times, bounds: Bounds, cell: Cell, order: tuple[str, int]) -> bool:
    """Print natives, schedules and the verdict, and return whether both targets are met."""
    told, home = order
    bound = bounds.seconds(cell.benchmark, cell.size_bytes, cell.ranks, home)
    native = {f"{one} {variant}": values for (one, variant, known), values in times.items() if known == cell}
    as_it_is = [name for name in native if UNDER not in name]
    best_native = min(as_it_is, key=lambda name: median(np.array(native[name])))
    natives = ", ".join(f"{name} {1e3 * median(np.array(native[name])):.4g}" for name in sorted(native))
    size = format_size(cell.size_bytes)
    hosts = f" ({cell.placement.partition('=')[2]})" if told != cell.placement else ""
    print(f"{cell.benchmark} {size} {cell.ranks} ranks {told}{hosts}: bound {1e3 * bound:.4g} ms; {natives}")
    ours = {
        f"{known.benchmark} over {one} {variant}": values
        for (one, variant, known), values in times.items()
        if known.benchmark.startswith(f"{cell.benchmark}.")
        and (known.size_bytes, known.ranks, known.placement) == (cell.size_bytes, cell.ranks, cell.placement)
    }
    for name, values in sorted(ours.items(), key=lambda item: median(np.array(item[1]))):
        low, high = interval(values, native[best_native])
        ratio, gain = _judged(values, bound, native[best_native])
        print(
            f"    {name}: {1e3 * median(np.array(values)):.4g} ms = {ratio:.2f} x bound; "
            f"best native ({best_native}) / this = {gain:.2f} [{low:.2f}, {high:.2f}]"
        )
    if not ours:
        return False
    best = min(ours, key=lambda name: median(np.array(ours[name])))
    ratio, gain = _judged(ours[best], bound, native[best_native])
    most, least = bounds.target(cell.benchmark, cell.size_bytes), _least_gain(cell)
    near, faster = ratio <= most, gain >= least
    print(
        f"  target at most {most:.4g} x bound: {_verdict(near)} ({ratio:.2f}, {best}); "
        f"best native / this at least {least:.4g}: {_verdict(faster)} ({gain:.2f})",
        flush=True,
    )
    return near and faster


def _judged(ours: Sequence[float], bound: float, native: Sequence[float]) -> tuple[float, float]:
    seconds = median(np.array(ours))
    return seconds / bound, median(np.array(native)) / seconds


def _least_gain(cell: Cell) -> float:
    return WANTED_GAIN.get(cell.benchmark, 1.0) if cell.size_bytes >= MIB else 1.0


def _verdict(met: bool) -> str:
    return "met" if met else "missed"


def interval(ours: Sequence[float], native: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the ratio of medians, native over ours: launches drawn again and again."""
    random_numbers = np.random.default_rng(0)
    ratios = [
        np.median(random_numbers.choice(native, len(native))) / np.median(random_numbers.choice(ours, len(ours)))
        for _ in range(DRAWS)
    ]
    low, high = np.quantile(ratios, [0.025, 0.975])
    return float(low), float(high)


if __name__ == "__main__":
    main()
