"""What a compiler wrapper calls and links: two wrappers of one library are one installation, and an MPI that was
upgraded in place is another one, under the same path.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rankwise.core import answers, process
from rankwise.core.answers import Stamp, stamp
from rankwise.core.errors import HostError
from rankwise.core.jobs import Outcome
from rankwise.core.records import Environment, Implementation

ASK_SECONDS = 10.0
_LIBRARY_FOLDER = re.compile(r'-L"?([^\s"]+)')
_INCLUDE_FOLDER = re.compile(r'-I"?([^\s"]+)')
_OTHER_NAMES = {"mpicxx": ("mpicxx", "mpic++", "mpiCC"), "mpifort": ("mpifort", "mpif90")}
_INTEL_PLACEHOLDER = "I_MPI_SUBSTITUTE_INSTALLDIR"
"""Stands in what Intel's wrapper of PyPI shows for the prefix."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A command that compiles and links C, and all that can change what it makes of a source."""

    id: str
    command: str
    environment: Environment
    facts: tuple[object, ...]
    remedy: str
    """What to do where it refuses a source that is right."""

    @property
    def name(self) -> str:
        """Return the command without its folder: `mpicc`, `cc`."""
        return Path(self.command).name


def of(implementation: Implementation) -> Toolchain:
    """Return the implementation's own compiler wrapper."""
    remedy = f"`rankwise mpis` says whether {implementation.id} works at all"
    return Toolchain(
        implementation.id, implementation.mpicc, implementation.environment, facts(implementation), remedy
    )


def of_host() -> Toolchain:
    """Return this host's C compiler (`cc`, or what CC names), for what needs no MPI. Raises HostError."""
    command = os.environ.get("CC") or "cc"
    path = shutil.which(command)
    if path is None:
        raise HostError(
            f"there is no C compiler '{command}' here, which the collective algorithms are compiled with",
            "install one (`apt install gcc`), or set CC to the path of one",
        )
    return Toolchain("host", path, (), (stamp(Path(path)),), f"`{command} --version` says whether it works at all")


def wrapper(implementation: Implementation, name: str) -> str:
    """Return the path of the implementation's compiler of this language (`mpicxx`, `mpif77`).

    It is beside its mpicc, and has the same suffix. Raises HostError if there is none.
    """
    mpicc = Path(implementation.mpicc)
    suffix = mpicc.name.removeprefix("mpicc")
    for other in _OTHER_NAMES.get(name, (name,)):
        path = mpicc.with_name(other + suffix)
        if path.exists():
            return str(path)
    raise HostError(
        f"{implementation.id} has no {name} beside {mpicc}",
        "PyPI's wheels of Open MPI and MPICH come without Fortran: take Debian's, or another installation",
    )


def shown(compiler: Path, environment: Environment, limit_seconds: float = ASK_SECONDS) -> str:
    """Return the line that this wrapper would run (`mpicc -show`); '' if it does not answer."""
    # OMPI_CC, MPICH_CC, I_MPI_CC, LAMHCC: a user's choice of the compiler that is wrapped
    chosen = tuple(sorted((name, value) for name, value in os.environ.items() if name.endswith("CC")))
    return _shown(str(compiler), stamp(compiler), environment, chosen, limit_seconds)


@cache
def _shown(
    compiler: str, _stamp: Stamp, environment: Environment, _chosen: Environment, limit_seconds: float
) -> str:
    try:
        outcome = answers.ask(
            (compiler, "-show"), limit_seconds, environment=environment, about=[_wrapper_data(Path(compiler))]
        )
    except HostError:
        return ""
    return "" if outcome.timed_out else outcome.stdout + "\n" + outcome.stderr


def _wrapper_data(compiler: Path) -> Path:
    """Where Open MPI's wrapper reads what it shows."""
    return compiler.parent.parent / "share/openmpi" / f"{compiler.name}-wrapper-data.txt"


def library_file(shown_line: str, prefix: str = "") -> Path | None:
    """Return the real path of the MPI library that the shown line links, None if it leads to none."""
    names = [f"lib{name}.so" for name in ("mpi", "mpich") if f"-l{name}" in shown_line.split()]
    for folder in _LIBRARY_FOLDER.findall(shown_line.replace(_INTEL_PLACEHOLDER, prefix)):
        for name in names:
            if (file := Path(folder, name)).exists():
                return file.resolve()
    return None


def facts(implementation: Implementation) -> tuple[object, ...]:
    """Return all that can change what this implementation's compiler makes of a source."""
    compiler = Path(implementation.mpicc)
    line = shown(compiler, implementation.environment)
    library = library_file(line, implementation.prefix)
    return (
        stamp(compiler), line, stamp(_wrapped(line)), library and stamp(library),
        implementation.version, implementation.environment,
    )  # fmt: skip


def of_text(
    implementation: Implementation, text: str, *options: str, limit_seconds: float,
    answered: re.Pattern[str] | None = None,
) -> Outcome:  # fmt: skip
    """Return what the implementation's compiler makes of this text of C, which it sees as `names.c`.

    It is kept as long as a build would be. A refusal is an answer too where its words have `answered`.
    """
    line = shown(Path(implementation.mpicc), implementation.environment)
    headers = [stamp(Path(folder, "mpi.h")) for folder in _INCLUDE_FOLDER.findall(line)]

    def run() -> Outcome:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "names.c").write_text(text)
            argv = [implementation.mpicc, *options, "names.c"]
            return process.run(argv, limit_seconds, environment=implementation.environment, cwd=Path(folder))

    return answers.kept(
        (implementation.mpicc, options, text), (facts(implementation), headers), run,
        lambda outcome: outcome.returncode == 0 or bool(answered and answered.search(outcome.stderr)),
    )  # fmt: skip


def _wrapped(line: str) -> Path:
    """The compiler that the wrapper calls, by the first word of what it shows."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        words = line.split()
    return Path(shutil.which(words[0]) or words[0]) if words else Path()
