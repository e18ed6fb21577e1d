"""Lines as the harness prints them, made by hand, and a launcher that starts nothing of its own."""

import json

from rankwise.core.jobs import Command, Job, LaunchSteps, Outcome
from rankwise.core.records import Cell, Implementation


def implementation(name: str = "mpich-5.0.2") -> Implementation:
    return Implementation(
        id=name, family=name.partition("-")[0], version=name.partition("-")[2], prefix="/opt",
        mpicc=f"/opt/{name}/bin/mpicc", mpiexec=f"/opt/{name}/bin/mpiexec", source="path", status="works",
    )  # fmt: skip


class PlainLauncher:
    """mpiexec -n N program."""

    def steps(self, implementation: Implementation, job: Job) -> LaunchSteps:
        return LaunchSteps(Command((implementation.mpiexec, "-n", str(job.ranks), *job.program)))


def record(**fields: object) -> str:
    return json.dumps(fields, separators=(",", ":")) + "\n"


BEGIN = record(
    rankwise="begin", protocol=1, library="MPI 1", standard="4.1", ranks=2, hosts=["h", "h"], clock="shared",
    clock_error_seconds=0.0, timer_resolution_seconds=1e-9, timer_cost_seconds=2e-8,
)  # fmt: skip
END = record(rankwise="end")


def series(cell: Cell, samples: list[float], quantity: str = "time") -> str:
    return record(
        rankwise="series", benchmark=cell.benchmark, size_bytes=cell.size_bytes, quantity=quantity, batch=1,
        bytes_per_sample=cell.size_bytes, discarded=0, samples_seconds=samples,
    )  # fmt: skip


def timeline(cell: Cell, quantity: str, times: list[float], values: list[float]) -> str:
    return record(
        rankwise="timeline", benchmark=cell.benchmark, size_bytes=cell.size_bytes, quantity=quantity,
        times_seconds=times, values=values,
    )  # fmt: skip


def outcome(stdout: str, returncode: int = 0, stderr: str = "", timed_out: bool = False) -> Outcome:
    return Outcome("mpiexec", returncode, stdout, stderr, 0.01, timed_out)
