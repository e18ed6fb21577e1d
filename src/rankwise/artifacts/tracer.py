"""The tracer: a library between a program and its MPI that records its calls."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rankwise.artifacts import builder, fortran_wrappers, overlay
from rankwise.artifacts.builder import Artifact
from rankwise.artifacts.declarations import Function, declared
from rankwise.artifacts.traced_calls import TracedCall, recorded
from rankwise.core.records import Implementation

SOURCES = Path(__file__).parent.parent / "csrc"
LIBRARY = "rankwise-trace.so"
ARCHIVE = "rankwise-trace.a"
_RUNTIME = ("barrier", "clock", "clock_model", "proc", "time_base")
_FLAGS = ("-std=gnu99", "-O2", "-fvisibility=hidden", "-fno-semantic-interposition")
_VALUES = ("count", "type", "peer", "tag", "source", "recv_tag", "recv_count", "recv_type", "root", "comm",
           "send_count", "send_type")  # fmt: skip
_FIELDS = {"count": "send_count", "type": "send_type"}
"""Roles that C's `Traced` calls otherwise."""
_HANDLES = {"type": "Type", "send_type": "Type", "recv_type": "Type", "comm": "Comm"}
_MESSAGES = {"message"}
"""What the wrappers for Fortran do without."""


def build(implementation: Implementation) -> Path:
    """Return the path of the tracer for `implementation`, compiled if need be.

    Raises BuildError with the compiler's words and the command, HostError if the cache cannot be written.
    """
    linked = ("-lm", "-pthread", "-ldl", "-Wl,--no-as-needed", *overlay.library_path(implementation))
    return builder.build(replace(_parts(implementation), libraries=linked), implementation)


def build_archive(implementation: Implementation) -> Path:
    """Return the path of the tracer as an archive, for programs that have their MPI library linked in.

    Raises as `build` does.
    """
    return builder.build(replace(_parts(implementation), name=ARCHIVE, kind="archive"), implementation)


def _parts(implementation: Implementation) -> Artifact:
    """The shared object, but for what it is linked with."""
    wrappers = overlay.kept(wrapper_source(declared(implementation), implementation.family))
    runtime = [SOURCES / "runtime" / f"{name}.c" for name in _RUNTIME]
    sources = (wrappers, *sorted((SOURCES / "tracer").glob("*.c")), *runtime)
    folders = (SOURCES / "tracer", SOURCES / "runtime")
    return Artifact(LIBRARY, sources, "shared object", folders, _FLAGS)


def wrapper_source(functions: dict[str, Function], family: str = "") -> str:
    """Return the C source of the wrappers of those of `functions` that are recorded, with Fortran's where need be.

    Fortran programs call C's functions in most libraries; Open MPI's and MPICH's mpi_f08 module do not.
    """
    calls = list(recorded(functions))
    names = "".join(f'    "{call.function.name} {_kind(call)}",\n' for call in calls)
    head = (
        '#include "tracer.h"\n\n#define PUBLIC __attribute__((visibility("default")))\n\n'
        f'const char *const traced_functions[] = {{\n    "region region",\n{names}}};\n'
        f"const int traced_function_count = {len(calls) + 1};\n{_PCONTROL}"
    )
    wrappers = [_C(number, call).source() for number, call in enumerate(calls, 1)]
    fortran = [] if family not in _FORTRAN else [fortran_wrappers.HEAD, *_fortran(calls, family)]
    return "\n".join([head, *wrappers, *fortran])


_PCONTROL = """
PUBLIC int MPI_Pcontrol(const int level, ...)
{
    note_control(level);
    return MPI_SUCCESS;
}
"""


def _kind(call: TracedCall) -> str:
    """As the trace names it: a persistent send moves nothing before it is started."""
    return "other" if call.persistent else call.kind


