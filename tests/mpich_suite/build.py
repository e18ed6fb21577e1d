"""Programs of the suite, compiled by one MPI's compilers, or for the standard ABI.

What a program is made of is read from the suite's Makefile.am files; each compiler compiles the utilities once.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from mpich_suite.source import FOLDER, VERSION, suite
from mpich_suite.testlist import SuiteTest
from support.alone import alone
from support.mpis import FOUND, working

ABI = "abi"
"""Built by mpicc_abi of MPICH 5, for the standard ABI and so for no MPI."""
_C_FLAGS = ("-O0", "-w", "-std=gnu11", "-pthread", "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0")
"""Open MPI declares what MPI-3 removed only where it is told to."""
_FORTRAN_FLAGS = ("-O0", "-w", "-fallow-argument-mismatch", "-pthread")
_UTILITIES = ("util/mtest.c", "util/mtest_common.c", "util/dtypes.c")
_THREADED = "Makefile_threads.mtest"


class CannotBuildError(Exception):
    """The compiler refuses it."""


def in_package(test: SuiteTest) -> bool:
    """Whether the package has a test's sources: some are made when the suite is installed."""
    return all(one.exists() for one in _sources(test))


def program(test: SuiteTest, built_for: str) -> Path:
    """Return a test's program for this implementation, or for `ABI`. Raises CannotBuildError."""
    folder = _built(built_for) / test.folder
    made = folder / test.program
    refused = made.with_suffix(".refused")
    if refused.exists():
        raise CannotBuildError(refused.read_text())
    if not made.exists():
        folder.mkdir(parents=True, exist_ok=True)
        try:
            _link(test, built_for, made)
        except CannotBuildError as error:
            refused.write_text(str(error))
            raise
    return made


def _link(test: SuiteTest, built_for: str, made: Path) -> None:
    variables = _variables(suite() / test.folder)
    fortran = test.fortran
    threads = _THREADED in variables["include"]
    defined = re.findall(r"-[DU]\S+", variables.get(f"{test.program}_CPPFLAGS", ""))
    defined += ["-DMTEST_USE_THREAD"] * threads
    kind = ("fortran-" + test.folder.partition("f")[2][:2]) if fortran else "threads" if threads else "single"
    with tempfile.TemporaryDirectory(dir=made.parent) as scratch:
        partial = Path(scratch) / made.name
        line = [*_compiler(built_for, fortran=fortran), *_includes(suite() / test.folder), *defined]
        line += ["-o", str(partial), *map(str, _sources(test)), str(_utilities(built_for, kind)), "-lm"]
        _compile(line, built_for, Path(scratch))
        partial.replace(made)


def _sources(test: SuiteTest) -> list[Path]:
    variables = _variables(suite() / test.folder)
    kinds = (f"{test.program}_SOURCES", f"nodist_{test.program}_SOURCES")
    names = [name for kind in kinds for name in variables.get(kind, "").split() if not name.endswith(".h")]
    default = test.program + variables.get("AM_DEFAULT_SOURCE_EXT", ".c").strip()
    return [_place(name, test.folder) for name in names or [default]]


def _place(name: str, folder: str) -> Path:
    name = name.replace("$(top_srcdir)", str(suite())).replace("$(srcdir)/", "")
    return suite() / folder / name


def _includes(folder: Path) -> list[str]:
    return [f"-I{one}" for one in (folder, suite() / "include", suite() / "dtpools" / "include")]


def _compiler(built_for: str, *, fortran: bool) -> list[str]:
    if built_for == ABI:
        one = next(one for one in FOUND if one.id.startswith("mpich-5"))
        return [str(Path(one.mpicc).with_name("mpicc_abi")), *_C_FLAGS]
    one = working(built_for)
    if fortran:
        return [one.mpicc.replace("mpicc", "mpifort"), *_FORTRAN_FLAGS]
    return [one.mpicc, *_C_FLAGS]


def _compile(line: list[str], built_for: str, folder: Path) -> None:
    more: Mapping[str, str] = {} if built_for == ABI else dict(working(built_for).environment)
    done = subprocess.run(
        line, cwd=folder, env={**os.environ, **more}, capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode:
        raise CannotBuildError(f"{' '.join(line)}\n{done.stdout}{done.stderr}")


def _utilities(built_for: str, kind: str) -> Path:
    """Return what all programs of a kind are linked to: single, threads, or a Fortran.

    It is an archive: what this MPI does not compile is missed by those alone that need it.
    """
    sources = [suite() / one for one in _UTILITIES]
    sources += sorted((suite() / "dtpools" / "src").glob("*.c"))
    sources.append(suite() / "util" / ("mtest_thread.c" if kind == "threads" else "mtest_single.c"))
    if kind.startswith("fortran"):
        version = kind.removeprefix("fortran-")
        sources.append(suite() / "util" / f"mtest_f{version}.{'f' if version == '77' else 'f90'}")
    folder = _built(built_for) / "utilities"
    archive = folder / f"lib{kind}.a"
    with alone(f"mpich-suite-{built_for}"):
        if not archive.exists():
            folder.mkdir(parents=True, exist_ok=True)
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                objects = list(filter(None, pool.map(lambda one: _object(one, built_for, folder), sources)))
            partial = archive.with_suffix(".partial")
            subprocess.run(["ar", "rcs", partial, *objects], check=True, timeout=60)
            partial.replace(archive)
    return archive


def _object(source: Path, built_for: str, folder: Path) -> Path | None:
    made = folder / f"{source.stem}.o"
    if not made.exists():
        line = [*_compiler(built_for, fortran=source.suffix != ".c"), *_includes(suite() / "util")]
        line += ["-DMTEST_USE_THREAD"] * source.stem.endswith("_thread")
        try:
            _compile([*line, "-c", "-o", str(made), str(source)], built_for, folder)
        except CannotBuildError:
            return None
    return made


def _built(built_for: str) -> Path:
    return FOLDER / f"built-{VERSION}" / built_for


@cache
def _variables(folder: Path) -> dict[str, str]:
    """Return what a folder's Makefile.am says, without its conditions; `include`: the files that it includes."""
    text = re.sub(r"\\\s*\n", " ", (folder / "Makefile.am").read_text())
    found = {"include": " ".join(re.findall(r"^include (.*)$", text, re.MULTILINE))}
    for name, operator, value in re.findall(r"^(\w+)\s*(\+?=)(.*)$", text, re.MULTILINE):
        found[name] = f"{found.get(name, '')} {value}" if operator == "+=" else value
    return found
