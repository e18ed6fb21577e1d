"""What of Intel MPI can be set: variables, its own and libfabric's.

Within a host there is no eager threshold: messages of 16 MiB were seen to leave before their receive was posted,
whatever `I_MPI_SHM_EAGER_THRESHOLD`, `I_MPI_SHM_CMA`, `I_MPI_SHM_CMA_THRESHOLD` or `I_MPI_SHM_HEAP` said, and
times stayed alike. What acts is the size of the cells that messages are cut into.
`I_MPI_SHM=off` ends every program with a floating point exception.

Between hosts the libfabric that comes with Intel MPI (2.4 in 2021.18) has a TCP provider that sends everything at
once: 30 MB were seen to leave before their receive was posted, no variable changed that, and the layer rxm cannot
be put above it (`I_MPI_OFI_PROVIDER=tcp;ofi_rxm` ends in fi_getinfo). So there is no eager threshold.

Where the user has it take the system's libfabric instead (I_MPI_OFI_LIBRARY_INTERNAL=0; 1.17 was tried), the
threshold is that of the layer of messages over TCP, rxm. `FI_OFI_RXM_BUFFER_SIZE` raises
it together with 2048 buffers (a threshold of 1 MiB: 2 GiB resident a rank, 6 GiB with the usual posted ones), and
4 MiB fail. Messages cut into segments of the usual buffers need no handshake either, at no more memory than
before (185 MB resident with any threshold), but only where received data is not put into the application's memory
at once: `FI_OFI_RXM_SAR_LIMIT` acts with `FI_OFI_RXM_ENABLE_DYN_RBUF=0`, and is ignored without.

There is nothing to choose for a transport: there `I_MPI_OFI_PROVIDER=tcp` still means `tcp;ofi_rxm`, and
`udp;ofi_rxd`, the only other one over Ethernet, was seen to take ten times as long at 4 MiB and to stop at 16 MiB.

Intel MPI loads no text file: `I_MPI_TUNING_BIN` names a binary one that only its own tuner writes, and a
`-configfile` holds the whole command line with the program. So the variables themselves are what it loads.

A table of presets by size, `I_MPI_ADJUST_BCAST=3:0-1023;1:1024-4096`, was seen to have three limits in 2021.18:
sizes that it leaves out take the nearest entry and not the default; `@4-4` behind the sizes, which is to mean
communicators of 4 ranks, makes the last entry hold for all sizes; and other communicators take the nearest entry
again. So tables are complete, and bound to the number of ranks of the whole job (`core.bound_variables`): a launch
gets those of its own number, and whoever sources `load.sh` those of the number in `RANKS`.

Nor can they be bound to ranks per node in 2021.18. A binary file that `I_MPI_TUNING_BIN_DUMP` wrote in a job with
one rank on each of 4 nodes, preset 8 of bcast forced, acted alike with two on each: nodes 1 and 2 sent 2.0
and 5.1 times the message, as with the preset itself, and not 2.0 and 1.0 as by default. The hidden variable
`I_MPI_TUNING_NETWORK_PPN=2` makes the default take what it has for two ranks per node, whatever the job has;
`..._NODE_PPN` and `..._COMPOSITION_PPN` changed nothing there, and none of the three changed a preset.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from rankwise.core import bound_variables, process
from rankwise.core.errors import HostError, InputError, UnknownNameError
from rankwise.core.records import Environment, Implementation
from rankwise.core.tuning import Algorithm, Decision, Knob, Native, ReadBack, Rule, Setting, Tuning

ASK_SECONDS = 10.0
REPORTING: Environment = (("I_MPI_DEBUG", "5"), ("FI_LOG_LEVEL", "info"), ("FI_LOG_PROV", "ofi_rxm"))
"""Intel MPI's provider and variables; the eager limit of libfabric's layer of messages over TCP."""

_BUFFER, _SEGMENTED, _AT_ONCE = "FI_OFI_RXM_BUFFER_SIZE", "FI_OFI_RXM_SAR_LIMIT", "FI_OFI_RXM_ENABLE_DYN_RBUF"
_BUFFER_BYTES = 16384
_ADJUST = "I_MPI_ADJUST_"
_SHM = "I_MPI_SHM"
_CELL = "I_MPI_SHM_CELL_FWD_SIZE"
_CELL_SIZES = ("8192", "16384", "32768", "65536", "131072", "262144")
_ENDLESS = 2**31 - 1

_PRESETS = re.compile(
    rf"^{_ADJUST}(\w+)\s*$(?:(?!^I_MPI_).)*?range:\s*0-(\d+)", re.MULTILINE | re.DOTALL
)  # fmt: skip
_FABRICS = re.compile(r"I_MPI_FABRICS=(\S+)")
_SHM_VARIANT = re.compile(r"^ +> (\w+) - ", re.MULTILINE)
_VARIABLES = {name: re.compile(rf"MPI startup\(\): {name}=(\S+)") for name in (_SHM, _CELL)}
_EAGER_LIMIT = re.compile(r"Protocol limits: Eager: \d+, SAR: (\d+)")
_ADJUSTED = re.compile(rf"MPI startup\(\): {_ADJUST}(\w+)=(\S+)")


def knobs(implementation: Implementation) -> tuple[Knob, ...]:
    """Return those that were seen to act, between hosts over TCP and within a host."""
    eager = () if _has_own_libfabric(implementation) else (_eager_threshold(),)
    return (
        *_within_host(implementation),
        *eager,
        Knob(
            "fabrics", ("I_MPI_FABRICS",), "environment",
            values=("shm:ofi", "ofi"), default="shm:ofi", read_back="I_MPI_DEBUG=5: I_MPI_FABRICS",
        ),
    )  # fmt: skip


def _has_own_libfabric(implementation: Implementation) -> bool:
    """Whether launches find the libfabric of the installation, and not the system's."""
    return any(name == "LD_LIBRARY_PATH" for name, _ in implementation.environment)


