"""The launcher Hydra, which MPICH, Intel MPI and others derived from MPICH bring along."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from rankwise.core.records import Command, Environment, Implementation, Job, LaunchSteps
from rankwise.mpi.family import Family, host_slots


class Hydra(Family):
    """A family whose mpiexec is a Hydra; the words for a remote shell differ."""

    abi_title = "MPICH ABI"
    shell_options: ClassVar[tuple[str, str]] = ("-launcher", "-launcher-exec")

    @abstractmethod
    def yielding(self, implementation: Implementation, environment: Environment) -> tuple[str, Environment]:
        """What makes waiting ranks give up the core: a name for it, and the job's variables with its own."""

    def placement(self, job: Job) -> list[str]:
        """The words that place the ranks, block by block."""
        return ["-hosts", ",".join(host_slots(job.hosts, ":"))]

    def steps(self, implementation: Implementation, job: Job) -> LaunchSteps:
        """`mpiexec [-hosts ...] -genv NAME VALUE ... -n N PROGRAM`."""
        yielding, environment = "", job.environment
        if job.oversubscribed:
            yielding, environment = self.yielding(implementation, environment)
        argv = [implementation.mpiexec]
        if job.remote_shell:
            argv += [self.shell_options[0], "ssh", self.shell_options[1], job.remote_shell]
        if job.hosts:
            argv += self.placement(job)
        for name, value in environment:
            argv += ["-genv", name, value]
        # the user's words may be global options, which stand before -n
        argv += [*job.launcher_arguments, "-n", str(job.ranks), *job.program]
        return LaunchSteps(Command(tuple(argv), implementation.environment), yielding=yielding)
