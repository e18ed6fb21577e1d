"""The overlay: a library between a program and its MPI that carries out collectives by our schedules."""

from __future__ import annotations

import hashlib
from pathlib import Path

from rankwise.artifacts import builder, compiler
from rankwise.artifacts.builder import Artifact
from rankwise.artifacts.collective_calls import CREATE_COMMUNICATORS, STARTS, CollectiveCall, taken_over
from rankwise.artifacts.declarations import Function, declared
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
_NUMBERS = ("_counts", "_starts")


def build(implementation: Implementation) -> Path:
    """Return the path of the overlay for `implementation`, compiled if need be.

    Raises BuildError with the compiler's words and the command, HostError if the cache cannot be written.
    """
    folders = [SOURCES / name for name in FOLDERS] + registry.plugin_folders("csrc/schedules")
    sources = [path for folder in folders for path in sorted(folder.glob("*.c"))]
    wrappers = kept(wrapper_source(declared(implementation)))
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


def wrapper_source(functions: dict[str, Function]) -> str:
    """Return the C source of the wrappers of those of `functions` that the overlay has to do with."""
    calls = list(taken_over(functions))
    tallies = "\n".join(f'    {{.name = "{call.function.name}"}},' for call in calls)
    head = (
        '#include "in_place.h"\n#include "overlay.h"\n\n'
        '#define PUBLIC __attribute__((visibility("default")))\n\n'
        f"Tally tallies[] = {{\n{tallies}\n}};\nconst int tally_count = {len(calls)};\n"
    )
    starts = [_followed(functions[name], "started()") for name in STARTS if name in functions]
    created = [
        _followed(function, f"created(*{function.parameters[-1].name})")
        for function in map(functions.get, CREATE_COMMUNICATORS)
        if function
    ]
    return "\n".join([head, *starts, *created, *(_wrapper(number, call) for number, call in enumerate(calls))])


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
    return f"(void *){name}" if role in {"send", "recv", "buffer"} else name