def _eager_threshold() -> Knob:
    return Knob(
        "eager-threshold", (_BUFFER, _SEGMENTED, _AT_ONCE), "environment",
        least=1024, most=2**32, default=str(_BUFFER_BYTES),
        read_back="FI_LOG_LEVEL=info FI_LOG_PROV=ofi_rxm: the protocol limits",
    )  # fmt: skip


def algorithms(implementation: Implementation) -> dict[str, tuple[Algorithm, ...]]:
    """Return the presets of each operation as `impi_info` counts them here; Intel names only some.

    Preset 0 is the choice by simple rules instead of the tuning file that comes with the installation.
    Raises HostError where `impi_info` does not answer.
    """
    return {
        operation: tuple(Algorithm(f"preset-{number}", str(number)) for number in range(most + 1))
        for operation, most in _presets(implementation).items()
    }


def native(implementation: Implementation, tuning: Tuning) -> Native:
    """Return `tuning` as variables. Raises InputError for what this version does not have."""
    variables: dict[str, str] = {}
    for setting in tuning.settings:
        variables |= _variables(implementation, setting)
    known = algorithms(implementation) if tuning.decisions else {}
    for decision in tuning.decisions:
        if decision.operation not in known:
            raise UnknownNameError(f"operation of {implementation.id}", decision.operation, known)
        table = _table(decision, {algorithm.name: algorithm.native for algorithm in known[decision.operation]})
        if table:
            name = bound_variables.bound(decision.ranks, _ADJUST + decision.operation.upper())
            variables[name] = table
    return Native(environment=tuple(variables.items()))


def read_back(output: str) -> ReadBack:
    """Return eager limit, fabrics, and the conditions that Intel MPI read; it never says which preset ran."""
    values: dict[str, str] = {}
    for knob, pattern in (
        ("eager-threshold", _EAGER_LIMIT), ("fabrics", _FABRICS),
        ("transport-shm", _VARIABLES[_SHM]), ("cells-shm", _VARIABLES[_CELL]),
    ):  # fmt: skip
        match = pattern.search(output)
        if match:
            values[knob] = match[1]
    values |= {f"algorithms of {name.lower()}": conditions for name, conditions in _ADJUSTED.findall(output)}
    return ReadBack(in_force=tuple(sorted(values.items())))


