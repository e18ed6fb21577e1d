"""The knobs of Open MPI, and the parameters that each of them is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rankwise.core.tuning import Knob
from rankwise.core.units import signed_number
from rankwise.mpi.openmpi.parameters import VARIABLE, Installation

YIELDING = VARIABLE + "mpi_yield_when_idle"
HAN, TUNED, ADAPT = "coll_han_priority", "coll_tuned_priority", "coll_adapt_priority"
"""The component with the highest priority leads."""
AUTO = "auto"
_READ_BACK = "mpi_show_mca_params: rank 0 prints the value in force"
_COPIES = "copies"
_ABOVE_HAN = 10
"""By how much the priority of `adapt` is above its rivals', one of which the knob `han` may raise by five."""
Assignments = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Lever:
    """A lever is a knob, how a value of it is written, and how it is seen in the parameters in force."""

    knob: Knob
    write: Callable[[str], Assignments]
    read: Callable[[Mapping[str, str]], str]


def levers_of(installation: Installation) -> dict[str, Lever]:
    """Return the knobs that this installation has, by name."""
    shm = next((name for name in ("sm", "vader") if f"btl_{name}_eager_limit" in installation.parameters), "")
    levers = [
        _eager(installation, "eager-threshold", "tcp", 128 << 20),
        _eager(installation, "eager-threshold-shm", shm, _shared_fragment_bytes(installation, shm)),
        _socket_buffers(installation),
        _tcp_connections(installation),
        _transport(installation, shm),
        _transport_shm(installation, shm),
        _yielding(installation),
        _han(installation),
        _adapt(installation),
    ]
    return {lever.knob.name: lever for lever in levers if lever is not None}


def _eager(installation: Installation, name: str, transport: str, most: int) -> Lever | None:
    """No other limit has to follow it: the first part of a longer message is cut to the smaller of two limits."""
    parameter = f"btl_{transport}_eager_limit"
    if parameter not in installation.parameters:
        return None
    knob = Knob(
        name, (parameter,), "environment", least=1024, most=most,
        default=installation.value(parameter), read_back=_READ_BACK,
        remark="the header of a message counts",
    )  # fmt: skip
    return Lever(knob, lambda value: ((parameter, value),), lambda values: values.get(parameter, ""))


def _shared_fragment_bytes(installation: Installation, shm: str) -> int:
    """The longest fragment of which the shared segment holds as many as are made at first."""
    segment = installation.number(f"btl_{shm}_segment_size", 4 << 20)
    return segment // max(1, installation.number(f"btl_{shm}_free_list_num", 8))


def _socket_buffers(installation: Installation) -> Lever | None:
    names = ("btl_tcp_sndbuf", "btl_tcp_rcvbuf")
    if any(name not in installation.parameters for name in names):
        return None

    def read(values: Mapping[str, str]) -> str:
        sizes = sorted({values[name] for name in names if name in values})
        return AUTO if sizes == ["0"] else " and ".join(sizes)

    sizes = {installation.value(name) for name in names}
    knob = Knob(
        "socket-buffers", names, "environment", least=4096, most=1 << 30,
        default=AUTO if sizes == {"0"} else installation.value(names[0]), read_back=_READ_BACK,
        remark="auto leaves it to the kernel, which adapts it",
    )  # fmt: skip
    return Lever(knob, lambda value: tuple((name, "0" if value == AUTO else value) for name in names), read)


def _tcp_connections(installation: Installation) -> Lever | None:
    name = "btl_tcp_links"
    if name not in installation.parameters:
        return None
    knob = Knob(
        "tcp-connections", (name,), "environment", least=1, most=16, default=installation.value(name),
        read_back=_READ_BACK,
    )  # fmt: skip
    return Lever(knob, lambda value: ((name, value),), lambda values: values.get(name, ""))


def _transport(installation: Installation, shm: str) -> Lever | None:
    """The ways that are compiled in; whether their network is there only a run shows."""
    if "pml ob1" not in installation.components:
        return None
    ways: dict[str, Assignments] = {AUTO: ()}
    if "btl tcp" in installation.components:
        ways["tcp"] = (("pml", "ob1"), ("btl", "self,tcp"))
        if shm:
            ways["shm+tcp"] = (("pml", "ob1"), ("btl", f"self,{shm},tcp"))
    if "pml ucx" in installation.components:
        # it is for InfiniBand only, unless told otherwise
        ways["ucx"] = (("pml", "ucx"), ("pml_ucx_tls", "any"), ("pml_ucx_devices", "any"))

    def read(values: Mapping[str, str]) -> str:
        for name, way in ways.items():
            if way and all(values.get(key) == value for key, value in way):
                return name
        return AUTO

    knob = Knob(
        "transport", ("pml", "btl"), "environment", values=tuple(ways), default=AUTO,
        remark="ucx has thresholds and buffers of its own",
        read_back=f"{_READ_BACK}; pml_base_verbose and btl_base_verbose: which one each pair of ranks uses",
    )  # fmt: skip
    return Lever(knob, lambda value: ways[value], read)


