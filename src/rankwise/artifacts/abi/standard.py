"""The standard ABI of MPI-5, as an installed `mpi_abi.h` declares it: functions, handles, constants."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from rankwise.artifacts.declarations import Function, read
from rankwise.core.errors import HostError
from rankwise.core.records import Implementation

HEADER = "mpi_abi.h"
KINDS = (
    "Comm", "Datatype", "Op", "Group", "Info", "Request", "Win", "File", "Errhandler", "Message", "Session",
)  # fmt: skip
"""Of handles."""
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DIRECTIVE = re.compile(r"^#.*$", re.MULTILINE)
_FIRST_FUNCTION = re.compile(r"^int MPI_Abi_get", re.MULTILINE)
_STATUS_FIELD = re.compile(r"\bABI_(SOURCE|TAG|ERROR)(?=;)")
_UNCHANGED_REQUESTS = re.compile(r"(get_status_\w+\(int \w+, )(MPI_Request)")
"""What the standard has as `const`, and Intel's header has not."""
_TOOLS, _EXTENSIONS = "MPI_T_", "MPIX_"


@dataclass(frozen=True)
class Standard:
    """What one `mpi_abi.h` declares."""

    header: Path
    text: str
    """Without comments."""

    @cached_property
    def functions(self) -> dict[str, Function]:
        """Return all but extensions and the tools interface, without `MPI_`, in the header's order."""
        declared = read(_DIRECTIVE.sub("", self.text))
        left_out = (_TOOLS, _EXTENSIONS)
        return {
            name.removeprefix("MPI_"): function
            for name, function in declared.items()
            if not name.startswith(left_out)
        }

    @cached_property
    def tools(self) -> dict[str, Function]:
        """Return those of the tools interface (MPI_T), which no table has."""
        declared = read(_DIRECTIVE.sub("", self.text))
        return {name: function for name, function in declared.items() if name.startswith(_TOOLS)}

    def handles(self, kind: str) -> list[str]:
        """Return the predefined handles of a kind, without `MPI_`, the null one first."""
        return re.findall(rf"^#define MPI_(\w+)\s+\(\(MPI_{kind}\)0x", self.text, re.MULTILINE)

    @property
    def errors(self) -> list[str]:
        """Return the error classes, without `MPI_`."""
        return [name for name in re.findall(r"\bMPI_(ERR_\w+)\s*=", self.text) if name != "ERR_LASTCODE"]

    @property
    def limits(self) -> list[str]:
        """Return the names of the longest lengths of strings, without `MPI_`."""
        return re.findall(r"^#define MPI_(MAX_\w+|BSEND_OVERHEAD)", self.text, re.MULTILINE)

    @property
    def names(self) -> set[str]:
        """Return every name, without `MPI_`."""
        return set(re.findall(r"\bMPI_(\w+)", self.text))

    @property
    def renamed(self) -> str:
        """Return types and constants with ABI_ for MPI_, so that they can stand beside another `mpi.h`."""
        start = _FIRST_FUNCTION.search(self.text)
        kept = re.sub(r"\bMPI(X?)_(?=\w)", r"ABI\1_", self.text[: start.start()] if start else self.text)
        kept = re.sub(r"^#define ABI_(SUB)?VERSION .*$", "", kept, flags=re.MULTILINE)
        return _STATUS_FIELD.sub(r"MPI_\1", kept) + "#ifdef __cplusplus\n}\n#endif\n#endif\n"


def standard(implementations: Iterable[Implementation]) -> Standard:
    """Return what the standard ABI is, as the first of these implementations that has it declares it.

    Raises HostError if none has.
    """
    for implementation in sorted(
        implementations, key=lambda candidate: candidate.family != "mpich"
    ):  # whose header has the standard's functions alone
        header = Path(implementation.prefix, "include", HEADER)
        if header.is_file():
            return _read(header)
    raise HostError(
        f"no MPI here has {HEADER}, which declares the standard ABI of MPI-5",
        "rankwise mpis install mpich   (MPICH 5 has it; no root needed)",
    )


@cache
def _read(header: Path) -> Standard:
    text = _COMMENT.sub("", header.read_text())
    return Standard(header, _UNCHANGED_REQUESTS.sub(r"\1const \2", text))
