"""Commands on hosts behind ssh: how they are quoted, marked and ended, and what ssh's refusals mean."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rankwise.core import caller, process
from rankwise.core.errors import HostError
from rankwise.core.jobs import Command, Outcome
from rankwise.core.mapped_libraries import NAMES
from rankwise.core.rank_differences import Given, limits_in, variables_in

REMOTE_MARK = "RANKWISE_REMOTE"
"""In the environment of everything that is started on other hosts. Not `process.MARK`: a Rankwise there would take
owners that run here for dead ones of its own."""
CONNECT_SECONDS = 10
CANNOT_REACH = 255
"""What ssh exits with when it is to blame itself."""

_IDLE_SECONDS = 60
_OPTIONS = (
    # never ask a question: nobody would see it
    "BatchMode=yes", f"ConnectTimeout={CONNECT_SECONDS}", "LogLevel=ERROR", "ServerAliveInterval=15",
)  # fmt: skip
_SHARED_CONNECTION = ("ControlMaster=auto", f"ControlPersist={_IDLE_SECONDS}", "ControlPath={socket}")

_REFUSALS = (
    (r"Could not resolve hostname", "check the name: it must be in DNS or /etc/hosts"),
    (r"IDENTIFICATION HAS CHANGED", "if the host was reinstalled, remove its old key: ssh-keygen -R {address}"),
    (r"Host key verification failed", "its key is not known yet: run `{shell} {address} true` and compare it"),
    (r"Permission denied \(", "let your key in: ssh-copy-id {address}; or name it: remote_shell = 'ssh -i KEY'"),
    (r"Too many authentication failures", "name the key: remote_shell = 'ssh -i KEY -o IdentitiesOnly=yes'"),
    (
        r"Connection refused|timed out|No route to host|Network is unreachable",
        "check that it is up and runs sshd; for another port: remote_shell = 'ssh -p 2222'",
    ),
    (r"Connection (?:reset|closed)|closed by remote host|Broken pipe|not responding", "check that it is still up"),
)
_END = """\
left() {{ grep -ls {variable}={mark} /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3; }}
found=$(left)
# once more: what is just being started (execve) has no environment for a moment
[ -z "$found" ] && sleep 0.1 && found=$(left)
[ -z "$found" ] && exit 0
kill -TERM $found 2>/dev/null
for turn in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; found=$(left); [ -z "$found" ] && exit 0; done
kill -KILL $found 2>/dev/null"""

_TOOK = "case $began in *[!0-9]*|'') : >{ended} ;; *) echo $(($(date +%s%N) - began)) >{ended} ;; esac"
_MAPPED = """\
for folder in $(grep -ls {variable}={mark} /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3); do
  grep -hoE '/[^ ]*/{names}$' /proc/$folder/maps 2>/dev/null | sort -u | sed "s/^/$folder /"
done; true"""
_GIVEN = """\
for process in {processes}; do
  tr '\\n\\0' '\\001\\n' </proc/$process/environ 2>/dev/null | sed "s/^/$process =/"
  sed "s/^/$process +/" /proc/$process/limits 2>/dev/null
done; true"""
_WRAPPER = """\
#!/bin/sh
# Called like ssh by launchers, which know hosts by the names of the testbed and take one word for a remote shell.
options=
while :; do
    case $1 in
        -[lpoiFE]) options="$options $1 $2"; shift 2 ;;
        -*) options="$options $1"; shift ;;
        *) break ;;
    esac
