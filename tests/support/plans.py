"""Random MPI programs: plans for tests/plans/interpreter, drawn by Hypothesis, whose right answer is known.

A plan is a list of steps in one order for all ranks; each rank carries out, in this order, those in which it takes
part. A step either begins something and waits for nothing, or waits for what all who take part have begun in
earlier steps, or in this one. So the rank that has come least far always gets on, and no plan can deadlock.

Which message a receive gets follows from the order of the steps, since messages of one sender do not overtake one
another. Where several send, all that a receive can match is in one pool.

    comm N dup|idup|split|create|group|inter|merge PARENT ...      parts are ranks of MPI_COMM_WORLD: 20/13
    free N
    send Q COMM FROM TO TAG KIND SIGNATURE LAYOUT N FLAGS          flags: t types freed early, p of a pool
    recv Q COMM TO FROM|* TAG|* KIND SIGNATURE LAYOUT N FLAGS mQ|pPOOL
    exchange Q COMM sendrecv|replace TAG SHIFT SIGNATURE LAYOUTS N
    coll Q COMM NAME b|i|p ROOT SIGNATURE LAYOUTS N COUNTS|- OPERATOR|- FLAGS    t, o (operator freed), i in place
    start start|startall same|turn Q...                            turn: each rank begins with another one
    wait KIND RANKS|* Q...                                         as far as they are under way there
    drop Q                                                         its request is freed
    cancel COMM RANK TAG
    @K STEP                                                        of thread K; neighbouring ones run at once
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

_T = TypeVar("_T")
EVERYTHING: frozenset[str] = frozenset()
WORLD = 0
_SMALL = (0, 4, 8, 4, 12, 20, 8)
_SIZES = (*_SMALL, *_SMALL, 100, 400, 3000, 20000, 100000)
_SIGNATURES = ("i", "i", "d", "b", "s", "l", "u", "ib", "bd", "sil")
_LAYOUTS = ("c1", "c1", "c4", "v4", "x4", "h4", "z2", "v2", "c2", "x2")
_COUNTED = ("gatherv", "scatterv", "allgatherv", "alltoallv", "alltoallw", "reduce_scatter")
_REDUCTIONS = ("reduce", "allreduce", "scan", "exscan", "reduce_scatter", "reduce_scatter_block")
_COLLECTIVES = (
    "barrier", "bcast", "gather", "scatter", "allgather", "alltoall", *_COUNTED[:-1], *_REDUCTIONS,
    "bcast", "allreduce",
)  # fmt: skip
_BETWEEN_GROUPS = ("barrier", "bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce",
                   "allgatherv", "alltoallv")  # fmt: skip
_WAITS = ("wait", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome", "status")
_POOL_UNITS = 8
_MOST_UNITS = 250_000
"""Of all messages and operations of a plan together."""
_MOST_WORDS = 100
_MOST_COMMS = 40


@dataclass
class Comm:
    """A communicator, or one in each of several parts; how its receives may leave source and tag open."""

    number: int
    parts: tuple[tuple[int, ...], ...]
    between: bool = False
    receives: str = "tags"

    @property
    def ranks(self) -> frozenset[int]:
        """All who have it."""
        return frozenset(rank for part in self.parts for rank in part)

    def groups(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Who may send to whom."""
        if self.between:
            return [(self.parts[0], self.parts[1]), (self.parts[1], self.parts[0])]
        return [(part, part) for part in self.parts if len(part) > 1]


@dataclass
class Operation:
    """What has begun, and on which ranks nobody has waited for it yet."""

    number: int
    comm: int
    thread: str
    left: set[int]
    ready: Callable[[], bool] = lambda: True
    persistent: frozenset[int] = frozenset()
    """Who has it, if it can be started again."""
    send: bool = False
    mate: int | None = None
    """The other half of a persistent message."""


@dataclass
class Half:
    """A send that no receive has been begun for, or the other way."""

    source: int
    tag: int | None
    signature: str
    units: int
    line: list[str]
    matched: bool = False


