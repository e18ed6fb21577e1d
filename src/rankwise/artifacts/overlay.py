"""The overlay: a library between a program and its MPI that carries out collectives by our schedules."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from rankwise.artifacts import builder, compiler, fortran_wrappers
from rankwise.artifacts.builder import Artifact
from rankwise.artifacts.collective_calls import CREATE_COMMUNICATORS, STARTS, CollectiveCall, taken_over
from rankwise.artifacts.declarations import Function, declared
from rankwise.artifacts.fortran_wrappers import BINDINGS, Binding
from rankwise.core import paths, registry
from rankwise.core.records import Implementation

SOURCES = Path(__file__).parent.parent / "csrc"
FOLDERS = ("interpose", "schedules", "execution")  # of SOURCES
LIBRARY = "rankwise-overlay.so"
_FLAGS = ("-std=gnu99", "-O2", "-fvisibility=hidden", "-fno-semantic-interposition")
_FIELDS = {
    "buffer": (".send = {0}", ".recv = {0}"),
    "count": (".send_count = {0}", ".recv_count = {0}"),
    "type": (".send_type = {0}", ".recv_type = {0}"),
}
"""A role that is several fields of C's `Collective`; every other one is the field of its own name."""
_FREES = {"MPI_Type_free": ("free_type", "Type"), "MPI_Op_free": ("free_op", "Op")}
"""What frees a handle that operations under way may need: C's function in its place, and the handle's kind."""
_WAITALL = "MPI_Waitall"
_NUMBERS = ("_counts", "_starts")
_BUFFERS = {"send", "recv", "buffer"}
_HANDLES = {"type": "Type", "op": "Op", "comm": "Comm"}
_C_TYPES = {"Type": "Datatype", "Op": "Op"}


def build(implementation: Implementation) -> Path:
    """Return the path of the overlay for `implementation`, compiled if need be.

    Raises BuildError with the compiler's words and the command, HostError if the cache cannot be written.
    """
    folders = [SOURCES / name for name in FOLDERS] + registry.plugin_folders("csrc/schedules")
    sources = [path for folder in folders for path in sorted(folder.glob("*.c"))]
    wrappers = kept(wrapper_source(declared(implementation), implementation.family))
    headers = tuple(SOURCES / name for name in FOLDERS)
    linked = ("-lm", "-pthread", "-ldl", "-Wl,--no-as-needed", *library_path(implementation))
    flags = (*_FLAGS, f'-DBUILT_FOR="{implementation.version}"')
    overlay = Artifact(LIBRARY, (wrappers, *sources), "shared object", headers, flags, linked)
    return builder.build(overlay, implementation)


def library_path(implementation: Implementation) -> tuple[str, ...]:
    """Return what makes the overlay find its MPI by itself: mpi4py loads MPI where the overlay does not see it."""
    shown = compiler.shown(Path(implementation.mpicc), implementation.environment)
    library = compiler.library_file(shown, implementation.prefix)
    return (f"-Wl,--disable-new-dtags,-rpath,{library.parent}",) if library else ()


