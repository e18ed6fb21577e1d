"""Wrappers of the functions that Fortran programs call where a library's Fortran does not call C's MPI_ functions.

Open MPI's Fortran calls PMPI_ functions, and so does MPICH's mpi_f08 module for all that has no buffer; the others
call what C programs call, and need no wrapper.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rankwise.artifacts.declarations import Function

HEAD = """
extern int mpi_fortran_in_place_ __attribute__((weak));
extern int mpi_fortran_bottom_ __attribute__((weak));
static inline const void *from_fortran(const void *buffer)
{
    if (buffer == &mpi_fortran_in_place_)
        return MPI_IN_PLACE;
    return buffer == &mpi_fortran_bottom_ ? MPI_BOTTOM : buffer;
}
"""
"""`from_fortran`: a buffer as C has it, where Fortran's MPI_IN_PLACE and MPI_BOTTOM are variables."""


@dataclass(frozen=True, slots=True)
class Binding:
    """How the functions of one of a library's Fortran modules are called, with MPI_Send's `send` for {name}."""

    ours: str
    original: str
    buffers: bool = True
    """Functions with a buffer need a wrapper too."""

    def library_name(self, function: Function) -> str:
        """Return the library's own Fortran function."""
        return self.original.format(name=_name(function))

    def definition(self, function: Function, body: str) -> str:
        """Return our function, whose `code` goes to Fortran's last argument, and the library's as declared."""
        parameters = [
            f"{'MPI_Fint' if _is_number(parameter.type) else 'void'} *{parameter.name}"
            for parameter in function.parameters
        ]
        listed = ", ".join([*parameters, "MPI_Fint *ierror"])
        ours = self.ours.format(name=_name(function))
        return (
            f"\nextern void {self.library_name(function)}({listed}) __attribute__((weak));\n"
            f"PUBLIC void {ours}({listed});\n"
            f"void {ours}({listed})\n{{\n    MPI_Fint code = 0;\n{body}"
            "    if (ierror)\n        *ierror = code;\n}\n"
        )

    def wraps(self, function: Function) -> bool:
        """Return whether a function needs a wrapper: those for large counts have none of their own in Fortran."""
        return not function.name.endswith("_c") and (self.buffers or not has_buffers(function))


PLAIN = Binding("mpi_{name}_", "pmpi_{name}_")
FORTRAN_2008 = Binding("mpi_{name}_f08_", "pmpi_{name}_f08_")
MPICH_2008 = Binding("mpi_{name}_f08_", "pmpir_{name}_f08_", buffers=False)
BINDINGS = {"openmpi": (PLAIN, FORTRAN_2008), "mpich": (MPICH_2008,)}
"""Of a family; one that is not here needs no wrappers."""


def without_arguments(function: Function) -> Function:
    """Return MPI_Init and MPI_Init_thread without the command line, which Fortran does not hand over."""
    starts = function.name in {"MPI_Init", "MPI_Init_thread"}
    return replace(function, parameters=function.parameters[2:]) if starts else function


def has_buffers(function: Function) -> bool:
    """Return whether a function takes data."""
    return any("void" in parameter.type for parameter in function.parameters)


def _name(function: Function) -> str:
    return function.name.removeprefix("MPI_").lower()


def _is_number(kind: str) -> bool:
    return "void" not in kind and "char" not in kind
