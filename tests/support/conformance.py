"""Launches that check the data of benchmarks, for the tests of every implementation."""

from collections.abc import Collection
from functools import cache

from rankwise.core.records import Benchmark, Cell, Launch, Options, Plan
from rankwise.core.schedule_names import has_parameters
from rankwise.measurement import plan as planning
from rankwise.measurement.launch import Launching, list_benchmarks
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.local import LocalTestbed
from support.mpis import harness, working


@cache
def menu(implementation_id: str, further: tuple[str, ...] = ()) -> dict[str, Benchmark]:
    """Return what it can measure, `further` names with parameters among it."""
    found = list_benchmarks(working(implementation_id), harness(implementation_id), further)
    return {benchmark.name: benchmark for benchmark in found}


def verify(
    implementation_id: str, ranks: int, options: Options, sizes: tuple[int, ...], among: Collection[str]
) -> tuple[Launch, set[Cell]]:
    """Check the data of every benchmark `among` these which it has for these ranks and options, in one launch."""
    further = tuple(sorted(filter(has_parameters, among)))
    known = {name: one for name, one in menu(implementation_id, further).items() if name in among}
    testbed = LocalTestbed()
    selection = planning.Selection(tuple(known), sizes, hosts=testbed.hosts(), ranks=(ranks,), options=(options,))
    cells, _ = planning.make_cells([working(implementation_id)], {implementation_id: known}, selection)
    plan = Plan(cells, seed=1, time_budget_seconds=200.0, verify=True, launch_limit_seconds=180.0)
    launching = Launching(FamilyLauncher(), testbed, plan)
    return launching.launch(working(implementation_id), harness(implementation_id), cells), set(cells)
