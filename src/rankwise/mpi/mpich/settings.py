"""What of MPICH can be set, and how: environment variables, and selection files for collective algorithms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.records import Environment, Implementation
from rankwise.core.tuning import FOLDER, Knob, Native, ReadBack, Setting, Tuning
from rankwise.core.units import parse_size_bytes
from rankwise.mpi.mpich import nonblocking
from rankwise.mpi.mpich.algorithms import COMPOSITION_VARIABLE, SELECTION_VARIABLE, selection_files
from rankwise.mpi.mpich.library import Library, library

AUTO = "auto"
REPORTING: Environment = (
    ("MPIR_CVAR_DEBUG_CVARS", "1"),
    ("MPIR_CVAR_DEBUG_SUMMARY", "1"),
    ("UCX_LOG_LEVEL", "info"),
    ("UCX_PROTO_INFO", "y"),
)
"""MPICH's variables that were set, the files of its selection; UCX's variables and protocols."""

_FILES = {SELECTION_VARIABLE: "mpich-algorithms.json", COMPOSITION_VARIABLE: "mpich-compositions.json"}
_NETMOD = "MPIR_CVAR_CH4_NETMOD"
_NETMOD_WORDS = {"ucx": "UCX netmod Capability", "ofi": "Required minimum FI_VERSION"}
_OWN_MEMORY = "MPID/shm: "
_UCX_THRESHOLD = "UCX_RNDV_THRESH"
_UCX_BUFFERS = ("UCX_TCP_SNDBUF", "UCX_TCP_RCVBUF")
_UCX_PIECES = "UCX_TCP_TX_SEG_SIZE"
_SHM_THRESHOLD = (
    "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD",
    "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE",
    "MPIR_CVAR_CH4_PACK_BUFFER_SIZE",
)
_SINGLE_COPY = "MPIR_CVAR_CH4_CMA_ENABLE"
_NO_LOCAL = "MPIR_CVAR_NOLOCAL"
_SHM_WAYS = {"cma": (_SINGLE_COPY, "1"), "copies": (_SINGLE_COPY, "0"), "network": (_NO_LOCAL, "1")}
_UCX_WAYS = "UCX_TLS"
_CELL_HEADER_BYTES = 1024
"""More than MPICH's own header of a message in a cell of its shared memory."""

_SET = re.compile(r"^CVAR: (\w+) = (.*)$", re.MULTILINE)
_UCX_SET = re.compile(r"UCX_\* env variables?: (.*)$", re.MULTILINE)
_SOURCE = re.compile(r"^MPIR: (\S*/\S+)$", re.MULTILINE)
_UCX_TABLE = re.compile(
    r"(\[[^\[\]\s]+:\d+ *:\d+\]).*\| \S+ inter-node cfg#\d+ +\| tagged message by ucp_tag_send\* from host"
)
_UCX_ROW = re.compile(r"\| +(\d+[KMG]?)(?:\.\.\S+)? \| (\S.*\S) +\|")


def knobs(implementation: Implementation) -> tuple[Knob, ...]:
    """Return those that were seen to act on such builds. Raises HostError where the library cannot be read."""
    contents = library(implementation)
    known: list[Knob] = []
    if "ucx" in contents.netmods:
        known += [_eager_threshold(contents), _socket_buffers(), _tcp_pieces(contents)]
    if len(contents.netmods) > 1:
        known.append(_transport(contents))
    if contents.own_memory and set(_SHM_THRESHOLD) <= set(contents.variables):
        known += [_eager_threshold_shm(contents), _transport_shm(contents)]
    elif not contents.own_memory and "ucx" in contents.netmods:
        known.append(replace(known[0], name="eager-threshold-shm"))
        known.append(_transport_shm_of_ucx())
    return tuple(known)


