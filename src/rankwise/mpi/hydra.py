"""The launcher Hydra, which MPICH, Intel MPI and others derived from MPICH bring along."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from rankwise.core.records import Command, Environment, Implementation, Job, LaunchSteps
from rankwise.mpi.family import Family, ranks_per_host


class Hydra(Family):
    """A family whose mpiexec is a Hydra; the words for a remote shell differ."""

    abi_title = "MPICH ABI"
    shell_options: ClassVar[tuple[str, str]] = ("-launcher", "-launcher-exec")

    @abstractmethod
    def yielding(self, implementation: Implementation, environment: Environment) -> tuple[str, Environment]:
        """What makes waiting ranks give up the core: a name for it, and the job's variables with its own."""

    def steps(self, implementation: Implementation, job: Job) -> LaunchSteps:
        """`mpiexec [-hosts ... -ppn K] -genv NAME VALUE ... -n N PROGRAM`."""
        yielding, environment = "", job.environment
        if job.oversubscribed:
            yielding, environment = self.yielding(implementation, environment)
        argv = [implementation.mpiexec]
        if job.remote_shell:
            argv += [self.shell_options[0], "ssh", self.shell_options[1], job.remote_shell]
        if job.hosts:
            argv += ["-hosts", ",".join(host.name for host in job.hosts), "-ppn", str(ranks_per_host(job))]
        for name, value in environment:
            argv += ["-genv", name, value]
        argv += ["-n", str(job.ranks), *job.launcher_arguments, *job.program]
        return LaunchSteps(Command(tuple(argv), implementation.environment), yielding=yielding)
