"""The C files of harness, overlay and gateway use one another in one direction, and keep only named state."""

import re
from collections.abc import Callable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import pytest

from rankwise.artifacts import builder, compiler, harness, overlay
from rankwise.artifacts.abi import gateway
from rankwise.artifacts.abi.standard import standard
from rankwise.artifacts.builder import Artifact
from rankwise.artifacts.compiler import Toolchain
from rankwise.core import process
from rankwise.core.records import Implementation
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
Library = tuple[str, dict[str, set[str]], dict[str, set[str]]]


def unit_of(path: Path) -> str:
    """Return `harness/cell` for cell.c and for cell.h: a header and its file are one."""
    folder = "generated" if "generated" in path.parts else path.parent.name
    return f"{folder}/{path.stem}"


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


def included(path: Path, folders: Sequence[Path]) -> list[Path]:
    """Return the headers of ours that a file includes, as a compiler with these folders finds them."""
    names = re.findall(r'^#include "(.+)"', path.read_text(), re.MULTILINE)
    places = [[folder / name for folder in (path.parent, *folders)] for name in names]
    return [next(place.resolve() for place in each if place.exists()) for each in places]


def uses(files: Sequence[Path], found: Symbols, folders: Sequence[Path] = ()) -> dict[str, set[str]]:
    """Return which units each unit uses, by its #include lines and by the functions and variables it takes."""
    homes = {name: unit for unit, names in found.items() for name, kind in names if kind in SEEN_BY_OTHERS}
    graph: dict[str, set[str]] = {}
    left, seen = list(files), set(files)
    while left:
        path = left.pop()
        headers = included(path, folders)
        graph.setdefault(unit_of(path), set()).update(map(unit_of, headers))
        left += [header for header in headers if header not in seen]
        seen |= set(headers)
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
    graph = uses(FILES, found, HEADERS)
    assert {"runtime/clock", "harness/harness", "harness/ending"} <= graph["harness/job"]
    assert len(list(TopologicalSorter(graph).static_order())) == len(graph) > 60


def test_the_order_of_the_header_is_the_order_of_the_layers(found: Symbols) -> None:
    lines = (CSRC / "harness" / "harness.h").read_text().splitlines()
    named = [name for line in lines if line.startswith("/* ") for name in re.findall(r"\b(\w+)\.c\b", line)]
    layers = [f"harness/{name}" for name in named if name != "main"]
    assert len(layers) == len(set(layers)) > 12
    graph = uses(FILES, found, HEADERS)
    for place, unit in enumerate(layers):
        assert not graph[unit] & set(layers[place:]), unit


ALONE = {"runtime": {"runtime"}, "schedules": {"schedules"}, "execution": {"execution", "schedules"}}
"""What the folders that others use as well may use themselves."""


def test_folders_use_nothing_above_them_and_nothing_uses_a_benchmark(found: Symbols) -> None:
    for unit, used in uses(FILES, found, HEADERS).items():
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


