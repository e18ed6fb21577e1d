"""A placement as each launcher takes it."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

HEADER = Path(__file__).parents[2] / "csrc" / "order" / "rankwise_order.h"
"""For C programs that reorder their ranks by a permutation."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """The host of each rank, and what some launchers need besides."""

    hosts: Sequence[str]
    now: Sequence[str] = ()
    """The host of each rank as the program is started without this: the same hosts, as often."""
    cores: Sequence[int] = ()
    """Of each rank on its host; none: the first ones, one after the other."""
    program: Sequence[str] = ()
    """With its arguments, where it is known."""


Writer = Callable[[Mapped], str]


def _rankfile(mapped: Mapped) -> str:
    """Return Open MPI's rankfile."""
    used: dict[str, int] = {}
    lines = []
    for rank, host in enumerate(mapped.hosts):
        slot = used.setdefault(host, 0)
        lines.append(f"rank {rank}={host} slot={mapped.cores[rank] if mapped.cores else slot}\n")
        used[host] += 1
    return "".join(lines)


def _machinefile(mapped: Mapped) -> str:
    """Of Hydra: neighbouring ranks of one host share a line."""
    return "".join(f"{host}:{len(list(same))}\n" for host, same in groupby(mapped.hosts))


def _schema(mapped: Mapped) -> str:
    """LAM/MPI's application schema; its nodes are lamboot's hosts in the order of their first rank."""
    numbers = {host: number for number, host in enumerate(dict.fromkeys(mapped.hosts))}
    heading = "".join(f"# n{number} is {host}\n" for host, number in numbers.items())
    program = shlex.join(mapped.program) or "PROGRAM"
    return heading + "".join(f"n{numbers[host]} -np 1 {program}\n" for host in mapped.hosts)


def _slurm(mapped: Mapped) -> str:
    """One host a task: SLURM_HOSTFILE, with `srun --distribution=arbitrary`."""
    return "".join(f"{host}\n" for host in mapped.hosts)


def _permutation(mapped: Mapped) -> str:
    """The rank that each process gets in the program; on each host they are given in order."""
    ranks: defaultdict[str, list[int]] = defaultdict(list)
    for rank, host in reversed([*enumerate(mapped.hosts)]):
        ranks[host].append(rank)
    return "".join(f"{ranks[host].pop()}\n" for host in mapped.now)


SCHEMA, PERMUTATION = "schema", "permutation"
WRITERS: dict[str, Writer] = {
    "rankfile": _rankfile,
    "machinefile": _machinefile,
    SCHEMA: _schema,
    "slurm": _slurm,
    PERMUTATION: _permutation,
}
USES = {
    # Open MPI 5 refuses a rankfile with hosts that are not allocated.
    "rankfile": "mpirun --host {hosts} --map-by rankfile:file={file} (Open MPI 5; "
    "before: mpirun --rankfile {file}), and rankwise run --placement {file}",
    "machinefile": "mpiexec -machinefile {file} (MPICH, Intel MPI)",
    SCHEMA: "mpirun {file} (LAM/MPI)",
    "slurm": "SLURM_HOSTFILE={file} srun --distribution=arbitrary",
    PERMUTATION: 'rankwise_order(MPI_COMM_WORLD, "{file}", &world) of rankwise_order.h, which is beside it',
}


def use(form: str, mapped: Mapped, file: Path) -> str:
    """Return how a file of this form is used."""
    counts = ",".join(f"{host}:{number}" for host, number in Counter(mapped.hosts).items())
    text = USES[form].format(hosts=counts, file=file)
    return text if form != SCHEMA or mapped.program else f"{text}, with your program instead of PROGRAM"
