"""The C of functions of the gateway that follow from others: collective operations, persistent ones, refusals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

from rankwise.artifacts.collective_calls import CollectiveCall
from rankwise.artifacts.declarations import Function, Parameter
from rankwise.artifacts.overlay import collective_fields

_NAMES_LEFT = """
    Attr_put Attr_delete Comm_set_attr Comm_delete_attr Comm_get_name Comm_set_name Comm_get_info Comm_set_info
    Comm_get_errhandler Comm_set_errhandler Comm_call_errhandler Errhandler_get Errhandler_set
    Comm_attach_buffer Comm_attach_buffer_c Comm_detach_buffer Comm_detach_buffer_c Comm_flush_buffer
    Comm_iflush_buffer Comm_toint Pack Pack_c Unpack Unpack_c Pack_size Pack_size_c
"""
_LEFT_TO_THE_SITE = frozenset(_NAMES_LEFT.split())
"""What the native communicator of this site's ranks does in its stead: of all others nothing has to be known."""
_EXCHANGE = re.compile(r"I?(neighbor_|alltoallw)", re.IGNORECASE)
_INIT = re.compile(r"(\w+)_init(_c)?$")


def arguments(function: Function) -> str:
    """Return the arguments of a call that passes on its own."""
    return ", ".join(parameter.name for parameter in function.parameters)


def communicators(function: Function) -> list[str]:
    """Return the names of its communicators."""
    return [
        parameter.name
        for parameter in function.parameters
        if parameter.type.strip() == "MPI_Comm" and not parameter.array
    ]


def _joined_or_below(name: str, function: Function) -> str:
    """A communicator of one site alone is the library's."""
    comm, passed = communicators(function)[0], arguments(function)
    return f"    Joined *joined = joined_of({comm});\n    if (!joined)\n        return below.{name}({passed});\n"


def collective(call: CollectiveCall) -> str:
    """Return the body of a collective operation that schedules carry out, on `joined` with `tags`."""
    return (
        f"    const Collective call = {{{collective_fields(call)}}};\n"
        "    return joined->inter ? between_groups(joined, &call, tags) : collective(joined, &call, tags);"
    )


def called(name: str, function: Function, body: str) -> tuple[str, str]:
    """Return a function `at_NAME` with this body, which is given the communicator and tags, and its caller's body.

    A persistent operation calls it with tags of its own, the program's call with none.
    """
    parameters = ", ".join(["Joined *joined", *map(str, function.parameters), "CallTags *tags"])
    unused = f"    (void){communicators(function)[0]};\n"
    at = f"static {function.returns} at_{name}({parameters})\n{{\n{unused}{body}\n}}\n"
    return at, f"{_joined_or_below(name, function)}    return at_{name}(joined, {arguments(function)}, NULL);"


def exchange(name: str, function: Function) -> str:
    """Return the body of a collective operation whose blocks each go by themselves; '' if it is none."""
    if not _EXCHANGE.match(name) or _INIT.match(name):
        return ""
    named = {parameter.name: parameter for parameter in function.parameters}
    partners = "NEIGHBOURS" if "eighbor" in name else "ALL_RANKS"
    request = "request" if "request" in named else "NULL"
    return (
        f"    const Side out = {{{_side(named, 'send', same='allgather' in name)}}};\n"
        f"    const Side in = {{{_side(named, 'recv', same=False)}}};\n"
        f"    return exchange(joined, {partners}, &out, &in, {request}, tags);"
    )


def _side(named: Mapping[str, Parameter], way: str, *, same: bool) -> str:
    """The initialisers of what is sent, or received, by an exchange."""
    fields = [f".buffer = (char *){way}buf"]
    for field, name in (("count", f"{way}count"), ("type", f"{way}type"), ("types", f"{way}types")):
        if name in named:
            fields.append(f".{field} = {name}")
    starts = f"{way[0]}displs" if f"{way[0]}displs" in named else "displs"
    for field, name in (("counts", f"{way}counts"), ("starts", starts)):
        if name in named and not same:
            wide = "false" if named[name].type.split()[-1] == "int" else "true"
            fields.append(f".{field} = {{{name}, {wide}}}")
    return ", ".join([*fields, *([".same = true"] if same else [])])


