"""The mirror of an MPI as C: its own functions, for programs that were linked to it, by those of the table.

It is written as a backend is, with the names of the two sides exchanged: what a backend does for the caller's
MPI_Comm, a mirror does for the MPI's own.
"""

from __future__ import annotations

import re

from rankwise.artifacts.abi import constants, table
from rankwise.artifacts.abi.conversion import body
from rankwise.artifacts.abi.standard import KINDS, Standard
from rankwise.artifacts.abi.table import Native
from rankwise.artifacts.declarations import Function

_FIELD = re.compile(r"\bMPI_(SOURCE|TAG|ERROR)\b")
_CALL = re.compile(r"\bPMPI_(?:##)?")
_SIDE = re.compile(r"\b(MPI|ABI)_|\b(to|from)_(?=\w|##)")
_EXCHANGED = {"MPI_": "ABI_", "ABI_": "MPI_", "to_": "from_", "from_": "to_"}
_BY_HAND_NAMES = """
    Init Init_thread Query_thread Op_create Op_create_c Comm_create_errhandler Win_create_errhandler
    File_create_errhandler Session_create_errhandler Comm_create_keyval Type_create_keyval Win_create_keyval
    Keyval_create Comm_get_attr Win_get_attr Attr_get Grequest_start Comm_idup Comm_idup_with_info
    Request_get_status_any Request_get_status_all Request_get_status_some
"""
_BY_HAND = frozenset(_BY_HAND_NAMES.split())
"""What backends have by hand too: `call_Init` and so on."""
_LEFT = re.compile(r"Pcontrol|Get_version|Abi_\w+|Aint_\w+|\w+_(toint|fromint)|Status_[gs]et_(source|tag|error)")
"""Is answered by the MPI's own function, which needs no table."""
_OLDER = """
#ifndef KNOWS_IN_PLACE
#define MPI_IN_PLACE ((void *)-1) /* no program says it */
#endif
"""


def exchanged(text: str) -> str:
    """Return C of a backend with the names of the two sides exchanged."""
    text = _CALL.sub("abi_table.", _FIELD.sub(r"@\1", text))
    return _SIDE.sub(lambda match: _EXCHANGED[match[0]], text).replace("@", "MPI_")


def functions(standard: Standard, native: Native) -> dict[str, Function]:
    """Return what the mirror has, without `MPI_`: the table's functions that the implementation declares."""
    mirrored = {}
    for name, function in standard.functions.items():
        own = native.functions.get(f"MPI_{name}")
        if (
            own
            and len(own.parameters) == len(function.parameters)
            and not table.is_odd(own)
            and not _LEFT.fullmatch(name)
        ):
            mirrored[name] = function
    return mirrored


def header(standard: Standard, native: Native) -> str:
    """Return the C header of a mirror: the table, what the native header knows, conversions of constants."""
    known = [f"#define KNOWS_{name} 1" for name in sorted(standard.names) if table.knows(native, name)]
    hand = [f"int call_{name}({table.signature(function)});"
            for name, function in functions(standard, native).items() if name in _BY_HAND]  # fmt: skip
    handlers = [f"typedef void MPI_{kind}_errhandler_function(MPI_{kind} *, int *, ...);"
                for kind in ("Comm", "Win", "File")
                if f"MPI_{kind}_errhandler_function" not in native.names]  # fmt: skip
    known += [f"#define KNOWS_{kind}_c2f 1" for kind in KINDS if f"MPI_{_named(kind)}_c2f" in native.functions]
    names = {name.removeprefix("MPI_") for name in native.names}
    return "\n".join([
        '#ifndef TABLE_H\n#define TABLE_H\n\n#include <mpi.h>\n\n#include "abi.h"\n', *known, _OLDER, *handlers,
        table.table_type(standard, "ABI_"), "extern AbiTable abi_table;\n", *hand, "",
        constants.conversions(standard, names, mirror=True), "#endif\n",
    ])  # fmt: skip


def mirror(standard: Standard, native: Native) -> str:
    """Return the C of the functions that programs call."""
    written = []
    for name, function in functions(standard, native).items():
        if name in _BY_HAND:
            statements = (
                f"    return call_{name}({', '.join(parameter.name for parameter in function.parameters)});"
            )
        elif function.returns == "double":
            statements = f"    return abi_table.{name}();"
        else:
            statements = exchanged(body(function, function, shortened=True))
        declared = f"{function.returns} mirror_{name}({table.signature(function)})"
        written.append(f'PUBLIC {declared} __asm__("MPI_{name}");\n{declared}\n{{\n{statements}\n}}\n')
    names = {name.removeprefix("MPI_") for name in native.names}
    return "\n".join([
        '#include "front_end.h"\n#include "mirror.h"\n\n#define PUBLIC __attribute__((visibility("default")))\n',
        table.unloaded(standard, "ABI_"), *written, constants.definitions(standard, names),
        _fortran(standard, native),
    ])  # fmt: skip


def _named(kind: str) -> str:
    """As functions call this kind of handle."""
    return "Type" if kind == "Datatype" else kind


def _fortran(standard: Standard, native: Native) -> str:
    """The C of the predefined handles and attributes as Fortran's integers."""
    written = []
    known = {kind: standard.handles(kind) for kind in KINDS} | {"keyval": constants.ATTRIBUTES}
    for kind, names in known.items():
        rows = [
            f"    {{(uintptr_t)ABI_{constant}, {native.fortran[constant]}}},"
            for constant in names
            if constant in native.fortran
        ]
        written += [f"const Predefined fortran_{kind}[] = {{", *rows, "    {0, -1},", "};"]
    return "\n".join([*written, ""])
