"""Intel MPI 2019 and later."""

from __future__ import annotations

import math
import re
from pathlib import Path

from rankwise.core.records import Environment, Implementation, Job
from rankwise.mpi.family import Ask
from rankwise.mpi.hydra import Hydra

_COMPILER = re.compile(r"Intel\(R\) MPI Library (\S+)")
_LAUNCHER = re.compile(r"Intel\(R\) MPI Library.*Version (\S+)")
_PROVIDER = re.compile(r"libfabric provider: (\S+)")


class IntelMpi(Hydra):
    """Intel MPI: shared memory by itself, everything else through libfabric."""

    name = "intelmpi"
    title = "Intel MPI"
    wheels = ("impi-devel", "impi-rt")
    launchers = ("mpiexec.hydra", "mpiexec")
    shell_options = ("-bootstrap", "-bootstrap-exec")
    probe_environment = (("I_MPI_DEBUG", "5"),)

    def identify(self, compiler: Path, ask: Ask) -> str:
        """From `mpicc -v`; the launcher knows the last digit too."""
        match = _COMPILER.search(ask(compiler, "-v"))
        if not match:
            return ""
        launcher = self.launcher(compiler)
        exact = _LAUNCHER.search(ask(launcher, "--version")) if launcher else None
        return exact[1] if exact else match[1]

    def environment(self, prefix: Path) -> Environment:
        """Its scripts carry a place-holder for their prefix: without I_MPI_ROOT mpicc finds no mpi.h."""
        return (("I_MPI_ROOT", str(prefix)),)

    def transports(self, output: str) -> tuple[str, ...]:
        """The libfabric provider; where none is loaded on one host, only shared memory is left."""
        providers = [f"ofi/{provider}" for provider in _PROVIDER.findall(output)]
        shared = ["shm"] if "tuning_" in output and "shm" in output else []
        return tuple(dict.fromkeys([*shared, *providers]))

    def yielding(self, implementation: Implementation, environment: Environment) -> tuple[str, Environment]:
        """Its ranks yield by themselves once they are not pinned; I_MPI_THREAD_YIELD=3 hangs."""
        return "I_MPI_PIN=0", (("I_MPI_PIN", "0"), *environment)

    def placement(self, job: Job) -> list[str]:
        """It does not read `host:slots`: one number of ranks holds for all hosts, enough to take every rank."""
        per_host = max(math.ceil(job.ranks / len(job.hosts)), *(host.slots for host in job.hosts))
        return ["-hosts", ",".join(host.name for host in job.hosts), "-ppn", str(per_host)]
