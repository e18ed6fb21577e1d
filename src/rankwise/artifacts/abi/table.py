"""The table as C: its type, the front end that programs call, and an implementation's functions behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cache

from rankwise.artifacts.abi import constants
from rankwise.artifacts.abi.conversion import body, refusal
from rankwise.artifacts.abi.standard import KINDS, Standard
from rankwise.artifacts.declarations import Function, Parameter

_INTEGER = re.compile(r"(\w+)_(toint|fromint)$")
_DOUBLES = {"Wtime", "Wtick"}
_HANDWRITTEN_NAMES = """
    Init Init_thread Query_thread Get_library_version Abi_get_version Abi_get_info Abi_get_fortran_info
    Abi_set_fortran_info Abi_get_fortran_booleans Abi_set_fortran_booleans Aint_add Aint_diff
    Op_create Op_create_c Comm_create_errhandler Win_create_errhandler File_create_errhandler
    Session_create_errhandler Comm_create_keyval Type_create_keyval Win_create_keyval Keyval_create
    Comm_get_attr Win_get_attr Attr_get Grequest_start Comm_idup Comm_idup_with_info
    Request_get_status_any Request_get_status_all Request_get_status_some
    Status_get_source Status_get_tag Status_get_error Status_set_source Status_set_tag Status_set_error
    Get_count_c Type_get_contents_c Type_get_envelope_c Error_class Error_string
"""
_HANDWRITTEN = frozenset(_HANDWRITTEN_NAMES.split())
"""Functions that are in csrc/abi/backend/: `call_Init` and so on."""
_NEEDED = {
    **{name: name for name in ("Grequest_start", "Comm_idup", "Win_create_errhandler", "File_create_errhandler",
                               "Session_create_errhandler")},
    "Comm_idup_with_info": "Comm_idup", "Request_get_status_any": "Request_get_status",
    "Request_get_status_all": "Request_get_status", "Request_get_status_some": "Request_get_status",
}  # fmt: skip
"""What some of these cannot do without."""
_REFUSED = {"Register_datarep", "Register_datarep_c"}
"""Their callbacks would meet the implementation's own handles."""
_RENAMED = {
    "Address": "Get_address", "Errhandler_create": "Comm_create_errhandler",
    "Errhandler_get": "Comm_get_errhandler", "Errhandler_set": "Comm_set_errhandler",
    "Type_hindexed": "Type_create_hindexed", "Type_hvector": "Type_create_hvector",
    "Type_struct": "Type_create_struct",
}  # fmt: skip
"""Functions that MPI-3 removed and MPICH's libmpi_abi still has, and those that do the same."""
_EXTENTS = {"Type_extent": "extent", "Type_lb": "lower", "Type_ub": "lower + extent"}
"""The others of them, and what each returns of a type."""
PCONTROL = "Pcontrol"
"""Has a variable number of arguments, so that no table can pass it on; it may always do nothing."""


@dataclass(frozen=True, slots=True)
class Native:
    """What is known of an implementation when its functions are written."""

    functions: Mapping[str, Function]
    """Those that it declares, under their MPI names."""
    names: Set[str]
    """All MPI_ names of its header."""
    fortran: Mapping[str, int] = field(default_factory=dict)
    """Numbers that mpif.h gives names to, without `MPI_`."""


def signature(function: Function, prefix: str = "MPI_") -> str:
    """Return the parameters as C declares them, types with this prefix."""
    return function.signature.replace("MPI_", prefix)


@cache
def table_type(standard: Standard, prefix: str = "MPI_") -> str:
    """Return the C type of the table; `prefix` is that of the standard's types."""
    rows = [
        f"    {function.returns.replace('MPI_', prefix)} (*{name})({signature(function, prefix)});"
        for name, function in standard.functions.items()
        if name != PCONTROL
    ]
    return "\n".join(["typedef struct {", *rows, "} AbiTable;", ""])


def unloaded(standard: Standard, prefix: str = "MPI_") -> str:
    """Return the C of a table whose functions fill it: the first that is called loads what carries them out."""
    first, rows = [], []
    for name, function in standard.functions.items():
        if name != PCONTROL:
            returns = function.returns.replace("MPI_", prefix)
            loading = f"{{\n    load_backend();\n    return {_jump(name, function)};\n}}\n"
            first.append(f"static {returns} first_{name}({signature(function, prefix)})\n{loading}")
            rows.append(f"    .{name} = first_{name},")
    return "\n".join([*first, "AbiTable abi_table = {", *rows, "};", ""])


def _jump(name: str, function: Function) -> str:
    return f"abi_table.{name}({', '.join(parameter.name for parameter in function.parameters)})"


def front_end(standard: Standard) -> str:
    """Return the C of `libmpi_abi`: each function jumps through the table, which the first of them fills."""
    exported = [
        _exported(
            function,
            "    (void)level;\n    return MPI_SUCCESS;"
            if name == PCONTROL
            else f"    return {_jump(name, function)};",
        )
        for name, function in standard.functions.items()
    ]
    exported += [
        _exported(
            replace(standard.functions[name], name=f"MPI_{old}"),
            f"    return {_jump(name, standard.functions[name])};",
        )
        for old, name in _RENAMED.items()
    ]
    exported += [_extent(name, result) for name, result in _EXTENTS.items()]
    exported += [
        _exported(function, "    return MPI_T_ERR_NOT_SUPPORTED;") for function in standard.tools.values()
    ]
    declared = '#include "front_end.h"\n\n#define PUBLIC __attribute__((visibility("default")))\n'
    return "\n".join([declared, unloaded(standard), *exported])


