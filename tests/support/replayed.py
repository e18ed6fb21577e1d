"""Traces that are replayed: by rankwise-sim, and by SimGrid's SMPI, on one small platform."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.platform import Platform
from rankwise.platforms.simgrid_writing import simgrid_xml
from rankwise.platforms.simulator_json import model_of, simulator_json
from support.platforms import TWO_SITES

SIMULATOR = Path(sys.executable).with_name("rankwise-sim")
PLATFORM: Platform = replace(TWO_SITES, flops_per_second=1e9, not_identified={})
HOSTS = ("a1", "a2", "b1")
needs_smpi = pytest.mark.skipif(
    not shutil.which("smpirun"), reason="no SimGrid with SMPI here (Debian: libsimgrid-dev)"
)


def by_rankwise(lines: list[str], folder: Path) -> dict[str, float]:
    """The simulator's answer."""
    (folder / "p.json").write_text(simulator_json(PLATFORM, model_of(PLATFORM, "max-min").name))
    (folder / "job").write_text("\n".join(lines) + "\n")
    argv = [SIMULATOR, "--platform", "p.json", "--job", "job@nodes=0-2"]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, float] = json.loads(done.stdout)
    return found


def by_smpi(lines: list[str], folder: Path) -> tuple[Counter[tuple[int, str]], float]:
    """What each rank did, and the seconds of all."""
    for rank in range(len(HOSTS)):
        own = [line for line in lines if line.startswith(f"{rank} ")]
        (folder / f"{rank}.trace").write_text("\n".join(own) + "\n")
    (folder / "traces").write_text("".join(f"{rank}.trace\n" for rank in range(len(HOSTS))))
    (folder / "p.xml").write_text(simgrid_xml(PLATFORM))
    (folder / "hosts").write_text("".join(f"{host}\n" for host in HOSTS))
    source = Path(__file__).parents[1] / "analysis" / "trace" / "replay.c"
    subprocess.run(["smpicc", "-o", "replay", source], cwd=folder, check=True, timeout=60, capture_output=True)
    done = subprocess.run(
        ["smpirun", "-np", str(len(HOSTS)), "-platform", "p.xml", "-hostfile", "hosts", "-replay", "traces",
         "./replay", "--log=smpi_replay.thresh:verbose"],
        cwd=folder, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    actions = Counter((int(rank), name) for rank, name in re.findall(r"VERBOSE\] (\d+) (\w+) ", said))
    return actions, float(re.findall(r"Simulation time ([\d.]+)", said)[-1])
