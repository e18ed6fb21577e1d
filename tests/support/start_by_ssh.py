"""Starts a job on hosts by ssh, from wherever it is run: `python start_by_ssh.py JOB`, a pickled `Asked`.

What the launcher said goes to stdout and stderr, its exit code is this program's.
"""

import pickle
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.core.jobs import Job
from rankwise.core.network import Topology
from rankwise.core.records import Implementation
from rankwise.mpi.family import FamilyLauncher
from rankwise.testbeds.base import make


@dataclass(frozen=True)
class Asked:
    topology: Topology
    implementation: Implementation
    job: Job
    limit_seconds: float
    end_marker: str


def main(asked: Asked) -> int:
    with make(asked.topology) as testbed:
        job = replace(asked.job, start=testbed.process_start())
        steps = FamilyLauncher().steps(asked.implementation, job)
        outcome = testbed.run(steps, job.hosts, asked.limit_seconds, asked.end_marker)
    print(outcome.stdout)
    print(outcome.stderr, file=sys.stderr)
    return 0 if outcome.finished_early else outcome.returncode


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from support.start_by_ssh import Asked as _Asked

    told = pickle.loads(Path(sys.argv[1]).read_bytes())
    assert isinstance(told, _Asked)
    sys.exit(main(told))
