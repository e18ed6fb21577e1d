"""The official source tree of the NAS Parallel Benchmarks that a user has, built with an MPI's own compilers.

The tree itself stays as it is: a copy in the cache is built, one for each implementation, whose `config/make.def`
names its compilers. Fits NPB 3.3 and 3.4 for MPI.
"""

from __future__ import annotations

import fcntl
import fnmatch
import hashlib
import shlex
import shutil
import tempfile
from pathlib import Path

from rankwise.artifacts import builder, compiler
from rankwise.core import paths, process
from rankwise.core.errors import BuildError, HostError, InputError
from rankwise.core.records import Implementation

IN_C = "is"
"""All others are written in Fortran."""
BUILD_LIMIT_SECONDS = 600.0
_GFORTRAN_STRICT = 10
_MADE = ("*.o", "*.mod", "npbparams.h", "setparams", "make.def", "bin", ".git")
_MAKE_DEF = """# Written by Rankwise for {id}.
MPIF77 = {fortran}
MPIFC = {fortran}
FLINK = {fortran}
FMPI_LIB =
FMPI_INC =
FFLAGS = {flags}
FLINKFLAGS = {flags}
MPICC = {mpicc}
CLINK = {mpicc}
CMPI_LIB = -lm
CMPI_INC =
CFLAGS = -O2
CLINKFLAGS = -O2
CC = cc -w
BINDIR = ../bin
RAND = randi8
"""


def find(folder: Path) -> Path:
    """Return the tree for MPI at `folder` or just below it. Raises InputError if there is none."""
    for tree in (folder, *sorted(folder.glob("NPB*-MPI"))):
        if (tree / "sys" / "setparams.c").is_file() and (tree / "config").is_dir():
            return tree.absolute()
    raise InputError(
        f"{folder} is not a source tree of the NAS Parallel Benchmarks: it has no sys/setparams.c",
        "name the folder NPB3.4-MPI (or 3.3) of the archive that nas.nasa.gov offers",
    )


def fortran_of(implementation: Implementation) -> str:
    """Return the path of the implementation's Fortran compiler. Raises HostError if it has none that works."""
    try:
        wrapper = compiler.wrapper(implementation, "mpifort")
    except HostError:
        wrapper = compiler.wrapper(implementation, "mpif77")
    words = shlex.split(compiler.shown(Path(wrapper), implementation.environment)) or [wrapper]
    if shutil.which(words[0]) is None:
        raise HostError(f"{wrapper} calls {words[0]}, which is not here", f"install it (`apt install {words[0]}`)")
    return wrapper


def build(tree: Path, implementation: Implementation, kernel: str, class_name: str, ranks: int) -> Path:
    """Return the path of the program, compiled if need be.

    Raises BuildError with what make said, HostError if the cache cannot be written or Fortran is missing.
    """
    place = _copy(tree, implementation)
    with (place / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        argv = ["make", "-C", str(place), kernel, f"CLASS={class_name}", f"NPROCS={ranks}"]
        outcome = process.run(argv, BUILD_LIMIT_SECONDS, environment=implementation.environment)
    for program in (place / "bin" / f"{kernel}.{class_name}.{end}" for end in (ranks, "x")):
        if outcome.returncode == 0 and program.is_file():
            return program
    raise BuildError(
        f"{implementation.id}: {kernel} of class {class_name} was not built", outcome.command,
        (outcome.stdout + outcome.stderr)[-2000:], "try the command by hand",
    )  # fmt: skip


def _copy(tree: Path, implementation: Implementation) -> Path:
    """The implementation's copy of the tree as it is now, made if need be."""
    made = _make_def(implementation)
    place = paths.cache_folder() / "npb" / f"{implementation.id}-{_digest(tree, made)}"
    if place.exists():
        return place
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".copying-", dir=place.parent))
        try:
            shutil.copytree(tree, scratch, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*_MADE))
            (scratch / "bin").mkdir(exist_ok=True)
            (scratch / "config" / "make.def").write_text(made)
            scratch.chmod(0o755)
            scratch.rename(place)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    except OSError as error:
        if not place.exists():  # else another one was faster
            raise builder.unwritable(error) from error
    return place


def _make_def(implementation: Implementation) -> str:
    try:
        fortran = fortran_of(implementation)
    except HostError:
        fortran = "false"  # for the one in C it is not called
    flags = _fortran_flags(compiler.shown(Path(fortran), implementation.environment))
    return _MAKE_DEF.format(id=implementation.id, fortran=fortran, flags=flags, mpicc=implementation.mpicc)


def _fortran_flags(line: str) -> str:
    """For what the wrapper would run: gfortran refuses since 10 what the benchmarks have of older Fortran."""
    called = (shlex.split(line) or [""])[0]
    if "gfortran" not in called:
        return "-O2"
    version = process.run([called, "-dumpversion"], compiler.ASK_SECONDS).stdout.partition(".")[0].strip()
    older = version.isdecimal() and int(version) < _GFORTRAN_STRICT
    return "-O2" if older else "-O2 -fallow-argument-mismatch -fallow-invalid-boz"


def _digest(tree: Path, made: str) -> str:
    digest = hashlib.sha256(made.encode())
    for path in sorted(tree.rglob("*")):
        name = path.relative_to(tree)
        made_here = any(fnmatch.fnmatch(part, pattern) for part in name.parts for pattern in _MADE)
        if path.is_file() and not made_here:
            digest.update(str(name).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
