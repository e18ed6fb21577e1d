"""What is measured over several sites beside the natives: orders of ranks and schedules found for each."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from rankwise.core.errors import InputError
from rankwise.core.jobs import Host
from rankwise.core.network import Topology
from rankwise.core.schedule_names import ScheduleFiles, file_benchmark
from rankwise.measurement.placement import ON_HOSTS, place
from rankwise.schedules.fixed import of_schedules
from rankwise.schedules.formats.json_file import to_json
from rankwise.schedules.model import REDUCING
from rankwise.schedules.network_file import network_on
from rankwise.schedules.synthesis import OPERATIONS, Wish, synthesise
from rankwise.workflows.schedule_files import schedule_files

SHUFFLED = "shuffled="
"""How an order of ranks begins that is `block` in random order; the rest is the seed."""
SYNTHESISED = "synthesised"
Asked = tuple[str, int]
"""An operation and its bytes."""


@dataclass(frozen=True, slots=True)
class Order:
    """Where a number of ranks are: what users call it, and each rank's host."""

    told: str
    hosts: tuple[str, ...]
    placement: str
    """As a launch takes it."""

    def home(self, topology: Topology) -> int:
        """Return the site of rank 0, by its number among the testbed's."""
        site = next(node.site for node in topology.nodes if node.name == self.hosts[0])
        return list(topology.sites).index(site)

    def spread_evenly(self, hosts: Sequence[Host]) -> bool:
        """Return whether each host has as many ranks as any other."""
        return len(self.hosts) % len(hosts) == 0 and len({*Counter(self.hosts).values()}) == 1


def order_of(word: str, hosts: Sequence[Host], ranks: int) -> Order:
    """Return where a placement puts the ranks. Raises InputError for one that cannot be."""
    if not word.startswith(SHUFFLED):
        return Order(word, place(word, hosts, ranks), word)
    seed = word.removeprefix(SHUFFLED)
    if not seed.isdigit():
        raise InputError(f"{word} has no seed", f"write {SHUFFLED}1")
    shuffled = list(place("block", hosts, ranks))
    random.Random(int(seed)).shuffle(shuffled)
    return Order(word, tuple(shuffled), ON_HOSTS + "+".join(shuffled))


def different(words: Iterable[str], hosts: Sequence[Host], ranks: int) -> list[Order]:
    """Return each order of hosts once, by the first of its words."""
    found: dict[tuple[str, ...], Order] = {}
    for word in words:
        one = order_of(word, hosts, ranks)
        found.setdefault(one.hosts, one)
    return [*found.values()]


def synthesised(topology: Topology, asked: Iterable[Asked], one: Order) -> tuple[dict[Asked, str], ScheduleFiles]:
    """Find a schedule for each operation and size that can be: its benchmark, and where ranks read it."""
    ranks = len(one.hosts)
    network = network_on(topology, one.hosts)
    benchmarks: dict[Asked, str] = {}
    with TemporaryDirectory() as folder:
        files = []
        for operation, size in asked:
            if operation not in OPERATIONS or not size:
                continue
            found = synthesise(Wish(operation, ranks, size, 0, network))
            name = f"{SYNTHESISED}-{operation}-{size}"
            made = of_schedules(found.problem, found.schedules, name, found.best.name)
            file = Path(folder) / f"{name}.json"
            file.write_text(to_json(replace(made, commutative=operation in REDUCING)))
            files.append(file)
            benchmarks[operation, size] = file_benchmark(operation, name)
            print(f"{operation} {size} B {one.told}: {found.best.name}, {found.best.chunks} chunks", flush=True)
        return benchmarks, schedule_files(files, [ranks]) if files else {}