class _C:
    """The wrapper of a function as C calls it; subclasses write what Fortran does otherwise."""

    fortran = False

    def __init__(self, number: int, call: TracedCall) -> None:
        self.call = call
        self.number = number
        self.names = [parameter.name for parameter in call.function.parameters]
        self.roles = dict(zip(call.roles, self.names, strict=False))

    def source(self) -> str:
        """Return the wrapper."""
        if self.call.kind == "init":
            return self.shell(
                "    inside_tracer = 1;\n",
                "    inside_tracer = 0;\n    if (code == MPI_SUCCESS)\n        tracer_started();\n",
            )
        if self.call.kind == "finalize":
            return self.shell(
                "    inside_tracer = 1; /* what the library calls in it is not the program's */\n", ""
            )
        fields = ", ".join([f".function = {self.number}", *self.fields()])
        before = f"    if (!begin_call())\n{self.passed_on()}    Traced call = {{{fields}}};\n"
        after = "    call.exit = now_nanoseconds();\n" + "".join(f"    {line}\n" for line in self.after())
        lines = "".join(f"    {line}\n" for line in self.before())
        return self.shell(before + lines + "    call.entry = now_nanoseconds();\n", after)

    def shell(self, before: str, after: str) -> str:
        """Return the function around these lines."""
        function = self.call.function
        return (
            f"\nPUBLIC {function.returns} {function.name}({function.signature})\n{{\n{before}"
            f"    const int code = P{function.name}({', '.join(self.names)});\n{after}    return code;\n}}\n"
        )

    def passed_on(self) -> str:
        """Return the lines that leave the call to the library."""
        return f"        return P{self.call.function.name}({', '.join(self.names)});\n"

    def value(self, role: str) -> str:
        """Return what the parameter of this role holds, as C has it."""
        return self.roles[role]

    def array(self, role: str) -> str:
        """Return handles or statuses."""
        return f"{{{self.roles[role]}, {str(self.fortran).lower()}}}"

    def buffer(self, role: str) -> str:
        """Return a buffer as C has it: only whether it is MPI_IN_PLACE counts."""
        return self.roles[role]

    def fields(self) -> list[str]:
        """Return the initialisers of what is known before the call."""
        call, roles = self.call, self.roles
        found = [f".{_FIELDS.get(role, role)} = {self.value(role)}" for role in _VALUES if role in roles]
        wide = str(call.wide).lower()
        if call.kind == "collective":
            found += [f".{role} = {self.buffer(role)}" for role in ("send", "recv") if role in roles]
            found += [f".recv_count = {self.value('count')}"] if "count" in roles else []
            found += [f".recv_type = {self.value('type')}"] if "type" in roles else []
            for role in ("send_counts", "recv_counts"):
                if role in roles:
                    found.append(f".{role} = {{{roles[role]}, {wide}}}")
            found += [f".{role} = {roles[role]}" for role in ("send_types", "recv_types") if role in roles]
            found += [".rooted = true"] if "root" in roles else []
            found += [".scatters = true"] if call.scatters else []
        if call.kind == "both" and "recv_count" not in roles:
            found.append(f".recv_count = {self.value('count')}, .recv_type = {self.value('type')}")
        if "requests" in roles:
            found.append(f".requests = {self.value('n') if 'n' in roles else 1}")
            found.append(f".request = {self.array('requests')}")
        return [*found, ".persistent = true"] if call.persistent else found

    def before(self) -> list[str]:
        """Return what is done before the library's function."""
        lines = self.status_lines()
        if "requests" in self.roles:
            lines.append("remember_requests(&call);")
        if self.call.kind in {"recv", "irecv"} and "message" in self.roles:
            lines += [f"call.message = {self.roles['message']};", "remember_message(&call);"]
        if self.call.kind == "freed":
            lines += [f"call.comm = {self.handle('Comm', self.names[0])};", "remember_communicator(call.comm);"]
        return lines

    def status_lines(self) -> list[str]:
        """Return what gives statuses a place where the caller wants none."""
        if "status" in self.roles:
            name = self.roles["status"]
            return [
                "MPI_Status own;", f"if ({name} == MPI_STATUS_IGNORE)", f"    {name} = &own;",
                f"call.status = (Array){{{name}, false}};",
            ]  # fmt: skip
        if "statuses" in self.roles:
            return self.many_statuses("MPI_STATUSES_IGNORE", "MPI_Status", "false")
        return []

    def many_statuses(self, ignored: str, kind: str, fortran: str) -> list[str]:
        """Return the lines for an array of statuses."""
        name = self.roles["statuses"]
        count = self.value("n")
        return [
            f"if ({name} == ({kind} *){ignored} && {count} > 0) {{",
            f"    {kind} *own = own_statuses({count}, {fortran});",
            "    if (own)", f"        {name} = own;", "}",
            f"if ({name} != ({kind} *){ignored})",
            f"    call.status = (Array){{{name}, {fortran}}};",
        ]  # fmt: skip

    def handle(self, kind: str, name: str) -> str:
        """Return a handle that the library has written, or will take away."""
        return f"*{name}"

    def out(self, role: str) -> str:
        """Return a number that the library has written."""
        return f"*{self.roles[role]}"

    def after(self) -> list[str]:
        """Return what is done after the library's function."""
        kind, roles = self.call.kind, self.roles
        note = {"isend": "send", "irecv": "receive", "recv": "receive"}.get(kind, kind)
        said = f"note_{note}(&call, code);"
        lines = []
        if "request" in roles:
            lines.append(f"call.request = (Array){self.array('request')};")
        if kind == "probe" and "message" in roles:
            lines.append(f"call.message = {roles['message']};")
        if kind == "created":
            lines += ["if (code == MPI_SUCCESS)", f"    call.comm = {self.handle('Comm', self.names[-1])};"]
        if kind == "completion":
            lines += self.completed()
        idle = f"{self.out('flag')} == 0" if "flag" in roles else ""
        if "outcount" in roles:
            idle = f"{self.out('outcount')} == 0"
        if idle:
            return [
                *lines,
                f"if (code == MPI_SUCCESS && {idle})",
                "    note_idle(&call, code);",
                "else",
                f"    {said}",
            ]
        return [*lines, said]

    def completed(self) -> list[str]:
        """Return what says which requests are over."""
        if "index" in self.roles:
            chosen = f"{self.out('index')} != MPI_UNDEFINED"
            indices = self.roles["index"]
        elif "indices" in self.roles:
            number = self.out("outcount")
            chosen, indices = f"{number} > 0 ? {number} : 0", self.roles["indices"]
        else:
            return ["call.completed = (int)call.requests;"]
        lines = ["if (code == MPI_SUCCESS) {", f"    call.completed = {chosen};", f"    call.indices = {indices};"]
        return [*lines, *(["    call.first_index = 1;"] if self.fortran else []), "}"]


class _Fortran(_C):
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


_FORTRAN = {"openmpi": (_Fortran, _Fortran2008), "mpich": (_Mpich2008,)}


def _fortran(calls: list[TracedCall], family: str) -> list[str]:
    """The wrappers for Fortran, of all that can be told there by addresses alone."""
    found = []
    for number, call in enumerate(calls, 1):
        if call.wide or _MESSAGES & set(call.roles) or {"send_types", "starts"} & set(call.roles):
            continue
        buffers = fortran_wrappers.has_buffers(call.function)
        for kind in _FORTRAN[family]:
            if kind is not _Mpich2008 or (not buffers and call.kind != "other"):
                function = fortran_wrappers.without_arguments(call.function)
                found.append(kind(number, replace(call, function=function)).source())
    return found