def _extent(name: str, result: str) -> str:
    """One of the functions that MPI_Type_get_extent stands for now."""
    old = Function(
        f"MPI_{name}", "int", (Parameter("MPI_Datatype", "datatype"), Parameter("MPI_Aint *", "result"))
    )
    return _exported(
        old, "    MPI_Aint lower = 0, extent = 0;\n"
        "    const int code = abi_table.Type_get_extent(datatype, &lower, result ? &extent : 0);\n"
        f"    if (!code && result)\n        *result = {result};\n    return code;"
    )  # fmt: skip


def _exported(function: Function, statements: str) -> str:
    name = function.name
    return (
        f"PUBLIC {function.returns} P{name}({signature(function)})\n{{\n{statements}\n}}\n"
        f'PUBLIC {function.returns} {name}({signature(function)}) __attribute__((weak, alias("P{name}")));\n'
    )


def backend_header(standard: Standard, native: Native) -> str:
    """Return the C header of a backend: the table, what the native header knows, conversions of constants."""
    known = [f"#define KNOWS_{name} 1" for name in sorted(standard.names) if knows(native, name)]
    hand = [
        f"{function.returns.replace('MPI_', 'ABI_')} call_{name}({signature(function, 'ABI_')});"
        for name, function in standard.functions.items()
        if name in _HANDWRITTEN
    ]
    numbers = [f"    MISSING_{name} = MISSING_FUNCTIONS + {n}," for n, name in enumerate(standard.functions)]
    names = {name.removeprefix("MPI_") for name in native.names}
    return "\n".join([
        "#ifndef TABLE_H\n#define TABLE_H\n\n#include <mpi.h>\n\n#include \"abi.h\"\n", *known, "",
        "/* The error of a function that is not there, or of MPI_IN_PLACE. */", "enum {",
        "    MISSING_FUNCTIONS = 8192,", *numbers,
        f"    MISSING_IN_PLACE = MISSING_FUNCTIONS + {len(standard.functions)}", "};\n",
        table_type(standard, "ABI_"), *hand, "", constants.conversions(standard, names), "#endif\n",
    ])  # fmt: skip


def knows(native: Native, name: str) -> bool:
    """Return whether the implementation has this name of the standard's (without `MPI_`).

    A function counts only if it can be called under its PMPI name.
    """
    return f"PMPI_{name}" in native.names or (f"MPI_{name}" in native.names and name.isupper())


def backend(standard: Standard, native: Native) -> str:
    """Return the C of an implementation's table."""
    written = []
    for name, function in standard.functions.items():
        if name == PCONTROL or name in _HANDWRITTEN:
            continue
        statements = (
            _statements(name, function, native) or f"    return {refusal(function).format(f'MISSING_{name}')};"
        )
        returns = function.returns.replace("MPI_", "ABI_")
        written.append(f"static {returns} call_{name}({signature(function, 'ABI_')})\n{{\n{statements}\n}}\n")
    rows = [f"    .{name} = call_{name}," for name in standard.functions if name != PCONTROL]
    names = {name.removeprefix("MPI_") for name in native.names}
    return "\n".join([
        '#include "backend.h"\n', *written, "const AbiTable backend_table = {", *rows, "};\n",
        "const char *const function_names[] = {", *(f'    "MPI_{name}",' for name in standard.functions),
        '    "MPI_IN_PLACE",', "};",
        "const int function_count = sizeof function_names / sizeof *function_names;\n",
        constants.definitions(standard, names),
    ])  # fmt: skip


def missing(standard: Standard, native: Native) -> list[str]:
    """Return the functions of the table, without `MPI_`, that the implementation can only refuse."""
    return [
        name
        for name, function in standard.functions.items()
        if (f"PMPI_{_NEEDED.get(name, name)}" not in native.names if name in _NEEDED
            else name != PCONTROL and name not in _HANDWRITTEN and _statements(name, function, native) is None)
    ]  # fmt: skip


def _statements(name: str, function: Function, native: Native) -> str | None:
    """The C of a function; None if the implementation has nothing that it could be made of."""
    if match := _INTEGER.match(name):
        return _integer(match[1], match[2], function, native)
    if name in _DOUBLES:
        return f"    return PMPI_{name}();"
    if name in _REFUSED:
        return None
    wide = name.endswith(("_c", "_x"))
    for candidate in (name, *((f"{name[:-2]}_x", name[:-2]) if wide else ())):
        target = native.functions.get(f"MPI_{candidate}")
        if target and len(target.parameters) == len(function.parameters) and not is_odd(target):
            return body(function, target, in_place="MPI_IN_PLACE" in native.names)
    return None


def is_odd(function: Function) -> bool:
    """Return whether it takes requests of another kind, which LAM/MPI's functions for files have."""
    return any("MPIO_" in parameter.type for parameter in function.parameters)


def _integer(kind: str, direction: str, function: Function, native: Native) -> str:
    """A handle as an integer, and back."""
    type_ = "Datatype" if kind == "Type" else kind
    argument = function.parameters[0].name
    assert type_ in KINDS
    if f"PMPI_{kind}_c2f" in native.names:
        macro = "HANDLE_TO_INT" if direction == "toint" else "INT_TO_HANDLE"
        return f"    return {macro}({type_}, {kind}, {argument});"
    plain = "(int)(uintptr_t)" if direction == "toint" else f"(ABI_{type_})(uintptr_t)"
    return f"    return {plain}{argument};"
