"""Every C file of the project and of its tests compiles without a warning, with every implementation's headers."""

from pathlib import Path

import pytest

import rankwise
from rankwise.core import process
from rankwise.core.records import Implementation
from support.mpis import FOUND
from support.real_harness import INCLUDES, WARNINGS

PACKAGE = Path(rankwise.__file__).parent
TESTS = Path(__file__).parent.parent
BUILT_ELSEWHERE = ("abi", "backend", "front_end", "gateway", "interpose", "tracer")
"""Folders of libraries for which part of the source is written from mpi.h: they are compiled with it alone."""
NEEDS_A_LIBRARY = ("record_numbers.c",)
FILES = [
    path for folder in (PACKAGE, TESTS) for path in sorted(folder.rglob("*.c"))
    if path.parent.name not in BUILT_ELSEWHERE and path.name not in NEEDS_A_LIBRARY
]  # fmt: skip
OF_ONE_FAMILY = {"openmpi/traffic.c": "openmpi", "openmpi/nested.c": "openmpi"}
"""What uses one family's own names."""

pytestmark = pytest.mark.mpi


def compiled(one: Implementation, folder: Path, *files: Path) -> process.Outcome:
    """Compile to the end, not -fsyntax-only: unused functions and wrong uses of memory are seen only then."""
    argv = [one.mpicc, *WARNINGS, "-O2", *INCLUDES, "-c", *map(str, files)]
    return process.run(argv, 90, environment=one.environment, cwd=folder)


ONE_AND_THE_REST = [FOUND[0], *(pytest.param(one, marks=pytest.mark.nightly) for one in FOUND[1:])]


@pytest.mark.parametrize("one", ONE_AND_THE_REST, ids=lambda one: one.id)
@pytest.mark.nightly
def test_no_file_has_a_warning(one: Implementation, tmp_path: Path) -> None:
    files = [
        path for path in FILES if OF_ONE_FAMILY.get(f"{path.parent.name}/{path.name}", one.family) == one.family
    ]
    assert len(files) > 60
    done = compiled(one, tmp_path, *files)
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
    done = compiled(FOUND[0], tmp_path, tmp_path / "faulty.c")
    assert done.returncode != 0
    assert "-Werror" in done.stderr
