"""The testbed kind `ssh`: real hosts, reached by ssh or what is called like it."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import secrets
import shlex
import shutil
import socket
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rankwise.core import process
from rankwise.core.errors import HostError, InputError, UnknownNameError
from rankwise.core.jobs import Command, LaunchSteps, Outcome, RemoteShellStart
from rankwise.core.mapped_libraries import Mapped
from rankwise.core.network import Topology
from rankwise.core.rank_differences import Given
from rankwise.core.records import Fact
from rankwise.core.toml_places import Entry
from rankwise.testbeds import remote_facts
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.description.hosts_kind import describe_hosts
from rankwise.testbeds.remote_files import RemoteFiles
from rankwise.testbeds.remote_shell import CANNOT_REACH, RemoteShell, callers_own

_ANSWER_SECONDS = 30.0
_PLACE = "/tmp"
"""Where our folder is on each host: the one place that every host has."""
_OURS = "{{ [ -d {folder} ] && [ ! -L {folder} ] && [ -O {folder} ]; }}"
"""Whether a folder is there, is no link to another, and belongs to this user."""
_HERE = ".here"
"""Ends the name of our folder on this host, which may be one of the hosts as well."""


class SshTestbed(TestbedKind):
    """An ssh testbed gives each host a folder of ours: the shell for launchers, and copies of files.

    The folder's name is the mark of all that runs there; a later testbed of this user from this host ends and
    removes what a killed one left.
    """

    kind = "ssh"

    @classmethod
    def describe(cls, table: Entry, name: str) -> Topology:
        """Return the hosts of this table. Raises InputError with file, line and key."""
        return describe_hosts(table, name, cls.kind)

    def __init__(self, topology: Topology) -> None:
        super().__init__(topology)
        self._addresses = {node.name: node.address or node.name for node in topology.nodes}
        if not self._addresses or not topology.remote_shell.split():
            raise InputError(
                f"testbed {self.name} has no host, or no remote shell", "name both in its description"
            )
        self._here: Path | None = None
        self._numbers = itertools.count()
        self._programs: set[tuple[str, str]] = set()
        """Of which host it is known that it has which program."""
        self._given: dict[str, str] = {}
        """By host: what it has of the caller's environment and limits."""

    def up(self) -> None:
        """Reach every host, from here and from the first. Raises HostError with what ssh said and a remedy."""
        if self._here is not None:
            return
        _clear_left_here()
        self._mark = f"{_prefix()}{process.identity(os.getpid())}-{secrets.token_hex(3)}"
        self._folder = f"{_PLACE}/{self._mark}"
        self._here = Path(self._folder + _HERE)
        self._here.mkdir(mode=0o700)
        self._environment = f"{self._folder}/environment"
        self._shell = RemoteShell(
            self._topology.remote_shell, self._addresses, self._mark, self._here, self._environment
        )
        self._given.clear()
        self._files = RemoteFiles(self._shell, self._folder, self._here)
        try:
            for host in self._addresses:
                self._prepare(host)
                self._give_environment(host)
            self._check_first_reaches_all()
        except BaseException:
            self.down()
            raise

    def down(self) -> None:
        """End and remove what is ours on every host that can still be reached."""
        if self._here is None:
            return
        here, self._here = self._here, None
        for host in self._addresses:
            with contextlib.suppress(HostError):
                self._clear(host)
        self._shell.disconnect()
        shutil.rmtree(here, ignore_errors=True)
        self._programs.clear()

    def process_start(self) -> RemoteShellStart:
        """Return the program in our folder on each of the hosts (not on this one)."""
        self._must_be_up()
        return RemoteShellStart(f"{self._folder}/rsh")

    def command_on(self, node: str, arguments: Sequence[str]) -> list[str]:
        """Return the line that has the remote shell run a command on one host. Raises InputError."""
        self.check_node(node)
        return [*shlex.split(self._topology.remote_shell), self._addresses[node], shlex.join(arguments)]

    def has_fabrics(self) -> bool:
        """Return True: what these hosts have is theirs to know."""
        return True

    def facts(self) -> tuple[Fact, ...]:
        """Return what every host says of itself; where hosts differ, who has what."""
        self._must_be_up()
        said = {host: self._shell.ask(host, remote_facts.SCRIPT, _ANSWER_SECONDS) for host in self._addresses}
        where = f"{self.name}: {len(said)} hosts by {self._topology.remote_shell}, from {socket.gethostname()}"
        return (Fact("testbed", where), *remote_facts.facts(said))

    def run(self, steps: LaunchSteps, hosts: Sequence[str], limit_seconds: float, end_marker: str = "") -> Outcome:
        """Run the steps, as `core.interfaces.Testbed.run` says. A broken connection is told in the outcome."""
        if not hosts:
            return process.run_steps(steps, limit_seconds, end_marker)
        self._must_be_up()
        names = tuple(dict.fromkeys(hosts))
        for name in names:
            if name not in self._addresses:
                raise UnknownNameError("host", name, self._addresses)
        if steps.settings:
            raise HostError(
                f"{', '.join(key for key, _ in steps.settings)} cannot be set for one launch on real hosts",
                "have it set there by their administrator, or take an emulated testbed",
            )
        copied = self._files.steps_with_copies(steps, names)
        for name in names:
            self._give_environment(name)
            self._check_program(name, _launcher(copied))
        ended = f"{self._folder}/ended-{next(self._numbers)}"
        outcome = process.run_steps(self._remote(copied, names, ended), limit_seconds, end_marker)
        return replace(
            outcome, broken=self._shell.why_lost(names[0], outcome, ended),
            seconds=self._shell.seconds(names[0], ended, outcome),
        )  # fmt: skip

    def mapped(self) -> Mapped:
        """Return the libraries as every host shows them. Raises HostError for one that does not answer."""
        self._must_be_up()
        files_of: defaultdict[str, set[str]] = defaultdict(set)
        for host in self._addresses:
            for line in self._shell.ask(host, self._shell.mapped(), _ANSWER_SECONDS).splitlines():
                pid, _, file = line.partition(" ")
                files_of[f"{host} {pid}"].add(file)
        return {name: frozenset(files) for name, files in files_of.items()}

    def given(self, processes: Iterable[str]) -> dict[str, Given]:
        """Return what each of these has got. Raises HostError for a host that does not answer."""
        self._must_be_up()
        of_hosts: defaultdict[str, list[str]] = defaultdict(list)
        for process_there in processes:
            host, _, pid = process_there.rpartition(" ")
            of_hosts[host].append(pid)
        return {
            f"{host} {pid}": given
            for host, pids in of_hosts.items()
            for pid, given in self._shell.given(host, pids, _ANSWER_SECONDS).items()
        }

    def _remote(self, steps: LaunchSteps, names: Sequence[str], ended: str) -> LaunchSteps:
        """The same steps from this host: `everywhere` on each host, all others on the first.

        What the launcher left is ended on every host before anything after it.
        """
        folders = (str(Path.cwd()), self._folder)

        def on(host: str, commands: Sequence[Command]) -> Iterator[Command]:
            return (self._shell.step(host, command, folders) for command in commands)

        def on_all(commands: Sequence[Command]) -> Iterator[Command]:
            return (command for host in names for command in on(host, commands))

        end = [Command(self._shell.command(host, self._shell.ending())) for host in names]
        return replace(
            steps,
            main=self._shell.main(names[0], steps.main, folders, ended),
            before=(*on_all(steps.everywhere), *on(names[0], steps.before)),
            after=(*end, *on(names[0], steps.after), *on_all(steps.everywhere_after)),
            everywhere=(), everywhere_after=(),
        )  # fmt: skip

    def _prepare(self, host: str) -> None:
        """Make our folder there, with the shell for launchers; clear what dead ones of us left.

        Hosts may share it, so one that is there may be ours; everybody may write beside it, so it may be not.
        """
        folder, text = shlex.quote(self._folder), shlex.quote(self._shell.wrapper())
        script = (
            f"umask 077; mkdir {folder} 2>/dev/null || {_OURS.format(folder=folder)} || "
            f"{{ echo {folder} cannot be made, or somebody else has made it >&2; exit 1; }}; "
            f"printf %s {text} >{folder}/rsh && chmod 700 {folder}/rsh || exit; "
            f"cd {_PLACE} && ls -d {_prefix()}* 2>/dev/null; true"
        )
        for mark in self._shell.ask(host, script, _ANSWER_SECONDS).split():
            if _is_left(mark):
                self._shell.ask(host, _clearing(self._shell, mark), _ANSWER_SECONDS)

    def _give_environment(self, host: str) -> None:
        """Write what everything there gets of the caller's, if the host does not have it as it is now."""
        text = callers_own()
        if self._given.get(host) == text:
            return
        file = Path(f"{self._here}/environment")  # a folder that is closed to others
        file.write_text(text)
        script = f"umask 077; cat >{shlex.quote(self._environment)}"
        self._shell.ask(host, script, _ANSWER_SECONDS, stdin=file)
        self._given[host] = text

    def _clear(self, host: str) -> None:
        script = _clearing(self._shell, self._mark)
        try:
            self._shell.ask(host, script, _ANSWER_SECONDS)
        except HostError:  # a connection that is about to break; a new one may do
            self._shell.disconnect()
            self._shell.ask(host, script, _ANSWER_SECONDS)

    def _check_first_reaches_all(self) -> None:
        """Launchers run on the first host and start the others from there."""
        first, *others = self._addresses
        for host in others:
            there = self._shell.step(first, Command((self.remote_shell(), host, "true")), (self._folder,))
            outcome = process.run(there.argv, _ANSWER_SECONDS, mark=self._shell.mark_here)
            if outcome.returncode == CANNOT_REACH or outcome.timed_out:
                raise self._shell.refusal(host, outcome, via=first)

    def _check_program(self, host: str, program: str) -> None:
        """The launcher must be on every host, at the same path: it starts its own kind there."""
        if (host, program) in self._programs:
            return
        if not self._shell.ask(host, f"command -v {shlex.quote(program)}; true", _ANSWER_SECONDS):
            raise HostError(
                f"{program} is not installed on {host}",
                "install it there too, at the same path, or where all hosts see the same files",
            )
        self._programs.add((host, program))

    def _must_be_up(self) -> None:
        if self._here is None:
            raise HostError(f"testbed {self.name} is not up", "bring it up first")


