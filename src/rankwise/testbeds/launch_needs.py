"""What launches need of their hosts: shared memory, copies between processes, folders, own addresses."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import re
import shutil
import socket
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from rankwise.core import units
from rankwise.core.jobs import Command, LaunchSteps
from rankwise.testbeds import host
from rankwise.testbeds.base import TestbedKind
from rankwise.testbeds.finding import Finding

SHARED_MEMORY = Path("/dev/shm")
_LEAST_BYTES, _MOST_BYTES = 8 << 20, 16 << 20
"""For each rank: with less MPICH and UCX end at start; Open MPI 5 asks for the larger one, or warns."""
_SOCKET_ADDRESS = 107
"""Bytes that the address of a socket in the file system may have."""
_BELOW_TMPDIR = 40
"""Of these, what is left for the folders and names below TMPDIR."""
_PTRACE_SCOPE = "/proc/sys/kernel/yama/ptrace_scope"
_ADDRESSES_LIMIT_SECONDS = 30.0
_ROUTES = ("cat", "/proc/net/fib_trie", "/proc/net/route")


def of_this_host(ranks: int) -> Iterator[Finding]:
    """Yield what launches of so many ranks find on this host."""
    yield _shared_memory(ranks)
    yield _copies()
    yield from _folders()


def _shared_memory(ranks: int) -> Finding:
    remedy = f"sudo mount -o remount,size=1G {SHARED_MEMORY}; in a container: --shm-size=1g"
    try:
        usage = shutil.disk_usage(SHARED_MEMORY)
    except OSError as error:
        return Finding(
            "shared memory", "bad", f"{SHARED_MEMORY}: {error.strerror}",
            f"sudo mount -t tmpfs -o size=1G tmpfs {SHARED_MEMORY}",
        )  # fmt: skip
    least, most = (units.format_size(ranks * bytes_a_rank) for bytes_a_rank in (_LEAST_BYTES, _MOST_BYTES))
    free, size = units.format_size(usage.free), units.format_size(usage.total)
    answer = f"{free} free of {size} in {SHARED_MEMORY}; {ranks} ranks need {least}, with Open MPI 5 {most}"
    if not os.access(SHARED_MEMORY, os.W_OK):
        return Finding(
            "shared memory", "bad", f"{SHARED_MEMORY} is not writable", f"sudo chmod 1777 {SHARED_MEMORY}"
        )
    if usage.free < ranks * _LEAST_BYTES:
        return Finding("shared memory", "bad", f"{answer}: launches end, or leave it out", remedy)
    if usage.free < ranks * _MOST_BYTES:
        return Finding("shared memory", "note", f"{answer}: Open MPI may leave it out", remedy)
    return Finding("shared memory", "ok", answer)


def _copies() -> Finding:
    """Large messages between ranks of a host are copied once by process_vm_readv, elsewhere twice."""
    refused = _reading_a_sibling()
    if not refused:
        return Finding("copies", "ok", "process_vm_readv copies between processes")
    answer = f"process_vm_readv between two processes: {os.strerror(refused)}"
    scope = host.read_text(_PTRACE_SCOPE).strip()
    if scope not in ("", "0"):
        return Finding(
            "copies", "note", f"{answer} ({_PTRACE_SCOPE} is {scope}): large messages may be copied twice",
            "sudo sysctl kernel.yama.ptrace_scope=0",
        )  # fmt: skip
    return Finding(
        "copies", "bad", f"{answer}: large messages fail with some MPIs, and are copied twice by others",
        "in a container: --cap-add=SYS_PTRACE, or a seccomp profile that allows it",
    )  # fmt: skip


def _reading_a_sibling() -> int:
    """Let one child read from another, as ranks do; return the error's number, 0 if it could."""
    libc = ctypes.CDLL(None, use_errno=True)
    word = ctypes.c_long(1)
    ended = os.pipe()
    read_from = os.fork()
    if not read_from:
        os.close(ended[1])
        os.read(ended[0], 1)  # until the parent closes its end
        os._exit(0)
    reader = os.fork()
    if not reader:
        os._exit(_read_word(libc, read_from, word))
    _, status = os.waitpid(reader, 0)
    for descriptor in ended:
        os.close(descriptor)
    os.waitpid(read_from, 0)
    return os.waitstatus_to_exitcode(status)


