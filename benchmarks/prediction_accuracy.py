"""How far off are predictions of concurrent messages, by each model of contention, fitted to small patterns alone?

    python benchmarks/prediction_accuracy.py [--testbed gige-2006] [--patterns 20] [--flows 30] \
        [--fit-launches 1] [--launches 1] [--save FILE | --from FILE] [openmpi-5 mpich-5 lammpi]

For each MPI: flows alone, the micro-patterns, and nine flows among six nodes for the models' bands; then random
patterns of asynchronous messages as in Martinasso & Mehaut (2006), of 1, 2 and 4 MiB, one begun each millisecond:
half of them with two flows at each node, half with up to four. All models predict the same measurements. An error
is |predicted / measured - 1|, of a flow (mean, worst), of the sum over a pattern (together), or of the time until
its last flow has ended (makespan); `covered` is the share of flows within the model's own band: 90 % should be.
SMPI is SimGrid's, where that is installed, on the platform that the fit exports. `measured again` is what no model
can be better than: a launch (with one launch, a repetition) predicted by the median of the others.
About 11 minutes for three MPIs, on a machine that does nothing else.
"""

import json
import math
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import click
import numpy as np
import smpi_flows
from smpi_flows import Smpi

from rankwise.analysis.fit.accuracy import MODELS, Accuracy, SharingFit, accuracy, differences, fit_one_switch
from rankwise.analysis.fit.sharing_data import FloatArray, Observed, dropped_packets, repetitions
from rankwise.analysis.fit.sharing_patterns import random_pattern
from rankwise.analysis.fit.simulated import simulated
from rankwise.cli.screen import Screen
from rankwise.core.errors import HostError
from rankwise.core.flows import Pattern, benchmark_of, pattern_of, ranks_of
from rankwise.core.platform import Platform
from rankwise.core.records import Cell, Launch, Plan
from rankwise.core.units import format_share
from rankwise.measurement.launch import Launching
from rankwise.measurement.runner import Ready
from rankwise.mpi.family import FamilyLauncher
from rankwise.workflows.configurations import loader
from rankwise.workflows.fit.contention import fitting_patterns, launch_seconds
from rankwise.workflows.prepare import prepare, up
from rankwise.workflows.testbeds import testbed_of

NODES_PER_FLOW = {2: 1.0, 4: 2 / 3}
"""By the most flows at a node."""
RATE_BYTES_PER_SECOND = 12.5e6
"""Of the slowest NIC that is taken into account for how long a launch may last."""
ATTEMPTS = 3


@dataclass
class Measured:
    """What was measured with one implementation."""

    launches: list[Launch] = field(default_factory=list)
    repetitions: dict[Pattern, list[FloatArray]] = field(default_factory=dict)
    """Seconds of flows, shape (repetitions, flows), of each launch."""
    dropped: int = 0

    @property
    def patterns(self) -> dict[Pattern, Observed]:
        """What the fit takes: medians of each launch."""
        return {
            pattern: Observed(pattern, np.array([np.median(one, axis=0) for one in launches]))
            for pattern, launches in self.repetitions.items()
        }


def random_patterns(count: int, flows: int) -> dict[int, list[Pattern]]:
    """Return half of the patterns with each of the most flows at a node."""
    each = {2: range(1, count - count // 2 + 1), 4: range(1, count // 2 + 1)}
    return {
        ends: [
            random_pattern(seed, math.ceil(NODES_PER_FLOW[ends] * flows), ends=ends, flows=flows) for seed in seeds
        ]
        for ends, seeds in each.items()
    }


@click.command()
@click.argument("names", nargs=-1)
@click.option("--testbed", default="gige-2006", show_default=True)
@click.option("--patterns", "count", type=click.IntRange(2), default=20, show_default=True)
@click.option("--flows", type=click.IntRange(10), default=30, show_default=True)
@click.option("--fit-launches", type=click.IntRange(1), default=1, show_default=True)
@click.option("--launches", type=click.IntRange(1), default=1, show_default=True)
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), help="Write what was measured here.")
@click.option("--from", "stored", type=click.Path(exists=True, path_type=Path), help="Measure nothing: read this.")
def main(
    *, names: tuple[str, ...], testbed: str, count: int, flows: int, fit_launches: int, launches: int,
    save: Path | None, stored: Path | None,
) -> None:  # fmt: skip
    """Measure small and random patterns, fit all models to the small ones, and print how far off they are."""
    unseen = random_patterns(count, flows)
    if stored:
        found = _read(stored)
    else:
        sizes = (fit_launches, launches)
        found = _measured(names or ("openmpi-5", "mpich-5", "lammpi"), testbed, unseen, sizes)
    if save:
        _write(save, found)
    with tempfile.TemporaryDirectory(prefix="rankwise-smpi-") as folder:
        smpi = Smpi(Path(folder)) if smpi_flows.installed() else None
        for implementation, own in found.items():
            _tell(implementation, own, unseen, smpi)


