"""Launches that fail in known ways, by every MPI of this host, and what was said: tests/core/outputs is made so.

cd tests && python -m support.failing_launches
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rankwise.core import process
from rankwise.core.jobs import Job, Outcome
from rankwise.core.records import Implementation
from rankwise.measurement.job import build_job
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.emulated import EmulatedTestbed
from support.emulated import launch_steps, two_sites
from support.mpis import FOUND, working

TESTS = Path(__file__).parents[1]
OUTPUTS = TESTS / "core" / "outputs"
SOURCE = TESTS / "core" / "failing.c"
LIMIT_SECONDS = 20.0
_SMALL_SHM = 'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$@"'


def build(one: Implementation, folder: Path, libraries: tuple[str, ...] = ()) -> str:
    """Return the path of the compiled program."""
    target = folder / "solver"
    source = folder / "solver.c"
    source.write_text(SOURCE.read_text())
    argv = [one.mpicc, "-g", "-O0", str(source), "-o", str(target), *libraries]
    outcome = process.run(argv, 60, environment=one.environment)
    assert outcome.returncode == 0, outcome
    return str(target)


def failing(
    one: Implementation, program: str, how: str, *, around: tuple[str, ...] = (), arguments: tuple[str, ...] = (),
    limit_seconds: float = LIMIT_SECONDS,
) -> Outcome:  # fmt: skip
    """Return how two ranks of it ended on this host; `around` stands before the launcher."""
    oversubscribed = len(os.sched_getaffinity(0)) < 2
    job = Job((program, how), 2, oversubscribed=oversubscribed, launcher_arguments=arguments)
    steps = FamilyLauncher().steps(one, job)
    steps = replace(steps, main=replace(steps.main, argv=(*around, *steps.main.argv)))
    return process.run_steps(steps, limit_seconds)


def with_small_shm(one: Implementation, program: str) -> Outcome:
    """On a host whose /dev/shm has 1 MB."""
    return failing(one, program, "none", around=("unshare", "-m", "sh", "-c", _SMALL_SHM, "sh"))


def without_a_library(one: Implementation, folder: Path) -> Outcome:
    """The program's library is gone."""
    (folder / "lattice.c").write_text("int lattice(void) { return 0; }\n")
    library = folder / "liblattice.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, folder / "lattice.c"], check=True)
    program = build(one, folder, ("-Wl,--no-as-needed", str(library)))
    library.unlink()
    return failing(one, program, "none")


def with_equal_addresses(one: Implementation, program: str) -> Outcome:
    """On two nodes that both have 172.17.0.1, as each host with Docker does."""
    with EmulatedTestbed(two_sites("equal", per_site=1)) as testbed:
        for node in ("a1", "b1"):
            for argv in (
                ("ip", "link", "add", "docker0", "type", "bridge"),
                ("ip", "link", "add", "veth0", "type", "veth", "peer", "name", "veth1"),
                ("ip", "link", "set", "veth0", "master", "docker0"), ("ip", "link", "set", "veth0", "up"),
                ("ip", "link", "set", "veth1", "up"),
                ("ip", "addr", "add", "172.17.0.1/16", "dev", "docker0"), ("ip", "link", "set", "docker0", "up"),
            ):  # fmt: skip
                outcome = testbed.run(launch_steps(*argv), [node], 20)
                assert outcome.returncode == 0, outcome
        job = build_job(testbed, (program, "none"), 2)
        return testbed.run(FamilyLauncher().steps(one, job), job.hosts, LIMIT_SECONDS)


CASES: dict[str, Callable[[Implementation, Path], Outcome]] = {
    **{
        how: lambda one, folder, how=how: failing(one, build(one, folder), how)  # type: ignore[misc]
        for how in ("abort", "cube", "segfault", "killed", "exit3", "assert", "error")
    },
    "hang": lambda one, folder: failing(one, build(one, folder), "hang", limit_seconds=5.0),
    "argument": lambda one, folder: failing(one, build(one, folder), "none", arguments=("--no-such-option", "1")),
    "program": lambda one, folder: failing(one, str(folder / "absent"), "none"),
    "library": without_a_library,
    "shm": lambda one, folder: with_small_shm(one, build(one, folder)),
    "addresses": lambda one, folder: with_equal_addresses(one, build(one, folder)),
}


def text_of(outcome: Outcome, folder: Path, one: Implementation) -> str:
    """What is kept of it: without the paths, names and numbers of this host."""
    how = "timed out" if outcome.timed_out else f"exit code {outcome.returncode}"
    text = f"{how}\n=== stdout\n{outcome.stdout}\n=== stderr\n{outcome.stderr}\n"
    text = text.replace(str(folder), "/home/user/run").replace(socket.gethostname(), "node1")
    for prefix in sorted({one.prefix, str(Path(one.mpicc).parents[1]), sys.prefix, *map(str, TESTS.parents[:-1])}):
        if len(prefix) > len("/usr"):
            text = text.replace(prefix, "/opt/mpi")
    return re.sub(r"[ \t]+$", "", text.replace("\0", ""), flags=re.MULTILINE)


def main(names: list[str]) -> None:
    """Write the files of the cases of these names, or of all."""
    for one in FOUND:
        for name in names or CASES:
            with tempfile.TemporaryDirectory(prefix="failing-") as folder:
                Path(folder).chmod(0o755)
                outcome = CASES[name](working(one.id), Path(folder))
                (OUTPUTS / f"{name}-{one.id}.txt").write_text(text_of(outcome, Path(folder), one))
                print(name, one.id, outcome.returncode, outcome.timed_out, f"{outcome.seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
