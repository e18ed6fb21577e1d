"""The gateway: a library between the front end of the standard ABI and a backend that joins several jobs into one.

What it does itself is C by hand (csrc/gateway/): a function `call_NAME` there stands for MPI_NAME. What follows
from these is written here: functions that count with `int`, collective operations, and refusals.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rankwise.artifacts import builder, compiler
from rankwise.artifacts.abi import crossing, encryption, libraries, table
from rankwise.artifacts.abi.standard import Standard
from rankwise.artifacts.builder import Artifact
from rankwise.artifacts.collective_calls import taken_over
from rankwise.artifacts.declarations import Function
from rankwise.artifacts.overlay import SOURCES

LIBRARY = "rankwise-gateway.so"
_OWN = SOURCES / "gateway"
_SHARED_FILES = ("data", "held", "kept_schedules", "reducible", "replacing", "table")
_SHARED = (*(SOURCES / "interpose" / f"{name}.c" for name in _SHARED_FILES),
           *((SOURCES / name) for name in ("schedules", "execution")))  # fmt: skip
"""Files, and folders of files, that carry out collective operations."""
_INCLUDED = (
    "calls.h",
    "collectives.h",
    "exchange.h",
    "functions.h",
    "groups.h",
    "messages.h",
    "persistent.h",
    "progress.h",
    "slots.h",
    "turns.h",
    "waiting.h",
)
_LAYS = (
    "/* Ours take the places of the library's; where several threads call, those that take turns; and",
    " * around those of the library's that may wait (waiting.h). */",
    "void lay_over(AbiTable *table);",
    "void lay_over_in_turns(AbiTable *table);",
    "void wrap_waits(AbiTable *below);",
)
"""What the generated functions are put into tables by."""
_DEFINED = re.compile(r"^\w[\w *]*\bcall_(\w+)\(", re.MULTILINE)
_WAITS = re.compile(
    r"([SRB]s?end|Recv|Sendrecv\w*|Wait\w*|M?[Pp]robe|Mrecv|Bcast|Reduce|Reduce_scatter\w*|Allreduce|Gatherv?|Scatterv?|"
    r"Allgatherv?|Alltoall[vw]?|Barrier|Scan|Exscan|Neighbor_\w+|Comm_(dup|split|create|spawn)\w*|Comm_(accept|connect|join|"
    r"disconnect)|Intercomm_\w+|Cart_(create|sub)|Graph_create|Dist_graph_create\w*|Win_\w+|File_\w+|Finalize|Buffer_\w+|"
    r"Comm_(attach|detach|flush)_buffer)(_c)?"
)
"""Functions of a library in which a thread may wait for another one."""
_NO_WAIT = re.compile(r"\w+_(init|c2f|f2c|toint|fromint|keyval|errhandler|attr|name|info)(_c)?|Win_[cg]\w+_keyval")
_ALL_CALL = re.compile(
    r"(Bcast|Reduce|Reduce_scatter\w*|Allreduce|Gatherv?|Scatterv?|Allgatherv?|Alltoall[vw]?|Scan|Exscan|Neighbor_\w+)(_c)?|"
    r"Comm_(dup|dup_with_info|split|split_type|create|spawn|spawn_multiple)|Cart_(create|sub)|Graph_create|"
    r"Dist_graph_create(_adjacent)?|Intercomm_merge|Win_(create|create_dynamic|allocate|allocate_shared)(_c)?|File_open"
)
"""Those among them that are called by all ranks of their first communicator."""
_MAKES_COMMUNICATORS = re.compile(
    r"Comm_(dup|dup_with_info|split|split_type|create)|Cart_(create|sub)|Graph_create|"
    r"Dist_graph_create(_adjacent)?|Intercomm_merge"
)
"""Those among these before which ranks meet also where threads call at once: they hold a lock of the library."""
_BY_MACRO = re.compile(r"^#define (\w+)\((\w+)[^)]*\)\s*\\\n\s*int call_(\w*)##\2(?:##(\w+))?\(", re.MULTILINE)


def build(standard: Standard) -> Path:
    """Return the path of the gateway, compiled if need be: one for all implementations.

    Raises BuildError, HostError if there is no C compiler or the cache cannot be written.
    """
    return builder.build(artifact(standard), compiler.of_host())


def artifact(standard: Standard) -> Artifact:
    """Return what the gateway is compiled of. Raises HostError if the cache cannot be written."""
    folder = libraries.generated({
        "mpi.h": standard.text, "table.h": table.table_type(standard), **generated(standard),
    })  # fmt: skip
    sources = [folder / "names.c", folder / "functions.c", folder / "pmpi.c", *by_layers()]
    for shared in _SHARED:
        sources += [shared] if shared.is_file() else sorted(shared.glob("*.c"))
    headers = [folder, *sorted({path.parent for path in by_layers()}), _OWN, libraries.SOURCES, encryption.FOLDER]
    return Artifact(
        LIBRARY, tuple(sources), "shared object", tuple(headers),
        (*libraries.FLAGS, "-ffunction-sections", libraries.version_flag(standard)),
        ("-ldl", "-lm", "-pthread", "-Wl,-z,defs", "-Wl,--gc-sections"),
    )  # fmt: skip


def by_layers() -> list[Path]:
    """Return the C files by hand: a folder of csrc/gateway/ is a layer."""
    return sorted(_OWN.glob("*/*.c"))


def by_hand() -> set[str]:
    """Return the functions that are C by hand, without `MPI_`: those defined as `call_NAME`, also by a macro."""
    defined = set()
    for path in by_layers():
        text = path.read_text()
        defined |= set(_DEFINED.findall(text))
        for macro, _, before, after in _BY_MACRO.findall(text):
            names = re.findall(rf"^{macro}\((\w+)", text, re.MULTILINE)
            defined |= {f"{before}{name}{after}" for name in names}
    return defined


def generated(standard: Standard) -> dict[str, str]:
    """Return the generated files, by name."""
    return _Writer(standard).files()


def refused(standard: Standard) -> set[str]:
    """Return the functions, without `MPI_`, that are errors on every communicator across sites."""
    return set(re.findall(r"return refuse_call\(\w+, NUMBER_(\w+)\)", generated(standard)["functions.c"]))


@dataclass(frozen=True)
class _Writer:
    standard: Standard

    @cached_property
    def functions(self) -> dict[str, Function]:
        """All of the table, without `MPI_`."""
        return {name: function for name, function in self.standard.functions.items() if name != table.PCONTROL}

    def files(self) -> dict[str, str]:
        """Return the generated files, by name."""
        hand = by_hand() & set(self.functions)
        written: dict[str, str] = {}
        for name in self.functions:
            twin = f"{name}_c"
            if name not in hand and twin in hand:
                written[name] = self._twin(name)
        bodies = {
            call.function.name.removeprefix("MPI_"): crossing.collective(call)
            for call in taken_over({f"MPI_{name}": function for name, function in self.functions.items()})
        }
        exchanges = {
            name: crossing.exchange(name, function)
            for name, function in self.functions.items()
            if name not in hand
        }
        bodies |= {name: body for name, body in exchanges.items() if body}
        beginnings = []
        for name, body in bodies.items():
            beginning, written[name] = crossing.called(name, self.functions[name], body)
            beginnings.append(beginning)
        for name, function in self.functions.items():
            if name in hand or name in written:
                continue
            beginning, started = crossing.persistent(name, function, self.functions, bodies.keys())
            beginnings.append(beginning)
            if text := started or crossing.guarded(name, function):
                written[name] = text
        ours = [name for name in self.functions if name in hand or name in written]
        numbers = ", ".join(f"NUMBER_{name}" for name in self.functions)
        names = [f'    "MPI_{name}",' for name in self.functions]
        return {
            "names.h": _header(
                "names.h", f"enum {{ {numbers}, FUNCTIONS }};", "", "extern const char *const function_names[];"
            ),
            "names.c": _text('#include "names.h"', "const char *const function_names[] = {", *names, "};"),
            "calls.h": _header(
                "calls.h", '#include "gateway.h"', '#include "names.h"', *(f"{self._head(name)};" for name in ours)
            ),
            "functions.h": _header("functions.h", '#include "gateway.h"', *_LAYS),
            "functions.c": self._source(ours, beginnings, written),
            "pmpi.c": _text(
                '#include "gateway.h"', *(_shared(name, function) for name, function in self.functions.items())
            ),
        }

    def _source(self, ours: list[str], beginnings: list[str], written: dict[str, str]) -> str:
        return _text(
            *(f'#include "{name}"' for name in _INCLUDED), *beginnings,
            *(f"{self._head(name)}\n{{\n{text}\n}}\n" for name, text in written.items()),
            "void lay_over(AbiTable *table)\n{", *(f"    table->{name} = call_{name};" for name in ours), "}\n",
            *self._in_turns(ours),
        )  # fmt: skip

    def _in_turns(self, ours: list[str]) -> list[str]:
        """What several threads call: ours in a turn. What the library may wait in is wrapped for one, too."""
        ours = [name for name in ours if name not in {"Init", "Init_thread"}]  # there are no others yet
        waiting = [name for name in self.functions if _WAITS.fullmatch(name) and not _NO_WAIT.fullmatch(name)]
        text = [
            _around(f"turn_{name}", self.functions[name], "    take_turn();", f"call_{name}", "    end_turn();")
            for name in ours
        ]
        text += [_around(f"wait_{name}", self.functions[name],
                         f"{self._before_wait(name)}    const Waits waits = begin_wait();",
                         f"library.{name}", "    end_wait(waits);") for name in waiting]  # fmt: skip
        return [
            *text, "void lay_over_in_turns(AbiTable *table)\n{",
            *(f"    table->{name} = turn_{name};" for name in ours), "}\n",
            "void wrap_waits(AbiTable *table)\n{",
            *(f"    table->{name} = wait_{name};" for name in waiting), "}\n",
        ]  # fmt: skip

    def _before_wait(self, name: str) -> str:
        """What a wrapper of a function that may wait does first: all of it by turns, or a meeting."""
        function = self.functions[name]
        if name == "Barrier":
            return "    if (ranks_meet(false))\n        return meet_in_site(comm);\n"
        if _ALL_CALL.fullmatch(name):
            makes = "true" if _MAKES_COMMUNICATORS.fullmatch(name) else "false"
            return f"    if (ranks_meet({makes}))\n        meet_in_site({crossing.communicators(function)[0]});\n"
        names = [parameter.name for parameter in function.parameters]
        if name in {"Probe", "Mprobe"}:
            looks = [parameter.name for parameter in self.functions[f"I{name.lower()}"].parameters]
            looking = ", ".join("&found" if each == "flag" else each for each in looks)
            return (
                "    if (takes_turns()) {\n        int found = 0, code = MPI_SUCCESS;\n"
                "        while (!found && code == MPI_SUCCESS) {\n"
                f"            code = library.I{name.lower()}({looking});\n"
                "            if (!found)\n                progress();\n        }\n        return code;\n    }\n"
            )
        twin = self.functions.get(f"I{name[0].lower()}{name[1:]}")
        passed = [each for each in names if each != "status"]
        is_message = {"tag", "message"} & set(names)
        if not twin or not is_message or [each.name for each in twin.parameters] != [*passed, "request"]:
            return ""
        status = "status" if "status" in names else "MPI_STATUS_IGNORE"
        return (
            "    if (takes_turns()) {\n        MPI_Request request;\n"
            f"        const int code = library.{twin.name.removeprefix('MPI_')}({', '.join(passed)}, &request);\n"
            f"        return code == MPI_SUCCESS ? end_by_turns(&request, {status}) : code;\n    }}\n"
        )

    def _head(self, name: str) -> str:
        function = self.functions[name]
        return f"{function.returns} call_{name}({table.signature(function)})"

    def _twin(self, name: str) -> str:
        """The same with `int`: as the function with large counts, where the communicator is ours."""
        function = self.functions[name]
        comms = crossing.communicators(function)
        ours = f"joined_of({comms[0]})" if comms else "is_slot(*message)"
        arguments = crossing.arguments(function)
        return f"    return {ours} ? call_{name}_c({arguments}) : below.{name}({arguments});"


def _text(*lines: str) -> str:
    return "\n".join([*lines, ""])


def _header(name: str, *lines: str) -> str:
    guard = name.upper().replace(".", "_")
    return _text(f"#ifndef {guard}", f"#define {guard}", "", *lines, "", "#endif")


def _around(name: str, function: Function, before: str, called: str, after: str) -> str:
    """The C of a function that does something before and after another one."""
    call = f"    const {function.returns} returned = {called}({crossing.arguments(function)});"
    head = f"static {function.returns} {name}({table.signature(function)})"
    return f"{head}\n{{\n{before}\n{call}\n{after}\n    return returned;\n}}\n"


def _shared(name: str, function: Function) -> str:
    """The function under the name by which code that is not the gateway's calls it."""
    jump = f"    return seen.{name}({crossing.arguments(function)});"
    return f"{function.returns} P{function.name}({table.signature(function)})\n{{\n{jump}\n}}\n"
