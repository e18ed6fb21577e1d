"""What programs say of themselves, kept: each command would ask every MPI's compiler and launcher anew.

An answer is believed as long as the program, the files that it speaks about and the variables are the same ones.
That a program fails is never kept: whoever asks again has usually just tried to mend it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from rankwise.core import paths, process
from rankwise.core.jobs import Command, Outcome
from rankwise.core.records import Environment

Stamp = tuple[str, int, int]
"""A file's real path, size in bytes and time of change in nanoseconds; zeros where it is not there."""

_NOT_READ = frozenset({"_", "COLUMNS", "LINES", "OLDPWD", "PWD", "SHLVL", "TERM", "WINDOWID"})
_NOT_READ_BEGINNINGS = ("PYTEST_", "RANKWISE_", "SLURM_", "SSH_", "XDG_")
"""Variables that differ from one terminal, job or command to the next, and change no answer."""


def stamp(file: Path) -> Stamp:
    """Return what tells this file from another one that takes its place later."""
    try:
        real = file.resolve()
        status = real.stat()
        return str(real), status.st_size, status.st_mtime_ns
    except OSError:
        return str(file), 0, 0


def ask(
    argv: Sequence[str], limit_seconds: float, *, environment: Environment = (), about: Iterable[Path] = ()
) -> Outcome:
    """Run the command to its end, or to the limit; or return what it answered when nothing was different.

    `about`: the files on which the answer depends, beside the program. Raises HostError if the program cannot be
    started.
    """
    record = _folder() / f"{_digest(*argv)}.json"
    variables = {**os.environ, **dict(environment)}
    told = [(name, value) for name, value in variables.items() if not _is_left_out(name)]
    conditions = _digest([stamp(file) for file in (Path(argv[0]), *about)], sorted(told))
    kept = _earlier(record, conditions)
    if kept is not None:
        return Outcome(process.command_line(Command(tuple(argv), environment)), 0, *kept, seconds=0.0)
    outcome = process.run(argv, limit_seconds, environment=environment)
    if outcome.returncode == 0 and not outcome.timed_out:
        _keep(record, conditions, outcome)
    return outcome


def forget() -> None:
    """Ask everything anew from now on."""
    shutil.rmtree(_folder(), ignore_errors=True)


def _folder() -> Path:
    return paths.cache_folder() / "answers"


def _is_left_out(name: str) -> bool:
    return name in _NOT_READ or name.startswith(_NOT_READ_BEGINNINGS)


def _digest(*told: object) -> str:
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def _earlier(record: Path, conditions: str) -> tuple[str, str] | None:
    """Standard output and error as they were under the same conditions."""
    try:
        kept = json.loads(record.read_text())
        return (str(kept["out"]), str(kept["err"])) if kept["conditions"] == conditions else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _keep(record: Path, conditions: str, outcome: Outcome) -> None:
    """One answer for each command line; where the cache cannot be written the next one is asked for again."""
    words = json.dumps({"conditions": conditions, "out": outcome.stdout, "err": outcome.stderr})
    with contextlib.suppress(OSError):
        record.parent.mkdir(parents=True, exist_ok=True)
        descriptor, partial = tempfile.mkstemp(prefix=".answer-", dir=record.parent)
        with os.fdopen(descriptor, "w") as file:
            file.write(words)
        Path(partial).replace(record)
