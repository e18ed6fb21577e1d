"""Where compilers of MPI installations may be: each source is one small function that yields (compiler, source).

Earlier sources name an installation that later ones find again.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.core import paths, process
from rankwise.core.errors import HostError, InputError
from rankwise.mpi.family import Family

CONFIG_FILE = "rankwise.toml"
DEBIAN_FOLDER = Path("/usr/bin")
_BIN_FOLDERS = ("bin", "bin64", "intel64/bin", "mpi/latest/bin", "mpi/*/bin")
_MODULE_NAME = re.compile(r"mpi|mvapich|mpt", re.IGNORECASE)
_MODULE_PATH = re.compile(r"""prepend[-_]path[\s({"']+PATH["',\s{]+([^\s"'){}]+)""")
_QUERY_SECONDS = 20.0
_MODULES_SECONDS = 60.0
"""For all environment modules together: some sites have hundreds, on a slow file system."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate is a compiler that may be an MPI's, and who said so."""

    compiler: Path
    source: str


def installed_folder() -> Path:
    """Return where `rankwise mpis install` puts implementations."""
    return paths.data_folder() / "mpi"


def candidates(families: Iterable[Family], prefixes: Sequence[Path]) -> Iterator[Candidate]:
    """Return everything that may be an MPI compiler, best known first. Raises InputError for a useless prefix."""
    known = list(families)
    names = tuple(dict.fromkeys(name for family in known for name in family.compilers))
    yield from _as("pypi", _installed_by_us(names))
    yield from _as("pypi", _python_wheels(known, names))
    yield from _as("debian", _debian(names))
    yield from _as("prefix", _prefixes(prefixes, names, "--prefix"))
    yield from _as("config", _prefixes(configured_prefixes(Path.cwd()), names, CONFIG_FILE))
    yield from _as("environment", _environment(names))
    yield from _as("spack", _spack(names))
    yield from _as("module", _modules(names))
    yield from _as("path", _path(names))


def _as(source: str, compilers: Iterable[Path]) -> Iterator[Candidate]:
    return (Candidate(compiler, source) for compiler in compilers)


def _below(prefix: Path, names: Sequence[str]) -> Iterator[Path]:
    for pattern in _BIN_FOLDERS:
        for folder in sorted(prefix.glob(pattern)):
            yield from _in(folder, names)


def _in(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    for name in names:
        if os.access(folder / name, os.X_OK) and (folder / name).is_file():
            yield folder / name


def _installed_by_us(names: Sequence[str]) -> Iterator[Path]:
    for folder in sorted(installed_folder().glob("[!.]*")):
        yield from _in(folder / "bin", names)


def _python_wheels(families: Sequence[Family], names: Sequence[str]) -> Iterator[Path]:
    """Wheels in the running Python environment or the user's site-packages."""
    yield from _in(Path(sys.prefix) / "bin", names)
    for wheel in (wheel for family in families for wheel in family.wheels):
        try:
            files = importlib.metadata.files(wheel) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        for file in files:
            if file.name in names:
                yield Path(str(file.locate())).resolve()


def _debian(names: Sequence[str]) -> Iterator[Path]:
    yield from _in(DEBIAN_FOLDER, [name for name in names if "." in name])


def _prefixes(prefixes: Sequence[Path], names: Sequence[str], origin: str) -> Iterator[Path]:
    for prefix in prefixes:
        below = list(_below(prefix.expanduser().absolute(), names))
        if not below:
            raise InputError(
                f"no MPI under {prefix} (from {origin}): looked for {', '.join(names)} in its bin",
                "give the folder that contains bin/mpicc",
            )
        yield from below


def configured_prefixes(folder: Path) -> list[Path]:
    """Read `[mpi] prefixes = [...]` of the folder's rankwise.toml, relative to it. Raises InputError."""
    file = folder / CONFIG_FILE
    if not file.is_file():
        return []
    try:
        prefixes = tomllib.loads(file.read_text()).get("mpi", {}).get("prefixes", [])
        return [folder / Path(prefix).expanduser() for prefix in prefixes]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, AttributeError, TypeError) as error:
        raise InputError(
            f"cannot use {file}: {error}", 'write a table [mpi] with prefixes = ["/opt/openmpi", ...]'
        ) from error


def _environment(names: Sequence[str]) -> Iterator[Path]:
    for variable in ("MPI_HOME", "I_MPI_ROOT"):
        if os.environ.get(variable):
            yield from _below(Path(os.environ[variable]), names)


def _spack(names: Sequence[str]) -> Iterator[Path]:
    """What Spack lists, or without its command what lies in its default tree (old and new layout)."""
    root = os.environ.get("SPACK_ROOT", "")
    prefixes: list[Path] = []
    if spack := shutil.which("spack"):
        listed = _output([spack, "find", "--format", "{prefix}"])
        prefixes = [Path(line.strip()) for line in listed.splitlines() if line.startswith("/")]
    elif root:
        tree = Path(root, "opt", "spack")
        compilers = (*tree.glob("*/*/bin/mpicc"), *tree.glob("*/*/*/bin/mpicc"))
        prefixes = sorted(compiler.parent.parent for compiler in compilers)
    for prefix in prefixes:
        yield from _below(prefix, names)


def _modules(names: Sequence[str]) -> Iterator[Path]:
    """Folders that modules named like an MPI put on PATH (Lmod, Tcl modules)."""
    command = os.environ.get("LMOD_CMD") or os.environ.get("MODULES_CMD") or shutil.which("modulecmd")
    if not command:
        return
    deadline = time.monotonic() + _MODULES_SECONDS
    for line in _output([command, "sh", "-t", "avail"]).splitlines():
        module = line.strip().removesuffix("(default)")
        if time.monotonic() > deadline:
            return
        if _MODULE_NAME.search(module) and not module.endswith((":", "/")):
            for folders in _MODULE_PATH.findall(_output([command, "sh", "show", module])):
                for folder in folders.split(":"):
                    yield from _in(Path(folder), names)


def _path(names: Sequence[str]) -> Iterator[Path]:
    for folder in os.environ.get("PATH", "").split(":"):
        if folder:
            yield from _in(Path(folder).absolute(), names)


def _output(argv: Sequence[str]) -> str:
    """All that a command says; nothing if it cannot run: a broken Spack must not hide the other sources."""
    try:
        outcome = process.run(argv, _QUERY_SECONDS)
    except HostError:
        return ""
    return outcome.stdout + "\n" + outcome.stderr