def native(implementation: Implementation, tuning: Tuning) -> Native:
    """Return `tuning` as variables, and as selection files where it has decisions.

    Raises InputError for what this version does not have, or a selection file cannot express.
    """
    environment: dict[str, str] = {}
    for setting in tuning.settings:
        for variable, value in _variables(implementation, setting).items():
            if environment.setdefault(variable, value) != value:
                raise InputError(
                    f"{implementation.id} has one variable for {setting.knob} and another setting: {variable}",
                    f"leave one of them out, or give both {environment[variable]}",
                )
    files = []
    by_variable = [decision for decision in tuning.decisions if decision.operation in nonblocking.OPERATIONS]
    by_file = [decision for decision in tuning.decisions if decision not in by_variable]
    environment |= nonblocking.variables(implementation, by_variable)
    for variable, text in selection_files(implementation, by_file).items():
        files.append((_FILES[variable], text))
        environment[variable] = f"{FOLDER}/{_FILES[variable]}"
    return Native(tuple(files), tuple(sorted(environment.items())))


def read_back(output: str) -> ReadBack:
    """Return the network that MPICH started, the variables that it and UCX found, and the selection file.

    UCX from 1.16 or so on prints its protocols, and with them the threshold in force even where none is set;
    before that only what the variable says. MPICH never says which algorithm ran.
    """
    values = dict(_SET.findall(output))
    for line in _UCX_SET.findall(output):
        values |= dict(word.split("=", 1) for word in line.split() if "=" in word)
    source = _SOURCE.search(output)
    threshold = _decimal(values.get(_UCX_THRESHOLD, ""))
    in_force = {
        "algorithms": source[1] if source else values.get(SELECTION_VARIABLE, ""),
        "eager-threshold": threshold if threshold == AUTO else _decimal(_threshold(output)) or threshold,
        "eager-threshold-shm": values.get(_SHM_THRESHOLD[0], "") if _OWN_MEMORY in output else threshold,
        "socket-buffers": _decimal(values.get(_UCX_BUFFERS[0], "")),
        "tcp-piece-size": _decimal(values.get(_UCX_PIECES, "")),
        "transport-shm": _way_of_shm(values, output),
        "transport": next((name for name, phrase in _NETMOD_WORDS.items() if phrase in output), ""),
    }
    for name in sorted(nonblocking.OPERATIONS):
        in_force[f"algorithms of {name}"] = values.get(nonblocking.variable(name), "")
    return ReadBack(tuple((knob, value) for knob, value in in_force.items() if value))


def _eager_threshold(contents: Library) -> Knob:
    return Knob(
        "eager-threshold", (_UCX_THRESHOLD,), "environment",
        "; ".join([
            *(["transport ucx alone"] if len(contents.netmods) > 1 else []),
            *([] if contents.own_memory else ["the same between hosts and within one"]),
        ]),
        most=2**30, default=AUTO,
        read_back="UCX_PROTO_INFO=y (UCX 1.16) or UCX_LOG_LEVEL=info: the variables that UCX found",
    )  # fmt: skip


def _socket_buffers() -> Knob:
    return Knob(
        "socket-buffers", _UCX_BUFFERS, "environment",
        "the kernel then no longer adapts them",
        most=2**30, default=AUTO,
        read_back="UCX_LOG_LEVEL=info: the variables that UCX found",
    )  # fmt: skip


def _tcp_pieces(contents: Library) -> Knob:
    """By default 8 KiB. A piece must not be longer than what UCX receives at once, 64 KiB."""
    return Knob(
        "tcp-piece-size", (_UCX_PIECES,), "environment",
        "transport ucx alone" if len(contents.netmods) > 1 else "",
        least=1024, most=65536, read_back="UCX_LOG_LEVEL=info: the variables that UCX found",
    )  # fmt: skip


def _transport(contents: Library) -> Knob:
    return Knob(
        "transport", (_NETMOD,), "environment", "the network library",
        values=contents.netmods, default=contents.variables.get(_NETMOD) or contents.netmods[0],
        read_back="MPIR_CVAR_DEBUG_SUMMARY=1: UCX's endpoints or libfabric's provider",
    )  # fmt: skip


def _transport_shm(contents: Library) -> Knob:
    return Knob(
        "transport-shm", (_SINGLE_COPY, _NO_LOCAL), "environment",
        "copied once by the kernel (cma), twice through shared memory (copies), or like those to other hosts, "
        "collective operations too (network)",
        values=tuple(_SHM_WAYS), since="5.0",
        default="copies" if contents.variables.get(_SINGLE_COPY) == "0" else "cma",
        read_back="MPIR_CVAR_DEBUG_CVARS=1: the variables that MPICH found",
    )  # fmt: skip


