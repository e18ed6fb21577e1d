"""What of Open MPI can be set, and a tuning as the files that its ranks load.

The files reach every rank by `OMPI_MCA_mca_base_param_files`, which lists parameter files, the strongest first:
ours, then those that the installation reads anyway, so that a site's own stay in force. What is set in the
environment or on the command line is stronger than all files; from Open MPI 5 on so is the user's
`~/.openmpi/mca-params.conf`, which its launcher hands to the ranks as environment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.records import Implementation
from rankwise.core.tuning import FOLDER, Knob, Loaded, Native, ReadBack, Setting, Tuning
from rankwise.mpi.openmpi import algorithms
from rankwise.mpi.openmpi.parameters import PARAMETERS_FILE, VARIABLE, Installation, file_variables, shown

RULES_FILE = "tuned-rules.conf"
HAN_RULES_FILE = "han-rules.conf"
HAN, TUNED = "coll_han_priority", "coll_tuned_priority"
"""The one with the higher priority leads."""
FILES_VARIABLE = VARIABLE + "mca_base_param_files"
RULES_SUBJECT = "rules-file"
"""In evidence: the rules file in force. That its algorithms run only their messages can show: see the tests."""

_READ_BACK = "mpi_show_mca_params: rank 0 prints the value in force"
_AUTO = "auto"
_COPIES = "copies"
Assignments = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Lever:
    """A knob, how a value of it is written, and how it is seen in the parameters in force."""

    knob: Knob
    write: Callable[[str], Assignments]
    read: Callable[[Mapping[str, str]], str]


def knobs(told: Installation) -> tuple[Knob, ...]:
    """Return what of this installation can be set."""
    return tuple(lever.knob for lever in _levers(told).values())


def native(told: Installation, implementation: Implementation, tuning: Tuning) -> Native:
    """Return the files and the variable that makes every rank load them.

    Raises InputError for a knob, value, operation or algorithm that this version does not have.
    """
    levers = _levers(told)
    lines = [f"# for Open MPI {told.version}"]
    seen: set[str] = set()
    for setting in tuning.settings:
        if setting.knob not in levers:
            raise UnknownNameError(f"knob of Open MPI {told.version}", setting.knob, levers)
        if setting.knob in seen:
            raise InputError(f"{setting.knob} is set twice", "set it once")
        seen.add(setting.knob)
        lever = levers[setting.knob]
        _check(lever.knob, setting.value)
        lines += [f"{name} = {value}" for name, value in lever.write(setting.value)]
    files, where = [], []
    if tuning.decisions:
        files.append((RULES_FILE, algorithms.tuned_rules(told, tuning.decisions)))
        lines.append("coll_tuned_use_dynamic_rules = 1")
        where.append(("OMPI_MCA_coll_tuned_dynamic_rules_filename", f"{FOLDER}/{RULES_FILE}"))
        for_han = algorithms.han_rules(tuning.decisions) if _han_leads(levers, tuning.settings) else ""
        if for_han:
            files.append((HAN_RULES_FILE, for_han))
            lines.append("coll_han_use_dynamic_file_rules = 1")
            where.append(("OMPI_MCA_coll_han_dynamic_rules_filename", f"{FOLDER}/{HAN_RULES_FILE}"))
    return Native(
        files=((PARAMETERS_FILE, "\n".join(lines) + "\n"), *files),
        environment=(
            (FILES_VARIABLE, ",".join([f"{FOLDER}/{PARAMETERS_FILE}", *_other_files(told, implementation)])),
            *where,  # not in the file: where hosts share none, paths inside files lead nowhere
        ),
    )


def file_settings(loaded: Loaded) -> dict[str, str]:
    """Return what a profile's parameter file on disk sets, by the variables that would overrule it."""
    return {
        name: value
        for file in map(Path, loaded.files)
        if file.name == PARAMETERS_FILE
        for name, value in file_variables(file).items()
    }


def reporting() -> Native:
    """Make rank 0 print every parameter; a release build has nothing that names the algorithms that run."""
    return Native(environment=(("OMPI_MCA_mpi_show_mca_params", "all"),))