STATE_OF_LIBRARIES = {
    "overlay": {
        "interpose/communicator": {"key"},
        "interpose/held": {"looking", "ops", "types"},
        "interpose/known_sites": {"changing", "known"},
        "interpose/nonblocking": {"requests_of_ours", "turns", "under_way"},
        "interpose/overlay": {"beginning", "stage"},
        "interpose/passing": {"generation", "inside", "may_replace", "recent", "tallies", "tally_count"},
        "interpose/report": {"passed", "uses"},
        "interpose/settings": {"chosen"},
        "interpose/hook": {"asked", "found", "looked", "registered"},
        "interpose/turns": {"awake", "one_turn", "running", "waking", "wanted"},
    },
    "gateway": {
        "process/gateway": {"below", "seen", "world"},
        "process/progress": {"busy", "idle", "idle_look", "poller_count", "pollers", "running", "thread"},
        "process/slots": {"slots_begin", "so_far", "unused"},
        "process/turns": {"depth", "many_threads", "next_ticket", "served"},
        "bootstrap/encrypted": {"encryption", "room", "sessions"},
        "bootstrap/join": {"deadline"},
        "bootstrap/settings": {"job_settings", "key"},
        "wire/outgoing": {"message_handlers", "to_send"},
        "wire/wire": {"connected", "connections", "peers", "some_left", "some_unread", "waits"},
        "communicators/communicators": {"buckets", "when_joined"},
        "communicators/contexts": {"context_count", "contexts", "in_bucket", "made", "next_mixed"},
        "communicators/groups": {"all"},
        "messages/matching": {"local_waits"},
        "messages/packing": {"own"},
        "messages/request": {"outstanding"},
        "messages/sending": {"sends_under_way"},
        "messages/types": {"known"},
        "requests/batch": {"batches"},
        "requests/natives": {"kept"},
        "collectives/collectives": {"table"},
        "making/ports": {"ports"},
        "calls/beginning": {"calls_in_turns", "level", "program_calls"},
        "calls/inquiries": {"no"},
        "calls/operations": {"made"},
        "calls/own_attributes": {"own"},
        "calls/waiting": {"busy", "has", "hooked", "library", "library_hook", "once", "seeing", "waiting"},
        "interpose/held": {"looking", "ops", "types"},
    },
}
"""What libraries between a program and its MPI keep: MPI's functions give them no context of their own."""
LAYERS = (
    "process",
    "bootstrap",
    "wire",
    "communicators",
    "messages",
    "requests",
    "collectives",
    "making",
    "calls",
)
"""The gateway's folders: each may use those before it, and what is shared with the overlay."""


class _CapturedError(Exception):
    pass


def captured(build: Callable[[], object], patch: pytest.MonkeyPatch) -> tuple[Artifact, Toolchain]:
    """Return what would be built, and by what."""
    seen: list[tuple[Artifact, Toolchain]] = []

    def capture(artifact: Artifact, using: Any, *_: Any) -> Path:
        seen.append((artifact, using if isinstance(using, Toolchain) else compiler.of(using)))
        raise _CapturedError

    with patch.context() as changed, pytest.raises(_CapturedError):
        changed.setattr(builder, "build", capture)
        build()
    return seen[0]


BUILDS: dict[str, Callable[[Implementation], object]] = {
    "overlay": overlay.build,
    "gateway": lambda _: gateway.build(standard(FOUND)),
}


@pytest.fixture(scope="module", params=BUILDS)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Library:
    """One of them: its name, what uses what in it, and the variables of each unit."""
    one = working(next(one.id for one in FOUND if one.family in {"mpich", "openmpi"}))
    with pytest.MonkeyPatch.context() as patch:
        artifact, using = captured(lambda: BUILDS[request.param](one), patch)
    objects = builder._objects(artifact, using, tmp_path_factory.mktemp(request.param), 300.0)
    names = dict(zip(map(unit_of, artifact.sources), symbols_of_each(objects), strict=True))
    state = {
        unit: {
            name.split(".")[0] for name, kind in all_names if kind in MUTABLE and not re.match("algorithm_", name)
        }
        for unit, all_names in names.items()
        if unit not in STATE
    }
    used = uses(artifact.sources, names, artifact.include_folders)
    return request.param, used, {unit: left for unit, left in state.items() if left}


def test_no_files_of_a_library_use_one_another_in_a_circle(library: Library) -> None:
    _, used, _ = library
    assert len(list(TopologicalSorter(used).static_order())) == len(used) > 100


def test_a_library_keeps_what_is_named_here(library: Library) -> None:
    name, _, state = library
    assert state == STATE_OF_LIBRARIES[name]


def test_layers_of_the_gateway_use_those_below(library: Library) -> None:
    name, used, _ = library
    for unit, others in used.items():
        folder = unit.split("/")[0]
        if name != "gateway" or folder not in LAYERS:
            continue
        above = LAYERS[LAYERS.index(folder) + 1 :]
        assert not {other for other in others if other.split("/")[0] in above}, unit


def test_nothing_below_mpis_functions_calls_what_stands_for_them() -> None:
    files = [path for name in LAYERS[:-1] for path in sorted(CSRC.glob(f"gateway/{name}/*.c"))]
    assert len(files) > 40
    for path in files:
        assert not re.findall(r"^[ \t].*\bcall_[A-Z]\w*\(", path.read_text(), re.MULTILINE), path


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
