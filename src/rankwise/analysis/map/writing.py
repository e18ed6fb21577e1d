"""A placement as each launcher takes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

Writer = Callable[[Sequence[str]], str]


def rankfile(hosts: Sequence[str], cores: Sequence[int] = ()) -> str:
    """Return Open MPI's rankfile: with these cores of the hosts, or else the first ones, one after the other."""
    used: dict[str, int] = {}
    lines = []
    for rank, host in enumerate(hosts):
        slot = used.setdefault(host, 0)
        lines.append(f"rank {rank}={host} slot={cores[rank] if cores else slot}\n")
        used[host] += 1
    return "".join(lines)


def _machinefile(hosts: Sequence[str]) -> str:
    """Of Hydra: neighbouring ranks of one host share a line."""
    return "".join(f"{host}:{len(list(same))}\n" for host, same in groupby(hosts))


def _schema(hosts: Sequence[str]) -> str:
    """LAM/MPI's application schema; its nodes are lamboot's hosts in the order of their first rank."""
    numbers = {host: number for number, host in enumerate(dict.fromkeys(hosts))}
    heading = "".join(f"# n{number} is {host}\n" for host, number in numbers.items())
    return heading + "".join(f"n{numbers[host]} -np 1 PROGRAM\n" for host in hosts)


def _slurm(hosts: Sequence[str]) -> str:
    """One host a task: SLURM_HOSTFILE, with `srun --distribution=arbitrary`."""
    return "".join(f"{host}\n" for host in hosts)


def _permutation(hosts: Sequence[str]) -> str:
    """Rank by rank which rank of a block placement on the same hosts is to take its part."""
    order = {host: number for number, host in enumerate(sorted(set(hosts), key=list(hosts).index))}
    blocks = sorted(range(len(hosts)), key=lambda rank: (order[hosts[rank]], rank))
    return "".join(f"{part}\n" for part in blocks)


WRITERS: dict[str, Writer] = {
    "rankfile": rankfile,
    "machinefile": _machinefile,
    "schema": _schema,
    "slurm": _slurm,
    "permutation": _permutation,
}
USES = {
    "rankfile": "mpirun --rankfile FILE (Open MPI), and rankwise run --placement FILE",
    "machinefile": "mpiexec -machinefile FILE (MPICH, Intel MPI)",
    "schema": "mpirun FILE, with your program instead of PROGRAM (LAM/MPI)",
    "slurm": "SLURM_HOSTFILE=FILE srun --distribution=arbitrary",
    "permutation": "line i: the part of the program that rank i of a block placement plays (MPI_Comm_split's key)",
}
