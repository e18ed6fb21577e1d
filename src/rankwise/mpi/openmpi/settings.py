"""What of Open MPI can be set, and a tuning as variables and rules files.

A parameter is set by a variable of its own: the parameter files of the site and of the user are then read as ever,
and what they set beside stays in force. (`mca_base_param_files` would name a file of ours, but the list of the
others would have to be written with it, and these are elsewhere on the next machine.) Only rules for collective
algorithms need a file, which a variable names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.tuning import FOLDER, Decision, Knob, Loaded, Native, ReadBack, Setting, Tuning
from rankwise.mpi.openmpi import algorithms, json_rules, nonblocking
from rankwise.mpi.openmpi.parameters import PARAMETERS_FILE, VARIABLE, Installation, file_variables, shown

RULES_FILE = "tuned-rules.conf"
JSON_RULES_FILE = "tuned-rules.json"
HAN_RULES_FILE = "han-rules.conf"
YIELDING = VARIABLE + "mpi_yield_when_idle"
HAN, TUNED = "coll_han_priority", "coll_tuned_priority"
"""The one with the higher priority leads."""
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


def native(told: Installation, tuning: Tuning) -> Native:
    """Return the variables that every rank needs, and the rules files that some of them name.

    Raises InputError for a knob, value, operation or algorithm that this version does not have.
    """
    levers = _levers(told)
    variables: dict[str, str] = {}
    seen: set[str] = set()
    for setting in tuning.settings:
        if setting.knob not in levers:
            raise UnknownNameError(f"knob of Open MPI {told.version}", setting.knob, levers)
        if setting.knob in seen:
            raise InputError(f"{setting.knob} is set twice", "set it once")
        seen.add(setting.knob)
        lever = levers[setting.knob]
        _check(lever.knob, setting.value)
        variables |= {VARIABLE + name: value for name, value in lever.write(setting.value)}
    files = []
    by_parameter = [one for one in tuning.decisions if one.operation in nonblocking.OPERATIONS]
    variables |= nonblocking.variables(told, by_parameter)
    ruled = [one for one in tuning.decisions if one not in by_parameter]
    if ruled:
        name, text = _tuned_rules(told, ruled)
        files.append((name, text))
        variables[VARIABLE + "coll_tuned_use_dynamic_rules"] = "1"
        variables[VARIABLE + "coll_tuned_dynamic_rules_filename"] = f"{FOLDER}/{name}"
        for_han = algorithms.han_rules(ruled) if _han_leads(levers, tuning.settings) else ""
        if for_han:
            files.append((HAN_RULES_FILE, for_han))
            variables[VARIABLE + "coll_han_use_dynamic_file_rules"] = "1"
            variables[VARIABLE + "coll_han_dynamic_rules_filename"] = f"{FOLDER}/{HAN_RULES_FILE}"
    return Native(tuple(files), tuple(variables.items()))


def file_settings(loaded: Loaded) -> dict[str, str]:
    """Return what a parameter file on disk sets, by the variables that would overrule it.

    Profiles that were written before variables alone were loaded have one.
    """
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
    forced = {name: values.get(nonblocking.parameter(name), "") for name in sorted(nonblocking.OPERATIONS)}
    found += [(f"algorithms of {name}", value) for name, value in forced.items() if value != nonblocking.IGNORED]
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


def _tuned_rules(told: Installation, decisions: Sequence[Decision]) -> tuple[str, str]:
    """The rules for `tuned` as name and text of a file: from version 6 on JSON, which is read otherwise there."""
    if told.major >= json_rules.SINCE:
        return JSON_RULES_FILE, json_rules.tuned_rules(told, decisions)
    return RULES_FILE, algorithms.tuned_rules(told, decisions)


def _han_leads(levers: Mapping[str, _Lever], settings: tuple[Setting, ...]) -> bool:
    """Whether `han` takes operations between hosts before `tuned` is asked."""
    if "han" not in levers:
        return False
    chosen = [one.value for one in settings if one.knob == "han"]
    return (chosen or [levers["han"].knob.default])[0] == "on"


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
        name, (parameter,), "environment", least=1024, most=most,
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
        "socket-buffers", names, "environment", least=4096, most=1 << 30,
        default=_AUTO if sizes == {"0"} else told.value(names[0]), read_back=_READ_BACK,
        remark="auto leaves it to the kernel, which adapts it",
    )  # fmt: skip
    return _Lever(knob, lambda value: tuple((name, "0" if value == _AUTO else value) for name in names), read)


def _tcp_connections(told: Installation) -> _Lever | None:
    name = "btl_tcp_links"
    if name not in told.parameters:
        return None
    knob = Knob(
        "tcp-connections", (name,), "environment", least=1, most=16, default=told.value(name),
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
        "transport", ("pml", "btl"), "environment", values=tuple(ways), default=_AUTO,
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
        "transport-shm", (name,), "environment", values=tuple(ways), default=words.get(default, default),
        remark="copied once by the kernel (cma, knem, xpmem) or twice through shared memory (copies)",
        read_back=_READ_BACK,
    )  # fmt: skip

    def read(values: Mapping[str, str]) -> str:
        found = values.get(name)
        return "" if found is None else words.get(found or default, found)

    return _Lever(knob, lambda value: ((name, ways[value]),), read)


def _yielding(told: Installation) -> _Lever | None:
    name = YIELDING.removeprefix(VARIABLE)
    if name not in told.parameters:
        return None

    def read(values: Mapping[str, str]) -> str:
        return {"true": "on", "1": "on", "false": "off", "0": "off"}.get(values.get(name, ""), "")

    knob = Knob(
        "yielding", (name,), "environment", values=("off", "on"), default=read({name: told.value(name)}),
        remark="Rankwise asks for it wherever ranks share cores",
        read_back=_READ_BACK,
    )  # fmt: skip
    return _Lever(knob, lambda value: ((name, "1" if value == "on" else "0"),), read)


def _han(told: Installation) -> _Lever | None:
    """It leads where its priority is above that of `tuned`. There is no knob for `xhc`: 4.1 and 5.0 lack it."""
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
        "han", (name,), "environment", values=("off", "on"), since="4.1", read_back=_READ_BACK,
        default=read({one: told.value(one) for one in (name, rival)}),
    )  # fmt: skip
    on = told.value(name) if knob.default == "on" else above
    return _Lever(knob, lambda value: ((name, on if value == "on" else "0"),), read)
