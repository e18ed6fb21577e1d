"""Programs whose ranks are mapped, recorded here: kernels of the NAS Parallel Benchmarks, and a halo exchange."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from rankwise.artifacts import apps
from rankwise.core.records import Implementation
from rankwise.mpi.select import working

RANKWISE = Path(sys.executable).with_name("rankwise")
HALO = "halo"
_SOURCE = Path(__file__).with_name("mapping_halo.c")
_LIMIT_SECONDS = 170.0
NETWORKS = {"grid5000-2007-tuned": ("rennes", "nancy"), "cluster": ("cluster",)}
"""Presets of four nodes, and their sites."""


def network(name: str, folder: Path, cores: int) -> Path:
    """Write the description of a testbed with so many cores a node."""
    file = folder / f"{name}.toml"
    sites = (f"[site.{site}]\ncores = {cores}\n" for site in NETWORKS[name])
    file.write_text("\n".join((f'include = "{name}"', *sites)))
    return file


class Programs:
    """Programs, compiled for one MPI."""

    def __init__(self, mpi: str, folder: Path) -> None:
        self.mpi: Implementation = working((mpi,))[0][0]
        self._kernels, self._folder = apps.build(self.mpi), folder
        self._halo = folder / "mapping_halo"
        subprocess.run([self.mpi.mpicc, "-O2", "-o", self._halo, _SOURCE], check=True)

    def command(self, name: str, ranks: int, *, rounds: int = 20, size_bytes: int = 1 << 18) -> list[str]:
        """Return program and arguments; rounds and bytes are those of the halo exchange, on a grid two wide."""
        if name != HALO:
            return [str(self._kernels), name, "--class", "S"]
        return [str(self._halo), str(ranks // 2), str(size_bytes), str(rounds)]

    def trace(self, name: str, ranks: int) -> Path:
        """Record the program on this host and return the trace's folder."""
        folder = self._folder / f"{name}-{ranks}.trace"
        if not folder.exists():
            line = [str(RANKWISE), "trace", "-q", "--mpi", self.mpi.id, "-n", str(ranks), "-o", str(folder), "--"]
            subprocess.run(
                [*line, *self.command(name, ranks)], check=True, timeout=_LIMIT_SECONDS, stdout=subprocess.DEVNULL
            )
        return folder