def _measured(
    names: Sequence[str], testbed: str, unseen: dict[int, list[Pattern]], launches: tuple[int, int]
) -> dict[str, Measured]:
    built = prepare(names, (), Screen())
    found: defaultdict[str, Measured] = defaultdict(Measured)
    of_each = (
        fitting_patterns(),
        tuple(pattern for own in unseen.values() for pattern in own),
    )
    begun = time.monotonic()
    with up(testbed_of(testbed), Screen()) as (where, _):
        most = max(launch_seconds(patterns, RATE_BYTES_PER_SECOND) for patterns in of_each)
        plan = Plan((), 0, math.inf, seconds_per_cell=1e-3, launch_limit_seconds=4 * most)
        launching = Launching(FamilyLauncher(), where, plan, load=loader(where))
        for number in range(max(launches)):
            for ready in random.sample(list(built.ready.values()), len(built.ready)):
                for patterns, wanted in zip(of_each, launches, strict=True):
                    if number < wanted:
                        launch = _launched(launching, ready, patterns, where.name)
                        found[ready.implementation.id].launches.append(launch)
                        print(
                            f"{time.monotonic() - begun:5.0f} s: {ready.implementation.id}, {len(patterns)} "
                            f"patterns: {launch.reason or f'{launch.seconds:.0f} s'}",
                            flush=True,
                        )
    for implementation, own in found.items():
        own.repetitions = repetitions(own.launches, implementation)
        own.dropped = dropped_packets(own.launches)
    return found


def _launched(launching: Launching, ready: Ready, patterns: Sequence[Pattern], testbed: str) -> Launch:
    """A launch of all these, again where it did not end well."""
    one = ready.implementation
    ranks = max(map(ranks_of, patterns))
    cells = [Cell(one.id, benchmark_of(pattern), 0, ranks, testbed=testbed) for pattern in patterns]
    for _ in range(ATTEMPTS):
        launch = launching.launch(one, ready.program, random.sample(cells, len(cells)))
        if launch.status == "finished" and not launch.failures:
            break
    return launch


def _tell(implementation: str, own: Measured, unseen: dict[int, list[Pattern]], smpi: Smpi | None) -> None:
    patterns = own.patterns
    print(f"\n{implementation}: {len(patterns)} patterns measured, {own.dropped} packets dropped")
    try:
        fit = fit_one_switch(patterns, simulated)
    except HostError as error:
        print(f"  no fit: {error}")
        return
    _tell_fit(fit)
    platform = _widened(fit.platform, max(ranks_of(one) for some in unseen.values() for one in some))
    groups = {f"up to {ends} flows a node": some for ends, some in unseen.items()}
    groups["all"] = [one for some in unseen.values() for one in some]
    for name, some in groups.items():
        known = [one for one in some if one in patterns]
        if not known:
            continue
        title = f"{name}: {len(known)} patterns"
        print(f"  {title:<34}{'mean':>8}{'worst':>8}{'together':>10}{'makespan':>10}{'covered':>9}")
        for model in MODELS:
            _tell_row(accuracy(platform, model, [patterns[one] for one in known], simulated))
        if smpi:
            _tell_row(accuracy(platform, "SMPI", [patterns[one] for one in known], smpi.simulate))
        _tell_row(
            differences("measured again", [each for one in known for each in again(one, own.repetitions[one])])
        )
    if not smpi:
        print("  SMPI: not here (Debian: libsimgrid-dev)")


def _tell_row(off: Accuracy) -> None:
    covered = "-" if off.covered is None else format_share(off.covered)
    print(
        f"    {off.model:<32}{off.mean:>8.1%}{off.worst:>8.1%}{off.together:>10.1%}{off.makespan:>10.1%}"
        f"{covered:>9}"
    )


def again(pattern: Pattern, launches: Sequence[FloatArray]) -> list[tuple[Pattern, FloatArray, FloatArray]]:
    """Return each launch's medians beside those of the others; with one launch, the same of repetitions."""
    rows = [np.median(one, axis=0) for one in launches] if len(launches) > 1 else list(launches[0])
    return [
        (pattern, np.median(np.array(rows[:i] + rows[i + 1 :]), axis=0), row) for i, row in enumerate(rows)
    ]  # fmt: skip


def _tell_fit(fit: SharingFit) -> None:
    rates = [
        f"{1e-6 * one.value:.3f} MB/s {what}" for one, what in ((fit.out_rate, "out"), (fit.in_rate, "in")) if one
    ]
    print(f"  a flow alone: 1/G = {1e-6 / fit.alone.seconds_per_byte.value:.3f} MB/s; a NIC: {', '.join(rates)}")
    for one in fit.models.values():
        values = [
            f"{name} {getattr(one.model, name):.3g} [{within.low:.3g}, {within.high:.3g}]"
            for name, within in one.intervals.items()
        ]
        unknown = [f"no {name}: {why}" for name, why in one.not_identified.items()]
        error = "-" if one.model.relative_error is None else format_share(one.model.relative_error)
        print(f"  {one.model.name}: {'; '.join([*values, *unknown]) or 'no parameters'}; band {error}")


def _widened(platform: Platform, nodes: int) -> Platform:
    """More nodes at the same switch, all alike."""
    site = replace(platform.sites[0], nodes=tuple(f"n{i}" for i in range(nodes)))
    return replace(platform, sites=(site,))


def _write(path: Path, found: dict[str, Measured]) -> None:
    path.write_text(json.dumps({
        implementation: {
            "dropped": own.dropped,
            "patterns": {
                benchmark_of(one): [each.tolist() for each in launches]
                for one, launches in own.repetitions.items()
            },
        }
        for implementation, own in found.items()
    }))  # fmt: skip


def _read(path: Path) -> dict[str, Measured]:
    return {
        implementation: Measured(
            [],
            {
                pattern_of(name): [np.array(each) for each in launches]
                for name, launches in own["patterns"].items()
            },
            own["dropped"],
        )
        for implementation, own in json.loads(path.read_text()).items()
    }


if __name__ == "__main__":
    main()