def persistent(
    name: str, function: Function, functions: Mapping[str, Function], collectives: Set[str]
) -> tuple[str, str]:
    """Return how a nonblocking function is begun each time that its request is started, and the body.

    Two empty texts if there is no such function. `collectives`: the functions that have an `at_NAME`.
    """
    match = _INIT.match(name)
    begun = f"I{match[1].lower()}{match[2] or ''}" if match else ""
    if begun not in functions:
        return "", ""
    kept = [parameter for parameter in function.parameters if parameter.name not in {"info", "request"}]
    fields = " ".join(f"{_as_field(parameter)};" for parameter in kept)
    passed = ", ".join(f"a->{parameter.name}" for parameter in kept)
    is_collective = begun in collectives
    call = f"at_{begun}(joined, {passed}, request, tags)" if is_collective else f"call_{begun}({passed}, request)"
    unused = "" if is_collective else "    (void)joined, (void)tags;\n"
    before = (
        f"typedef struct {{\n    {fields}\n}} Arguments_{name};\n\n"
        f"static int begin_{name}(Joined *joined, const void *arguments, CallTags *tags, MPI_Request *request)\n"
        "{\n"
        f"{unused}    const Arguments_{name} *a = arguments;\n    return {call};\n}}\n\n"
    )
    names = {parameter.name for parameter in kept}
    values = ", ".join(_kept(name, parameter, names) for parameter in kept)
    text = (
        f"{_joined_or_below(name, function)}    Kept kept = {{0}};\n"
        f"    const Arguments_{name} arguments = {{{values}}};\n"
        f"    return plan_call(joined, begin_{name}, &arguments, sizeof arguments, &kept, "
        f"{str(is_collective).lower()}, request);"
    )
    return before, text


_HELD = {"MPI_Datatype": "keep_type", "MPI_Op": "keep_op"}
"""What keeps a handle of this type for as long as a persistent request lives."""


def _kept(name: str, parameter: Parameter, names: Set[str]) -> str:
    """The argument itself, or a copy of an array as far as this rank has to give one."""
    if not parameter.array:
        keep = _HELD.get(parameter.type.strip())
        return f"{keep}(&kept, {parameter.name})" if keep else parameter.name
    goes_out = parameter.name.startswith("s")
    partners = "NEIGHBOURS" if "eighbor" in name else "ALL_RANKS"
    blocks = f"blocks_{'out' if goes_out else 'in'}(joined, {partners})"
    if "reduce" in name.lower():
        blocks = "joined->size"
    needed = "is_root(joined, root)" if "root" in names else "sendbuf != MPI_IN_PLACE" if goes_out else "true"
    if "MPI_Datatype" in parameter.type:
        return f"keep_types(&kept, {needed}, {parameter.name}, {blocks})"
    return f"keep_array(&kept, {needed}, {parameter.name}, {blocks}, sizeof *{parameter.name})"


def _as_field(parameter: Parameter) -> str:
    """An array is kept by its address."""
    return f"{parameter.type} *{parameter.name}" if parameter.array else str(parameter)


def guarded(name: str, function: Function) -> str:
    """Return what refuses communicators across sites and translates groups; '' if it needs neither."""
    refused = [] if name in _LEFT_TO_THE_SITE else communicators(function)
    groups = [parameter.name for parameter in function.parameters if parameter.type.strip() == "MPI_Group"]
    returned_groups = [
        parameter.name for parameter in function.parameters if parameter.type.replace(" ", "") == "MPI_Group*"
    ]
    if not (refused or groups or returned_groups):
        return ""
    lines = [f"    if (crosses({comm}))\n        return refuse_call({comm}, NUMBER_{name});" for comm in refused]
    call = f"below.{name}({', '.join(f'n_{p.name}' if p.name in groups else p.name for p in function.parameters)})"
    for group in groups:
        lines.append(f"    MPI_Group n_{group};\n    if (native_group({group}, &n_{group}))\n"
                     f"        return fail(NULL, MPI_ERR_GROUP);")  # fmt: skip
    lines.append(f"    {'const int code = ' if groups or returned_groups else 'return '}{call};")
    lines += [f"    free_native_group({group}, &n_{group});" for group in groups]
    lines += [
        f"    if (code == MPI_SUCCESS)\n        return adopt_group(*{group}, {group});"
        for group in returned_groups
    ]
    return "\n".join([*lines, *(["    return code;"] if groups or returned_groups else [])])