class _Part(ctypes.Structure):
    """`struct iovec`."""

    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def _read_word(libc: ctypes.CDLL, process: int, word: ctypes.c_long) -> int:
    """Read what another process has at the same place; return the error's number, 0 for none."""
    if not hasattr(libc, "process_vm_readv"):
        return errno.ENOSYS
    here, there = ctypes.c_long(0), _Part(ctypes.addressof(word), ctypes.sizeof(word))
    target = _Part(ctypes.addressof(here), ctypes.sizeof(here))
    done = libc.process_vm_readv(process, ctypes.byref(target), 1, ctypes.byref(there), 1, 0)
    return 0 if done == ctypes.sizeof(word) else ctypes.get_errno() or errno.EIO


def _folders() -> Iterator[Finding]:
    home = Path.home()
    if not os.access(home, os.W_OK | os.X_OK):
        yield Finding("HOME", "bad", f"{home} is not writable", "set HOME to a folder that is")
    else:
        yield Finding("HOME", "ok", f"{home} is writable")
    yield _current_folder()
    yield _temporary_folder()


def _current_folder() -> Finding:
    folder = Path.cwd()
    if not os.access(folder, os.R_OK | os.X_OK):
        return Finding("current folder", "bad", f"{folder} is not readable", "cd to another one")
    closed = [
        above for above in (folder, *folder.parents) if os.geteuid() == 0 and not above.stat().st_mode & 0o001
    ]
    if closed:
        return Finding(
            "current folder", "note", f"{closed[0]} is closed to other users, and LAM/MPI's ranks run as nobody",
            "cd to another one, or run as an ordinary user",
        )  # fmt: skip
    return Finding("current folder", "ok", f"{folder} is readable")


def _temporary_folder() -> Finding:
    folder = os.environ.get("TMPDIR", "") or tempfile.gettempdir()
    if not os.access(folder, os.W_OK | os.X_OK):
        return Finding("TMPDIR", "bad", f"{folder} is not writable", "export TMPDIR=/tmp")
    length = len(os.fsencode(folder))
    if length > _SOCKET_ADDRESS - _BELOW_TMPDIR:
        return Finding(
            "TMPDIR", "note",
            f"its {length} bytes leave little of the {_SOCKET_ADDRESS} that the address of a socket may have",
            "export TMPDIR=/tmp",
        )  # fmt: skip
    return Finding("TMPDIR", "ok", f"{folder} is writable, and short enough for sockets")


def of_testbed(testbed: TestbedKind) -> Finding:
    """Return whether two hosts of a testbed that is up have the same address, as each host with Docker does.

    Raises HostError if a host cannot be reached.
    """
    names = list(dict.fromkeys(node.name for node in testbed.hosts()))
    tables = {}
    for name in names if testbed.kind != "local" else ():
        outcome = testbed.run(LaunchSteps(Command(_ROUTES)), [name], _ADDRESSES_LIMIT_SECONDS)
        tables[name] = outcome.stdout
    shared = _shared_addresses(tables)
    if not shared:
        return Finding(
            "addresses", "ok", f"no two of {len(names)} hosts of {testbed.name} have an address in common"
        )
    clashes = [f"{address} ({interface}) of {', '.join(hosts)}" for (address, interface), hosts in shared.items()]
    named = ",".join(dict.fromkeys(interface for _, interface in shared if interface)) or "INTERFACE"
    return Finding(
        "addresses", "bad", f"several hosts of {testbed.name} have the same address: {'; '.join(clashes)}",
        f"leave it out: OMPI_MCA_btl_tcp_if_exclude=lo,{named} (Open MPI); UCX_NET_DEVICES=NIC (UCX), "
        "FI_TCP_IFACE=NIC (libfabric), with NIC the interface that joins the hosts",
    )  # fmt: skip


def _shared_addresses(tables: Mapping[str, str]) -> dict[tuple[str, str], list[str]]:
    """The hosts that have an address and interface, of those that several have."""
    by_address: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, table in tables.items():
        for address in _addresses(table):
            by_address[address, _interface(address, table)].append(name)
    return {key: names for key, names in by_address.items() if len(names) > 1}


def _addresses(table: str) -> list[str]:
    """The host's own addresses in /proc/net/fib_trie, where each comes twice; without the loopback's."""
    own = re.findall(r"\|-- (\d+\.\d+\.\d+\.\d+)\n\s+/32 host LOCAL", table)
    return [address for address in dict.fromkeys(own) if not address.startswith("127.")]


def _interface(address: str, table: str) -> str:
    """The interface whose network in /proc/net/route has the address; '' if there is none."""
    number = int.from_bytes(socket.inet_aton(address), "little")
    for line in table.splitlines():
        with contextlib.suppress(ValueError, IndexError):
            columns = line.split("\t")
            network, gateway, mask = (int(columns[place], 16) for place in (1, 2, 7))
            if mask and not gateway and number & mask == network:
                return columns[0]
    return ""
