"""Programs whose ranks are mapped, recorded on this host: kernels of the NAS Parallel Benchmarks, and a halo exchange."""

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
NETWORKS = {  # testbeds with four cores a node, for sixteen ranks: a TOML file each
    "grid5000-2007-tuned": 'include = "grid5000-2007-tuned"\n[site.rennes]\ncores = 4\n[site.nancy]\ncores = 4\n',
    "cluster": 'include = "cluster"\n[site.cluster]\ncores = 4\n',
}


def network(name: str, folder: Path) -> Path:
    """Write the description of a testbed."""
    file = folder / f"{name}.toml"
    file.write_text(NETWORKS[name])
    return file


class Programs:
    """Programs, compiled for one MPI."""

    def __init__(self, mpi: str, folder: Path) -> None:
        self.mpi: Implementation = working((mpi,))[0][0]
        self._kernels, self._folder = apps.build(self.mpi), folder
        self._halo = folder / "mapping_halo"
        subprocess.run([self.mpi.mpicc, "-O2", "-o", self._halo, _SOURCE], check=True)

    def command(self, name: str, ranks: int, *, rounds: int = 20, size_bytes: int = 65536) -> list[str]:
        """Return program and arguments; rounds and bytes are those of the halo exchange, on a grid near a square."""
        if name != HALO:
            return [str(self._kernels), name, "--class", "S"]
        rows = next(count for count in range(int(ranks**0.5), 0, -1) if ranks % count == 0)
        return [str(self._halo), str(rows), str(size_bytes), str(rounds)]

    def trace(self, name: str, ranks: int) -> Path:
        """Record the program on this host and return the trace's folder."""
        folder = self._folder / f"{name}-{ranks}.trace"
        if not folder.exists():
            line = [str(RANKWISE), "trace", "-q", "--mpi", self.mpi.id, "-n", str(ranks), "-o", str(folder), "--"]
            subprocess.run(
                [*line, *self.command(name, ranks)], check=True, timeout=_LIMIT_SECONDS, stdout=subprocess.DEVNULL
            )
        return folder
