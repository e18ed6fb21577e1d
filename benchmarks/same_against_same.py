"""How often does Rankwise find a difference where there is none? One implementation against itself, many times.

    python benchmarks/same_against_same.py [--mpi mpich] [--plans 40] [--launches 12]

Each plan is a whole comparison as `rankwise compare` makes it: two ids, one installation, launches interleaved,
the same analysis. The answer is the share of plans with any *faster* or *slower*: at most 5 % is promised.
"""

import dataclasses
import sys
import tempfile
from pathlib import Path

import click
from scipy import stats

from rankwise.cli.screen import Screen
from rankwise.core.records import Options, Plan
from rankwise.core.results import Comparison
from rankwise.core.units import parse_sizes_bytes
from rankwise.measurement import plan as planning
from rankwise.measurement.runner import Ready
from rankwise.store.store import Store
from rankwise.testbeds.local import LocalTestbed
from rankwise.workflows import answer, measure
from rankwise.workflows.prepare import prepare

BENCHMARKS = ("pingpong", "bcast", "allreduce")


@click.command()
@click.option("--mpi", default="mpich", show_default=True)
@click.option("--plans", default=40, show_default=True)
@click.option("--sizes", default="1:256K:8", show_default=True)
@click.option("--launches", default=12, show_default=True, help="Of each cell and twin.")
def main(mpi: str, plans: int, sizes: str, launches: int) -> None:
    """Run the plans and print each one's verdicts, then the share with a false difference."""
    built = prepare([mpi], (), Screen())
    original = next(iter(built.ready.values()))
    twins = {
        name: Ready(dataclasses.replace(original.implementation, id=name), original.program)
        for name in (f"{original.implementation.id}-a", f"{original.implementation.id}-b")
    }
    menu = dict.fromkeys(twins, built.menu[original.implementation.id])
    hosts = LocalTestbed().hosts()
    selection = planning.Selection(
        BENCHMARKS, parse_sizes_bytes(sizes), hosts=hosts, ranks=(2,), options=(Options(),)
    )
    cells, _ = planning.make_cells([ready.implementation for ready in twins.values()], menu, selection)
    false = 0
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "results.sqlite") as store:
        for number in range(plans):
            plan = Plan(
                cells, seed=number, time_budget_seconds=600.0, seconds_per_cell=0.01, min_launches=launches,
                max_launches=launches,
            )  # fmt: skip
            implementations = [ready.implementation for ready in twins.values()]
            known = menu[implementations[0].id].values()
            run_id = store.begin_run("same against same", "local", plan, implementations=implementations,
                                     benchmarks=known, baseline=implementations[0].id)  # fmt: skip
            measure.carry_out(run_id, plan, twins, LocalTestbed(), store, Screen(quiet=True), {})
            comparison = answer.compare_run(store, run_id)
            false += _tell(number, comparison)
            store.delete(run_id)
    _conclude(original.implementation.id, false, plans, len(cells) // 2)


def _tell(number: int, comparison: Comparison) -> bool:
    words = [verdict.verdict for verdict in comparison.verdicts]
    counts = ", ".join(f"{words.count(word)} {word}" for word in ("faster", "slower", "equivalent", "undecided"))
    print(f"plan {number:3}: {counts}", flush=True)
    return "faster" in words or "slower" in words


def _conclude(name: str, false: int, plans: int, cells: int) -> None:
    interval = stats.binomtest(false, plans).proportion_ci()
    print(
        f"{name} against itself: {false} of {plans} plans of {cells} cells with a false difference "
        f"({false / plans:.1%}, 95 % interval {interval.low:.1%} to {interval.high:.1%})"
    )
    sys.exit(false / plans > 0.05)


if __name__ == "__main__":
    main()
