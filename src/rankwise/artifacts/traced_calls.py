"""Which MPI functions the tracer records, and what their parameters mean: the one table of them.

Parameters are told apart by their place: LAM/MPI's header does not name them. Those for large counts (`_c`) follow
from the others, where a library has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rankwise.artifacts.collective_calls import CREATE_COMMUNICATORS, STARTS, taken_over
from rankwise.artifacts.declarations import Function

_SEND = "buffer count type peer tag comm"
_RECV = "buffer count type source tag comm"
_SENDS = ("Send", "Bsend", "Ssend", "Rsend")
_BLOCK = "send send_count send_type recv recv_count recv_type comm"
_TABLE = {
    **dict.fromkeys(_SENDS, ("send", _SEND)),
    **dict.fromkeys([f"I{name.lower()}" for name in _SENDS], ("isend", f"{_SEND} request")),
    **dict.fromkeys([f"{name}_init" for name in _SENDS], ("isend", f"{_SEND} request")),
    "Recv": ("recv", f"{_RECV} status"),
    "Irecv": ("irecv", f"{_RECV} request"),
    "Recv_init": ("irecv", f"{_RECV} request"),
    "Mrecv": ("recv", "buffer count type message status"),
    "Imrecv": ("irecv", "buffer count type message request"),
    "Sendrecv": ("both", "buffer count type peer tag other recv_count recv_type source recv_tag comm status"),
    "Sendrecv_replace": ("both", "buffer count type peer tag source recv_tag comm status"),
    "Probe": ("probe", "source tag comm status"),
    "Iprobe": ("probe", "source tag comm flag status"),
    "Mprobe": ("probe", "source tag comm message status"),
    "Improbe": ("probe", "source tag comm flag message status"),
    "Start": ("start", "requests"),
    "Startall": ("start", "n requests"),
    "Wait": ("completion", "requests status"),
    "Test": ("completion", "requests flag status"),
    "Waitall": ("completion", "n requests statuses"),
    "Testall": ("completion", "n requests flag statuses"),
    "Waitany": ("completion", "n requests index status"),
    "Testany": ("completion", "n requests index flag status"),
    "Waitsome": ("completion", "n requests outcount indices statuses"),
    "Testsome": ("completion", "n requests outcount indices statuses"),
    "Request_free": ("request_free", "requests"),
    **{
        name: ("collective", roles)
        for name, roles in (
            ("Alltoallw", "send send_counts starts send_types recv recv_counts starts recv_types comm"),
            ("Neighbor_allgather", _BLOCK), ("Neighbor_alltoall", _BLOCK),
            ("Neighbor_allgatherv", "send send_count send_type recv starts starts recv_type comm"),
            ("Neighbor_alltoallv", "send starts starts send_type recv starts starts recv_type comm"),
            ("Neighbor_alltoallw", "send starts starts starts recv starts starts starts comm"),
        )
    },
    "Comm_free": ("freed", "pointer"),
    "Comm_disconnect": ("freed", "pointer"),
}  # fmt: skip
_TARGET = "peer ignored ignored ignored"
_ONE_SIDED = {
    "Put": ("rma", f"buffer count type {_TARGET} win"),
    "Get": ("rma", f"buffer recv_count recv_type {_TARGET} win"),
    "Accumulate": ("rma", f"buffer count type {_TARGET} op win"),
    "Get_accumulate": ("rma", f"buffer count type recv recv_count recv_type {_TARGET} op win"),
    "Fetch_and_op": ("rma", "buffer recv type peer ignored op win"),
    "Compare_and_swap": ("rma", "buffer compared recv type peer ignored win"),
    "Win_create": ("window", "ignored ignored ignored ignored comm window"),
    "Win_allocate": ("window", "ignored ignored ignored comm ignored window"),
    "Win_allocate_shared": ("window", "ignored ignored ignored comm ignored window"),
    "Win_create_dynamic": ("window", "ignored comm window"),
    "Win_free": ("window_free", "window"),
    "Win_fence": ("sync", "ignored win"),
    "Win_post": ("sync", "group ignored win"),
    "Win_start": ("sync", "group ignored win"),
    "Win_complete": ("sync", "win"),
    "Win_wait": ("sync", "win"),
    "Win_test": ("sync", "win flag"),
    "Win_lock": ("sync", "ignored peer ignored win"),
    "Win_lock_all": ("sync", "ignored win"),
    **dict.fromkeys(("Win_unlock", "Win_flush", "Win_flush_local"), ("sync", "peer win")),
    **dict.fromkeys(("Win_unlock_all", "Win_flush_all", "Win_flush_local_all"), ("sync", "win")),
}
_WITH_REQUESTS = ("Put", "Get", "Accumulate", "Get_accumulate")
_OTHERS = re.compile(r"MPI_(Comm_(spawn|spawn_multiple|accept|connect)|Cancel|Win_sync)", re.IGNORECASE)
_FILES = re.compile(r"MPI_File_(open|close|sync|set_size|set_view|(i?(read|write))\w*)", re.IGNORECASE)
_NONBLOCKING_COLLECTIVES = ("Alltoallw", *(name for name in _TABLE if name.startswith("Neighbor_")))
_SCATTERS = ("BCAST", "SCATTER")


@dataclass(frozen=True, slots=True)
class TracedCall:
    """A function that the tracer records."""

    function: Function
    kind: str
    """As its rows are read: `send`, `collective`; `other` has nothing but times, `start` belongs to MPI_Init."""
    roles: tuple[str, ...] = ()
    """Of the parameters, in order."""
    scatters: bool = False
    """Of a collective: the root sends and the others receive."""

    @property
    def wide(self) -> bool:
        """Whether counts have 64 bits."""
        return self.function.name.endswith("_c")

    @property
    def persistent(self) -> bool:
        """Whether it makes a request that is started later."""
        return self.function.name.removesuffix("_c").endswith("_init")


def recorded(functions: dict[str, Function]) -> Iterator[TracedCall]:
    """Yield those of these functions that the tracer records, or that it begins with."""
    for name, (kind, roles) in _TABLE.items():
        yield from _variants(functions, f"MPI_{name}", kind, roles)
    for name in _NONBLOCKING_COLLECTIVES:
        yield from _variants(functions, f"MPI_I{name.lower()}", "collective", f"{_TABLE[name][1]} request")
    for call in taken_over(functions):
        yield TracedCall(call.function, "collective", call.roles, call.operation in _SCATTERS)
    for name, (kind, roles) in _ONE_SIDED.items():
        yield from _variants(functions, f"MPI_{name}", kind, roles)
    for name in _WITH_REQUESTS:
        yield from _variants(functions, f"MPI_R{name.lower()}", "rma", f"{_ONE_SIDED[name][1]} request")
    yield from (_file_call(function) for name, function in functions.items() if _FILES.fullmatch(name))
    for name in (*CREATE_COMMUNICATORS, "MPI_Comm_create_group", "MPI_Intercomm_create"):
        if name in functions:
            yield TracedCall(functions[name], "created")
    yield from (TracedCall(functions[name], "init") for name in STARTS if name in functions)
    yield TracedCall(functions["MPI_Finalize"], "finalize")
    yield from (TracedCall(function, "other") for name, function in functions.items() if _OTHERS.fullmatch(name))


def _file_call(function: Function) -> TracedCall:
    """A call on a file: the buffer is before the count, and after the place in the file if that is named.

    What ends a read or write names no bytes: those are its beginning's.
    """
    name = function.name.removesuffix("_c").lower()
    reads, writes = "read" in name, "write" in name
    if name.endswith("_end") or not (reads or writes):
        return TracedCall(function, "file")
    of_data = "buffer recv_count recv_type" if reads else "buffer count type"
    place = "ignored ignored" if "_at" in name else "ignored"
    return TracedCall(function, "file", tuple(f"{place} {of_data}".split()))


def _variants(functions: dict[str, Function], name: str, kind: str, roles: str) -> Iterator[TracedCall]:
    for spelled in (name, f"{name}_c"):
        if spelled in functions:
            yield TracedCall(functions[spelled], kind, tuple(roles.split()))
