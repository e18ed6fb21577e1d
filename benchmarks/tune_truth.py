"""Does the search for algorithms find what is best, and nothing where nothing is better? Three questions, live.

    python benchmarks/tune_truth.py [--question alike|handicap|truth] [--searches 40] [--launches 30]
                                    [--operation bcast] [--testbed local] mpich-5

- All alike: every "algorithm" is the default under another name. A search that finds a rule is wrong: at most 5 %.
- A handicap: the default is replaced by its slowest algorithm. A search should find something as good as the best.
- The truth: all algorithms at all sizes in as many launches as asked for. How often does a search choose the best,
  or one within 5 % of it, how much longer does what it chooses take, and in how many launches?

The MPI must be one that switches between algorithms within a launch (Open MPI, MPICH).
"""

import dataclasses
import math
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import click
import numpy as np
from scipy import stats

from rankwise.analysis.tune.algorithm_search import AlgorithmSearch
from rankwise.analysis.tune.choices import choices_of, first_choices, name_of
from rankwise.analysis.tune.race import AGAIN, SearchCriteria
from rankwise.analysis.tunings import choice_at
from rankwise.cli.screen import Screen
from rankwise.core.network import Topology
from rankwise.core.records import DEFAULT, Cell, Launch, Plan
from rankwise.core.tuning import Candidate, Choice, Tuning
from rankwise.core.units import format_size, parse_sizes_bytes
from rankwise.measurement.launch import Launching
from rankwise.measurement.runner import Ready
from rankwise.mpi.family import FamilyLauncher, family_named
from rankwise.stats.summary import geometric_mean, median
from rankwise.workflows.configurations import loader, switching
from rankwise.workflows.prepare import prepare, up
from rankwise.workflows.testbeds import testbed_of
from rankwise.workflows.tune.bundles import VISITS

QUESTIONS = ("alike", "handicap", "truth")
DELTA = SearchCriteria().delta
Times = defaultdict[tuple[str, int], float]
"""The median over launches by label and size, seconds; infinite for what failed."""


@dataclass(frozen=True)
class Domain:
    """The algorithms and sizes of one operation of one implementation, measured in launches that switch."""

    ready: Ready
    launching: Launching
    template: Cell
    sizes: Sequence[int]
    choices: Sequence[Choice]
    candidates: Mapping[str, Candidate]
    topology: Topology | None

    def label(self, choice: Choice) -> str:
        """Return the label that a search gives the cells of this choice."""
        return (
            f"{self.template.benchmark}@{self.template.ranks}={name_of(choice)}" if choice.algorithm else DEFAULT
        )

    def cell(self, size_bytes: int, label: str = DEFAULT) -> Cell:
        """Return the cell of a size with what a label stands for."""
        return dataclasses.replace(self.template, size_bytes=size_bytes, label=label)

    def launch(self, cells: Sequence[Cell], candidates: Mapping[str, Candidate]) -> Launch:
        """Measure each cell a few times, in random order."""
        one = self.ready.implementation
        order = [cell for _ in range(VISITS) for cell in random.sample(cells, len(cells))]
        loaded = switching(one, Tuning(), self.topology)
        return self.launching.launch(one, self.ready.program, order, configuration=loaded, candidates=candidates)

    def search(self, candidates: Mapping[str, Candidate]) -> tuple[Tuning, int]:
        """Carry out a search; return what it finds, and in how many launches."""
        search, launches = AlgorithmSearch(self.template, self.choices, self.sizes), 0
        while trials := search.ask():
            cells = list(dict.fromkeys(cell for trial in trials for cell in trial.cells))
            search.tell([self.launch(cells, {**candidates, AGAIN: candidates.get(DEFAULT, Candidate())})])
            launches += 1
        return search.best(), launches