def kept(text: str) -> Path:
    """Return a file in the cache with this text, named by it."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    file = paths.cache_folder() / "generated" / digest / "wrappers.c"
    if not file.exists():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            scratch = file.with_suffix(f".{id(text)}")
            scratch.write_text(text)
            scratch.replace(file)
        except OSError as error:
            raise builder.unwritable(error) from error
    return file


def wrapper_source(functions: dict[str, Function], family: str = "") -> str:
    """Return the C source of the wrappers of those of `functions` that the overlay has to do with.

    Fortran's are among them where the library's Fortran does not call C's.
    """
    calls = list(taken_over(functions))
    names = "\n".join(f'    "{call.function.name}",' for call in calls)
    head = (
        '#include "held.h"\n#include "in_place.h"\n#include "nonblocking.h"\n#include "overlay.h"\n\n'
        '#define PUBLIC __attribute__((visibility("default")))\n\n'
        f"static const char *const names[] = {{\n{names}\n}};\n"
        f'_Static_assert({len(calls)} <= MOST_FUNCTIONS, "each has a tally");\n'
        f"__attribute__((constructor)) static void begin(void)\n{{\n    name_functions(names, {len(calls)});\n}}\n"
    )
    followed = {functions[name]: "started()" for name in STARTS if name in functions}
    created = [functions[name] for name in CREATE_COMMUNICATORS if name in functions]
    followed |= {function: f"created(*{function.parameters[-1].name})" for function in created}
    wrappers = [_followed(function, action) for function, action in followed.items()]
    wrappers += [_wrapper(number, call) for number, call in enumerate(calls)]
    frees = [functions[name] for name in _FREES if name in functions]
    wrappers += [_instead(function, _FREES[function.name][0]) for function in frees]
    if family == "mpich":
        wrappers.append(_instead(functions[_WAITALL], "wait_for_all"))
    if family in BINDINGS:
        wrappers += [fortran_wrappers.HEAD, *_fortran(calls, followed, frees, BINDINGS[family])]
    return "\n".join([head, *wrappers])


def _fortran(
    calls: Iterable[CollectiveCall],
    followed: Iterable[Function],
    frees: Iterable[Function],
    bindings: Iterable[Binding],
) -> Iterator[str]:
    """Collectives go to C's wrappers; what makes communicators to the library's own Fortran."""
    for binding in bindings:
        for wrapped in filter(binding.wraps, followed):
            function = fortran_wrappers.without_arguments(wrapped)
            names = [parameter.name for parameter in function.parameters]
            action = "started()"
            if function.name in CREATE_COMMUNICATORS:
                action = f"created(PMPI_Comm_f2c(*{names[-1]}))"
            yield binding.definition(
                function,
                f"    {binding.library_name(function)}({', '.join([*names, '&code'])});\n"
                f"    if (code == MPI_SUCCESS)\n        {action};\n",
            )
        for wrapped in frees:
            kind, handle = _FREES[wrapped.name][1], wrapped.parameters[0].name
            yield binding.definition(
                wrapped,
                f"    MPI_{_C_TYPES[kind]} freed = PMPI_{kind}_f2c(*{handle});\n"
                f"    code = {wrapped.name}(&freed);\n"
                f"    *{handle} = PMPI_{kind}_c2f(freed);\n",
            )
        yield from (_fortran_call(call, binding) for call in calls if binding.wraps(call.function))


def _fortran_call(call: CollectiveCall, binding: Binding) -> str:
    function = call.function
    values = []
    for role, parameter in zip(call.roles, function.parameters, strict=True):
        kind = _HANDLES.get(role.rpartition("_")[2])
        value = f"PMPI_{kind}_f2c(*{parameter.name})" if kind else f"*{parameter.name}"
        if role in _BUFFERS:
            value = f"(void *)from_fortran({parameter.name})"
        values.append(parameter.name if role.endswith(_NUMBERS) else value)
    before = after = ""
    if call.roles[-1] == "request":
        values[-1] = "&begun"
        before = "    MPI_Request begun;\n"
        after = (
            f"    if (code == MPI_SUCCESS)\n        *{function.parameters[-1].name} = PMPI_Request_c2f(begun);\n"
        )
    return binding.definition(function, f"{before}    code = {function.name}({', '.join(values)});\n{after}")


def _followed(function: Function, action: str) -> str:
    """A wrapper that does something after the library's function, if that went well."""
    names = ", ".join(parameter.name for parameter in function.parameters)
    return f"""
PUBLIC {function.returns} {function.name}({function.signature})
{{
    const int code = P{function.name}({names});
    if (code == MPI_SUCCESS)
        {action};
    return code;
}}
"""


def _instead(function: Function, ours: str) -> str:
    """A wrapper that calls a function of ours, which may call the library's."""
    names = ", ".join(parameter.name for parameter in function.parameters)
    return (
        f"\nPUBLIC {function.returns} {function.name}({function.signature})\n{{\n    return {ours}({names});\n}}\n"
    )


def collective_fields(call: CollectiveCall) -> str:
    """Return the initialisers of C's `Collective` for a call of this function, but for the function's number."""
    names = [parameter.name for parameter in call.function.parameters]
    fields = [
        field.format(_value(role, name, call.function.name.endswith("_c")))
        for role, name in zip(call.roles, names, strict=True)
        for field in _FIELDS.get(role, (f".{role} = {{0}}",))
    ]
    varies = ", .varies = true" if call.varies else ""
    return f".operation = {call.operation}{varies},\n                                 {', '.join(fields)}"


def _wrapper(number: int, call: CollectiveCall) -> str:
    function = call.function
    names = [parameter.name for parameter in function.parameters]
    return f"""
PUBLIC {function.returns} {function.name}({function.signature})
{{
    if (may_replace[{call.operation}] && !left_alone({names[call.roles.index("comm")]}, {call.operation})) {{
        int code;
        const Collective call = {{.function = {number}, {collective_fields(call)}}};
        if (take_over(&call, &code))
            return code;
    }}
    pass({number});
    return P{function.name}({", ".join(names)});
}}
"""


def _value(role: str, name: str, wide: bool) -> str:
    if role.endswith(_NUMBERS):
        return f"{{{name}, {str(wide).lower()}}}"
    return f"(void *){name}" if role in _BUFFERS else name
