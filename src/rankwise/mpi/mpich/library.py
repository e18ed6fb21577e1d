"""What an MPICH installation tells about itself: its library file, `mpivars` and `mpichversion`, read once each.

The library carries its default choice of algorithms as JSON text, and the name of every algorithm that its
JSON reader knows. Both are taken from the file of this very installation: names differ between versions, and an
unknown one ends every program in MPI_Init.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from rankwise.artifacts.compiler import library_file, shown
from rankwise.core import process
from rankwise.core.errors import HostError
from rankwise.core.records import Implementation
from rankwise.mpi.mpich.selection import Tree

ASK_SECONDS = 10.0
_ELF = b"\x7fELF"
_LINKED = re.compile(r"(?:INPUT|GROUP)\s*\(\s*(\S+?)\s*\)")
_JSON = re.compile(rb"\{[\t\n -~]{200,}(?=\0)")
_NAMES = re.compile(rb"(?:algorithm=(MPIR_\w+)|composition=(MPIDI_\w+)|algorithm=(MPIDI_POSIX_\w+))(?=\0)")
_VARIABLE = re.compile(r"^\s+(MPIR_CVAR_\w+)\s*=(.*?)\s*\tSCOPE", re.MULTILINE)
_TYPE = re.compile(r"^\s+(MPIR_CVAR_\w+)\s*=.*?\tSCOPE_\w+\t[^\t]*\t(\w+)\t", re.MULTILINE)
_DESCRIPTION = re.compile(r"^\t(MPIR_CVAR_\w+)\s*=.*?\tVERBOSITY_\w+\t((?:.|\n(?!\t))*)", re.MULTILINE)
_DEVICE = re.compile(r"^MPICH Device:\s*ch\d:(.+)$", re.MULTILINE)
_OWN_MEMORY = b"MPID/shm: "
"""Of the line that names the file of its choices within a host."""
_ABOVE_POINT_TO_POINT = '{"algorithm=MPIR_'
_ABOVE_NETWORK = '{"composition=MPIDI_'


@dataclass(frozen=True, slots=True)
class Library:
    """A library is one installation, as it describes itself."""

    algorithms: frozenset[str] = frozenset()
    """Names that its selection file may give: `MPIR_Bcast_intra_binomial`."""
    compositions: frozenset[str] = frozenset()
    """Names that its selection file for ways through the host and the network may give."""
    within_host: frozenset[str] = frozenset()
    """Names that its selection file for its own shared memory may give; empty where it is built without that."""
    selection: Tree = field(default_factory=dict)
    """Its default choice among `algorithms`; empty where there is none in it ..."""
    composition: Tree = field(default_factory=dict)
    """... and among `compositions`."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Its control variables and their defaults, as `mpivars` prints them."""
    descriptions: Mapping[str, str] = field(default_factory=dict)
    """What `mpivars` says of each of them."""
    types: Mapping[str, str] = field(default_factory=dict)
    """`MPI_INT`, also of what is true or false and of choices; `MPI_CHAR` of texts."""
    netmods: tuple[str, ...] = ()
    """The networks that are built in, the default first: `ucx`, `ofi`."""
    own_memory: bool = False
    """It carries messages within a host itself; else the network does."""


def library(implementation: Implementation) -> Library:
    """Return what this installation tells. Raises HostError where its library cannot be found or read."""
    compiler = Path(implementation.mpicc)
    try:
        return _library(implementation, compiler.stat().st_mtime_ns)
    except OSError as error:
        raise HostError(
            f"{implementation.id}: cannot read {error.filename}: {error.strerror}",
            f"reinstall it, or check the output of `{compiler} -show`",
        ) from error


@cache
def _library(implementation: Implementation, _changed: int) -> Library:
    file = library_file(shown(Path(implementation.mpicc), implementation.environment), implementation.prefix)
    if file is None:
        raise HostError(
            f"{implementation.id}: `{implementation.mpicc} -show` names no MPI library",
            "install its development package",
        )
    content = elf_file(file).read_bytes()
    names = [[name.decode() for name in layers] for layers in _NAMES.findall(content)]
    trees = [text.decode() for text in _JSON.findall(content) if b'"collective=' in text]
    device = _DEVICE.search(_said(implementation, _beside(implementation, "mpichversion")))
    listing = _said(implementation, _beside(implementation, "mpivars"))
    return Library(
        algorithms=frozenset(algorithm for algorithm, _, _ in names if algorithm),
        compositions=frozenset(composition for _, composition, _ in names if composition),
        within_host=frozenset(name for _, _, name in names if name),
        selection=_tree(trees, _ABOVE_POINT_TO_POINT),
        composition=_tree(trees, _ABOVE_NETWORK),
        variables=dict(_VARIABLE.findall(listing)),
        descriptions=dict(_DESCRIPTION.findall(listing)),
        types=dict(_TYPE.findall(listing)),
        own_memory=_OWN_MEMORY in content,
        netmods=tuple(re.split(r"[ ,]+", device[1].strip())) if device else (),
    )


def elf_file(library: Path) -> Path:
    """Return the library itself, where this file is a linker's script that names it."""
    with library.open("rb") as file:
        start = file.read(1024)
    linked = _LINKED.search(start.decode(errors="replace"))
    return library if start.startswith(_ELF) or not linked else library.parent / linked[1]


def _tree(texts: list[str], mark: str) -> Tree:
    """The last of the JSON texts whose leaves begin so; {} if none does."""
    tree: Tree = {}
    for text in texts:
        if mark in text:
            try:
                tree = json.loads(text)
            except ValueError:
                continue
    return tree


def _beside(implementation: Implementation, name: str) -> Path:
    """A program of the installation, with its compiler's suffix if it has one by that name."""
    compiler = Path(implementation.mpicc)
    suffixed = compiler.with_name(name + "".join(compiler.suffixes))
    return suffixed if suffixed.is_file() else compiler.with_name(name)


def _said(implementation: Implementation, program: Path, *arguments: str) -> str:
    """What a program of the installation says; '' where there is none, or it does not end in time."""
    try:
        outcome = process.run((str(program), *arguments), ASK_SECONDS, environment=implementation.environment)
    except HostError:
        return ""
    return "" if outcome.timed_out else outcome.stdout
