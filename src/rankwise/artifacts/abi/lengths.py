"""How many elements an array has that a function of MPI is given, as a C expression."""

from __future__ import annotations

import re

_OF_PEERS = re.compile(r"(send|recv)(counts|types)$|[rs]?displs$")


def of(function: str, array: str, names: list[str]) -> str:
    """Return the length of `array`, one of the parameters `names` of this function. Raises KeyError if unknown."""
    if "educe_scatter" in function:
        return "own_size(to_Comm(comm))"
    if "comm" in names and _OF_PEERS.match(array):
        return _of_peers(function, array, names)
    for name in ("count", "incount", "ndims", "max_datatypes", "length"):
        if name in names:
            return name
    raise KeyError(f"{function}: {array}")


def _of_peers(function: str, array: str, names: list[str]) -> str:
    """As many as there are ranks to send to, or to receive from."""
    sending = array.startswith("s") or (array == "displs" and "catterv" in function)
    kind = "neighbours" if "eighbor" in function else "peers"
    length = (
        f"{kind}(to_Comm(comm), {str(not sending).lower()})" if kind == "neighbours" else "peers(to_Comm(comm))"
    )
    if "root" in names:
        length = f"is_root(root, to_Comm(comm)) ? {length} : 0"
    if array.startswith("s") and "sendbuf" in names:
        length = f"sendbuf == ABI_IN_PLACE ? 0 : {length}"
    return length