def _variables(implementation: Implementation, setting: Setting) -> dict[str, str]:
    known = {knob.name: knob for knob in knobs(implementation)}
    if setting.knob not in known:
        raise UnknownNameError(f"knob of {implementation.id}", setting.knob, known)
    knob = known[setting.knob]
    if knob.values:
        if setting.value not in knob.values:
            raise UnknownNameError(f"{knob.name} of {implementation.id}", setting.value, knob.values)
        return {knob.native[0]: setting.value}
    value = setting.value
    if not knob.admits(value):
        raise InputError(
            f"{knob.name} of {implementation.id} cannot be '{value}'",
            f"give {knob.least} to {knob.most} {knob.unit}",
        )
    return {_BUFFER: value} if int(value) <= _BUFFER_BYTES else {_SEGMENTED: value, _AT_ONCE: "0"}


def _table(decision: Decision, numbers: Mapping[str, str]) -> str:
    """`3:0-1023;1:1024-2147483647`: preset and sizes, which Intel MPI counts as our benchmarks do."""
    chosen = [bool(rule.choice.algorithm) for rule in decision.rules]
    if not any(chosen):
        return ""
    if not all(chosen):
        raise InputError(
            f"{decision.operation} at {decision.ranks} ranks: Intel MPI cannot leave some sizes to its default",
            "choose a preset for every size, or for none",
        )
    entries, start = [], 0
    for rule in decision.rules:
        end = _ENDLESS if rule.up_to_bytes is None else rule.up_to_bytes
        entries.append(f"{_number(decision, rule, numbers)}:{start}-{end}")
        start = end + 1
    return ";".join(entries)


def _number(decision: Decision, rule: Rule, numbers: Mapping[str, str]) -> str:
    choice = rule.choice
    if choice.algorithm not in numbers:
        raise UnknownNameError(f"algorithm of {decision.operation}", choice.algorithm, numbers)
    if choice.segment_bytes or choice.fanout:
        raise InputError(
            f"{decision.operation}: Intel MPI takes neither a segment size nor a fan-out for some sizes only",
            "choose a preset, which has its own",
        )
    return numbers[choice.algorithm]


def _within_host(implementation: Implementation) -> tuple[Knob, ...]:
    variants = _SHM_VARIANT.findall(_section(_told(implementation), _SHM))
    if "avx512f" not in _processor():  # it is chosen without a look at the processor, and ends in SIGILL
        variants = [name for name in variants if not name.endswith("avx512")]
    cells = Knob(
        "cells-shm", (_CELL,), "environment", values=_CELL_SIZES, read_back=f"I_MPI_DEBUG=5: {_CELL}",
    )  # fmt: skip
    if not variants:
        return (cells,)
    transport = Knob(
        "transport-shm", (_SHM,), "environment", "the processor for which shared memory's copying is tuned",
        values=tuple(variants), default="auto", read_back=f"I_MPI_DEBUG=5: {_SHM}",
    )  # fmt: skip
    return transport, cells


def _processor() -> str:
    try:
        return Path("/proc/cpuinfo").read_text()
    except OSError:
        return ""


def _section(text: str, variable: str) -> str:
    """What impi_info says of one variable."""
    _, _, after = f"\n{text}".partition(f"\n{variable} \n")
    return after.partition("\nI_MPI_")[0]


def _presets(implementation: Implementation) -> dict[str, int]:
    """The highest preset of each operation."""
    presets = {name.lower(): int(most) for name, most in _PRESETS.findall(_told(implementation))}
    presets.pop("sendrecv_replace", None)
    if not presets:
        raise HostError("impi_info lists no collective operations", f"try impi_info -all of {implementation.id}")
    return presets


def _told(implementation: Implementation) -> str:
    """What impi_info says of all variables. Raises HostError where it says nothing."""
    return _asked(implementation.mpiexec, implementation.environment)


@cache
def _asked(launcher: str, environment: Environment) -> str:
    program = Path(launcher).with_name("impi_info")
    libraries = [program.parent.parent / "lib", program.parent.parent / "lib" / "release"]
    outcome = process.run(
        (str(program), "-all"), ASK_SECONDS,
        environment=(*environment, ("LD_LIBRARY_PATH", _joined(libraries))),
    )  # fmt: skip
    if not outcome.stdout:
        raise HostError(f"{program} printed nothing", f"try it by hand: {outcome.command}")
    return outcome.stdout


def _joined(folders: Iterable[Path]) -> str:
    return ":".join(map(str, folders))