def _transport_shm_of_ucx() -> Knob:
    """Ways are left out and not chosen: a list of those to use would take fast networks away from other hosts."""
    return Knob(
        "transport-shm", (_UCX_WAYS,), "environment",
        "which of UCX's ways through a host it may use; without cma long messages go over loopback TCP",
        values=("all", "^sysv", "^posix", "^cma"), default="all",
        read_back="UCX_LOG_LEVEL=info: the variables that UCX found",
    )  # fmt: skip


def _way_of_shm(values: Mapping[str, str], output: str) -> str:
    """The value of `transport-shm` that these variables come to; '' where nothing tells."""
    if _OWN_MEMORY not in output:
        return values.get(_UCX_WAYS, "")
    numbers = {name: {"true": "1", "false": "0"}.get(value, value) for name, value in values.items()}
    return next((way for way, (name, value) in reversed(_SHM_WAYS.items()) if numbers.get(name) == value), "")


def _eager_threshold_shm(contents: Library) -> Knob:
    return Knob(
        "eager-threshold-shm", _SHM_THRESHOLD, "environment",
        "longer ones are copied once, when the receiver asks for them",
        least=1, most=2**20, since="5.0", default=contents.variables[_SHM_THRESHOLD[0]],
        read_back="MPIR_CVAR_DEBUG_CVARS=1: the variables that MPICH found",
    )  # fmt: skip


def _variables(implementation: Implementation, setting: Setting) -> dict[str, str]:
    """The variables of one setting. Raises InputError for a knob that is not there, or a value outside of it."""
    known = {knob.name: knob for knob in knobs(implementation)}
    knob = known.get(setting.knob)
    if knob is None:
        raise UnknownNameError(f"knob of {implementation.id}", setting.knob, known)
    if knob.values:
        if setting.value not in knob.values:
            raise UnknownNameError(f"{knob.name} of {implementation.id}", setting.value, knob.values)
        if _SINGLE_COPY in knob.native:
            return dict([_SHM_WAYS[setting.value]])
        return {knob.native[0]: setting.value}
    if setting.value == AUTO == knob.default:
        return dict.fromkeys(knob.native, AUTO)
    if not knob.admits(setting.value):
        also = f" or {AUTO}" if knob.default == AUTO else ""
        raise InputError(
            f"{knob.name} of {implementation.id} cannot be '{setting.value}'",
            f"give {knob.least} to {knob.most} {knob.unit}{also}",
        )
    if knob.native == _SHM_THRESHOLD:
        return _shm_variables(int(setting.value), library(implementation))
    return dict.fromkeys(knob.native, setting.value)


def _shm_variables(threshold_bytes: int, contents: Library) -> dict[str, str]:
    """Cells of MPICH's shared memory must hold an eager message, and its packing buffers a cell."""
    copied_once, *rooms = _SHM_THRESHOLD
    needed = threshold_bytes + _CELL_HEADER_BYTES
    variables = {copied_once: str(threshold_bytes)}
    for room in rooms:
        if int(contents.variables[room]) < needed:
            variables[room] = str(needed)
    return variables


def _threshold(output: str) -> str:
    """Where UCX's table of tagged messages to another host turns to rendezvous; `inf` if it never does."""
    table = _UCX_TABLE.search(output)
    if table is None:
        return ""
    rows = []
    # ranks speak at the same time: only lines of this one, up to its next table
    for line in output[table.end() :].splitlines()[1:]:
        row = _UCX_ROW.search(line)
        if table[1] in line and row:
            rows.append((row[1], row[2]))
        elif table[1] in line and rows:
            break
    return next((start for start, protocol in rows if "rendezvous" in protocol), "inf" if rows else "")


def _decimal(value: str) -> str:
    """UCX's sizes (`100K`) in bytes; words such as `auto` as they are."""
    try:
        return str(parse_size_bytes(value))
    except InputError:
        return value
