"""One reader of recordings: it finds the format of a path and returns what the recording holds.

A recording holds single calls in their order, totals of calls, or bytes from rank to rank. Totals and bytes also
follow from calls. The format is recognized by the path and by how its text begins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rankwise.analysis.map.matrix import CommunicationMatrix
from rankwise.analysis.trace import application_csv, left_out, matrix
from rankwise.analysis.trace.reading import Trace
from rankwise.core import registry
from rankwise.core.errors import InputError
from rankwise.core.records import Notice
from rankwise.core.units import short

_HEAD_BYTES = 1 << 16
Row = tuple[str, int, int, int]
"""Operation, bytes, ranks and count."""


@dataclass(frozen=True, slots=True)
class Source:
    """A path, and its first bytes; all bytes of a pipe, which can be read only once."""

    path: Path
    data: bytes

    @classmethod
    def of(cls, path: Path) -> Source:
        """Read the first bytes. Raises InputError if that is not possible."""
        try:
            if path.is_dir():
                return cls(path, b"")
            with path.open("rb") as file:
                return cls(path, file.read(_HEAD_BYTES) if path.is_file() else file.read())
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}", "check the path") from error

    @property
    def head(self) -> str:
        """Return how the text begins; '' for a folder."""
        return self.data.decode("utf-8", errors="replace")

    def text(self) -> str:
        """Return the whole text. Raises InputError for what is not text."""
        try:
            return (self.path.read_bytes() if self.path.is_file() else self.data).decode("utf-8")
        except OSError as error:
            raise InputError(f"cannot read {self.path}: {error.strerror}", "check the path") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{self.path} is not a text file", "write the recording again") from error


@dataclass(frozen=True, slots=True)
class Totals:
    """How often which operation is called, with how many bytes, on how many ranks."""

    rows: tuple[Row, ...]
    notices: tuple[Notice, ...] = ()
    """Limits of these figures."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes from rank to rank."""

    matrix: CommunicationMatrix
    notices: tuple[Notice, ...] = ()
    """What is not in it."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What a path holds."""

    path: Path
    what: str
    """The format: `an OTF2 archive`."""
    calls: Trace | None = None
    totals: Totals | None = None
    traffic: Traffic | None = None

    def need_calls(self) -> Trace:
        """Return the single calls. Raises InputError if it holds none."""
        if self.calls is None:
            raise self._lacks("single calls in their order")
        return self.calls

    def need_totals(self) -> Totals:
        """Return the totals, of calls too. Raises InputError if it holds neither."""
        if self.totals is not None:
            return self.totals
        if self.calls is None:
            raise self._lacks("how often each operation is called, and with how many bytes")
        said = left_out.notices(
            self.calls, application_csv.takes, f"what is tuned for {self.path}", "what is left is tuned"
        )
        return Totals(tuple(application_csv.rows(self.calls)), (*self.problems(), *said))

    def need_traffic(self) -> Traffic:
        """Return the bytes from rank to rank, of calls too. Raises InputError if it holds neither."""
        if self.traffic is not None:
            return self.traffic
        if self.calls is None:
            raise self._lacks("which rank sends how much to which")
        sent = CommunicationMatrix.of_table(matrix.communication_matrix(self.calls).bytes)
        said = left_out.notices(self.calls, matrix.takes, "the matrix of messages")
        return Traffic(sent, (*self.problems(), *said))

    def problems(self) -> tuple[Notice, ...]:
        """Return what is damaged or missing in the calls."""
        problems = self.calls.problems if self.calls else ()
        return tuple(Notice("incomplete recording", problem, "the rest is used") for problem in problems)

    def _lacks(self, missing: str) -> InputError:
        """The error, with what it is enough for."""
        verbs = [f"rankwise map {self.path}"] if self.traffic else []
        verbs += [f"rankwise tune --for {self.path}"] if self.totals else []
        return InputError(
            f"{self.path} is {self.what}, which does not hold {missing}",
            f"record the program: rankwise trace -- ./app; this one is enough for {' and '.join(verbs)}",
        )


@dataclass(frozen=True, slots=True)
class Format:
    """A format of recordings; each file of this package, and of plug-in folders, has one as FORMAT."""

    what: str
    """With its article: `an OTF2 archive`."""
    recognizes: Callable[[Source], bool]
    read: Callable[[Source], Recording]
    """Raises InputError with the path for what is damaged."""


def formats() -> tuple[Format, ...]:
    """Return all formats."""
    modules = registry.modules_of("rankwise.analysis.recordings", "recordings")
    named = (getattr(module, "FORMAT", None) for module in modules)
    return tuple(format_ for format_ in named if isinstance(format_, Format))


def format_of(source: Source) -> Format | None:
    """Return the format of a path; None if none fits. Raises InputError for a folder with several."""
    path = source.path
    try:
        fitting = [candidate for candidate in formats() if candidate.recognizes(source)]
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", "give a folder that can be read") from error
    if len(fitting) > 1:
        raise InputError(
            f"{path} holds recordings of several formats: {', '.join(each.what for each in fitting)}",
            "put each into a folder of its own",
        )
    return fitting[0] if fitting else None


def read(path: Path) -> Recording:
    """Read a recording. Raises InputError for an unknown format, or a damaged file."""
    source = Source.of(path)
    recognized = format_of(source)
    if recognized is not None:
        return recognized.read(source)
    lines = [line.strip() for line in source.head.splitlines() if line.strip()]
    if path.is_dir():
        reason = "no file in it has a known format"
    elif not lines:
        reason = "it is empty"
    else:
        reason = f"it begins with '{short(lines[0])}'"
    known = "; ".join(each.what for each in formats())
    raise InputError(f"{path} is not a recording: {reason}", f"give one of these: {known}")
