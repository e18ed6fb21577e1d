"""Starts a job on hosts by ssh, from wherever it is run: `python start_by_ssh.py JOB`, a pickled `StartRequest`.

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
class StartRequest:
    topology: Topology
    implementation: Implementation
    job: Job
    limit_seconds: float
    end_marker: str


def main(request: StartRequest) -> int:
    with make(request.topology) as testbed:
        job = replace(request.job, start=testbed.process_start())
        steps = FamilyLauncher().steps(request.implementation, job)
        outcome = testbed.run(steps, job.hosts, request.limit_seconds, request.end_marker)
    print(outcome.stdout)
    print(outcome.stderr, file=sys.stderr)
    return 0 if outcome.finished_early else outcome.returncode


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from support.start_by_ssh import StartRequest as _StartRequest

    request = pickle.loads(Path(sys.argv[1]).read_bytes())
    assert isinstance(request, _StartRequest)
    sys.exit(main(request))
