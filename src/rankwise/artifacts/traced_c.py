"""The wrapper of a traced function, as C calls it."""

from __future__ import annotations

from rankwise.artifacts.traced_calls import TracedCall

_VALUES = ("count", "type", "peer", "tag", "source", "recv_tag", "recv_count", "recv_type", "root", "comm",
           "send_count", "send_type", "win", "group")  # fmt: skip
_FIELDS = {"count": "send_count", "type": "send_type"}
"""Roles that C's `Traced` calls otherwise."""


class Wrapper:
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
        initialisers = [f".{_FIELDS.get(role, role)} = {self.value(role)}" for role in _VALUES if role in roles]
        wide = str(call.wide).lower()
        if call.kind == "collective":
            initialisers += [f".{role} = {self.buffer(role)}" for role in ("send", "recv") if role in roles]
            initialisers += [f".recv_count = {self.value('count')}"] if "count" in roles else []
            initialisers += [f".recv_type = {self.value('type')}"] if "type" in roles else []
            for role in ("send_counts", "recv_counts"):
                if role in roles:
                    initialisers.append(f".{role} = {{{roles[role]}, {wide}}}")
            initialisers += [f".{role} = {roles[role]}" for role in ("send_types", "recv_types") if role in roles]
            initialisers += [".rooted = true"] if "root" in roles else []
            initialisers += [".scatters = true"] if call.scatters else []
        if call.kind == "both" and "recv_count" not in roles:
            initialisers.append(f".recv_count = {self.value('count')}, .recv_type = {self.value('type')}")
        if call.kind == "rma":
            initialisers += self.rma_fields()
        if call.kind == "sync":
            initialisers += [".has_target = true"] if "peer" in roles else []
            initialisers += [".has_group = true"] if "group" in roles else []
        if "requests" in roles:
            initialisers.append(f".requests = {self.value('n') if 'n' in roles else 1}")
            initialisers.append(f".request = {self.array('requests')}")
        return [*initialisers, ".persistent = true"] if call.persistent else initialisers

    def rma_fields(self) -> list[str]:
        """Return the initialisers of what goes to the target and comes back; one element has no count."""
        initialisers = []
        if "recv_type" not in self.roles and "recv" in self.roles:
            sent = 2 if "compared" in self.roles else 1
            initialisers.append(f".send_count = {sent}, .recv_count = 1, .recv_type = {self.value('type')}")
        if "recv_type" in self.roles or "recv" in self.roles:
            initialisers.append(".returns = true")
        if "op" in self.roles and "recv" in self.roles:
            initialisers.append(f".no_operation = {self.value('op')} == MPI_NO_OP")
        return initialisers

    def before(self) -> list[str]:
        """Return what is done before the library's function."""
        lines = self.status_lines()
        if "requests" in self.roles:
            lines.append("remember_requests(&call);")
        if self.call.kind in {"recv", "irecv"} and "message" in self.roles:
            lines += [f"call.message = {self.roles['message']};", "remember_message(&call);"]
        if self.call.kind == "window_free":
            lines.append(f"remember_window({self.handle('Win', self.names[0])});")
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
        if kind == "window":
            lines += ["if (code == MPI_SUCCESS)", f"    call.win = {self.handle('Win', self.names[-1])};"]
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