done
host=${{1#*@}}
shift
[ "$1" = -n ] && shift
case $host in
{addresses}
    *) address=$host ;;
esac
quoted=$(printf %s ". {environment}; $*" | sed "s/'/'\\\\\\\\''/g")
exec {shell} $options {last} "$address" "exec env {variable}={mark} sh -c '$quoted'"
"""


def callers_own() -> str:
    """Return the lines that give a shell on a host the caller's variables, soft limits and umask.

    A file has them, which nobody else can read: a command line would show secrets to everybody there. Programs
    that a host has in other places stay within reach; a limit that the host does not allow stays the host's.
    """
    given = caller.variables()
    path = given.pop("PATH", "")
    lines = [f"export {name}={shlex.quote(value)}" for name, value in given.items()]
    lines += [f"export PATH={shlex.quote(path)}:$PATH"] if path else []
    limits = " ".join(f"--{name}={limit}:" for name, limit in caller.soft_limits().items())
    lines += [f"for limit in {limits}; do prlimit --pid $$ $limit 2>/dev/null; done"]
    return "\n".join([*lines, f"umask {caller.umask():04o}", ""])


class RemoteShell:
    """A remote shell is ssh, or what is called like it, to the hosts of one testbed."""

    def __init__(
        self, shell_command: str, addresses: Mapping[str, str], mark: str, sockets: Path, environment: str
    ) -> None:  # fmt: skip
        self._shell_command = shlex.split(shell_command)
        self._addresses = dict(addresses)
        self._mark = mark
        """Of what is started there; what runs here has another, by which a later Rankwise knows it."""
        self.mark_here = process.new_mark()
        self._sockets = sockets
        """A folder for the sockets of connections that are kept open."""
        self._environment = environment
        """A file on each host with what `callers_own` returns, for everything that is started there."""

    def command(self, host: str, script: str) -> tuple[str, ...]:
        """Return the local command that has a shell on `host` carry out this script."""
        socket = self._sockets / str(list(self._addresses).index(host))  # short: it may have 107 bytes in all
        shared = (option.format(socket=socket) for option in _SHARED_CONNECTION)
        shell = f"exec sh -c {shlex.quote(script)}"
        return (*self._called(shared), *self._last_option, self._addresses[host], shell)

    def step(self, host: str, command: Command, folders: Sequence[str]) -> Command:
        """Return the local command that runs this one there.

        It runs in the first of the folders that exists, with its variables and the caller's, and with a shell's
        exit code (128 + signal).

        Its words come when it has ended, by files in the last folder: ssh would wait for a daemon that it starts.
        """
        said = f"{shlex.quote(folders[-1])}/said-$$"
        show = f"cat {said}; cat {said}.err >&2; rm -f {said} {said}.err"
        return Command(
            self.command(host, f"{self._line(command, folders)} >{said} 2>{said}.err; code=$?; {show}; exit $code")
        )

    def main(self, host: str, command: Command, folders: Sequence[str], ended: str) -> Command:
        """Return the same for the launcher: its words come at once, and what it leaves there is ended with it.

        A file `ended` is made there when it has ended, with the nanoseconds that it took where the host can tell:
        without it, the connection has.
        """
        closing = f"{_TOOK.format(ended=shlex.quote(ended))}; ({self.ending()}\n)"
        script = f"began=$(date +%s%N); {self._line(command, folders)}; code=$?; {closing}; exit $code"
        return Command(self.command(host, script))

    def seconds(self, host: str, ended: str, outcome: Outcome) -> float:
        """Return what the command took that makes the file `ended`, without connecting and clearing up.

        Where the host does not tell, it is the time that all of it took.
        """
        if outcome.timed_out or outcome.returncode == CANNOT_REACH:
            return outcome.seconds
        with contextlib.suppress(HostError, ValueError):
            return int(self.ask(host, f"cat {shlex.quote(ended)} 2>/dev/null; true", CONNECT_SECONDS)) * 1e-9
        return outcome.seconds

    def _line(self, command: Command, folders: Sequence[str]) -> str:
        variables = {**dict(command.environment), REMOTE_MARK: self._mark}
        enter = " || ".join(f"cd {shlex.quote(folder)} 2>/dev/null" for folder in folders)
        line = shlex.join(["env", *(f"{name}={value}" for name, value in variables.items()), *command.argv])
        return f". {shlex.quote(self._environment)}; {enter}; {line}"

    def ask(self, host: str, script: str, limit_seconds: float, stdin: Path | None = None) -> str:
        """Return what a script says there. Raises HostError if the host cannot be reached or the script fails."""
        argv = self.command(host, script)
        if stdin is not None:
            argv = ("sh", "-c", 'exec "$@" <"$0"', str(stdin), *argv)
        outcome = process.run(argv, limit_seconds, mark=self.mark_here)
        if outcome.timed_out or outcome.returncode == CANNOT_REACH:
            raise self.refusal(host, outcome)
        if outcome.returncode != 0:
            message = outcome.stderr.strip() or f"exit code {outcome.returncode}"
            raise HostError(
                f"{host}: {message}",
                f"log in and check: {shlex.join(self._shell_command)} {self._addresses[host]}",
            )
        return outcome.stdout

    def refusal(self, host: str, outcome: Outcome, via: str = "") -> HostError:
        """Return why ssh could not reach the host (from `via`, or from here), and what to do."""
        address = self._addresses[host]
        what = f"{via} cannot reach {host}" if via else f"cannot reach {host}"
        if outcome.timed_out:
            return HostError(
                f"{what}: no answer within {outcome.seconds:.0f} s", "check that it is up and not overloaded"
            )
        said = [line.strip(" @\r") for line in outcome.stderr.splitlines() if line.strip(" @\r")]
        shell = shlex.join(self._shell_command)
        for pattern, remedy in _REFUSALS:
            for line in said:
                if re.search(pattern, line):
                    return HostError(f"{what}: {line}", remedy.format(address=address, shell=shell))
        last = said[-1] if said else "no output of ssh"
        return HostError(f"{what}: {last}", f"check remote_shell: {shell} {address} true")

    def why_lost(self, host: str, outcome: Outcome, ended: str) -> str:
        """Return why the connection broke while the command ran that makes the file `ended`; '' if it did not."""
        if outcome.returncode != CANNOT_REACH or outcome.timed_out or outcome.finished_early:
            return ""
        try:
            if self.ask(host, f"ls {shlex.quote(ended)} 2>/dev/null; true", CONNECT_SECONDS):
                return ""  # it was the command's own exit code
        except HostError as error:
            return str(error)
        return f"the connection to {host} broke, and could be made again afterwards"

    def wrapper(self) -> str:
        """Return a program for launchers that reaches every host from every host and marks what it starts."""
        cases = "\n".join(
            f"    {shlex.quote(name)}) address={shlex.quote(address)} ;;"
            for name, address in self._addresses.items()
        )
        return _WRAPPER.format(
            addresses=cases, shell=shlex.join(self._called()), last=" ".join(self._last_option),
            variable=REMOTE_MARK, mark=self._mark, environment=self._environment,
        )  # fmt: skip

    def ending(self, mark: str = "") -> str:
        """Return the script that ends everything with this mark, or with our own."""
        return _END.format(variable=REMOTE_MARK, mark=shlex.quote(mark or self._mark))

    def mapped(self) -> str:
        """Return the script that prints `PID FILE` for the MPI libraries of everything that bears our mark."""
        return _MAPPED.format(variable=REMOTE_MARK, mark=shlex.quote(self._mark), names=NAMES.replace("?:", ""))

    def given(self, host: str, processes: Sequence[str], limit_seconds: float) -> dict[str, Given]:
        """Return what each of these processes there has got from whatever started it. Raises HostError."""
        said = self.ask(host, _GIVEN.format(processes=" ".join(map(shlex.quote, processes))), limit_seconds)
        lines = [line.partition(" ") for line in said.split("\n")]
        return {
            its_pid: Given(
                variables_in(
                    text[1:].replace("\1", "\n") for pid, _, text in lines if pid == its_pid and text[:1] == "="
                ),
                limits_in("\n".join(text[1:] for pid, _, text in lines if pid == its_pid and text[:1] == "+")),
            )
            for its_pid in processes
        }

    def disconnect(self) -> None:
        """End the connections that are kept open; nothing of ours runs here then."""
        for socket in self._sockets.glob("*"):
            if socket.is_socket():
                argv = [self._shell_command[0], "-F", "none", "-O", "exit", "-o", f"ControlPath={socket}", "any"]
                process.run(argv, CONNECT_SECONDS)
        process.end_marked(self.mark_here)

    def _called(self, more: Iterable[str] = ()) -> list[str]:
        """What is called; options are ours to give only where it is ssh itself."""
        options = (*_OPTIONS, *more) if self._is_ssh else ()
        return [*self._shell_command, *(word for option in options for word in ("-o", option))]

    @property
    def _is_ssh(self) -> bool:
        return Path(self._shell_command[0]).name == "ssh"

    @property
    def _last_option(self) -> tuple[str, ...]:
        """What keeps a host's name from being read as an option."""
        return ("--",) if self._is_ssh else ()
