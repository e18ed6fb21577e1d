"""The C files use one another in one direction and keep no state, and runtime/ knows nothing above it."""

import re
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from rankwise.artifacts import builder, compiler, harness
from rankwise.core import process
from support.mpis import FOUND, newest_of_each_family, working
from support.real_harness import CSRC, HEADERS, PARTS, symbols, symbols_of_each

FILES = [path for name in PARTS for path in sorted(CSRC.glob(f"{name}/*.[ch]"))]
SEEN_BY_OTHERS = frozenset("TRDBC")
MUTABLE = frozenset("BbDdC")
STATE = {
    "harness/registry": {"kernels"},  # filled before main, by what each benchmark's file registers
    "schedules/algorithm": {"algorithms"},  # likewise
    "harness/ending": {"the_job"},  # neither a signal handler nor an MPI error handler is given a context
}
"""The variables that are left, and why."""
REGISTERS = {"kernels": "kernel_", "schedules": "algorithm_"}
"""Folders whose files register themselves, and what the variable for that begins with."""

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not FOUND, reason="no MPI here")]

Symbols = Mapping[str, set[tuple[str, str]]]


def unit_of(path: Path) -> str:
    """Return `harness/cell` for cell.c and for cell.h: a header and its file are one."""
    return f"{path.parent.name}/{path.stem}"


def objects_of(files: list[Path], folder: Path) -> Symbols:
    """Compile each file and read its symbols; -fno-pie, or constants with addresses would look like variables."""
    one, found = FOUND[0], {}
    for parent in sorted({path.parent for path in files}):
        where = folder / parent.name
        where.mkdir()
        sources = [path for path in files if path.parent == parent and path.suffix == ".c"]
        includes = [f"-I{name}" for name in {path.parent for path in files}]
        argv = [one.mpicc, "-std=gnu99", "-O0", "-fno-pie", *includes, "-c", *map(str, sources)]
        done = process.run(argv, 90, environment=one.environment, cwd=where)
        assert done.returncode == 0, done.stderr
        found |= {unit_of(path): symbols(where / f"{path.stem}.o") for path in sources}
    return found


def uses(files: list[Path], found: Symbols) -> dict[str, set[str]]:
    """Return which units each unit uses, by its #include lines and by the functions and variables it takes."""
    homes = {name: unit for unit, names in found.items() for name, kind in names if kind in SEEN_BY_OTHERS}
    headers = {path.name: unit_of(path) for path in files if path.suffix == ".h"}
    graph: dict[str, set[str]] = {unit_of(path): set() for path in files}
    for path in files:
        included = re.findall(r'^#include "(?:.+/)?(.+)"', path.read_text(), re.MULTILINE)
        graph[unit_of(path)] |= {headers[name] for name in included}
    for unit, names in found.items():
        graph[unit] |= {homes[name] for name, kind in names if kind == "U" and name in homes}
    return {unit: used - {unit} for unit, used in graph.items()}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Symbols:
    """Of the objects that the harness of an MPI is linked from: most often others have compiled them before."""
    one = working(max(newest_of_each_family() & {one.id for one in FOUND if one.family != "lammpi"}))
    sources = tuple(path for path in FILES if path.suffix == ".c")
    artifact = builder.Artifact(harness.PROGRAM, sources, "program", HEADERS, harness.FLAGS)
    objects = builder._objects(artifact, compiler.of(one), tmp_path_factory.mktemp("objects"), 180.0)
    return dict(zip(map(unit_of, sources), symbols_of_each(objects), strict=True))


def test_no_files_use_one_another_in_a_circle(found: Symbols) -> None:
    graph = uses(FILES, found)
    assert {"runtime/clock", "harness/harness", "harness/ending"} <= graph["harness/job"]
    assert len(list(TopologicalSorter(graph).static_order())) == len(graph) > 60


def test_the_order_of_the_header_is_the_order_of_the_layers(found: Symbols) -> None:
    lines = (CSRC / "harness" / "harness.h").read_text().splitlines()
    named = [name for line in lines if line.startswith("/* ") for name in re.findall(r"\b(\w+)\.c\b", line)]
    layers = [f"harness/{name}" for name in named if name != "main"]
    assert len(layers) == len(set(layers)) > 12
    graph = uses(FILES, found)
    for place, unit in enumerate(layers):
        assert not graph[unit] & set(layers[place:]), unit


ALONE = {"runtime": {"runtime"}, "schedules": {"schedules"}, "execution": {"execution", "schedules"}}
"""What the folders that others use as well may use themselves."""


def test_folders_use_nothing_above_them_and_nothing_uses_a_benchmark(found: Symbols) -> None:
    for unit, used in uses(FILES, found).items():
        folders = {other.split("/")[0] for other in used}
        assert "kernels" not in folders, unit
        assert folders <= ALONE.get(unit.split("/")[0], folders), unit


def test_schedules_know_no_mpi(found: Symbols) -> None:
    for unit, names in found.items():
        if unit.startswith("schedules/"):
            assert not any("MPI" in name for name, _ in names), unit


def test_no_variable_outlives_a_call_but_those_that_are_named_here(found: Symbols) -> None:
    assert sum(unit.startswith("runtime/") for unit in found) >= 4
    for unit, names in found.items():
        left = {name for name, kind in names if kind in MUTABLE}
        registers = REGISTERS.get(unit.split("/")[0])
        allowed = {name for name in left if registers and name.startswith(registers)}
        assert left - allowed == STATE.get(unit, set()), unit


def made_up(folder: Path, **texts: str) -> list[Path]:
    (folder / "source").mkdir()
    (folder / "built").mkdir()
    paths = [folder / "source" / name.replace("_", ".") for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text)
    return paths


def test_a_circle_of_calls_is_found(tmp_path: Path) -> None:
    files = made_up(
        tmp_path,
        one_c="int two(void); int one(void) { return two(); }",
        two_c="int one(void); int two(void) { return one(); }",
    )
    with pytest.raises(CycleError):
        TopologicalSorter(uses(files, objects_of(files, tmp_path / "built"))).prepare()


def test_a_circle_of_a_header_and_a_call_is_found(tmp_path: Path) -> None:
    files = made_up(
        tmp_path,
        one_h="enum { ONE = 1 };\nint one(void);\n",
        one_c="int two(void); int one(void) { return two(); }",
        two_c='#include "one.h"\nint two(void); int two(void) { return ONE; }',
    )
    with pytest.raises(CycleError):
        TopologicalSorter(uses(files, objects_of(files, tmp_path / "built"))).prepare()


def test_a_variable_of_a_file_or_of_a_function_is_found(tmp_path: Path) -> None:
    files = made_up(tmp_path, one_c="static int a = 1; int one(void) { static int b; return ++a + ++b; }")
    names = objects_of(files, tmp_path / "built")["source/one"]
    assert {name.split(".")[0] for name, kind in names if kind in MUTABLE} == {"a", "b"}
