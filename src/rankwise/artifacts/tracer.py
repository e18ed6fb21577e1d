"""The tracer: a library between a program and its MPI that records its calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from rankwise.artifacts import builder, compiler, overlay
from rankwise.artifacts.abi import libraries
from rankwise.artifacts.abi.standard import Standard
from rankwise.artifacts.builder import Artifact
from rankwise.artifacts.declarations import Function, declared
from rankwise.artifacts.traced_c import Wrapper
from rankwise.artifacts.traced_calls import TracedCall, recorded
from rankwise.artifacts.traced_fortran import fortran
from rankwise.core.records import Implementation

SOURCES = Path(__file__).parent.parent / "csrc"
LIBRARY = "rankwise-trace.so"
ARCHIVE = "rankwise-trace.a"
_RUNTIME = ("barrier", "clock", "clock_model", "proc", "time_base")
_FLAGS = ("-std=gnu99", "-O2", "-fvisibility=hidden", "-fno-semantic-interposition")
_LIBRARIES = ("-lm", "-pthread", "-ldl")
_PCONTROL = """
PUBLIC int MPI_Pcontrol(const int level, ...)
{
    note_control(level);
    return MPI_SUCCESS;
}
"""


def build(implementation: Implementation) -> Path:
    """Return the path of the tracer for `implementation`, compiled if need be.

    Raises BuildError with the compiler's words and the command, HostError if the cache cannot be written.
    """
    linked = (*_LIBRARIES, "-Wl,--no-as-needed", *overlay.library_path(implementation))
    return builder.build(replace(_parts(implementation), libraries=linked), implementation)


def build_archive(implementation: Implementation) -> Path:
    """Return the path of the tracer as an archive, for programs that have their MPI library linked in.

    Raises as `build` does.
    """
    return builder.build(replace(_parts(implementation), name=ARCHIVE, kind="archive"), implementation)


def build_standard(standard: Standard) -> Path:
    """Return the path of the tracer for programs of the standard ABI: one for all implementations.

    It is linked to no MPI: what it calls is the front end's, which is loaded after it.
    Raises BuildError, HostError if there is no C compiler or the cache cannot be written.
    """
    folder = libraries.generated({"mpi.h": standard.text})
    made = _artifact(wrapper_source({function.name: function for function in standard.functions.values()}))
    flags = (*made.flags, "-DSTANDARD_ABI")
    made = replace(made, include_folders=(folder, *made.include_folders), flags=flags, libraries=_LIBRARIES)
    return builder.build(made, compiler.of_host())


def _parts(implementation: Implementation) -> Artifact:
    """The shared object, but for what it is linked with."""
    return _artifact(wrapper_source(declared(implementation), implementation.family))


def _artifact(wrappers: str) -> Artifact:
    runtime = [SOURCES / "runtime" / f"{name}.c" for name in _RUNTIME]
    sources = (overlay.kept(wrappers), *sorted((SOURCES / "tracer").glob("*.c")), *runtime)
    folders = (SOURCES / "tracer", SOURCES / "runtime")
    return Artifact(LIBRARY, sources, "shared object", folders, _FLAGS)


def wrapper_source(functions: Mapping[str, Function], family: str = "") -> str:
    """Return the C source of the wrappers of those of `functions` that are recorded, with Fortran's where need be.

    Fortran programs call C's functions in most libraries; Open MPI's and MPICH's mpi_f08 module do not.
    """
    calls = list(recorded(dict(functions)))
    names = "".join(f'    "{call.function.name} {_kind(call)}",\n' for call in calls)
    head = (
        '#include "tracer.h"\n\n#define PUBLIC __attribute__((visibility("default")))\n\n'
        f'const char *const traced_functions[] = {{\n    "region region",\n{names}}};\n'
        f"const int traced_function_count = {len(calls) + 1};\n{_PCONTROL}"
    )
    wrappers = [Wrapper(number, call).source() for number, call in enumerate(calls, 1)]
    return "\n".join([head, *wrappers, *fortran(calls, family)])


def _kind(call: TracedCall) -> str:
    """As the trace names it: a persistent send moves nothing before it is started."""
    return "other" if call.persistent else call.kind
