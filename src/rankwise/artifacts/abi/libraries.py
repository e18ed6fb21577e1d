"""The two libraries that run a program of the standard ABI on an implementation, compiled when they are needed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from rankwise.artifacts import builder, compiler
from rankwise.artifacts.abi import mirror, native, table
from rankwise.artifacts.abi.standard import Standard
from rankwise.artifacts.builder import Artifact
from rankwise.core import paths
from rankwise.core.records import Implementation

SOURCES = Path(__file__).parent.parent.parent / "csrc" / "abi"
BACKENDS = SOURCES / "backend"
SONAME = "libmpi_abi.so.1"
"""The name by which programs of the standard ABI ask for their MPI; the loader takes what has it already."""
FRONT_END = "rankwise-mpi-abi.so"
"""Our file of that name: no MPI itself, as whoever looks at what ranks have loaded can tell."""
BACKEND = "rankwise-abi.so"
MIRROR = "rankwise-mirror.so"
_SAME = ("contents.h", "handles.c", "pool.c", "pool.h", "statuses.h", "values.h")
"""Sources of backends that a mirror has as they are."""
_EXCHANGED = (
    "attributes.c", "error_handlers.c", "failures.h", "operations.c", "peers.c", "peers.h", "requests.c",
    "scratch.c", "scratch.h", "start.c",
)  # fmt: skip
"""Those that it has with the names of the two sides exchanged."""
FLAGS = ("-std=gnu11", "-O2", "-fvisibility=hidden", "-fno-semantic-interposition")
_NATIVE_FLAGS = ("-Wno-deprecated-declarations", "-Wno-int-to-pointer-cast", "-Wno-pointer-to-int-cast",
                 "-Wno-discarded-qualifiers")  # fmt: skip
"""Handles are integers in some implementations, and not all headers have `const`."""


def front_end(standard: Standard) -> Path:
    """Return the path of our `libmpi_abi.so.1`, compiled if need be.

    Raises BuildError, HostError if there is no C compiler or the cache cannot be written.
    """
    folder = generated({
        "mpi.h": standard.text,
        "table.h": f"#include <mpi.h>\n\n{table.table_type(standard)}",
        "front_end.c": table.front_end(standard),
    })  # fmt: skip
    sources = (folder / "front_end.c", *sorted((SOURCES / "front_end").glob("*.c")))
    made = Artifact(
        FRONT_END, sources, "shared object", (folder, SOURCES / "front_end", SOURCES),
        (*FLAGS, version_flag(standard)), (f"-Wl,-soname,{SONAME}", "-ldl", "-pthread"),
    )  # fmt: skip
    return builder.build(made, compiler.of_host())


def backend(standard: Standard, implementation: Implementation) -> Path:
    """Return the library that carries out the table's functions by those of `implementation`, compiled if need be.

    Raises BuildError with the compiler's words, HostError if the cache cannot be written.
    """
    sources = (*sorted(BACKENDS.glob("*.c")), SOURCES.parent / "interpose" / "hook.c")
    known = _known(implementation)
    text = table.backend(standard, known)
    folder = generated({
        "abi.h": standard.renamed, "table.h": table.backend_header(standard, known), "functions.c": text,
    })  # fmt: skip
    made = Artifact(
        BACKEND, (folder / "functions.c", *sources), "shared object", (folder, BACKENDS, SOURCES),
        (*FLAGS, *_NATIVE_FLAGS, version_flag(standard), f'-DBUILT_FOR="{implementation.id}"'),
        _linked(implementation),
    )  # fmt: skip
    return builder.build(made, implementation)


def mirror_of(standard: Standard, implementation: Implementation) -> Path:
    """Return the library that leads programs linked to `implementation` to the table, compiled if need be.

    Raises BuildError with the compiler's words, HostError if the cache cannot be written.
    """
    known = replace(_known(implementation), fortran=native.fortran_numbers(implementation))
    same = {name: (BACKENDS / name).read_text() for name in _SAME}
    turned = {name: mirror.exchanged((BACKENDS / name).read_text()) for name in _EXCHANGED}
    folder = generated({
        "abi.h": standard.renamed, "table.h": mirror.header(standard, known),
        "functions.c": mirror.mirror(standard, known), "backend.h": '#include "mirror.h"\n', **same, **turned,
    })  # fmt: skip
    own, loading = SOURCES / "mirror", SOURCES / "front_end"
    written = [folder / name for name in ("functions.c", *_SAME, *_EXCHANGED) if name.endswith(".c")]
    made = Artifact(
        MIRROR, (*written, *sorted(own.glob("*.c")), *sorted(loading.glob("*.c"))), "shared object",
        (folder, own, loading, SOURCES), (*FLAGS, *_NATIVE_FLAGS, version_flag(standard), "-DMIRROR"),
        _linked(implementation),
    )  # fmt: skip
    return builder.build(made, implementation)


def _linked(implementation: Implementation) -> tuple[str, ...]:
    """How a library of ours is linked to this one's: found by its own path, whatever the environment says."""
    shown = compiler.shown(Path(implementation.mpicc), implementation.environment)
    library = compiler.library_file(shown, implementation.prefix)
    rpath = (f"-Wl,--disable-new-dtags,-rpath,{library.parent}",) if library else ()
    return ("-ldl", "-pthread", "-Wl,-z,defs", "-Wl,--no-as-needed", *rpath)


def missing(standard: Standard, implementation: Implementation) -> tuple[str, ...]:
    """Return the functions of the standard that this implementation lacks: `MPI_Ibcast`. Raises BuildError."""
    return tuple(f"MPI_{name}" for name in table.missing(standard, _known(implementation)))


def _known(implementation: Implementation) -> table.Native:
    return table.Native(native.functions(implementation), native.names(implementation))


def version_flag(standard: Standard) -> str:
    """Return the flag with what front end and backend have to agree on: the table's functions, in their order."""
    digest = hashlib.sha256(table.table_type(standard).encode()).hexdigest()[:16]
    return f'-DTABLE_VERSION="{digest}"'


def generated(files: Mapping[str, str]) -> Path:
    """Return a folder in the cache with these files, named by their content. Raises HostError."""
    digest = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
    folder = paths.cache_folder() / "generated" / digest
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            scratch = folder / f".{name}-{id(text)}"
            scratch.write_text(text)
            scratch.replace(folder / name)
    except OSError as error:
        raise builder.unwritable(error) from error
    return folder
