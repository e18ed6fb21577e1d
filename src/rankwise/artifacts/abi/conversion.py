"""One function of the table as C: what it does with each parameter before and after the call of another MPI.

Type and name of a parameter decide. The C functions that convert are called `to_` in the direction of the call and
`from_` in the other one; what they do is said in csrc/abi/backend/.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rankwise.artifacts.abi import lengths
from rankwise.artifacts.abi.standard import KINDS
from rankwise.artifacts.declarations import Function, Parameter

_HANDLE = re.compile(rf"(const )?MPI_({'|'.join(KINDS)})( \*)?$")
_KEYVAL = re.compile(r"(\w+_)?keyval$")
_CHANGED = {
    "Wait", "Test", "Start", "Cancel", "Type_commit", "Comm_disconnect", "File_close", "Session_finalize", "Mrecv",
    "Mrecv_c", "Imrecv", "Imrecv_c",
}  # fmt: skip
"""Functions that read the handle which they are given the address of. All `_free` do as well."""
_RANKS = {"dest", "source", "target_rank", "root"}
_TAGS = {"tag", "sendtag", "recvtag", "stringtag"}
_WEIGHTS = {"weights", "sourceweights", "destweights"}
_CODES = {"errorcode", "errorclass"}
_GIVEN = {"order", "split_type", "lock_type", "whence", "typeclass"}
"""Enumerations that are arguments; their C functions have these names."""
_TOLD = {"result": "comparison", "status": "topology", "combiner": "combiner"}
"""Enumerations that are results."""
_ABSENT = {"argv": "MPI_ARGV_NULL", "array_of_argv": "MPI_ARGVS_NULL", "array_of_errcodes": "MPI_ERRCODES_IGNORE"}
_STRINGS = {
    "name": "PROCESSOR_NAME", "string": "ERROR_STRING", "comm_name": "OBJECT_NAME", "type_name": "OBJECT_NAME",
    "win_name": "OBJECT_NAME", "key": "INFO_KEY", "port_name": "PORT_NAME", "version": "LIBRARY_VERSION_STRING",
    "datarep": "DATAREP_STRING",
}  # fmt: skip
"""Strings that are results, and their longest lengths."""
_WIDE = {"MPI_Count", "MPI_Aint", "MPI_Offset"}
_COUNTED = re.compile(r"(c_\w+)\.count$")
"""The argument before a type, where both are made anew for a large count."""


@dataclass
class Body:
    """The C of a function while it is put together."""

    function: Function
    """As the standard declares it."""
    target: Function
    """That is called; where it takes `int` for a count, counts are made shorter."""
    before: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    """Carried out whatever the call returns, which is `code`."""
    scratch: bool = False
    """Arrays are copied."""
    kept: bool = False
    """They are needed until a request has ended."""
    shortened: bool = False
    """Strings that are results may be longer than the caller expects."""

    @property
    def name(self) -> str:
        """Return the function's name without `MPI_`."""
        return self.function.name.removeprefix("MPI_")

    @property
    def names(self) -> list[str]:
        """Return the names of its parameters."""
        return [parameter.name for parameter in self.function.parameters]

    @property
    def refusal(self) -> str:
        """Return the C call that hands an error to the handler that is in charge; `{}` is the code."""
        return refusal(self.function)

    def take(self, type_: str, name: str, length: str, fill: str, *, kept: bool = False) -> None:
        """Copy an array into scratch memory, element by element."""
        self.scratch = True
        self.kept |= kept
        self.before.append(
            f"const long n_{name} = {length};\n    {type_} *x_{name} = scratch_take(&scratch, "
            f"(size_t)(n_{name} + 1) * sizeof *x_{name}, {str(kept).lower()});\n"
            f"    for (long i = 0; i < n_{name}; i++)\n        {fill}"
        )

    def result(self, name: str, back: str, *, whatever: bool = False, variable: str = "") -> None:
        """Let `variable` (or x_NAME) have a result, and bring it `back`: after an error too, or not.

        What is NULL, in which case the library returns an error, stays so.
        """
        self.after.append(f"if ({'' if whatever else '!code && '}{name})\n        {back}")
        self.arguments.append(f"{name} ? {variable or f'&x_{name}'} : NULL")

    def to_be_kept(self) -> bool:
        """Tell whether arrays are needed until the request of this call has ended."""
        return ("request" in self.names and re.match(r"I[a-z]", self.name) is not None) or "_init" in self.name


