"""How far off are predictions between sites: of concurrent messages, and of collective operations by schedules?

    python benchmarks/sites_prediction.py [--testbed benchmarks/thin_wan.toml] [--patterns 10] [--flows 12] \
        [--schedules bcast.binomial,allreduce.ring] [--sizes 64K,1M] [--launches 3] [--fit-time 5m] \
        [--models alpha-fair,max-min,...] [--platforms FOLDER] [--keep FOLDER] [openmpi-5 mpich-5]

One rank on each node. The platform is fitted on the testbed to micro-patterns (--fit-time 0: the testbed as it is
described), kept in FOLDER, and taken from there if it is. Patterns are random asynchronous messages of 1, 2 and
4 MiB, one begun each millisecond, within sites and between them, up to four at a node. All models, or --models,
predict the same measurements; an error is |predicted / measured - 1|, of a flow (mean, worst), of the time until a
pattern's last flow has ended (makespan), and of an operation. How late the emulator delivered packets is printed
below: where that is not small beside the times, they are the machine's more than the network's. With --keep the
measurements stay in that folder, and what is there already is predicted again without being measured.
`measured again` is what no model can be much better than: a launch predicted by the median of the others.
"""

import json
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
from prediction_accuracy import again
from trace_prediction import platform_arguments, rankwise

from rankwise.analysis.fit.accuracy import MODELS, differences
from rankwise.analysis.fit.sharing_data import repetitions
from rankwise.analysis.fit.sharing_patterns import random_pattern
from rankwise.cli.options import SIZES
from rankwise.cli.screen import Screen
from rankwise.core.flows import Pattern, benchmark_of
from rankwise.store.store import Store
from rankwise.workflows.prepare import prepare
from rankwise.workflows.testbeds import testbed_of

MOST_AT_A_NODE = 4
STORE = "results.sqlite"


@click.command()
@click.argument("names", nargs=-1)
@click.option("--testbed", default=str(Path(__file__).with_name("thin_wan.toml")))
@click.option("--patterns", "count", type=click.IntRange(1), default=10, show_default=True)
@click.option("--flows", type=click.IntRange(2), default=12, show_default=True, help="Of each pattern.")
@click.option("--schedules", default="bcast.binomial,allreduce.ring", show_default=True)
@click.option("--sizes", type=SIZES, default="64K,1M", show_default=True, help="Of their blocks.")
@click.option("--launches", type=click.IntRange(1), default=3, show_default=True)
@click.option("--fit-time", default="5m", show_default=True, help="0: predict with the testbed as described.")
@click.option("--models", default=",".join(MODELS), show_default=True)
@click.option("--platforms", type=click.Path(path_type=Path, file_okay=False), help="Fitted ones, kept here.")
@click.option("--keep", type=click.Path(path_type=Path, file_okay=False), help="What is measured stays here.")
def main(  # noqa: PLR0917 -- click passes every option by its name
    names: tuple[str, ...], testbed: str, count: int, flows: int, schedules: str, sizes: tuple[int, ...],
    launches: int, fit_time: str, models: str, platforms: Path | None, keep: Path | None,
) -> None:  # fmt: skip
    """Fit, measure, predict, and print how far off each model is."""
    where = str(Path(testbed).absolute()) if Path(testbed).exists() else testbed
    nodes = len(testbed_of(where).hosts())
    patterns = [random_pattern(seed, nodes, ends=MOST_AT_A_NODE, flows=flows) for seed in range(1, count + 1)]
    asked, by = [one for one in schedules.split(",") if one], models.split(",")
    with tempfile.TemporaryDirectory() as name:
        folder = (keep or Path(name)).absolute()
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)
        kept = (platforms or folder / "platforms").absolute()
        kept.mkdir(exist_ok=True)
        for one in prepare(names or ("openmpi-5", "mpich-5"), (), Screen()).ready:
            platform = platform_arguments(one, where, fit_time, kept, folder)
            bench = ["bench", "--mpi", one, "--testbed", where, "-n", str(nodes), "--launches", str(launches)]
            bench += ["--store", STORE, "-q"]
            print(f"\n{one}, {nodes} nodes of {Path(testbed).stem}")
            run = _measured(one, bench, tuple(map(benchmark_of, patterns)), (), folder)
            _tell_patterns(patterns, by, platform, folder, run)
            _tell_again(one, patterns, folder, run)
            _tell_lateness(folder, run)
            if asked:
                run = _measured(one, bench, asked, ("--sizes", ",".join(map(str, sizes))), folder)
                _tell_schedules(asked, sizes, by, (*platform, "-n", str(nodes)), folder, run)
                _tell_lateness(folder, run)


