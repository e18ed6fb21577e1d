"""What SimGrid's SMPI says of concurrent messages on a platform that Rankwise has exported."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rankwise.analysis.fit.sharing_data import FloatArray
from rankwise.core.flows import Pattern
from rankwise.core.platform import Platform
from rankwise.platforms.simgrid_writing import simgrid_xml

LIMIT_SECONDS = 120.0


def installed() -> bool:
    """Return whether SMPI is here."""
    return all(map(shutil.which, ("smpicc", "smpirun")))


class Smpi:
    """SMPI's program for patterns, compiled into a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        source = Path(__file__).with_name("smpi_flows.c")
        self._run("smpicc", "-O1", "-o", "flows", str(source))

    def simulate(self, platform: Platform, model: str, patterns: Sequence[Pattern]) -> list[FloatArray]:
        """Return the seconds of each pattern's flows, from their starts; rank i is the first site's node i."""
        del model  # SMPI has its own
        (self._folder / "platform.xml").write_text(simgrid_xml(platform))
        return [self._seconds(platform.sites[0].nodes, pattern) for pattern in patterns]

    def _seconds(self, nodes: Sequence[str], pattern: Pattern) -> FloatArray:
        hosts = [nodes[end] for flow in pattern for end in (flow.source, flow.target)]
        (self._folder / "hosts").write_text("".join(f"{host}\n" for host in hosts))
        words = [str(one) for flow in pattern for one in (flow.bytes, round(1e6 * flow.start_seconds))]
        said = self._run(
            "smpirun", "-np", str(len(hosts)), "-platform", "platform.xml", "-hostfile", "hosts",
            "--cfg=smpi/simulate-computation:no", "./flows", *words,
        )  # fmt: skip
        times = dict(line.split() for line in said.splitlines() if line[:1].isdigit())
        return np.array([float(times[str(number)]) for number in range(len(pattern))])

    def _run(self, *argv: str) -> str:
        done = subprocess.run(
            argv, cwd=self._folder, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{argv[0]} failed: {done.stderr.strip()}")
        return done.stdout
