"""The one place where jobs are built: for benchmarks, checks, and programs of the user's own."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rankwise.core import process
from rankwise.core.interfaces import Testbed
from rankwise.core.jobs import Command, Job, LaunchSteps, LocalStart
from rankwise.core.tuning import Loaded
from rankwise.measurement.placement import place

_TOGETHER = """
status=0
{starts}
{waits}
exit $status
"""


def build_job(
    testbed: Testbed,
    program: Sequence[str],
    ranks: int,
    *,
    placement: str = "block",
    loaded: Loaded = Loaded(),  # noqa: B008 - frozen
    arguments: Sequence[str] = (),
) -> Job:
    """Return the job that runs `program` on so many ranks of a testbed that is up.

    `placement` says where ranks go (see `bench.placement`), `loaded` what they load, `arguments` are further ones
    for mpiexec. Raises InputError for ranks that cannot be placed.
    """
    start, placed = testbed.process_start(), place(placement, testbed.hosts(), ranks)
    return Job(
        program=tuple(program),
        ranks=ranks,
        oversubscribed=testbed.oversubscribed(placed),
        hosts=() if isinstance(start, LocalStart) else placed,
        start=start,
        environment=loaded.environment,
        launcher_arguments=(*loaded.arguments, *arguments),
        files=loaded.files,
    )


def together(several: Sequence[LaunchSteps]) -> LaunchSteps:
    """Return the steps that start all these launches at once and end when the last one has ended.

    The exit code is the first one that is not 0, in the order of the launches.
    """
    if len(several) == 1:
        return several[0]
    script = _TOGETHER.format(
        starts="\n".join(f"{_line(one.main)} & pid{number}=$!" for number, one in enumerate(several)),
        waits="\n".join(
            f"wait $pid{number} || {{ code=$?; [ $status -ne 0 ] || status=$code; }}"
            for number in range(len(several))
        ),
    )
    return LaunchSteps(
        Command(("sh", "-c", script)),
        before=tuple(step for one in several for step in one.before),
        after=tuple(step for one in several for step in one.after),
        yielding=", ".join(dict.fromkeys(one.yielding for one in several if one.yielding)),
        everywhere=tuple(step for one in several for step in one.everywhere),
        everywhere_after=tuple(step for one in several for step in one.everywhere_after),
        files=tuple(dict.fromkeys(file for one in several for file in one.files)),
        settings=tuple(dict.fromkeys(pair for one in several for pair in one.settings)),
    )


def _line(command: Command) -> str:
    """The command for a shell, with its variables."""
    return shlex.join(["env", *(f"{name}={value}" for name, value in command.environment), *command.argv])


def program_line(job: Job) -> str:
    """Return the job's program as a shell reads it."""
    return process.command_line(Command(job.program))
