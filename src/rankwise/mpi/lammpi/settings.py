"""What of LAM/MPI can be set: parameters of its modules, which mpirun takes as arguments or as variables.

Variables serve best: LAM's mpirun reads no file of parameters (an application schema holds the programs too),
a shell or a module file can set them, and `-ssi` on the command line still overrules them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from rankwise.core import process
from rankwise.core.errors import HostError, InputError, UnknownNameError
from rankwise.core.records import Environment, Implementation
from rankwise.core.tuning import Knob, Native, ReadBack, Setting, Tuning
from rankwise.core.units import whole_number

AUTO = "auto"
ASK_SECONDS = 10.0
REPORTING = ("-ssi", "rpi_verbose", "level:1000")
"""Every rank says its module, and the module's short message and buffer sizes."""

_VARIABLE = "LAM_MPI_SSI_"
_KERNELS_OWN = "0"
"""The socket buffer with which LAM sets none; its default, -1, is one as large as a short message."""
_MODULE = "rpi"
_BY_DAEMONS = "lamd"
"""The module whose messages all go through daemons: many times slower, for debugging."""
_THRESHOLDS = ("rpi_tcp_short", "rpi_crtcp_short")
_BUFFERS = ("rpi_tcp_sockbuf", "rpi_crtcp_sockbuf")
_SHM_THRESHOLDS = ("rpi_sysv_short", "rpi_usysv_short")
_SHM_MOST_BYTES = 16384
"""From 24 KiB on, ranks die of a segmentation fault at the first longer message."""

_TOLD = re.compile(r"^ssi:rpi:(\w+):param:(\w+):(.*)$", re.MULTILINE)
_SELECTED = re.compile(r"selected RPI module (\w+)")
_SIZE = re.compile(r"ssi:rpi:(\w+):(short|sockbuf): (\d+) bytes")
_READ_BACK = "-ssi rpi_verbose level:1000: what each rank's module says"


def knobs(implementation: Implementation) -> tuple[Knob, ...]:
    """Return those that act and whose module is there. Raises HostError where laminfo does not answer."""
    modules, defaults = _modules(implementation.mpicc, implementation.environment)
    threshold = defaults.get(_THRESHOLDS[0], "")
    size_knobs = [
        Knob(
            "eager-threshold", _THRESHOLDS, "environment",
            "socket buffers become as large unless they are set too",
            least=1, most=2**26, default=threshold, read_back=_READ_BACK,
        ),
        Knob(
            "socket-buffers", _BUFFERS, "environment",
            "as large as the eager threshold by default; "
            f"{AUTO}: the kernel adapts them",
            least=1, most=2**30, default=threshold, read_back=_READ_BACK,
        ),
        Knob(
            "eager-threshold-shm", _SHM_THRESHOLDS, "environment",
            "through a box of their own for each pair of ranks",
            least=1, most=_SHM_MOST_BYTES, default=defaults.get(_SHM_THRESHOLDS[0], ""),
            read_back=_READ_BACK,
        ),
    ]  # fmt: skip
    known = [knob for knob in size_knobs if any(name in defaults for name in knob.native)]
    if len(modules) > 1:
        transport = Knob(
            "transport", (_MODULE,), "environment", "the RPI module", values=modules,
            default=modules[0], read_back=_READ_BACK,
        )  # fmt: skip
        within = tuple(name for name in modules if name != _BY_DAEMONS)
        remark = "the RPI module; sysv and usysv use TCP between hosts"
        known += [transport, replace(transport, name="transport-shm", values=within, remark=remark)]
    return tuple(known)


def native(implementation: Implementation, tuning: Tuning) -> Native:
    """Return `tuning` as variables. Raises InputError for what this version does not have."""
    if tuning.decisions:
        raise InputError(
            f"{implementation.id} has no choice of collective algorithms",
            "leave out the decision; its modules choose by where the ranks are",
        )
    variables: dict[str, str] = {}
    known = {knob.name: knob for knob in knobs(implementation)} if tuning.settings else {}
    for setting in tuning.settings:
        for name, value in _variables(implementation, known, setting).items():
            if variables.setdefault(name, value) != value:
                raise InputError(
                    f"{implementation.id} has one parameter for {setting.knob} and another setting: {name}",
                    f"leave one of them out, or give both {variables[name]}",
                )
    return Native(environment=tuple(variables.items()))


def read_back(output: str) -> ReadBack:
    """Return the module that ranks selected, and its sizes in force."""
    values: dict[str, str] = {}
    selected = _SELECTED.search(output)
    if selected:
        values["transport"] = values["transport-shm"] = selected[1]
    for module, what, size in _SIZE.findall(output):
        if module in ("tcp", "crtcp"):
            values["eager-threshold" if what == "short" else "socket-buffers"] = size
        elif what == "short":
            values["eager-threshold-shm"] = size
    if values.get("socket-buffers") == _KERNELS_OWN:
        values["socket-buffers"] = AUTO
    return ReadBack(in_force=tuple(sorted(values.items())))


def _variables(implementation: Implementation, known: Mapping[str, Knob], setting: Setting) -> dict[str, str]:
    """A parameter of every module that has it, whichever the ranks select."""
    if setting.knob not in known:
        raise UnknownNameError(f"knob of {implementation.id}", setting.knob, known)
    knob, value = known[setting.knob], setting.value
    if knob.values:
        if value not in knob.values:
            raise UnknownNameError(f"{knob.name} of {implementation.id}", value, knob.values)
    elif knob.name == "socket-buffers" and value == AUTO:
        value = _KERNELS_OWN
    elif not knob.admits(value):
        also = f", or {AUTO}" if knob.name == "socket-buffers" else ""
        raise InputError(
            f"{knob.name} of {implementation.id} cannot be '{value}'",
            f"give {knob.least} to {knob.most} {knob.unit}{also}",
        )
    return {_VARIABLE + name: value for name in knob.native}


@cache
def _modules(compiler: str, environment: Environment) -> tuple[tuple[str, ...], dict[str, str]]:
    """The transport modules, the one that is selected by default first, and the defaults of their parameters."""
    program = Path(compiler).with_name("laminfo")
    outcome = process.run(
        (str(program), "-param", "rpi", "all", "-parsable"), ASK_SECONDS, environment=environment
    )
    parameters = _TOLD.findall(outcome.stdout)
    defaults = {name: value for _, name, value in parameters}
    modules = {module for module, _, _ in parameters if module != "base"}
    if not modules:
        raise HostError(f"{program} lists no transport module", f"try it by hand: {outcome.command}")
    return tuple(sorted(modules, key=lambda name: (-_priority(defaults, name), name))), defaults


def _priority(defaults: Mapping[str, str], module: str) -> int:
    value = defaults.get(f"rpi_{module}_priority", "")
    return whole_number(value) or 0