def _transport_shm(installation: Installation, shm: str) -> Lever | None:
    """Of long messages; shorter ones always go through a segment that both ranks have mapped."""
    own = f"btl_{shm}_single_copy_mechanism"
    components = [
        name.removeprefix("smsc ") for name in sorted(installation.components) if name.startswith("smsc ")
    ]
    if own in installation.parameters:  # until 4
        names = [name for _, name in installation.parameters[own].choices if name not in ("none", "emulated")]
        ways = {name: name for name in names} | {_COPIES: "none"}
        name, default = own, installation.value(own)
    else:  # components of their own from 5 on
        names = [name for name in components if name != "accelerator"]
        ways = {name: name for name in names} | {_COPIES: "^" + ",".join(names)}
        name = "smsc"
        default = installation.value(name) or max(
            names, key=lambda component: installation.number(f"smsc_{component}_priority"), default=""
        )
    if not shm or not names:
        return None
    by_value = {value: way for way, value in ways.items()}
    knob = Knob(
        "transport-shm", (name,), "environment", values=tuple(ways), default=by_value.get(default, default),
        remark="copied once by the kernel (cma, knem, xpmem) or twice through shared memory (copies)",
        read_back=_READ_BACK,
    )  # fmt: skip

    def read(values: Mapping[str, str]) -> str:
        value = values.get(name)
        return "" if value is None else by_value.get(value or default, value)

    return Lever(knob, lambda value: ((name, ways[value]),), read)


def _yielding(installation: Installation) -> Lever | None:
    name = YIELDING.removeprefix(VARIABLE)
    if name not in installation.parameters:
        return None

    def read(values: Mapping[str, str]) -> str:
        return {"true": "on", "1": "on", "false": "off", "0": "off"}.get(values.get(name, ""), "")

    knob = Knob(
        "yielding", (name,), "environment", values=("off", "on"), default=read({name: installation.value(name)}),
        remark="Rankwise asks for it wherever ranks share cores",
        read_back=_READ_BACK,
    )  # fmt: skip
    return Lever(knob, lambda value: ((name, "1" if value == "on" else "0"),), read)


def _han(installation: Installation) -> Lever | None:
    """It leads where its priority is above that of `tuned`. There is no knob for `xhc`: 4.1 and 5.0 lack it."""
    name, rival = HAN, TUNED
    if any(parameter not in installation.parameters for parameter in (name, rival)):
        return None

    def read(values: Mapping[str, str]) -> str:
        own, other = (signed_number(values.get(parameter, "")) for parameter in (name, rival))
        if own is None or other is None:
            return ""
        return "on" if own > other else "off"

    above = str(installation.number(rival) + 5)
    knob = Knob(
        "han", (name,), "environment", values=("off", "on"), since="4.1", read_back=_READ_BACK,
        default=read({parameter: installation.value(parameter) for parameter in (name, rival)}),
    )  # fmt: skip
    on = installation.value(name) if knob.default == "on" else above
    return Lever(knob, lambda value: ((name, on if value == "on" else "0"),), read)


def _adapt(installation: Installation) -> Lever | None:
    """It leads where its priority is above those of `tuned` and `han`, for broadcasts and reductions."""
    rivals = [name for name in (HAN, TUNED) if name in installation.parameters]
    if ADAPT not in installation.parameters or TUNED not in rivals:
        return None

    def read(values: Mapping[str, str]) -> str:
        own, *others = (signed_number(values.get(name, "")) for name in (ADAPT, *rivals))
        known = [priority for priority in others if priority is not None]
        if own is None or len(known) < len(others):
            return ""
        return "on" if own > max(known) else "off"

    knob = Knob(
        "adapt", (ADAPT,), "environment", values=("off", "on"), since="4.1", read_back=_READ_BACK,
        default=read({parameter: installation.value(parameter) for parameter in (ADAPT, *rivals)}),
        remark="rules for the operations that it does have no effect",
    )  # fmt: skip
    above = str(max(map(installation.number, rivals)) + _ABOVE_HAN)
    on = installation.value(ADAPT) if knob.default == "on" else above
    return Lever(knob, lambda value: ((ADAPT, on if value == "on" else "0"),), read)
