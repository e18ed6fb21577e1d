"""Constants of the standard beside those of another MPI: C that turns the one into the other."""

from __future__ import annotations

from collections.abc import Sequence, Set

from rankwise.artifacts.abi.standard import KINDS, Standard

_NUMBERS = {
    "order": "ORDER_C ORDER_FORTRAN",
    "distrib": "DISTRIBUTE_NONE DISTRIBUTE_BLOCK DISTRIBUTE_CYCLIC",
    "darg": "DISTRIBUTE_DFLT_DARG",
    "typeclass": "TYPECLASS_INTEGER TYPECLASS_REAL TYPECLASS_COMPLEX",
    "split_type": "COMM_TYPE_SHARED COMM_TYPE_HW_UNGUIDED COMM_TYPE_HW_GUIDED COMM_TYPE_RESOURCE_GUIDED",
    "lock_type": "LOCK_EXCLUSIVE LOCK_SHARED",
    "whence": "SEEK_CUR SEEK_END SEEK_SET",
    "comparison": "IDENT CONGRUENT SIMILAR UNEQUAL",
    "topology": "CART GRAPH DIST_GRAPH",
    "combiner": "COMBINER_NAMED COMBINER_DUP COMBINER_CONTIGUOUS COMBINER_VECTOR COMBINER_HVECTOR "
    "COMBINER_INDEXED COMBINER_HINDEXED COMBINER_INDEXED_BLOCK COMBINER_HINDEXED_BLOCK COMBINER_STRUCT "
    "COMBINER_SUBARRAY COMBINER_DARRAY COMBINER_F90_REAL COMBINER_F90_COMPLEX COMBINER_F90_INTEGER "
    "COMBINER_RESIZED COMBINER_VALUE_INDEX",
    "flavor": "WIN_FLAVOR_CREATE WIN_FLAVOR_ALLOCATE WIN_FLAVOR_DYNAMIC WIN_FLAVOR_SHARED",
    "model": "WIN_UNIFIED WIN_SEPARATE",
    "thread": "THREAD_SINGLE THREAD_FUNNELED THREAD_SERIALIZED THREAD_MULTIPLE",
    "rank": "ANY_SOURCE PROC_NULL ROOT",
    "tag": "ANY_TAG",
    "displacement": "DISPLACEMENT_CURRENT",
    "predefined_keyval": "TAG_UB IO HOST WTIME_IS_GLOBAL APPNUM LASTUSEDCODE UNIVERSE_SIZE WIN_BASE WIN_DISP_UNIT "
    "WIN_SIZE WIN_CREATE_FLAVOR WIN_MODEL",
}
ATTRIBUTES = _NUMBERS["predefined_keyval"].split()
"""Keys of those that every communicator or window has."""
_BITS = {
    "mode": "MODE_APPEND MODE_CREATE MODE_DELETE_ON_CLOSE MODE_EXCL MODE_RDONLY MODE_RDWR MODE_SEQUENTIAL "
    "MODE_UNIQUE_OPEN MODE_WRONLY",
    "assertion": "MODE_NOCHECK MODE_NOPRECEDE MODE_NOPUT MODE_NOSTORE MODE_NOSUCCEED",
}
"""Sums of these: how a file is opened, what a program promises of a window. Their bits may be the same."""
_NO_SPLIT = {"COMM_TYPE_HW_UNGUIDED", "COMM_TYPE_HW_GUIDED", "COMM_TYPE_RESOURCE_GUIDED"}
"""Ways to split a communicator that a library need not know: it makes MPI_COMM_NULL then, as of MPI_UNDEFINED."""
_FEW = 4
"""As many predefined handles of a kind are compared one after another; more are looked up in a table."""
_WIDE = {"displacement": "long long"}
_NEGATIVE = {"rank", "tag"}
"""Whose constants are negative: what is not, is itself."""


def conversions(standard: Standard, known: Set[str], *, mirror: bool = False) -> str:
    """Return inline functions for handles and numbers, of what both sides know.

    Handles that are not predefined are the same on both sides, whatever their width; but in a `mirror`, what is
    below may be another MPI, whose handles are integers by a function only.
    """
    handles = (_handle(standard, kind, known) for kind in KINDS if f"{kind.upper()}_NULL" in known)
    numbers = (_number(name, text.split(), known) for name, text in _NUMBERS.items())
    bits = (
        _bits(name, [constant for constant in text.split() if constant in known]) for name, text in _BITS.items()
    )
    width = _ANY_WIDTH if mirror else _SAME_WIDTH
    return "\n".join([_HANDLE_TABLE, width, *handles, *numbers, *bits])


_HANDLE_TABLE = """
/* Handles of the standard below this are predefined; a larger one is the native handle, made wider. */
enum { PREDEFINED = 1024 };
#define HANDLE_BITS(handle) \\
    (sizeof(handle) == 4 ? (uintptr_t)(uint32_t)(uintptr_t)(handle) : (uintptr_t)(handle))

extern uintptr_t native_handles[PREDEFINED];
uintptr_t predefined_of(uintptr_t native);
"""

