"""How often does Rankwise find a difference where there is none? One implementation against itself, many times.

    python benchmarks/same_against_same.py [--plans 40] [--launches 12] [--testbed two-clusters] [MPI]...

Each plan is a whole comparison as `rankwise compare` makes it: two ids, one installation, launches interleaved,
the same analysis. The answer is the share of plans with any *faster* or *slower*: at most 5 % is promised. Where
nothing differs, a plan with any *probably* counts against the false discovery rate: 5 % as well.
"""

import dataclasses
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from scipy import stats

from rankwise.cli.screen import Screen
from rankwise.core.records import Benchmark, Plan
from rankwise.core.results import Comparison
from rankwise.core.units import parse_sizes_bytes
from rankwise.measurement import plan as planning
from rankwise.measurement.runner import Ready
from rankwise.store.store import Store
from rankwise.testbeds.base import TestbedKind
from rankwise.workflows import answer
from rankwise.workflows.carrying_out import carry_out
from rankwise.workflows.prepare import prepare, up
from rankwise.workflows.testbeds import testbed_of

BENCHMARKS = ("pingpong", "bcast", "allreduce")
PROMISED = 0.05


@click.command()
@click.argument("implementations", nargs=-1)
@click.option("--plans", default=40, show_default=True)
@click.option("--sizes", default="1:256K:8", show_default=True)
@click.option("--launches", default=12, show_default=True, help="Of each cell and twin.")
@click.option("--testbed", default="local", show_default=True)
def main(implementations: tuple[str, ...], plans: int, sizes: str, launches: int, testbed: str) -> None:
    """Run the plans and print each one's verdicts, then the share with a false difference."""
    built = prepare(implementations, (), Screen())
    rates = []
    with up(testbed_of(testbed), Screen()) as (where, _):
        for ready in built.ready.values():
            found = _plans(
                ready, built.menu[ready.implementation.id], where, plans=plans, sizes=sizes, launches=launches
            )
            rates.append(_conclude(f"{ready.implementation.id} on {testbed}", found))
    sys.exit(max(rates) > PROMISED)


def _plans(
    original: Ready, known: Mapping[str, Benchmark], where: TestbedKind, *, plans: int, sizes: str, launches: int
) -> list[Comparison]:
    """Carry out the plans of one implementation under two names."""
    twins = {
        name: Ready(dataclasses.replace(original.implementation, id=name), original.program)
        for name in (f"{original.implementation.id}-a", f"{original.implementation.id}-b")
    }
    implementations = [ready.implementation for ready in twins.values()]
    placements = ("across-sites",) if len({host.site for host in where.hosts()}) > 1 else ()
    selection = planning.Selection(
        BENCHMARKS, parse_sizes_bytes(sizes), where.hosts(), (2,), testbed=where.name, placements=placements
    )
    cells, _ = planning.make_cells(implementations, dict.fromkeys(twins, known), selection)
    found = []
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "results.sqlite") as store:
        for number in range(plans):
            plan = Plan(
                cells, seed=number, time_budget_seconds=3600.0, seconds_per_cell=0.003, min_launches=launches,
                max_launches=launches,
            )  # fmt: skip
            run_id = store.begin_run("same against same", where.name, plan, implementations=implementations,
                                     benchmarks=known.values(), baseline=implementations[0].id)  # fmt: skip
            carry_out(run_id, plan, twins, where, store, Screen(quiet=True), {})
            found.append(answer.compare_run(store, run_id))
            counts = Counter(verdict.verdict for verdict in found[-1].verdicts)
            print(f"plan {number:3}: {', '.join(f'{n} {word}' for word, n in counts.items())}", flush=True)
            store.delete(run_id)
    return found


def _conclude(name: str, found: Sequence[Comparison]) -> float:
    words = [{verdict.verdict for verdict in one.verdicts} for one in found]
    shares = []
    for tier, meant in (("", {"faster", "slower"}), ("probable ", {"probably faster", "probably slower"})):
        false = sum(bool(one & (meant | {"faster", "slower"})) for one in words)
        interval = stats.binomtest(false, len(found)).proportion_ci()
        shares.append(false / len(found))
        print(
            f"{name} against itself: {false} of {len(found)} plans of {len(found[0].verdicts)} cells with a false "
            f"{tier}difference ({shares[-1]:.1%}, 95 % interval {interval.low:.1%} to {interval.high:.1%})"
        )
    return shares[0]


if __name__ == "__main__":
    main()
