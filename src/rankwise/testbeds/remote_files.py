"""Copies of this host's files on hosts that do not have them, at the same place on each."""

from __future__ import annotations

import re
import shlex
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rankwise.core import process
from rankwise.core.errors import HostError
from rankwise.core.jobs import Command, LaunchSteps
from rankwise.testbeds.remote_shell import RemoteShell

_LIMIT_SECONDS = 60.0
_PATH_CHARACTERS = r"[\w./-]"


class RemoteFiles:
    """Remote files are what hosts have and what they were given, in a folder of theirs that goes with it all."""

    def __init__(self, shell: RemoteShell, folder: str, here: Path) -> None:
        self._shell = shell
        self._folder = folder
        self._here = here
        """A folder of this host's, for what is sent."""
        self._same: dict[tuple[str, str], bool] = {}
        """Whether a host has this very file (by its checksum) without our doing."""
        self._sent: set[tuple[str, str]] = set()

    def steps_with_copies(self, steps: LaunchSteps, hosts: Sequence[str]) -> LaunchSteps:
        """Return the steps with copies in place of the files that one of the hosts lacks. Raises HostError."""
        sums = _checksums_here(file for file in steps.files if Path(file).is_file())
        for host in hosts:
            self._compare(host, sums)
        missing = {file: key for file, key in sums.items() if not all(self._same[host, key] for host in hosts)}
        if not missing:
            return steps
        for host in hosts:
            self._send(host, {file: key for file, key in missing.items() if (host, key) not in self._sent})
        return _rewritten(steps, {file: self._copy(file) for file in missing})

    def _compare(self, host: str, sums: Mapping[str, str]) -> None:
        new = {file: key for file, key in sums.items() if (host, key) not in self._same}
        if not new:
            return
        paths = shlex.join(str(Path(file).absolute()) for file in new)
        said = self._shell.ask(host, f"cksum -- {paths} 2>/dev/null; true", _LIMIT_SECONDS).splitlines()
        for key in new.values():
            self._same[host, key] = key in said

    def _send(self, host: str, files: Mapping[str, str]) -> None:
        if not files:
            return
        archive = self._here / "files.tar"
        with tarfile.open(archive, "w", dereference=True) as tar:
            for file in files:
                tar.add(Path(file).absolute())
        folder = shlex.quote(self._folder)
        runnable = shlex.join(self._copy(file) for file in files if Path(file).stat().st_mode & 0o111)
        check = f'for file in {runnable}; do [ -x "$file" ] || {{ echo "$file cannot be run" >&2; exit 1; }}; done'
        try:
            self._shell.ask(host, f"tar -xf - -C {folder} && {check}", _LIMIT_SECONDS, stdin=archive)
        except HostError as error:
            remedy = f"is there room in /tmp of {host}, mounted without noexec? or keep files where all see them"
            raise HostError(f"cannot copy files: {error}", remedy) from error
        finally:
            archive.unlink()
        self._sent |= {(host, key) for key in files.values()}

    def _copy(self, file: str) -> str:
        return self._folder + str(Path(file).absolute())


def _checksums_here(files: Iterable[str]) -> dict[str, str]:
    """`CHECKSUM BYTES PATH` of each file, as cksum says it here and elsewhere."""
    names = list(files)
    if not names:
        return {}
    outcome = process.run(["cksum", "--", *(str(Path(name).absolute()) for name in names)], _LIMIT_SECONDS)
    if outcome.returncode != 0:
        raise HostError(f"cannot read what is to be copied: {outcome.stderr.strip()}", "check its permissions")
    return dict(zip(names, outcome.stdout.splitlines(), strict=True))


def _rewritten(steps: LaunchSteps, copies: Mapping[str, str]) -> LaunchSteps:
    """Every mention of a file, also within `NAME=FILE:OTHER`, becomes one of its copy."""
    files = "|".join(re.escape(file) for file in sorted(copies, key=len, reverse=True))
    mention = re.compile(f"(?<!{_PATH_CHARACTERS})(?:{files})(?!{_PATH_CHARACTERS})")

    def word(text: str) -> str:
        return mention.sub(lambda match: copies[match[0]], text)

    def command(inner: Command) -> Command:
        variables = tuple((name, word(value)) for name, value in inner.environment)
        return Command(tuple(map(word, inner.argv)), variables)

    return replace(
        steps,
        main=command(steps.main),
        before=tuple(map(command, steps.before)),
        after=tuple(map(command, steps.after)),
        everywhere=tuple(map(command, steps.everywhere)),
        everywhere_after=tuple(map(command, steps.everywhere_after)),
    )
