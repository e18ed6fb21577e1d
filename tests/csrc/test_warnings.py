"""Every C file of the project and of its tests compiles without a warning, with every implementation's headers."""

from dataclasses import replace
from pathlib import Path

import pytest

import rankwise
from rankwise.artifacts import overlay, tracer
from rankwise.artifacts.abi import gateway, libraries
from rankwise.core import process
from rankwise.core.jobs import Outcome
from rankwise.core.records import Implementation
from rankwise.workflows.abi import known_standard
from support.mpis import FOUND
from support.real_harness import INCLUDES, WARNINGS

PACKAGE = Path(rankwise.__file__).parent
TESTS = Path(__file__).parent.parent
BUILT_ELSEWHERE = {"abi", "gateway", "interpose", "tracer"}
"""Folders of libraries for which part of the source is written from mpi.h: they are compiled with it alone."""
NEEDS_A_LIBRARY = ("record_numbers.c",)
FILES = [
    path for folder in (PACKAGE, TESTS) for path in sorted(folder.rglob("*.c"))
    if not BUILT_ELSEWHERE & set(path.relative_to(folder).parts) and path.name not in NEEDS_A_LIBRARY
]  # fmt: skip
OF_ONE_FAMILY = {"openmpi/traffic.c": "openmpi", "openmpi/nested.c": "openmpi"}
"""What uses one family's own names."""

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(1800)]


def compiled(one: Implementation, folder: Path, *words: str) -> Outcome:
    """Compile to the end, not -fsyntax-only: unused functions and wrong uses of memory are seen only then."""
    argv = [one.mpicc, *WARNINGS, "-O2", *INCLUDES, "-c", *words]
    return process.run(argv, 900, environment=one.environment, cwd=folder)


OF_THE_PACKAGE = ("-Wconversion", "-Wpedantic", "-Wvla")
"""What its own files are compiled with as well; those of tests are short."""
COMPILERS = ("gcc", "clang")
_ITS_COMPILER = {"openmpi": "OMPI_CC", "mpich": "MPICH_CC", "intelmpi": "I_MPI_CC", "lammpi": "LAMMPICC"}
"""The variable by which an MPI's compiler wrapper takes another compiler."""


def package_files(one: Implementation) -> list[Path]:
    files = [path for path in FILES if path.is_relative_to(PACKAGE)]
    return [
        path for path in files if OF_ONE_FAMILY.get(f"{path.parent.name}/{path.name}", one.family) == one.family
    ]


@pytest.mark.nightly
@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_package_has_no_warning_of_either_compiler(compiler: str, tmp_path: Path) -> None:
    one = FOUND[0]
    by_it = replace(one, environment=(*one.environment, (_ITS_COMPILER[one.family], compiler)))
    files = package_files(one)
    assert len(files) > 150
    done = compiled(by_it, tmp_path, *OF_THE_PACKAGE, *map(str, files))
    assert done.returncode == 0, done.stderr


@pytest.mark.nightly
@pytest.mark.parametrize("one", FOUND, ids=lambda one: one.id)
def test_libraries_have_no_warning(one: Implementation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of which part is written from mpi.h: with that part."""
    standard = known_standard()
    strict = (*WARNINGS[1:], *OF_THE_PACKAGE, "-Wno-unused-parameter")
    monkeypatch.setattr(libraries, "FLAGS", (*libraries.FLAGS, *strict))
    for module in (overlay, tracer):
        monkeypatch.setattr(module, "_FLAGS", (*module._FLAGS, *strict))
    gateway.build(standard), libraries.front_end(standard)
    libraries.backend(standard, one), libraries.mirror_of(standard, one)
    overlay.build(one), tracer.build(one)


ONE_AND_THE_REST = [FOUND[0], *(pytest.param(one, marks=pytest.mark.nightly) for one in FOUND[1:])]


@pytest.mark.parametrize("one", ONE_AND_THE_REST, ids=lambda one: one.id)
@pytest.mark.nightly
def test_no_file_has_a_warning(one: Implementation, tmp_path: Path) -> None:
    files = [
        path for path in FILES if OF_ONE_FAMILY.get(f"{path.parent.name}/{path.name}", one.family) == one.family
    ]
    assert len(files) > 60
    done = compiled(one, tmp_path, *map(str, files))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "fault",
    [
        "void called(void) {}",
        "static int unused;",
        "int main(int count, char **words) { (void)words; int other = 0; { int other = count; return other; } }",
    ],
)
def test_a_warning_is_an_error(tmp_path: Path, fault: str) -> None:
    (tmp_path / "faulty.c").write_text(fault + "\n")
    done = compiled(FOUND[0], tmp_path, str(tmp_path / "faulty.c"))
    assert done.returncode != 0
    assert "-Werror" in done.stderr
