"""Which rank runs on which host: a word, or a file that lists it.

    block         fills one host's slots after the other
    cyclic        the hosts in turn, one rank each, leaving out those that are full
    one-per-node  one rank on each host
    across-sites  rank i on site i modulo the number of sites; a site's hosts are filled like in `block`
    hosts=A+B     rank i on the i-th of these hosts, which may be named more than once
    FILE          `rank 0=host slot=0` (Open MPI's rankfile; slots are not used), or one host a line

With more ranks than slots, each host gets ranks in proportion to its slots.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from rankwise.core.errors import InputError, UnknownNameError
from rankwise.core.jobs import Host

_RANK_LINE = re.compile(r"rank\s+([0-9]{1,9})\s*=\s*(\S+)(?:\s+slots?\s*=\s*\S+)?", re.IGNORECASE)


def place(placement: str, hosts: Sequence[Host], ranks: int) -> tuple[str, ...]:
    """Return each rank's host. Raises InputError (UnknownNameError for a name or host that does not exist)."""
    if ranks < 1:
        raise InputError(f"{ranks} ranks cannot be placed", "give at least 1")
    if not any(host.slots > 0 for host in hosts):
        raise InputError("no host of the testbed has a slot for a rank", "give hosts slots in its description")
    if placement in _WORDS:
        return _WORDS[placement](hosts, ranks)
    if placement.startswith(ON_HOSTS):
        return _named(placement, hosts, ranks)
    if Path(placement).is_file():
        return _from_file(Path(placement), hosts, ranks)
    if "/" in placement or "." in placement:
        raise InputError(f"rankfile not found: {placement}", f"write one, or give {', '.join(_WORDS)}")
    raise UnknownNameError("placement", placement, _WORDS)


ON_HOSTS = "hosts="
"""How a placement begins that names each rank's host: `hosts=a1+b1`."""


def _named(placement: str, hosts: Sequence[Host], ranks: int) -> tuple[str, ...]:
    names = placement.removeprefix(ON_HOSTS).split("+")
    unknown = set(names) - {host.name for host in hosts}
    if unknown:
        raise UnknownNameError("host", min(unknown), (host.name for host in hosts))
    if len(names) < ranks:
        raise InputError(
            f"{placement} has no host for rank {len(names)}: {ranks} are started", "name a host for each rank"
        )
    return tuple(names[:ranks])


def _block(hosts: Sequence[Host], ranks: int) -> tuple[str, ...]:
    return tuple(host.name for host, share in zip(hosts, _filled(hosts, ranks), strict=True) for _ in range(share))


def _filled(hosts: Sequence[Host], ranks: int) -> list[int]:
    """How many ranks each host gets: its slots while they last, or its share of all in proportion to them."""
    slots = sum(host.slots for host in hosts)
    shares, before = [], 0
    for host in hosts:
        after = before + host.slots
        if ranks > slots:
            shares.append(ranks * after // slots - ranks * before // slots)
        else:
            shares.append(min(after, ranks) - min(before, ranks))
        before = after
    return shares


def _cyclic(hosts: Sequence[Host], ranks: int) -> tuple[str, ...]:
    room = _room(hosts, ranks)
    order: list[str] = []
    turn = 0
    while len(order) < ranks:
        order += [host.name for host, most in zip(hosts, room, strict=True) if most > turn]
        turn += 1
    return tuple(order[:ranks])


def _room(hosts: Sequence[Host], ranks: int) -> list[int]:
    """What each host may take at most."""
    slots = sum(host.slots for host in hosts)
    times = -(-ranks // slots)
    return [host.slots * times for host in hosts]


def _one_per_node(hosts: Sequence[Host], ranks: int) -> tuple[str, ...]:
    names = [host.name for host in hosts if host.slots]
    if ranks > len(names):
        raise InputError(
            f"{ranks} ranks cannot be placed one per node: the testbed has {len(names)}",
            f"use at most {len(names)} ranks, or another placement",
        )
    return tuple(names[:ranks])


def _across_sites(hosts: Sequence[Host], ranks: int) -> tuple[str, ...]:
    sites = [site for site in dict.fromkeys(host.site for host in hosts) if _slots_of(site, hosts)]
    if len(sites) < 2:
        raise InputError(
            "ranks cannot be placed across sites: the testbed has only one",
            "use a testbed with two or more sites, or another placement",
        )
    of_sites = []
    for number, site in enumerate(sites):
        share = len(range(number, ranks, len(sites)))
        of_sites.append(_block([host for host in hosts if host.site == site], share))
    return tuple(of_sites[rank % len(sites)][rank // len(sites)] for rank in range(ranks))


def _slots_of(site: str, hosts: Sequence[Host]) -> int:
    return sum(host.slots for host in hosts if host.site == site)


_WORDS: dict[str, Callable[[Sequence[Host], int], tuple[str, ...]]] = {
    "block": _block,
    "cyclic": _cyclic,
    "one-per-node": _one_per_node,
    "across-sites": _across_sites,
}
WORDS = tuple(_WORDS)


def _from_file(path: Path, hosts: Sequence[Host], ranks: int) -> tuple[str, ...]:
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot read the rankfile {path}: {error}", "give a text file that may be read"
        ) from error
    known = {host.name for host in hosts}
    placed: dict[int, str] = {}
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if text:
            rank, name = _entry(text, len(placed), f"{path}, line {number}")
            if rank in placed:
                raise InputError(f"{path}, line {number}: rank {rank} comes twice", "give each rank one host")
            placed[rank] = _host(name, hosts, known, f"{path}, line {number}")
    missing = [rank for rank in range(ranks) if rank not in placed]
    if missing:
        raise InputError(
            f"{path} has no host for rank {missing[0]}: it places {len(placed)}, and {ranks} are started",
            "add the missing ranks, or start fewer",
        )
    return tuple(placed[rank] for rank in range(ranks))


def _entry(text: str, next_rank: int, where: str) -> tuple[int, str]:
    """Rank and host of a line; in a file of bare hosts the line's turn is the rank."""
    if match := _RANK_LINE.fullmatch(text):
        return int(match[1]), match[2]
    if len(text.split()) == 1 and "=" not in text:
        return next_rank, text
    raise InputError(f"{where}: cannot understand '{text}'", "write `rank 0=host slot=0`, or one host a line")


def _host(name: str, hosts: Sequence[Host], known: set[str], where: str) -> str:
    """The host of this name, or the one that Open MPI's `+nN` counts."""
    if re.fullmatch(r"\+n[0-9]{1,9}", name) and int(name[2:]) < len(hosts):
        return hosts[int(name[2:])].name
    if name not in known:
        unknown = UnknownNameError("host", name, known)
        raise InputError(f"{where}: {unknown}", unknown.remedy)
    return name
