"""The errors that a user can meet, each with its exit code and a remedy.

    RankwiseError
    ├── InputError        exit 2    what was typed, or a file that was given, makes no sense
    │   └── UnknownNameError        ... and here are the nearest names that do exist
    ├── HostError         exit 3    this host lacks something: an MPI, a compiler, memory, a free disk
    │   ├── BuildError              a compiler refused: its words and the command
    │   └── StoreError              the results file cannot be read or written
    ├── OutputError       exit 3    standard output or standard error cannot be written: the disk is full
    ├── OutputClosedError exit 141  nobody reads standard output any more: `... | head`
    └── InterruptedRun    exit 130  Ctrl-C, SIGTERM, a closed terminal: what was measured is kept

A failed *cell* is not an error: it is data (see `records.Launch`).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

EXIT_OK = 0
EXIT_ANSWER_IS_NO = 1
EXIT_INPUT = 2
EXIT_HOST = 3
EXIT_BUG = 101
EXIT_INTERRUPTED = 130
EXIT_OUTPUT_CLOSED = 141
"""128 + SIGPIPE, as shells tell it of programs that this signal ends."""


class RankwiseError(Exception):
    """An expected failure: `str(error)` says what was tried and what happened, `remedy` what to do."""

    exit_code = EXIT_BUG

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


class InputError(RankwiseError):
    """What the user gave cannot be used."""

    exit_code = EXIT_INPUT


class UnknownNameError(InputError):
    """A name that nothing answers to; the remedy lists the nearest known ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        if near:
            remedy = "did you mean " + " or ".join(near) + "?"
        elif names:
            remedy = f"known: {', '.join(names)}"
        else:
            remedy = f"no {kind} is available"
        super().__init__(f"unknown {kind} '{name}'", remedy)


class HostError(RankwiseError):
    """This host lacks something that the work needs."""

    exit_code = EXIT_HOST


MOST_COMMAND_CHARACTERS = 1000


class BuildError(HostError):
    """A compiler refused. Carries the command and the compiler's own words."""

    def __init__(self, message: str, command: str, output: str, remedy: str = "") -> None:
        super().__init__(f"{message}\ncommand: {_shortened(command)}\n{output.rstrip()}", remedy)
        self.command = command
        self.output = output


def _shortened(command: str) -> str:
    """The command without most of its files, if there are many: they push what went wrong off the screen."""
    if len(command) <= MOST_COMMAND_CHARACTERS:
        return command
    half = MOST_COMMAND_CHARACTERS // 2
    first, last = command[:half].rpartition(" ")[0], command[-half:].partition(" ")[2]
    left_out = len(command.split()) - len(first.split()) - len(last.split())
    return f"{first} [{left_out} more words] {last}"


class StoreError(HostError):
    """The results file cannot be opened, read or written."""


class OutputError(RankwiseError):
    """What is printed cannot be written."""

    exit_code = EXIT_HOST


class OutputClosedError(RankwiseError):
    """Nobody reads what is printed."""

    exit_code = EXIT_OUTPUT_CLOSED


class InterruptedRun(RankwiseError):  # noqa: N818 - the event is not a fault
    """The user or the system asked to stop; everything measured so far is stored."""

    exit_code = EXIT_INTERRUPTED
