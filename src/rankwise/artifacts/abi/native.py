"""What an implementation's own `mpi.h` has: its functions, and which of the standard's names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from rankwise.artifacts import compiler, declarations
from rankwise.artifacts.declarations import Function
from rankwise.core.errors import BuildError
from rankwise.core.jobs import Outcome
from rankwise.core.records import Implementation

_UNDEFINED = re.compile(r"^\s*#\s*undef.*$", re.MULTILINE)
_NAME = re.compile(r"\b(P?MPI_\w+)")
_MISSING = re.compile(r"undefined (?:reference to|symbol:?) [`'\"]?(PMPI_\w+)")
_FORTRAN = re.compile(r"parameter\s*\(\s*MPI_(\w+)\s*=\s*(\d+)\s*\)", re.IGNORECASE)
_FORTRAN_HEADERS = ("mpif.h", "mpif-handles.h", "mpif-io-handles.h")
"""Open MPI's includes the others by Fortran's own means."""
_ERROR = re.compile(r"names\.c:(\d+):\d+: error")


@cache
def names(implementation: Implementation) -> frozenset[str]:
    """Return every MPI_ and PMPI_ name that its header knows, and that can be used. Raises BuildError."""
    outcome = _compiled(implementation, "", "-E", "-dD")
    if outcome.returncode or outcome.timed_out:
        raise BuildError(
            f"{implementation.id}: its mpi.h cannot be read", outcome.command, outcome.stdout + outcome.stderr,
            f"`rankwise mpis` says whether {implementation.id} works at all",
        )  # fmt: skip
    known = frozenset(_NAME.findall(_UNDEFINED.sub("", outcome.stdout)))
    constants = (name for name in known if name.startswith("MPI_") and name.isupper())
    return known - _unusable(implementation, constants) - _not_linked(implementation)


def functions(implementation: Implementation) -> dict[str, Function]:
    """Return the functions that it declares and that its library has, under their MPI names. Raises BuildError."""
    known = names(implementation)
    return {
        name: function for name, function in declarations.declared(implementation).items() if f"P{name}" in known
    }


def fortran_numbers(implementation: Implementation) -> dict[str, int]:
    """Return the constants of its mpif.h that are not negative, without `MPI_`; none if it has no Fortran."""
    included = "".join(
        f"#if __has_include(<{header}>)\n#include <{header}>\n#endif\n" for header in _FORTRAN_HEADERS
    )
    outcome = _compiled(implementation, included, "-E", "-w", first="")
    return {name.upper(): int(number) for name, number in _FORTRAN.findall(outcome.stdout)}


def _unusable(implementation: Implementation, constants: Iterable[str]) -> set[str]:
    """Those that are defined and lead to nothing: LAM/MPI's MPI_COMPLEX8, names that Open MPI has removed."""
    ordered = sorted(constants)
    uses = "".join(f"void use_{name}(void) {{ (void)({name}); }}\n" for name in ordered)
    options = ("-fsyntax-only", "-ftrack-macro-expansion=0", "-fmax-errors=0")
    outcome = _compiled(implementation, uses, *options, answered=_ERROR)
    return {ordered[int(line) - 2] for line in _ERROR.findall(outcome.stderr)}


def _not_linked(implementation: Implementation) -> set[str]:
    """PMPI_ functions that are declared, and in none of its libraries: LAM/MPI's PMPI_Win_lock."""
    used = ", ".join(f"(void *)P{name}" for name in declarations.declared(implementation))
    options = ("-shared", "-fPIC", "-w", "-Wl,-z,defs", "-o", "names.so")
    outcome = _compiled(implementation, f"void *used[] = {{{used}}};\n", *options, answered=_MISSING)
    return set(_MISSING.findall(outcome.stderr))


def _compiled(
    implementation: Implementation, text: str, *options: str, first: str = "#include <mpi.h>\n",
    answered: re.Pattern[str] | None = None,
) -> Outcome:  # fmt: skip
    seconds = declarations.READ_SECONDS
    return compiler.of_text(implementation, first + text, *options, limit_seconds=seconds, answered=answered)