def _measured(
    one: str, bench: Sequence[str], benchmarks: Sequence[str], more: Sequence[str], folder: Path
) -> int:  # fmt: skip
    """Return the run that has these benchmarks of an implementation; they are measured if there is none."""
    for _ in range(2):
        with Store(folder / STORE) as store:
            for run in sorted((each.id for each in store.runs()), reverse=True):
                cells = store.plan(run).cells
                known = {cell.benchmark for cell in cells if cell.implementation == one}
                if known.issuperset(benchmarks):
                    return run
        rankwise(*bench, *benchmarks, *more, folder=folder)
    raise click.ClickException(f"{one}: no run has {', '.join(benchmarks)}")


def _predicted(words: Sequence[str], folder: Path, run: int) -> list[dict[str, float]]:
    """What the run measured, each beside the prediction."""
    beside = ("--compare-with", str(run), "--store", STORE, "--json", "-q")
    found: list[dict[str, float]] = json.loads(rankwise("predict", *words, *beside, folder=folder))["measured"]
    return found


def _tell_patterns(
    patterns: Sequence[Pattern], models: Sequence[str], platform: Sequence[str], folder: Path, run: int
) -> None:  # fmt: skip
    print(f"  {len(patterns)} patterns, {sum(map(len, patterns))} flows{'mean':>14}{'worst':>8}{'makespan':>10}")
    for model in models:
        flows, makespans = [], []
        for pattern in patterns:
            lines = [f"{one.source} {one.target} {one.bytes} {one.start_seconds:.9g}\n" for one in pattern]
            (folder / "flows").write_text("".join(lines))
            whole, *each = _predicted(("pattern", "flows", *platform, "--model", model), folder, run)
            makespans.append(abs(whole["error"]))
            flows += [abs(one["error"]) for one in each]
        print(f"    {model:<32}{np.mean(flows):>8.1%}{max(flows):>8.1%}{np.mean(makespans):>10.1%}")


def _tell_again(one: str, patterns: Sequence[Pattern], folder: Path, run: int) -> None:
    with Store(folder / STORE) as store:
        launches = store.launches(run)
    seen = repetitions(launches, one)
    off = differences("measured again", [each for pattern in patterns for each in again(pattern, seen[pattern])])
    dropped = sum(link.dropped_packets for launch in launches for link in launch.links)
    print(f"    {off.model:<32}{off.mean:>8.1%}{off.worst:>8.1%}{off.makespan:>10.1%}   {dropped} packets dropped")


def _tell_schedules(  # noqa: PLR0917 - what was asked for, what predicts it, where it is
    asked: Sequence[str], sizes: Sequence[int], models: Sequence[str], platform: Sequence[str], folder: Path,
    run: int,
) -> None:  # fmt: skip
    errors: defaultdict[str, list[float]] = defaultdict(list)
    print(f"  {'schedule, block':<34}{'measured':>10}  predicted by {', '.join(models)}")
    for name in asked:
        operation, _, algorithm = name.partition(".")
        for size in sizes:
            words = ("collective", operation, "--algorithm", algorithm, "--size", str(size), *platform)
            found, seconds = [], 0.0
            for model in models:
                (own,) = [one for one in _predicted((*words, "--model", model), folder, run) if one["same"]]
                seconds = own["seconds"]
                errors[model].append(abs(own["error"]))
                found.append(f"{1e3 * own['predicted_seconds']:.2f} ms ({own['error']:+.1%})")
            print(f"    {name + ', ' + str(size) + ' B':<32}{1e3 * seconds:>7.2f} ms  {', '.join(found)}")
    for model, those in errors.items():
        print(f"    {model}: mean {np.mean(those):.1%}, worst {max(those):.1%}")


def _tell_lateness(folder: Path, run: int) -> None:
    with Store(folder / STORE) as store:
        figures = [one.emulator for one in store.launches(run) if one.emulator]
    if not figures:
        print("  how late packets were is not known")
        return
    median = 1e3 * float(np.median([one.lateness_p50_seconds for one in figures]))
    worst = 1e3 * max(one.lateness_p99_seconds for one in figures)
    most = 1e3 * max(one.lateness_max_seconds for one in figures)
    print(f"  packets late by {median:.3f} ms in the median, at most {worst:.3f} ms (p99) and {most:.1f} ms (any)")


if __name__ == "__main__":
    main()