def read_back(told: Installation, output: str) -> ReadBack:
    """Return the value in force of each knob, and the rules file if there is one."""
    values = shown(output)
    if not values:
        return ReadBack()
    found = [(name, lever.read(values)) for name, lever in _levers(told).items()]
    if values.get("coll_tuned_use_dynamic_rules") == "true":
        found.append((RULES_SUBJECT, values.get("coll_tuned_dynamic_rules_filename", "")))
    return ReadBack(in_force=tuple(pair for pair in found if pair[1]))


def _check(knob: Knob, value: str) -> None:
    """Raises InputError for a value that the knob does not have."""
    if value == _AUTO == knob.default:
        return
    if knob.values:
        if value not in knob.values:
            raise UnknownNameError(f"value of {knob.name}", value, knob.values)
    elif not (value.isascii() and value.isdecimal() and knob.least <= int(value) <= knob.most):
        raise InputError(
            f"{knob.name} = {value}: that is no {knob.unit} from {knob.least} to {knob.most}",
            "write a whole number in decimals",
        )


def _han_leads(levers: Mapping[str, _Lever], settings: tuple[Setting, ...]) -> bool:
    """Whether `han` takes operations between hosts before `tuned` is asked."""
    if "han" not in levers:
        return False
    chosen = [one.value for one in settings if one.knob == "han"]
    return (chosen or [levers["han"].knob.default])[0] == "on"


def _other_files(told: Installation, implementation: Implementation) -> list[str]:
    """The parameter files that ranks read without us: as told, and the prefix's own if it was moved there."""
    files = [name for name in told.value("mca_base_param_files").split(",") if name not in ("", "none")]
    moved = Path(implementation.prefix, "etc", "openmpi-mca-params.conf")
    if str(moved) not in files and moved.is_file():
        files.append(str(moved))
    return files


def _levers(told: Installation) -> dict[str, _Lever]:
    """The knobs that this installation has, by name."""
    shm = next((name for name in ("sm", "vader") if f"btl_{name}_eager_limit" in told.parameters), "")
    found = [
        _eager(told, "eager-threshold", "tcp", 128 << 20),
        _eager(told, "eager-threshold-shm", shm, _shared_fragment_bytes(told, shm)),
        _socket_buffers(told),
        _tcp_connections(told),
        _transport(told, shm),
        _transport_shm(told, shm),
        _yielding(told),
        _han(told),
    ]
    return {lever.knob.name: lever for lever in found if lever is not None}


def _eager(told: Installation, name: str, transport: str, most: int) -> _Lever | None:
    """No other limit has to follow it: the first part of a longer message is cut to the smaller of two limits."""
    parameter = f"btl_{transport}_eager_limit"
    if parameter not in told.parameters:
        return None
    knob = Knob(
        name, (parameter,), "parameter file", least=1024, most=most,
        default=told.value(parameter), read_back=_READ_BACK,
        remark="the header of a message counts",
    )  # fmt: skip
    return _Lever(knob, lambda value: ((parameter, value),), lambda values: values.get(parameter, ""))


def _shared_fragment_bytes(told: Installation, shm: str) -> int:
    """The longest fragment of which the shared segment holds as many as are made at first."""
    segment = told.number(f"btl_{shm}_segment_size", 4 << 20)
    return segment // max(1, told.number(f"btl_{shm}_free_list_num", 8))


def _socket_buffers(told: Installation) -> _Lever | None:
    names = ("btl_tcp_sndbuf", "btl_tcp_rcvbuf")
    if any(name not in told.parameters for name in names):
        return None

    def read(values: Mapping[str, str]) -> str:
        sizes = sorted({values[name] for name in names if name in values})
        return _AUTO if sizes == ["0"] else " and ".join(sizes)

    sizes = {told.value(name) for name in names}
    knob = Knob(
        "socket-buffers", names, "parameter file", least=4096, most=1 << 30,
        default=_AUTO if sizes == {"0"} else told.value(names[0]), read_back=_READ_BACK,
        remark="auto leaves it to the kernel, which adapts it",
    )  # fmt: skip
    return _Lever(knob, lambda value: tuple((name, "0" if value == _AUTO else value) for name in names), read)


def _tcp_connections(told: Installation) -> _Lever | None:
    name = "btl_tcp_links"
    if name not in told.parameters:
        return None
    knob = Knob(
        "tcp-connections", (name,), "parameter file", least=1, most=16, default=told.value(name),
        read_back=_READ_BACK,
    )  # fmt: skip
    return _Lever(knob, lambda value: ((name, value),), lambda values: values.get(name, ""))