def refusal(function: Function) -> str:
    """Return the C call that hands an error to the handler in charge of this function; `{}` is the code."""
    for parameter in function.parameters:
        if (kind := parameter.type.removeprefix("MPI_")) in {"Comm", "Win", "File"} and not parameter.array:
            return f"refuse_{kind}({{}}, to_{kind}({parameter.name}))"
    return "refuse_Comm({}, MPI_COMM_SELF)"


def body(function: Function, target: Function, *, in_place: bool = True, shortened: bool = False) -> str:
    """Return the C statements of a function of the table that calls `target`.

    `in_place`: the implementation knows MPI_IN_PLACE, else it is refused. `shortened`: strings that it returns
    may be longer than the caller's. Raises KeyError if the length of an array is not known.
    """
    made = Body(function, target, shortened=shortened)
    for name in () if in_place else sorted({"sendbuf", "recvbuf"}.intersection(made.names)):
        refused = made.refusal.format("MISSING_IN_PLACE")
        made.before.append(f"if ({name} == ABI_IN_PLACE)\n        return {refused};")
    for number, parameter in enumerate(function.parameters):
        _parameter(made, parameter, target.parameters[number])
    call = f"P{target.name}({', '.join(made.arguments)})"
    if not made.before and not made.after:
        return f"    return from_code({call});"
    first = (
        ["Scratch scratch SCRATCH_ENDS;\n    scratch.blocks = NULL;\n    scratch.used = 0;"]
        if made.scratch
        else []
    )
    last = ["if (!code)\n        scratch_keep(&scratch, HANDLE_BITS(x_request));"] if made.kept else []
    lines = [*first, *made.before, f"const int code = {call};", *last, *made.after, "return from_code(code);"]
    return "\n".join(f"    {line}" for line in lines)


def _parameter(made: Body, parameter: Parameter, native: Parameter) -> None:
    """One parameter: the first rule that fits."""
    handle = _HANDLE.match(parameter.type)
    if handle:
        _handle(made, parameter, handle[2], constant=bool(handle[1]), pointer=bool(handle[3]))
    elif parameter.type.endswith("MPI_Status *"):
        _status(made, parameter)
    elif made.shortened and parameter.type == "char *" and not parameter.array and parameter.name in _STRINGS:
        _string(made, parameter.name)
    elif not (_address(made, parameter) or _number(made, parameter) or _count(made, parameter, native)):
        made.arguments.append(
            f"(void *){parameter.name}" if "*" in parameter.type or parameter.array else parameter.name
        )


def _handle(made: Body, parameter: Parameter, kind: str, *, constant: bool, pointer: bool) -> None:
    name = parameter.name
    if parameter.array:
        length, kept = lengths.of(made.name, name, made.names), made.to_be_kept()
        if constant or kind == "Request":
            made.take(f"MPI_{kind}", name, length, f"x_{name}[i] = to_{kind}({name}[i]);", kept=kept)
        else:
            made.take(f"MPI_{kind}", name, length, f"x_{name}[i] = MPI_{kind.upper()}_NULL;")
        if not constant:
            back = f"from_completed({name}[i], x_{name}[i])" if kind == "Request" else f"from_{kind}(x_{name}[i])"
            made.after.append(f"for (long i = 0; i < n_{name}; i++)\n        {name}[i] = {back};")
        made.arguments.append(f"x_{name}")
    elif pointer:
        changed = made.name.endswith("_free") or made.name in _CHANGED
        null = f"MPI_{kind.upper()}_NULL"
        made.before.append(
            f"MPI_{kind} x_{name} = {f'{name} ? to_{kind}(*{name}) : {null}' if changed else null};"
        )
        value = f"from_completed(*{name}, x_{name})" if changed and kind == "Request" else f"from_{kind}(x_{name})"
        made.result(name, f"*{name} = {value};", whatever=changed)
    elif made.arguments and (larger := _COUNTED.match(made.arguments[-1])):
        made.arguments.append(f"{larger[1]}.type")
    else:
        made.arguments.append(f"to_{kind}({name})")