def _prefix() -> str:
    """What the names of our folders begin with: those of this user on this host.

    And of this space of process ids: in containers of one name another's owner would seem to be dead.
    """
    host = re.sub(r"[^A-Za-z0-9]", "-", socket.gethostname())[:20]
    return f"rankwise-{host}-{os.getuid()}-{Path('/proc/self/ns/pid').stat().st_ino:x}-"


def _is_left(mark: str) -> bool:
    """Whether a testbed of ours had this mark, and its owner is dead."""
    owner = re.fullmatch(re.escape(_prefix()) + r"(\d+-\d+)-\w+", mark)
    return owner is not None and not process.is_alive(owner[1])


def _clear_left_here() -> None:
    for folder in Path(_PLACE).glob(f"{_prefix()}*{_HERE}"):
        if _is_left(folder.name.removesuffix(_HERE)):
            shutil.rmtree(folder, ignore_errors=True)


def _clearing(shell: RemoteShell, mark: str) -> str:
    """The script that ends what bears the mark and removes its folder."""
    if not mark.startswith("rankwise-"):  # or it would remove the folder in which all others are
        raise ValueError(f"'{mark}' is not a mark of ours")
    folder = f"{_PLACE}/{shlex.quote(mark)}"
    return f"({shell.ending(mark)}\n)\n{_OURS.format(folder=folder)} || exit 0\nrm -rf {folder}"


def _launcher(steps: LaunchSteps) -> str:
    """The main command's first word that is a program with its full path (`setpriv env -C /tmp /bin/mpirun ...`:
    mpirun), or else its first word.
    """
    programs = (word for word in steps.main.argv if word.startswith("/") and os.access(word, os.X_OK))
    return next((word for word in programs if Path(word).is_file()), steps.main.argv[0])