def _transport(told: Installation, shm: str) -> _Lever | None:
    """The ways that are compiled in; whether their network is there only a run shows."""
    if "pml ob1" not in told.components:
        return None
    ways: dict[str, Assignments] = {_AUTO: ()}
    if "btl tcp" in told.components:
        ways["tcp"] = (("pml", "ob1"), ("btl", "self,tcp"))
        if shm:
            ways["shm+tcp"] = (("pml", "ob1"), ("btl", f"self,{shm},tcp"))
    if "pml ucx" in told.components:
        # it is for InfiniBand only, unless told otherwise
        ways["ucx"] = (("pml", "ucx"), ("pml_ucx_tls", "any"), ("pml_ucx_devices", "any"))

    def read(values: Mapping[str, str]) -> str:
        for name, way in ways.items():
            if way and all(values.get(key) == value for key, value in way):
                return name
        return _AUTO

    knob = Knob(
        "transport", ("pml", "btl"), "parameter file", values=tuple(ways), default=_AUTO,
        remark="ucx has thresholds and buffers of its own",
        read_back=f"{_READ_BACK}; pml_base_verbose and btl_base_verbose: which one each pair of ranks uses",
    )  # fmt: skip
    return _Lever(knob, lambda value: ways[value], read)


def _transport_shm(told: Installation, shm: str) -> _Lever | None:
    """Of long messages; shorter ones always go through a segment that both ranks have mapped."""
    own = f"btl_{shm}_single_copy_mechanism"
    components = [name.removeprefix("smsc ") for name in sorted(told.components) if name.startswith("smsc ")]
    if own in told.parameters:  # until 4
        names = [name for _, name in told.parameters[own].choices if name not in ("none", "emulated")]
        ways = {name: name for name in names} | {_COPIES: "none"}
        name, default = own, told.value(own)
    else:  # components of their own from 5 on
        names = [name for name in components if name != "accelerator"]
        ways = {name: name for name in names} | {_COPIES: "^" + ",".join(names)}
        name = "smsc"
        default = told.value(name) or max(names, key=lambda one: told.number(f"smsc_{one}_priority"), default="")
    if not shm or not names:
        return None
    words = {value: way for way, value in ways.items()}
    knob = Knob(
        "transport-shm", (name,), "parameter file", values=tuple(ways), default=words.get(default, default),
        remark="copied once by the kernel (cma, knem, xpmem) or twice through shared memory (copies)",
        read_back=_READ_BACK,
    )  # fmt: skip

    def read(values: Mapping[str, str]) -> str:
        found = values.get(name)
        return "" if found is None else words.get(found or default, found)

    return _Lever(knob, lambda value: ((name, ways[value]),), read)


def _yielding(told: Installation) -> _Lever | None:
    name = "mpi_yield_when_idle"
    if name not in told.parameters:
        return None

    def read(values: Mapping[str, str]) -> str:
        return {"true": "on", "1": "on", "false": "off", "0": "off"}.get(values.get(name, ""), "")

    knob = Knob(
        "yielding", (name,), "parameter file", values=("off", "on"), default=read({name: told.value(name)}),
        remark="Rankwise asks for it wherever ranks share cores",
        read_back=_READ_BACK,
    )  # fmt: skip
    return _Lever(knob, lambda value: ((name, "1" if value == "on" else "0"),), read)


def _han(told: Installation) -> _Lever | None:
    """It leads where its priority is above that of `tuned`."""
    name, rival = HAN, TUNED
    if any(one not in told.parameters for one in (name, rival)):
        return None

    def read(values: Mapping[str, str]) -> str:
        own, other = values.get(name, ""), values.get(rival, "")
        if not (own.lstrip("-").isdecimal() and other.lstrip("-").isdecimal()):
            return ""
        return "on" if int(own) > int(other) else "off"

    above = str(told.number(rival) + 5)
    knob = Knob(
        "han", (name,), "parameter file", values=("off", "on"), since="4.1", read_back=_READ_BACK,
        default=read({one: told.value(one) for one in (name, rival)}),
    )  # fmt: skip
    on = told.value(name) if knob.default == "on" else above
    return _Lever(knob, lambda value: ((name, on if value == "on" else "0"),), read)
