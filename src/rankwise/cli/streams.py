"""Standard output and standard error: where writing fails, the error says so, whoever wrote."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any

from rankwise.core.errors import InterruptedRun, OutputClosedError, OutputError

_NAMES = {1: "stdout", 2: "stderr"}
_WORDS = {1: "standard output", 2: "standard error"}


class _Stream(io.FileIO):
    """The file behind one of them. Its failures are no OSErrors, which others take for failures of their files."""

    def __init__(self, number: int) -> None:
        super().__init__(number, "w", closefd=False)
        self._number = number

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._number)  # what is still buffered is written when Python ends
            os.close(nowhere)
            if error.errno == errno.EPIPE:
                raise OutputClosedError(f"no reader of {_WORDS[self._number]}") from error
            if error.errno == errno.EIO:
                raise InterruptedRun("the terminal was closed") from error
            raise OutputError(
                f"cannot write to {_WORDS[self._number]}: {error.strerror}", "write to another place"
            ) from error


def install() -> None:
    """Let `sys.stdout` and `sys.stderr` write this way; what their encoding has no letter for, they escape."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # closed: else the next file that is opened would get this number
            os.open(os.devnull, os.O_RDWR)
    for number, name in _NAMES.items():
        earlier = getattr(sys, name)
        file = io.BufferedWriter(_Stream(number))
        encoding = earlier.encoding if earlier else "utf-8"
        setattr(sys, name, io.TextIOWrapper(
            file, encoding, "backslashreplace", line_buffering=number == 2 or os.isatty(number)
        ))  # fmt: skip
