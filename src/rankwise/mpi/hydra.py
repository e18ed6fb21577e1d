"""The launcher Hydra, which MPICH, Intel MPI and others derived from MPICH bring along."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rankwise.core.jobs import Command, Job, LaunchSteps
from rankwise.core.records import Environment, Implementation
from rankwise.mpi.family import Family, files_of


@dataclass(frozen=True, slots=True)
class Yielding:
    """A Yielding is what makes waiting ranks give up the core: its name, the job's variables, our libraries."""

    name: str
    environment: Environment
    libraries: tuple[Path, ...] = ()


class Hydra(Family):
    """A Hydra is a family whose mpiexec is one; the arguments for a remote shell differ."""

    abi_title = "MPICH ABI"
    shell_options: ClassVar[tuple[str, str]] = ("-launcher", "-launcher-exec")

    @abstractmethod
    def yielding(self, implementation: Implementation, environment: Environment) -> Yielding:
        """Return how ranks of this family yield; `environment` are the job's variables."""

    @abstractmethod
    def placement(self, implementation: Implementation, job: Job) -> list[str]:
        """Return the arguments that put rank i on the i-th of `job.hosts`, in any order."""

    def steps(self, implementation: Implementation, job: Job) -> LaunchSteps:
        """Start by `mpiexec [-hosts ...] -genv NAME VALUE ... -n N PROGRAM`."""
        yielding = Yielding("", job.environment)
        if job.oversubscribed:
            yielding = self.yielding(implementation, job.environment)
        argv = [implementation.mpiexec]
        if job.remote_shell:
            argv += [self.shell_options[0], "ssh", self.shell_options[1], job.remote_shell]
        if job.hosts:
            argv += self.placement(implementation, job)
        for name, value in yielding.environment:
            argv += ["-genv", name, value]
        # the user's arguments may be global options, which stand before -n
        argv += [*job.launcher_arguments, "-n", str(job.ranks), *job.program]
        return LaunchSteps(
            Command(tuple(argv), implementation.environment),
            yielding=yielding.name,
            files=files_of(job, *yielding.libraries),
        )