def _status(made: Body, parameter: Parameter) -> None:
    name, flag = parameter.name, "flag" in made.names and not made.name.startswith("Status_")
    if name == "array_of_statuses":
        _statuses(made, flag)
    elif parameter.type.startswith("const"):
        made.before.append(f"MPI_Status x_{name};\n    status_in({name}, &x_{name});")
        made.arguments.append(f"&x_{name}")
    else:
        known = f"\n    status_in({name}, &x_{name});" if made.name.startswith("Status_") else ""
        made.before.append(f"MPI_Status x_{name};{known}")
        ended = " && *flag" if flag else ""
        made.after.append(f"if ({name} != ABI_STATUS_IGNORE{ended})\n        status_out(&x_{name}, {name});")
        made.arguments.append(f"{name} != ABI_STATUS_IGNORE ? &x_{name} : MPI_STATUS_IGNORE")


def _statuses(made: Body, flag: bool) -> None:
    """An array of them; their errors are those of each request only where the call says so."""
    name, some = "array_of_statuses", "outcount" in made.names
    length = "incount" if some else "count"
    made.take("MPI_Status", name, f"{name} == ABI_STATUSES_IGNORE ? 0 : {length}", f"x_{name}[i].MPI_ERROR = 0;")
    filled = "*outcount == MPI_UNDEFINED ? 0 : *outcount" if some else f"n_{name}"
    condition = "(!code || error_class_of(code) == MPI_ERR_IN_STATUS)" + (" && *flag" if flag else "")
    made.after.append(
        f"if ({name} != ABI_STATUSES_IGNORE && {condition})\n        for (long i = 0; i < ({filled}); i++)\n"
        f"            status_out_of(code, &x_{name}[i], &{name}[i]);"
    )
    made.arguments.append(f"{name} == ABI_STATUSES_IGNORE ? MPI_STATUSES_IGNORE : x_{name}")


def _string(made: Body, name: str) -> None:
    longest, length = f"MAX_{_STRINGS[name]}", "resultlen" if "resultlen" in made.names else "NULL"
    made.before.append(f'char x_{name}[MPI_{longest}] = "";')
    made.result(name, f"copy_string(x_{name}, {name}, ABI_{longest}, {length});", variable=f"x_{name}")


def _address(made: Body, parameter: Parameter) -> bool:
    """Whether this is an address that may stand for something else, or an array of ranks or codes."""
    name, type_ = parameter.name, parameter.type
    if type_ in {"void *", "const void *"} and name.endswith(("buf", "buffer", "_addr")):
        if "etach" in made.name:
            made.after.append(f"if (!code)\n        *(void **){name} = from_buffer(*(void **){name});")
            made.arguments.append(name)
        else:
            made.arguments.append(f"to_buffer({name})")
    elif name in _WEIGHTS and type_ == "const int *":
        made.arguments.append(f"to_weights({name})")
    elif name in _ABSENT and made.name.startswith("Comm_spawn"):
        made.arguments.append(f"{name} ? (void *){name} : (void *){_ABSENT[name]}")
    elif name == "ranks1" and made.name == "Group_translate_ranks":
        made.take("int", name, "n", f"x_{name}[i] = to_rank({name}[i]);")
        made.arguments.append(f"x_{name}")
    elif name == "ranks2":
        made.after.append(f"for (int i = 0; !code && i < n; i++)\n        {name}[i] = from_rank({name}[i]);")
        made.arguments.append(name)
    elif name in {"array_of_distribs", "array_of_dargs"}:
        made.take("int", name, "ndims", f"x_{name}[i] = to_{name.removeprefix('array_of_')[:-1]}({name}[i]);")
        made.arguments.append(f"x_{name}")
    elif name == "array_of_integers" and made.name.startswith("Type_get_contents"):
        made.after.append(_contents(large=made.name.endswith("_c")))
        made.arguments.append(name)
    else:
        return False
    return True


def _contents(*, large: bool) -> str:
    """The C that converts constants among the integers that a type was made of."""
    counts, suffix, among = (4, "_c", "counts[2] > 0") if large else (3, "", "false")
    places = "".join(f"&counts[{place}], " for place in range(counts))
    return (
        f"{'MPI_Count' if large else 'int'} counts[{counts}] = {{0}};\n    int combiner = 0;\n"
        f"    if (!code && !PMPI_Type_get_envelope{suffix}(to_Datatype(datatype), {places}&combiner)) {{\n"
        "        combiner = from_combiner(combiner);\n"
        "        if (combiner == ABI_COMBINER_SUBARRAY || combiner == ABI_COMBINER_DARRAY)\n"
        f"            convert_contents(combiner == ABI_COMBINER_DARRAY, {among}, array_of_integers, from_order,\n"
        "                             from_distrib, from_darg);\n    }"
    )