@dataclass
class Channel:
    """What goes to one rank in one communicator."""

    sends: list[Half] = field(default_factory=list)
    receives: list[Half] = field(default_factory=list)


@dataclass
class Pool:
    """Messages of several senders, of which a receive may get any."""

    number: int
    senders: tuple[int, ...]
    sent: int = 0
    received: int = 0


class Writer:
    """Writes a plan step by step."""

    def __init__(self, random: Random, sites: tuple[int, ...], without: frozenset[str]) -> None:
        """`sites`: ranks of each; `without`: what is left out, see `plans`."""
        self.random, self.without = random, without
        self.site = [number for number, count in enumerate(sites) for _ in range(count)]
        everybody = tuple(range(len(self.site)))
        self.lines: list[tuple[str, list[str]]] = []
        self.comms = {WORLD: Comm(WORLD, (everybody,))}
        self.own: dict[str, list[int]] = {"": [WORLD]}
        """The communicators that a thread may use."""
        self.under_way: dict[int, Operation] = {}
        self.persistent: dict[int, Operation] = {}
        self.channels: dict[tuple[int, int], Channel] = {}
        self.pools: dict[tuple[int, int, int], Pool] = {}
        self.thread = ""
        self.operations = self.numbers = self.units = 0

    # What is drawn

    def below(self, bound: int) -> int:
        """A number from 0 on."""
        return self.random.randrange(bound)

    def chance(self, of: int) -> bool:
        """One in so many."""
        return self.below(of) == of - 1

    def one_of(self, some: Iterable[_T]) -> _T:
        """One of these."""
        several = list(some)
        return several[self.below(len(several))]

    def some_of(self, members: Iterable[int], least: int = 1) -> tuple[int, ...]:
        """Some of these, in any order."""
        rest, chosen = sorted(members), []
        for _ in range(least + self.below(len(rest) - least + 1)):
            chosen.append(rest.pop(self.below(len(rest))))
        return tuple(chosen)

    def size(self, signature: str) -> int:
        """Units of a message, ever smaller ones when a plan has moved much."""
        units = self.one_of(_SIZES)
        if self.units + units > _MOST_UNITS // len(signature):
            units = 4
        self.units += units
        return units

    def layout(self, *, absolute: bool = False) -> str:
        """One of a type."""
        return "a1" if absolute and self.chance(10) else self.one_of(_LAYOUTS)

    # What is written

    def write(self, *words: object) -> list[str]:
        """Add a step."""
        line = [str(word) for word in words]
        self.lines.append((self.thread, line))
        return line

    def number(self) -> int:
        """Of the next operation."""
        self.operations += 1
        return self.operations - 1

    def begin(self, number: int, comm: int, ranks: Iterable[int], **more: object) -> Operation:
        """Note that it is under way."""
        started = Operation(number, comm, self.thread, set(ranks), **more)  # type: ignore[arg-type]
        self.under_way[number] = started
        return started

    def comm(self, *, between: bool | None = None) -> Comm:
        """One that the thread may use."""
        usable = [self.comms[one] for one in self.own[self.thread]]
        return self.one_of([one for one in usable if between is None or one.between == between] or usable[:1])

    def spans_sites(self, part: Iterable[int]) -> bool:
        """Whether it is in more than one."""
        return len({self.site[rank] for rank in part}) > 1

    def may_block(self, comm: Comm) -> bool:
        """Whether all ranks of a communicator may wait for one another now."""
        if "blocking-inside" not in self.without:
            return True
        if comm.between or all(self.spans_sites(part) or len(part) == 1 for part in comm.parts):
            return True
        if self.thread:
            return False
        across = [one for one in self.under_way.values() if self.is_across(self.comms[one.comm])]
        return not across

    def is_across(self, comm: Comm) -> bool:
        """Whether it is between sites."""
        return comm.between or any(self.spans_sites(part) for part in comm.parts)

    # Communicators

    def add_comm(self, parts: tuple[tuple[int, ...], ...], *, between: bool = False) -> Comm:
        """Give it the next number."""
        self.numbers += 1
        made = Comm(self.numbers, parts, between, self.one_of(("tags", "tags", "any", "open")))
        self.comms[made.number] = made
        self.own[self.thread].append(made.number)
        return made

    def make_comm(self) -> None:
        """In one of the ways there are."""
        parent = self.comm(between=False)
        if self.numbers > _MOST_COMMS or not self.may_block(parent):
            return
        way = self.one_of(("dup", "split", "group", "split", "create", "idup", "inter"))
        if way in self.without or (self.thread and f"{way}-in-threads" in self.without):
            way = "dup"
        if way == "split":
            parts = tuple(part for whole in parent.parts for part in self.parted(whole))
            made = self.add_comm(parts)
            self.write("comm", made.number, way, parent.number, _written(parts))
        elif way in ("group", "create"):
            part = self.some_of(self.one_of(parent.parts))
            made = self.add_comm((part,))
            self.write("comm", made.number, way, parent.number, _written((part,)))
        elif way == "inter":
            self.make_inter(parent)
        elif way == "idup":
            made, number = self.add_comm(parent.parts), self.number()
            self.write("comm", made.number, way, parent.number, number)
            self.begin(number, parent.number, parent.ranks)
            self.wait([self.under_way[number]])
        else:
            made = self.add_comm(parent.parts)
            self.write("comm", made.number, way, parent.number)

    def parted(self, whole: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Two parts of it, or by sites."""
        if self.chance(3):
            sites = sorted({self.site[rank] for rank in whole})
            return [tuple(rank for rank in whole if self.site[rank] == site) for site in sites]
        first = self.some_of(whole)
        rest = tuple(rank for rank in whole if rank not in first)
        return [first, rest] if rest else [first]

    def make_inter(self, parent: Comm) -> None:
        """Between two parts; sometimes merged again."""
        whole = next((part for part in parent.parts if len(part) > 1), None)
        if whole is None or len(parent.parts) > 1:
            return
        first = self.some_of(whole)
        rest = self.some_of([rank for rank in whole if rank not in first] or first[:1])
        if set(first) & set(rest):
            return
        parts = (first, rest)
        local = self.add_comm(parts)
        self.write("comm", local.number, "split", parent.number, _written(parts))
        made = self.add_comm(parts, between=True)
        self.write("comm", made.number, "inter", local.number, parent.number, _written(parts))
        if self.chance(3):
            merged = self.add_comm(((*first, *rest),))
            self.write("comm", merged.number, "merge", made.number, _written(parts))

    def free_comm(self) -> None:
        """As soon as all that is under way has begun on all ranks."""
        comm = self.comm()
        used = [one for one in self.under_way.values() if one.comm == comm.number]
        waiting = any(key[0] == comm.number and (one.sends or one.receives) for key, one in self.channels.items())
        uneven = any(key[0] == comm.number and one.sent != one.received for key, one in self.pools.items())
        started_again = any(one.comm == comm.number for one in self.persistent.values())
        is_own = any(comm.number == made[0] for made in self.own.values())
        if is_own or waiting or uneven or started_again or (used and "free-under-way" in self.without):
            return
        if not self.may_block(comm):
            return
        self.write("free", comm.number)
        self.own[self.thread].remove(comm.number)

    # Messages

    def pair(self) -> tuple[Comm, int, int] | None:
        """A communicator, and who sends to whom."""
        comm = self.comm()
        groups = comm.groups()
        if not groups:
            return None
        senders, receivers = self.one_of(groups)
        to = self.one_of(receivers)
        others = [rank for rank in senders if rank != to]
        return comm, self.one_of(others), to

    def message(self) -> None:
        """One half of one, or both at once."""
        found = self.pair()
        if found is None:
            return
        comm, source, to = found
        if comm.receives == "open":
            self.pooled(comm, source, to, -1)
        elif comm.receives == "tags" and self.chance(3):
            self.pooled(comm, source, to, 50 + self.below(2))
        else:
            tag = self.one_of((0, 1, 2, 20 + source))
            half = self.below(3)
            if half == 0:
                self.send(comm, source, to, tag)
            elif half == 1:
                self.receive(comm, source, to, tag)
            else:
                self.at_once(comm, source, to, tag)

    def channel(self, comm: Comm, to: int) -> Channel:
        """Of this receiver."""
        return self.channels.setdefault((comm.number, to), Channel())

    def send(self, comm: Comm, source: int, to: int, tag: int, *, blocking: bool = False) -> Half:
        """Begin one; it may wait only if there is a receive."""
        channel, number = self.channel(comm, to), self.number()
        mate = next((one for one in channel.receives if one.source == source and one.tag in (None, tag)), None)
        local = ("isend", "issend", "ibsend", "isend", "bsend")
        kind = self.one_of(("send", "ssend", "send") if blocking else ("send", "ssend", *local) if mate else local)
        signature = mate.signature if mate else self.one_of(_SIGNATURES)
        units = self.one_of((mate.units, mate.units // 8 * 4)) if mate else self.size(signature)
        if "bsend" in kind and units > 3000:
            kind = "isend"
        flags = "t" if self.chance(3) else "-"
        layout = self.layout(absolute=True)
        line = self.write("send", number, comm.number, source, to, tag, kind, signature, layout, units, flags)
        half = Half(source, tag, signature, units, line)
        if kind.startswith("i"):
            done = mate or half
            done.matched = bool(mate)
            free = kind == "ibsend"
            self.begin(number, comm.number, [source], ready=lambda: free or half.matched, send=True)
        half.matched = bool(mate)
        if mate:
            mate.matched = True
            mate.line[-1] = f"m{number}"
            channel.receives.remove(mate)
        else:
            channel.sends.append(half)
        return half

    def receive(self, comm: Comm, source: int, to: int, tag: int, *, blocking: bool = False) -> None:
        """Begin one; it may wait only if there is a message."""
        channel, number = self.channel(comm, to), self.number()
        asked: int | None = None if comm.receives == "any" and self.chance(2) else tag
        mate = next((one for one in channel.sends if one.source == source and asked in (None, one.tag)), None)
        kinds = ("recv", "recv", "probe", "iprobe", "mprobe", "improbe", "imrecv")
        kind = self.one_of(kinds) if blocking else self.one_of((*kinds, "irecv", "irecv")) if mate else "irecv"
        signature = mate.signature if mate else self.one_of(_SIGNATURES)
        units = mate.units + 4 * self.below(3) if mate else self.size(signature)
        flags = "t" if self.chance(3) else "-"
        known = source if asked is None or asked < 20 or self.chance(2) else "*"
        line = self.write(
            "recv", number, comm.number, to, known, "*" if asked is None else asked, kind, signature,
            self.layout(absolute=True), units, flags, "?",
        )  # fmt: skip
        half = Half(source, asked, signature, units, line, matched=bool(mate))
        if kind in ("irecv", "imrecv"):
            self.begin(number, comm.number, [to], ready=lambda: half.matched)
        if mate:
            mate.matched = True
            line[-1] = f"m{_number_of(mate.line)}"
            channel.sends.remove(mate)
        else:
            channel.receives.append(half)

    def at_once(self, comm: Comm, source: int, to: int, tag: int) -> None:
        """Both wait for one another, so nothing else may match either."""
        channel = self.channel(comm, to)
        if any(one.source == source for one in (*channel.sends, *channel.receives)):
            self.send(comm, source, to, tag)
            return
        self.send(comm, source, to, tag, blocking=True)
        self.receive(comm, source, to, tag, blocking=True)

    def pooled(self, comm: Comm, source: int, to: int, tag: int, half: int | None = None) -> None:
        """A message or a receive of a pool; -1: all of a communicator, with any tags."""
        senders = next(some for some, others in comm.groups() if to in others)
        key = (comm.number, to, tag)
        pool = self.pools.setdefault(key, Pool(len(self.pools), senders))
        number = self.number()
        if (self.below(2) if half is None else half) == 0:
            units = self.one_of((4, 8, 4, 1, 2))
            kind = self.one_of(("isend", "issend", "bsend"))
            layout = "c1" if units < 4 else self.layout()
            own_tag = self.below(4) if tag < 0 else tag
            self.write("send", number, comm.number, source, to, own_tag, kind, "i", layout, units,
                       self.one_of(("p", "pt")))  # fmt: skip
            pool.sent += 1
            if kind.startswith("i"):
                # a later message of somebody else may take what has been posted: it is waited for in the end
                self.begin(number, comm.number, [source], ready=lambda: False, send=True)
            return
        before = pool.received
        waits = pool.sent > before
        kinds = ("irecv", *(("recv", "probe", "iprobe", "mprobe", "improbe", "imrecv") if waits else ()))
        kind = self.one_of(kinds)
        self.write("recv", number, comm.number, to, "*", "*" if tag < 0 else tag, kind, "i", self.layout(),
                   _POOL_UNITS, self.one_of(("-", "t")), f"p{pool.number}")  # fmt: skip
        pool.received += 1
        if kind in ("irecv", "imrecv"):
            self.begin(number, comm.number, [to], ready=lambda: kind == "imrecv" or pool.sent > before)

    def persistent_message(self) -> None:
        """Made here, and started at some time."""
        found = self.pair()
        if found is None or found[0].receives != "tags":
            return
        comm, source, to = found
        first, second = self.number(), self.number()
        signature = self.one_of(_SIGNATURES)
        units = self.size(signature)
        early = "-" if "free-after-init" in self.without else self.one_of(("-", "t"))
        kind = self.one_of(
            ("send_init", "ssend_init", "send_init", "bsend_init" if units <= 3000 else "send_init")
        )
        tag = 300 + first
        self.write("send", first, comm.number, source, to, tag, kind, signature, self.layout(absolute=True), units,
                   early)  # fmt: skip
        self.write("recv", second, comm.number, to, self.one_of((source, "*")), tag, "recv_init", signature,
                   self.layout(absolute=True), units, early, f"m{first}")  # fmt: skip
        for number, rank, mate in ((first, source, second), (second, to, first)):
            self.persistent[number] = Operation(
                number, comm.number, self.thread, set(), persistent=frozenset({rank}), mate=mate
            )

    def exchange(self) -> None:
        """Everybody sends to one, and receives from another one."""
        comm = self.comm(between=False)
        if comm.receives != "tags" or not self.may_block(comm):
            return
        number, signature = self.number(), self.one_of(_SIGNATURES)
        units = self.size(signature)
        self.write("exchange", number, comm.number, self.one_of(("sendrecv", "replace")), 300 + number,
                   self.below(3), signature, self.layouts(2), units)  # fmt: skip

    def layouts(self, most: int, *, absolute: bool = False) -> str:
        """Several, of which each rank takes its own."""
        return ",".join(self.layout(absolute=absolute) for _ in range(1 + self.below(most)))

    # Collective operations

    def collective(self, kind: str | None = None, comm: Comm | None = None, *, name: str = "") -> None:
        """Any of them, in any of the three forms."""
        comm = comm or self.comm()
        name = name or self.one_of(_BETWEEN_GROUPS if comm.between else _COLLECTIVES)
        kind = kind or self.one_of(("b", "i", "i", "p"))
        if "persistent" in self.without and kind == "p":
            kind = "i"
        if kind == "b" and not self.may_block(comm):
            kind = "i"
        number, flags, operator = self.number(), "", "-"
        if name in _REDUCTIONS:
            operator = self.one_of(("sum", "uadd", "uaffine", "max", "bxor", "min", "uaffine"))
            own = operator.startswith("u")
            signature = {"uadd": "i", "uaffine": "uu"}.get(operator) or self.one_of("iibsul")
            whole = "c2" if "spread-reductions" in self.without else "z2"
            layouts = self.one_of(("c1", "c4", whole, "c2")) if own else "c1"
            if own and self.chance(2) and not (kind == "p" and "free-after-init" in self.without):
                flags += "o"
        else:
            signature = self.one_of(_SIGNATURES)
            layouts = self.layouts(3, absolute=name == "bcast")
        counted = [str(self.below(4)) for _ in range(1 + self.below(3))] if name in _COUNTED else ["-"]
        units = self.size(signature) if name != "barrier" else 0
        if name in ("alltoall", "alltoallv", "alltoallw", "allgatherv", "reduce_scatter") and units > 20000:
            units = 3000
        if not comm.between and self.chance(3):
            flags += "i"
        if self.chance(2) and not (kind == "p" and "free-after-init" in self.without):
            flags += "t"
        root = self.one_of(comm.ranks) if comm.between else self.below(len(comm.ranks))
        self.write("coll", number, comm.number, name, kind, root, signature, layouts, units,
                   ",".join(counted), operator, flags or "-")  # fmt: skip
        if kind == "i":
            self.begin(number, comm.number, comm.ranks)
        elif kind == "p":
            one = Operation(number, comm.number, self.thread, set(), persistent=comm.ranks)
            self.persistent[number] = one

    def burst(self) -> None:
        """Many small ones at once; the first may be long."""
        comm = self.comm()
        name = self.one_of(("bcast", "allreduce", "barrier", "allgather"))
        self.collective("i", comm, name=name)
        count = self.one_of((10, 80, 130))
        for turn in range(count):
            number = self.number()
            root = sorted(comm.ranks)[turn % len(comm.ranks)] if comm.between else turn
            self.write("coll", number, comm.number, name, "i", root, "i", "c1", 4, "-",
                       "sum" if name == "allreduce" else "-", "-")  # fmt: skip
            self.begin(number, comm.number, comm.ranks)

    # What is under way

    def start(self) -> None:
        """Some persistent ones, in any order."""
        idle = [one for one in self.persistent.values() if one.thread == self.thread and self.is_idle(one)]
        some = [one for one in idle if (one.mate is None or one.mate > one.number) and self.below(3)]
        chosen = [*some, *(self.persistent[one.mate] for one in some if one.mate is not None)]
        if not chosen:
            return
        self.write("start", self.one_of(("start", "startall")), self.one_of(("same", "turn")),
                   *(one.number for one in chosen))  # fmt: skip
        for one in chosen:
            one.left = set(one.persistent)
            self.under_way[one.number] = one

    def wait(self, some: list[Operation] | None = None) -> None:
        """For some of what can end."""
        can = [one for one in self.under_way.values() if one.thread == self.thread and one.ready()]
        chosen = some or [one for one in can if self.below(4)][:_MOST_WORDS]
        if not chosen:
            return
        ranks = "*"
        if not some and self.chance(3):
            ranks = "".join(map(str, self.some_of(range(len(self.site)))))
        again = any(one.persistent for one in chosen) and "status-of-persistent" in self.without
        kind = self.one_of([way for way in _WAITS if not again or way not in ("status", "testall")])
        self.write("wait", kind, ranks, *(one.number for one in chosen))
        for one in chosen:
            one.left -= set(range(len(self.site)) if ranks == "*" else map(int, ranks))
            if not one.left:
                self.under_way.pop(one.number)

    def drop(self) -> None:
        """Free the request of a send, or of a persistent operation that is not under way."""
        idle = [one for one in self.persistent.values() if one.thread == self.thread and self.is_idle(one)]
        sends = [
            one for one in self.under_way.values() if one.send and one.mate is None and one.thread == self.thread
        ]
        usable = idle + (sends if "free-active" not in self.without else [])
        if not usable:
            return
        one = self.one_of(usable)
        for number in (one.number, *([] if one.mate is None else [one.mate])):
            self.write("drop", number)
            self.under_way.pop(number, None)
            self.persistent.pop(number, None)

    def is_idle(self, one: Operation) -> bool:
        """Whether a persistent one, and the other half of a message, can be started."""
        return not one.left and (one.mate is None or not self.persistent[one.mate].left)

    def cancel(self) -> None:
        """A receive for which nothing comes."""
        comm = self.comm(between=False)
        if comm.receives == "tags":
            self.write("cancel", comm.number, self.one_of(comm.ranks), 400)

    # Threads

    def threads(self) -> None:
        """Each with communicators of its own."""
        parent = self.comm(between=False)
        if self.thread or not self.may_block(parent):
            return
        names = [f"@{number}" for number in range(2 + self.below(2))]
        for name in names:
            made = self.add_comm(parent.parts)
            self.own[""].remove(made.number)
            self.own[name] = [made.number]
            self.write("comm", made.number, "dup", parent.number)
        for _ in range(4 + self.below(12)):
            self.thread = self.one_of(names)
            self.one_of(_STEPS_OF_THREADS)(self)
        self.thread = ""
        for name in names:
            self.own[""] += self.own.pop(name)
        for one in (*self.under_way.values(), *self.persistent.values()):
            one.thread = ""

    # The end

    def close(self) -> None:
        """Write what is still missing: the other halves of messages."""
        for (number, to), channel in self.channels.items():
            comm = self.comms[number]
            while channel.sends:
                half = channel.sends[0]
                self.receive(comm, half.source, to, half.tag or 0)
            while channel.receives:
                other = channel.receives[0]
                self.send(comm, other.source, to, other.tag or 0)
        for (number, to, tag), pool in self.pools.items():
            senders = [rank for rank in pool.senders if rank != to]
            while pool.sent != pool.received:
                half_missing = int(pool.sent > pool.received)
                self.pooled(self.comms[number], self.one_of(senders), to, tag, half_missing)

    def text(self) -> str:
        """The whole."""
        return "".join(" ".join([thread, *line]).strip() + "\n" for thread, line in self.lines)


def _number_of(line: list[str]) -> int:
    return int(line[1])


def _written(parts: tuple[tuple[int, ...], ...]) -> str:
    return "/".join("".join(map(str, part)) for part in parts)


_STEPS_OF_THREADS = (
    *[Writer.message] * 6, *[Writer.collective] * 5, *[Writer.wait] * 3, Writer.exchange, Writer.make_comm,
    Writer.persistent_message, Writer.start,
)  # fmt: skip
_STEPS = (
    *[Writer.message] * 10, *[Writer.collective] * 8, *[Writer.wait] * 5, *[Writer.make_comm] * 3,
    *[Writer.start] * 3, *[Writer.exchange] * 2, Writer.persistent_message, Writer.free_comm, Writer.drop,
    Writer.threads, Writer.cancel, Writer.burst,
)  # fmt: skip


@st.composite
def plans(draw: st.DrawFn, sites: tuple[int, ...], without: frozenset[str] = EVERYTHING) -> str:
    """Draw the steps of a plan for so many ranks in each site.

    `without`: `free-after-init` (types and operations freed after a persistent operation was made),
    `free-under-way` (communicators freed while operations are under way), `free-active` (requests of
    sends that are under way), `persistent` (collective ones), `status-of-persistent`
    (MPI_Request_get_status and MPI_Testall of persistent requests), `blocking-inside` (collective calls
    that wait inside a site while an operation across sites is under way), `spread-reductions` (of types
    with gaps), `inter-in-threads`, and ways to make communicators: `idup`, `group`, `create`, `inter`.
    """
    writer = Writer(draw(st.randoms(use_true_random=True)), sites, without)
    for _ in range(5 + writer.below(35)):
        writer.one_of(_STEPS)(writer)
    writer.close()
    return writer.text()