_SAME_WIDTH = """
#define NATIVE_BITS(type, name, handle) ((uintptr_t)(handle))
#define STANDARD_BITS(type, name, bits) (bits)
"""
_ANY_WIDTH = """
extern int abi_integers;
#define BY_FUNCTION(type) (sizeof(MPI_##type) == 4 && !abi_integers)
#define NATIVE_BITS(type, name, handle) \\
    (BY_FUNCTION(type) ? (uintptr_t)(uint32_t)abi_table.name##_toint(handle) : (uintptr_t)(handle))
#define STANDARD_BITS(type, name, bits) \\
    (BY_FUNCTION(type) ? (uintptr_t)abi_table.name##_fromint((int)(uint32_t)(bits)) : (bits))
"""


def _handle(standard: Standard, kind: str, known: Set[str]) -> str:
    constants = [constant for constant in standard.handles(kind) if constant in known]
    name = "Type" if kind == "Datatype" else kind
    few = len(constants) <= _FEW
    compared = constants if few else [f"{kind.upper()}_NULL"]  # the native ones may be 0 of all kinds
    back = "".join(f"    if (handle == MPI_{constant})\n        return ABI_{constant};\n" for constant in compared)
    back += (
        f"    const uintptr_t bits = {'HANDLE_BITS(handle)' if few else 'predefined_of(HANDLE_BITS(handle))'};\n"
    )
    other = f"STANDARD_BITS({kind}, {name}, bits)"
    back += f"    return (ABI_{kind}){other if few else f'(bits < PREDEFINED ? bits : {other})'};"
    return f"""
static inline MPI_{kind} to_{kind}(ABI_{kind} handle)
{{
    const uintptr_t bits = (uintptr_t)handle;
    return (MPI_{kind})(bits < PREDEFINED ? native_handles[bits] : NATIVE_BITS({kind}, {name}, handle));
}}

static inline ABI_{kind} from_{kind}(MPI_{kind} handle)
{{
{back}
}}
"""


def _number(name: str, constants: Sequence[str], known: Set[str]) -> str:
    type_ = _WIDE.get(name, "int")
    absent = [constant for constant in constants if constant not in known and constant in _NO_SPLIT]
    itself = "    if (value >= 0)\n        return value;\n" if name in _NEGATIVE else ""

    def direction(verb: str, of: str, to: str) -> str:
        rows = "".join(
            f"    if (value == {of}_{constant})\n        return {to}_{constant};\n"
            for constant in constants
            if constant in known
        )
        if of == "ABI":
            rows += "".join(
                f"    if (value == ABI_{constant})\n        return MPI_UNDEFINED;\n" for constant in absent
            )
        return f"static inline {type_} {verb}_{name}({type_} value)\n{{\n{itself}{rows}    return value;\n}}\n"

    return direction("to", "ABI", "MPI") + "\n" + direction("from", "MPI", "ABI")


def _bits(name: str, constants: Sequence[str]) -> str:
    def direction(verb: str, of: str, to: str) -> str:
        rows = "".join(
            f"    if (value & {of}_{constant})\n        bits |= {to}_{constant};\n" for constant in constants
        )
        return f"static inline int {verb}_{name}(int value)\n{{\n    int bits = 0;\n{rows}    return bits;\n}}\n"

    return direction("to", "ABI", "MPI") + "\n" + direction("from", "MPI", "ABI")


def definitions(standard: Standard, known: Set[str]) -> str:
    """Return the function that tells the tables of handles and errors at run time, and checks of lengths."""
    rows = []
    for kind in KINDS:
        null = f"{kind.upper()}_NULL"
        if null not in known:
            continue
        for handle in standard.handles(kind):
            native = f"MPI_{handle}" if handle in known else _STAND_INS.get(handle, f"MPI_{null}")
            rows.append(f"    define_handle((uintptr_t)ABI_{handle}, HANDLE_BITS({native}));")
    errors = [f"    define_error(ABI_{error}, MPI_{error});" for error in standard.errors if error in known]
    names = [f'    [ABI_{error}] = "MPI_{error}",' for error in standard.errors]
    checks = [
        f'_Static_assert(MPI_{limit} <= ABI_{limit}, "the native {limit} is too long");'
        for limit in standard.limits
        if limit in known
    ]
    return "\n".join([
        "const char *const error_names[ERROR_CLASSES] = {", *names, "};\n",
        "void define_constants(void)\n{", *rows, *errors, "}\n", *checks,
        '_Static_assert(MPI_UNDEFINED == ABI_UNDEFINED, "MPI_UNDEFINED differs");\n',
    ])  # fmt: skip


_STAND_INS = {"ERRORS_ABORT": "MPI_ERRORS_ARE_FATAL"}
"""Of handles that older implementations do not have."""
