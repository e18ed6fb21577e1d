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
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rankwise.core import paths, process
from rankwise.core.jobs import Outcome
from rankwise.core.records import Environment

Stamp = tuple[str, int, int]
"""A file's real path, size in bytes and time of change in nanoseconds; zeros where it is not there."""

MOST = 500
"""Answers that are kept; then all are forgotten, for most are about files or variables that are no more."""
_NOT_READ = frozenset({"_", "COLUMNS", "LINES", "OLDPWD", "PWD", "SHLVL", "TERM", "WINDOWID"})
_NOT_READ_BEGINNINGS = ("PYTEST_", "RANKWISE_", "SLURM_", "SSH_", "XDG_")
"""Variables that differ from one terminal, job or command to the next, and change no answer."""
_KEPT = ("command", "returncode", "stdout", "stderr")


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
    variables = {**os.environ, **dict(environment)}
    question = (tuple(argv), sorted((name, value) for name, value in variables.items() if _is_read(name)))
    conditions = [stamp(file) for file in (Path(argv[0]), *about)]
    return kept(question, conditions, lambda: process.run(argv, limit_seconds, environment=environment))


def kept(
    question: object, conditions: object, run: Callable[[], Outcome],
    believed: Callable[[Outcome], bool] = lambda outcome: outcome.returncode == 0,
) -> Outcome:  # fmt: skip
    """Return what `run` returns, or did for the same question under the same conditions if that is `believed`."""
    record, now = _folder() / f"{_digest(question)}.json", _digest(conditions)
    outcome = _earlier(record, now)
    if outcome is None:
        outcome = run()
        if believed(outcome) and not outcome.timed_out:
            _keep(record, now, outcome)
    return outcome


def forget() -> None:
    """Ask everything anew from now on."""
    shutil.rmtree(_folder(), ignore_errors=True)


def _folder() -> Path:
    return paths.cache_folder() / "answers"


def _is_read(name: str) -> bool:
    return name not in _NOT_READ and not name.startswith(_NOT_READ_BEGINNINGS)


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]


def _earlier(record: Path, conditions: str) -> Outcome | None:
    """What was kept of an outcome under the same conditions."""
    try:
        answer = json.loads(record.read_text())
        if answer.pop("conditions") != conditions:
            return None
        return Outcome(**{name: answer[name] for name in _KEPT}, seconds=0.0)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _keep(record: Path, conditions: str, outcome: Outcome) -> None:
    """One answer for each question; where the cache cannot be written the next one is asked for again."""
    text = json.dumps({"conditions": conditions, **{name: getattr(outcome, name) for name in _KEPT}})
    with contextlib.suppress(OSError):
        record.parent.mkdir(parents=True, exist_ok=True)
        if len(list(record.parent.iterdir())) >= MOST:
            forget()
            record.parent.mkdir(exist_ok=True)
        descriptor, partial = tempfile.mkstemp(prefix=".answer-", dir=record.parent)
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        Path(partial).replace(record)