def _number(made: Body, parameter: Parameter) -> bool:
    """Whether this is a number with values that stand for something else."""
    name, is_pointer = parameter.name, parameter.type == "int *"
    if parameter.array or parameter.type not in {"int", "int *", "MPI_Offset"}:
        return False
    conversion = _given(made.name, name) if not is_pointer else ""
    if parameter.type == "MPI_Offset":
        conversion = "displacement" if made.name == "File_set_view" and name == "disp" else ""
    if conversion:
        made.arguments.append(f"to_{conversion}({name})")
    elif is_pointer and _KEYVAL.match(name):
        made.before.append(f"int x_{name} = {name} ? to_keyval(*{name}) : MPI_KEYVAL_INVALID;")
        made.result(name, f"*{name} = from_keyval(x_{name});", whatever=True)
    elif is_pointer and (back := _back(made.name, name)):
        made.after.append(f"if (!code)\n        *{name} = from_{back}(*{name});")
        made.arguments.append(name)
    else:
        return False
    return True


def _given(function: str, name: str) -> str:
    if name in _RANKS or (name == "rank" and function.startswith("Win_shared_query")):
        return "rank"
    if name in _TAGS:
        return "tag"
    if name in {"assert", "amode"}:
        return "mode" if name == "amode" else "assertion"
    if name in _CODES and function != "Abort":
        return "error"
    if _KEYVAL.match(name):
        return "keyval"
    return name if name in _GIVEN else ""


def _back(function: str, name: str) -> str:
    if name in {"rank_source", "rank_dest"}:
        return "rank"
    if name == "amode":
        return "mode"
    if name in _CODES:
        return "added_error" if function.startswith("Add_") else "error"
    return _TOLD.get(name, "") if name != "status" or function == "Topo_test" else ""


def _count(made: Body, parameter: Parameter, native: Parameter) -> bool:
    """Whether this is a count (or several) that the called function takes as `int` only."""
    name, wide = parameter.name, re.sub(r"const | ?\*", "", parameter.type)
    short = re.sub(r"const | ?\*", "", native.type)
    if wide not in _WIDE or short not in {"int", "MPI_Aint", "MPI_Count", "MPI_Offset", "long", "ptrdiff_t"}:
        return False
    if short != "int":
        return False  # of the same 64 bits
    too_large = f"return {made.refusal.format('ABI_ERR_VALUE_TOO_LARGE')};"
    if parameter.array and parameter.type.startswith("const"):
        length = lengths.of(made.name, name, made.names)
        fill = f"if ((x_{name}[i] = (int){name}[i]) != {name}[i])\n            {too_large}"
        made.take("int", name, length, fill, kept=made.to_be_kept())
        made.arguments.append(f"x_{name}")
    elif parameter.type.endswith("*"):
        if name == "position":
            made.before.append(f"if ({name} && *{name} != (int)*{name})\n        {too_large}")
        start = f"{name} ? (int)*{name} : 0" if name == "position" else "0"
        made.before.append(f"int x_{name} = {start};")
        made.result(name, f"*{name} = x_{name};")
    else:
        _large(made, parameter, too_large)
    return True


def _large(made: Body, parameter: Parameter, too_large: str) -> None:
    """A single count: beside its buffer and type it may be any number, of a larger type."""
    at = made.names.index(parameter.name)
    around = made.function.parameters[max(at - 1, 0) : at + 2]
    counted = len(around) == 3 and around[0].type.endswith("void *") and around[2].type == "MPI_Datatype"
    if counted and ("op" not in made.names or "win" in made.names):
        larger = f"counted({parameter.name}, to_Datatype({around[2].name}))"
        made.before.append(f"Counted c_{parameter.name} COUNTED_ENDS = {larger};")
        made.before.append(f"if (c_{parameter.name}.failed)\n        {too_large}")
        made.arguments.append(f"c_{parameter.name}.count")
        return
    made.before.append(f"if ({parameter.name} != (int){parameter.name})\n        {too_large}")
    made.arguments.append(f"(int){parameter.name}")
