"""MPICH 3, 4 and 5."""

from __future__ import annotations

import re
from pathlib import Path

from rankwise.core.records import Environment, Implementation
from rankwise.mpi import preload
from rankwise.mpi.family import Ask
from rankwise.mpi.hydra import Hydra

_VERSION = re.compile(r"for MPICH version (\S+)")
_UCX_LANES = re.compile(r"(?:ep_cfg\[\d+\]: |cfg#\d+ )tag\(([^)]*)\)")
_OFI_PROVIDER = re.compile(r"^\s*provider: (\S+)", re.MULTILINE)


class Mpich(Hydra):
    """MPICH over UCX or libfabric."""

    name = "mpich"
    title = "MPICH"
    wheels = ("mpich",)
    compilers = ("mpicc", "mpicc.mpich")
    launchers = ("mpiexec", "mpiexec.hydra", "mpirun")
    debian_packages = ("mpich", "libmpich-dev")
    probe_environment = (("MPIR_CVAR_DEBUG_SUMMARY", "1"), ("UCX_LOG_LEVEL", "info"))

    def identify(self, compiler: Path, ask: Ask) -> str:
        """From `mpicc -v`, which says so before it calls the C compiler."""
        match = _VERSION.search(ask(compiler, "-v"))
        return match[1] if match else ""

    def transports(self, output: str) -> tuple[str, ...]:
        """Its own shared memory, else the lanes of UCX's endpoints to other ranks, or libfabric's provider.

        Where it has shared memory of its own, ranks of one host use that, and UCX's lanes lie idle.
        """
        if "MPIDI_POSIX" in output:
            return ("shm/posix",)
        lanes = [lane.partition("/")[0] for tag in _UCX_LANES.findall(output) for lane in tag.split()]
        names = [f"ucx/{lane}" for lane in lanes if lane != "self"]
        names += [f"ofi/{provider}" for provider in _OFI_PROVIDER.findall(output)]
        return tuple(dict.fromkeys(names))

    def yielding(self, implementation: Implementation, environment: Environment) -> tuple[str, Environment]:
        """MPICH has no working switch for this (its POLLS_BEFORE_YIELD changes nothing): our idle.c does it."""
        return "idle.c", preload.loading(preload.build("idle.c", implementation), environment)
