"""The wrappers of traced functions for Fortran, where a library's Fortran does not call C's functions."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.artifacts.traced_c import Wrapper
from rankwise.artifacts.traced_calls import TracedCall

_HANDLES = {"type": "Type", "send_type": "Type", "recv_type": "Type", "comm": "Comm"}
_MESSAGES = {"message"}
"""What the wrappers for Fortran do without."""
_HEAD = """
extern int mpi_fortran_in_place_ __attribute__((weak));
static inline const void *from_fortran(const void *buffer)
{
    return buffer == &mpi_fortran_in_place_ ? MPI_IN_PLACE : buffer;
}
"""


class _Fortran(Wrapper):
    """The wrapper of a function as Fortran calls it: everything by address, the error code last.

    The library's own Fortran function is called, so that what Fortran has otherwise is its matter.
    """

    fortran = True
    suffix = "_"
    original = "pmpi_{name}_"

    def shell(self, before: str, after: str) -> str:
        """Return the function around these lines."""
        parameters = ", ".join(
            f"{'MPI_Fint' if self.is_number(i) else 'void'} *{name}" for i, name in enumerate(self.names)
        )
        parameters = f"{parameters}, MPI_Fint *ierror" if parameters else "MPI_Fint *ierror"
        name = self.call.function.name.removeprefix("MPI_").lower()
        theirs = self.original.format(name=name)
        return (
            f"\nextern void {theirs}({parameters}) __attribute__((weak));\n"
            f"PUBLIC void mpi_{name}{self.suffix}({parameters});\n"
            f"void mpi_{name}{self.suffix}({parameters})\n{{\n    MPI_Fint code = 0;\n{before}"
            f"    {theirs}({', '.join([*self.names, '&code'])});\n{after}"
            "    if (ierror)\n        *ierror = code;\n}\n"
        )

    def is_number(self, index: int) -> bool:
        """Return whether a parameter is an integer, or several, rather than a buffer."""
        kind = self.call.function.parameters[index].type
        return "void" not in kind and "char" not in kind

    def passed_on(self) -> str:
        name = self.call.function.name.removeprefix("MPI_").lower()
        theirs = self.original.format(name=name)
        arguments = ", ".join([*self.names, "ierror ? ierror : &code"])
        return f"    {{\n        {theirs}({arguments});\n        return;\n    }}\n"

    def value(self, role: str) -> str:
        name = self.roles[role]
        return f"PMPI_{_HANDLES[role]}_f2c(*{name})" if role in _HANDLES else f"*{name}"

    def buffer(self, role: str) -> str:
        return f"from_fortran({self.roles[role]})"

    def handle(self, kind: str, name: str) -> str:
        return f"PMPI_{kind}_f2c(*{name})"

    def status_lines(self) -> list[str]:
        if "status" in self.roles:
            name = self.roles["status"]
            return [
                "MPI_Fint own[MPI_F_STATUS_SIZE];", f"if ({name} == MPI_F_STATUS_IGNORE)", f"    {name} = own;",
                f"call.status = (Array){{{name}, true}};",
            ]  # fmt: skip
        if "statuses" in self.roles:
            return self.many_statuses("MPI_F_STATUSES_IGNORE", "MPI_Fint", "true")
        return []


class _Fortran2008(_Fortran):
    """The same where Fortran's mpi_f08 module has functions of its own."""

    suffix = "_f08_"
    original = "pmpi_{name}_f08_"


class _Mpich2008(_Fortran):
    """What MPICH's mpi_f08 module does without C's functions: all without a buffer; its statuses are C's."""

    suffix = "_f08_"
    original = "pmpir_{name}_f08_"

    def status_lines(self) -> list[str]:
        single = "status" in self.roles
        if not single and "statuses" not in self.roles:
            return []
        if not single:
            return self.many_statuses("MPI_F08_STATUSES_IGNORE", "MPI_Fint", "false")
        name = self.roles["status"]
        return [
            "MPI_Status own;", f"if ((void *){name} == (void *)MPI_F08_STATUS_IGNORE)",
            f"    {name} = (void *)&own;", f"call.status = (Array){{{name}, false}};",
        ]  # fmt: skip


_KINDS = {"openmpi": (_Fortran, _Fortran2008), "mpich": (_Mpich2008,)}


def fortran(calls: Sequence[TracedCall], family: str) -> list[str]:
    """Return the wrappers for Fortran that a family needs, of all that can be told there by addresses alone."""
    if family not in _KINDS:
        return []
    found = [_HEAD]
    for number, call in enumerate(calls, 1):
        if call.wide or _MESSAGES & set(call.roles) or {"send_types", "starts"} & set(call.roles):
            continue
        buffers = any("void" in one.type for one in call.function.parameters)
        for kind in _KINDS[family]:
            if kind is not _Mpich2008 or (not buffers and call.kind != "other"):
                found.append(kind(number, call).source())
    return found
