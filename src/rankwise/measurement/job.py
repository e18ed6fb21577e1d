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

_JOINED = """
folder=$(mktemp -d) || exit 1
mkfifo "$folder/while"
exec 3<&0 9<>"$folder/while"
trap 'rm -rf "$folder"' EXIT
end() {{ for pid in $pids; do kill -TERM "$pid" 2>/dev/null; done; }}
trap end USR1
trap 'touch "$folder/interrupted"; end' INT TERM HUP
part() {{
    what=$1 label=$2 readers=; shift 2
    exec 4<&0 9>&-
    if [ -n "{prefixed}" ]; then
        mkfifo "$folder/$label.out" "$folder/$label.err"
        sed -u "s/^/[$label] /" <"$folder/$label.out" 3<&- 4<&- & readers=$!
        sed -u "s/^/[$label] /" <"$folder/$label.err" 3<&- 4<&- >&2 & readers="$readers $!"
        exec >"$folder/$label.out" 2>"$folder/$label.err"
    fi
    child=
    trap '[ -z "$child" ] || kill -TERM "$child" 2>/dev/null' TERM
    "$@" <&4 3<&- 4<&- & child=$!
    exec 3<&- 4<&-
    while :; do wait "$child"; code=$?; kill -0 "$child" 2>/dev/null || break; done
    exec >/dev/null 2>&1
    if [ "$code" -ne 0 ]; then
        mkdir "$folder/failed" 2>/dev/null && echo "$code $what" >"$folder/code" && kill -USR1 $$
        sleep 0.5
    fi
    [ "$code" -ne 0 ] || [ -z "$readers" ] || wait $readers
    kill $readers 2>/dev/null
    exit "$code"
}}
over() {{
    for pid in $*; do
        while :; do wait "$pid"; kill -0 "$pid" 2>/dev/null || break; done
    done
}}
pids= relays=
{relays}
{starts}
over $pids
exec 9>&-
over $relays
[ ! -e "$folder/interrupted" ] || exit 143
[ -e "$folder/code" ] || exit 0
read -r code what <"$folder/code"
echo "rankwise: $what ended with exit code $code: all others were ended" >&2
exit "$code"
"""


def build_job(
    testbed: Testbed,
    program: Sequence[str],
    ranks: int,
    *,
    placement: str = "block",
    loaded: Loaded = Loaded(),  # noqa: B008 - frozen
    arguments: Sequence[str] = (),
    folder: str = "",
) -> Job:
    """Return the job that runs `program` on so many ranks of a testbed that is up.

    `placement` says where ranks go (see `bench.placement`), `loaded` what they load, `arguments` are further ones
    for mpiexec, `folder` is where a program of the user's has to begin. Raises InputError for ranks that cannot be
    placed.
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
        folder=folder,
    )


def together(several: Sequence[LaunchSteps]) -> LaunchSteps:
    """Return the steps that start all these launches at once and end when the last one has ended.

    The exit code is the first one that is not 0, in the order of the launches.
    """
    if len(several) == 1:
        return several[0]
    script = _TOGETHER.format(
        starts="\n".join(f"{_line(launch.main)} & pid{number}=$!" for number, launch in enumerate(several)),
        waits="\n".join(
            f"wait $pid{number} || {{ code=$?; [ $status -ne 0 ] || status=$code; }}"
            for number in range(len(several))
        ),
    )
    return _steps(script, several)


def joined(
    several: Sequence[LaunchSteps], names: Sequence[str], *, prefixed: bool, relays: Sequence[Command] = ()
) -> LaunchSteps:
    """Return the steps that start the launches of a job over several sites, of these names, at once.

    As soon as one fails, all others are ended, and its exit code is that of the whole. The first one has the
    standard input. `prefixed`: lines of output begin with the site's name. `relays`, one a site or none, are
    started before, and have to end when their standard input does: when all launches have ended.
    """
    starts = [
        _part(f"site {name}", name, launch.main, "<&3" if number == 0 else "</dev/null", "pids")
        for number, (launch, name) in enumerate(zip(several, names, strict=True))
    ]
    said = ">&2" if prefixed else ">/dev/null"  # the output is the program's
    before = [
        _part(f"the relay of site {name}", f"{name} relay", relay, f'<"$folder/while" {said}', "relays")
        for relay, name in zip(relays, names, strict=False)
    ]
    script = _JOINED.format(prefixed="yes" if prefixed else "", relays="\n".join(before), starts="\n".join(starts))
    return _steps(script, several)


def _part(what: str, label: str, command: Command, streams: str, kept: str) -> str:
    """The line that starts a part of a joined job, and keeps its process id."""
    return f'part {shlex.quote(what)} {shlex.quote(label)} {_line(command)} {streams} & {kept}="${kept} $!"'


def _steps(script: str, several: Sequence[LaunchSteps]) -> LaunchSteps:
    """This script in place of the launchers, with all that each of them needs around it."""
    return LaunchSteps(
        Command(("sh", "-c", script)),
        before=tuple(step for launch in several for step in launch.before),
        after=tuple(step for launch in several for step in launch.after),
        yielding=", ".join(dict.fromkeys(launch.yielding for launch in several if launch.yielding)),
        everywhere=tuple(step for launch in several for step in launch.everywhere),
        everywhere_after=tuple(step for launch in several for step in launch.everywhere_after),
        files=tuple(dict.fromkeys(file for launch in several for file in launch.files)),
        settings=tuple(dict.fromkeys(pair for launch in several for pair in launch.settings)),
    )


def _line(command: Command) -> str:
    """The command for a shell, with its variables."""
    return shlex.join(["env", *(f"{name}={value}" for name, value in command.environment), *command.argv])


def program_line(job: Job) -> str:
    """Return the job's program as a shell reads it."""
    return process.command_line(Command(job.program))
