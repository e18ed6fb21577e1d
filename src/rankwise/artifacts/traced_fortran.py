"""The wrappers of traced functions for Fortran, where a library's Fortran does not call C's functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankwise.artifacts import fortran_wrappers
from rankwise.artifacts.traced_c import Wrapper
from rankwise.artifacts.traced_calls import TracedCall

_HANDLES = {"type": "Type", "send_type": "Type", "recv_type": "Type", "comm": "Comm",
            "win": "Win", "group": "Group", "op": "Op"}  # fmt: skip
_MESSAGES = {"message"}
"""What the wrappers for Fortran do without."""


class _Fortran(Wrapper):
    """The wrapper of a function as Fortran calls it: everything by address, the error code last.

    The library's own Fortran function is called, so that what Fortran has otherwise is its matter.
    """

    fortran = True
    binding = fortran_wrappers.PLAIN

    def shell(self, before: str, after: str) -> str:
        """Return the function around these lines."""
        theirs = self.binding.library_name(self.call.function)
        call = f"    {theirs}({', '.join([*self.names, '&code'])});\n"
        return self.binding.definition(self.call.function, before + call + after)

    def passed_on(self) -> str:
        theirs = self.binding.library_name(self.call.function)
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

    binding = fortran_wrappers.FORTRAN_2008


class _Mpich2008(_Fortran):
    """What MPICH's mpi_f08 module does without C's functions: all without a buffer; its statuses are C's."""

    binding = fortran_wrappers.MPICH_2008

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
    wrappers = [fortran_wrappers.HEAD]
    for number, call in enumerate(calls, 1):
        if call.wide or _MESSAGES & set(call.roles) or {"send_types", "starts"} & set(call.roles):
            continue
        buffers = fortran_wrappers.has_buffers(call.function)
        for kind in _KINDS[family]:
            if kind is not _Mpich2008 or (not buffers and call.kind != "other"):
                function = fortran_wrappers.without_arguments(call.function)
                wrappers.append(kind(number, replace(call, function=function)).source())
    return wrappers