@click.command()
@click.argument("name")
@click.option("--question", "questions", type=click.Choice(QUESTIONS), multiple=True, default=QUESTIONS)
@click.option("--searches", default=40, show_default=True)
@click.option("--launches", default=30, show_default=True)
@click.option("--operation", default="bcast", show_default=True)
@click.option("--ranks", default=4, show_default=True)
@click.option("--sizes", default="1K,32K,1M", show_default=True)
@click.option("--testbed", default="local", show_default=True)
def main(
    *, name: str, questions: tuple[str, ...], searches: int, launches: int, operation: str, ranks: int, sizes: str,
    testbed: str,
) -> None:  # fmt: skip
    """Answer the three questions for one implementation."""
    ready = next(iter(prepare([name], (), Screen()).ready.values()))
    one = ready.implementation
    family = family_named(one.family)
    with up(testbed_of(testbed), Screen()) as (where, _):
        plan = Plan((), 0, math.inf, seconds_per_cell=0.01)
        domain = Domain(
            ready, Launching(FamilyLauncher(), where, plan, load=loader(where)),
            Cell(one.id, operation, 0, ranks, testbed=where.name), parse_sizes_bytes(sizes), (), {},
            where.topology(),
        )  # fmt: skip
        known = first_choices(choices_of(family.algorithms(one)[operation]), max(domain.sizes))
        candidates = {choice: family.candidate(one, operation, choice) for choice in known}
        domain = dataclasses.replace(
            domain,
            choices=[choice for choice, found in candidates.items() if found],
            candidates={domain.label(choice): found for choice, found in candidates.items() if found},
        )
        if "alike" in questions:
            _alike(domain, searches)
        if {*questions} == {"alike"}:
            return
        times = _exhaustive(domain, launches)
        slowest = max(
            domain.candidates, key=lambda label: sum(math.log(times[label, size]) for size in domain.sizes)
        )
        if "handicap" in questions:
            _found("a handicapped default", domain, times, searches, slowest)
        if "truth" in questions:
            _found(f"the truth of {launches} launches", domain, times, searches, DEFAULT)


def _exhaustive(domain: Domain, launches: int) -> Times:
    """Measure every algorithm at every size in each of the launches."""
    labels = (DEFAULT, *domain.candidates)
    cells = [domain.cell(size, label) for size in domain.sizes for label in labels]
    found: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for _ in range(launches):
        for (cell, _), seconds in domain.launch(cells, domain.candidates).values().items():
            found[cell.label, cell.size_bytes].append(seconds)
    times: Times = defaultdict(lambda: math.inf)
    times.update({key: median(np.array(values)) for key, values in found.items()})
    for size in domain.sizes:
        told = sorted((times[label, size], label.rpartition("=")[2]) for label in labels)
        print(f"{format_size(size):>8}: " + ", ".join(f"{name} {1e6 * one:.0f}" for one, name in told) + " us")
    return times


def _alike(domain: Domain, searches: int) -> None:
    """Search among names that all stand for the default."""
    nothing = dict.fromkeys(domain.candidates, Candidate())
    found = [domain.search(nothing) for _ in range(searches)]
    wrong = sum(tuning != Tuning() for tuning, _ in found)
    interval = stats.binomtest(wrong, searches).proportion_ci()
    print(
        f"all alike, {len(nothing)} names: {wrong} of {searches} searches found a rule ({interval.low:.1%} to "
        f"{interval.high:.1%}), {np.mean([launches for _, launches in found]):.1f} launches each"
    )


def _found(question: str, domain: Domain, times: Times, searches: int, default: str) -> None:
    """Search with the default done as `default` is; what is chosen is judged by `times`."""
    candidates = dict(domain.candidates)
    if default != DEFAULT:
        candidates[DEFAULT] = candidates[default]
    labels = {*domain.candidates, default}
    over_best: list[float] = []
    launches = 0
    for _ in range(searches):
        tuning, used = domain.search(candidates)
        launches += used
        for size in domain.sizes:
            label = domain.label(choice_at(tuning, domain.cell(size)))
            own = times[default if label == DEFAULT else label, size]
            over_best.append(own / min(times[one, size] for one in labels))
    left_alone = [times[default, size] / min(times[one, size] for one in labels) for size in domain.sizes]
    print(
        f"{question}: {np.mean(np.array(over_best) <= 1 + DELTA):.0%} of choices take at most {DELTA:.0%} longer "
        f"than the best; in the mean {geometric_mean(np.array(over_best)):.2f} times its time, and the default "
        f"{geometric_mean(np.array(left_alone)):.2f} times; {launches / searches:.1f} launches a search"
    )


if __name__ == "__main__":
    main()
