"""How many pairs does `rankwise compare` decide in the same time, beside another version of Rankwise?

    python benchmarks/plan_beside_before.py /path/to/other/bin/rankwise [--time 3m] [--rounds 5] MPI...

Both versions measure the default cells of the same MPIs for the same time, in turn. All runs are then judged by
this version's statistics, so that what differs is the plan alone: how many launches, and how long in each cell.
"""

import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np

from rankwise.analysis.compare.cells import gather, judged_points
from rankwise.analysis.compare.verdicts import all_pairs, judge, p_values_of
from rankwise.stats.tests import holm
from rankwise.store.store import Store

OURS = Path(sys.executable).with_name("rankwise")
LIMIT_SECONDS = 3600.0


@click.command()
@click.argument("other", type=click.Path(exists=True, path_type=Path))
@click.argument("implementations", nargs=-1)
@click.option("--time", "budget", default="3m", show_default=True)
@click.option("--rounds", default=5, show_default=True)
@click.option("--bench", default="", help="Fewer benchmarks than the default, for a trial.")
def main(other: Path, implementations: Sequence[str], budget: str, rounds: int, bench: str) -> None:
    """Measure in turn and print how many pairs each version decides."""
    decided: dict[str, list[tuple[int, ...]]] = {"other": [], "ours": []}
    arguments = ["compare", *implementations, "--time", budget, *(("--bench", bench) if bench else ())]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            for name in random.sample(list(decided), 2):
                store = Path(folder) / f"{name}-{number}.sqlite"
                program = other if name == "other" else OURS
                _compare(program, arguments, store, Path(folder))
                decided[name].append(_count(store))
                launches, pairs, by_holm, by_class, probable, equivalent = decided[name][-1]
                print(
                    f"round {number} {name:>5}: {launches} launches, of {pairs} pairs {by_holm} by Holm alone, "
                    f"{by_class} by classes, {probable} more probable, {equivalent} equivalent", flush=True,
                )  # fmt: skip
    _conclude(decided)


def _compare(program: Path, arguments: Sequence[str], store: Path, folder: Path) -> None:
    command = [str(program), *arguments, "--store", str(store), "--report", str(folder / "page.html")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False, cwd=folder)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")


def _count(store: Path) -> tuple[int, ...]:
    """Launches, pairs, and how many of these are decided by each rule. Any two implementations are a pair."""
    copy = store.with_suffix(".copy")
    shutil.copy(store, copy)
    with Store(copy) as opened:
        run = opened.run(None).id
        launches = opened.launches(run)
        known = {one.name: one for one in opened.benchmarks(run)}
        names = [one.id for one in opened.implementations(run)]
    pairs = all_pairs(judged_points(gather(launches, known)), names)
    words = [one.verdict for one in judge(pairs, 0.05, 0.05)]
    by_class = words.count("faster") + words.count("slower")
    probable = words.count("probably faster") + words.count("probably slower")
    alone = int(np.sum(holm(p_values_of(pairs)) < 0.05))
    return len(launches), len(pairs), alone, by_class, probable, words.count("equivalent")


def _conclude(decided: dict[str, list[tuple[int, ...]]]) -> None:
    shares = {name: np.array([one[2] / one[1] for one in counts]) for name, counts in decided.items()}
    ratios = shares["ours"] / np.maximum(shares["other"], 1e-3)
    print(
        f"share of pairs decided by Holm alone: ours {shares['ours'].mean():.0%}, the other's "
        f"{shares['other'].mean():.0%}; {np.exp(np.mean(np.log(ratios))):.2f} times as many "
        f"({ratios.min():.2f} to {ratios.max():.2f} in {ratios.size} rounds)"
    )


if __name__ == "__main__":
    main()
